"""Our towers and PyTorch's give the same numbers, from the published file to the logits."""

import functools

import numpy as np
import pytest

from rlgpt_jax.rl.reward.clip import convert
from rlgpt_jax.rl.reward.clip.model import apply
from rlgpt_jax.rl.reward.clip.sizes import PUBLISHED, Sizes
from tests.rl.reward.clip import small

torch = pytest.importorskip("torch", reason="the extra `clip` is not installed")

MOST = 1e-4  # by which a float32 may differ


def assert_equal_parts(sizes: Sizes, folder, kind: str, frames: int, texts: int) -> float:
    """Largest difference of features and logits, the file read and converted by us."""
    from tests.rl.reward.clip import torch_reference

    model = torch_reference.make(sizes, seed=1)
    path = folder / f"{kind}.pth"
    {"published": torch_reference.published_file, "released": torch_reference.released_file}[kind](
        model, path
    )
    weights, _ = convert.convert_file(path, sizes)
    assert weights.sizes == sizes
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 256, (2 * frames, *sizes.image_size, 3)).astype(np.uint8)
    tokens = np.zeros((texts, sizes.text_length), np.int32)
    for row in tokens:
        end = rng.integers(2, sizes.text_length)
        row[:end] = rng.integers(0, sizes.vocabulary - 1, end)
        row[end] = sizes.vocabulary - 1

    ours = functools.partial(apply, sizes, weights.params)
    with torch.no_grad():
        theirs = [model.image_encoder(torch.tensor(rgb))]
        mine = [ours("image", rgb)]
        theirs.append(model.video(theirs[0].unflatten(0, (2, frames))))
        mine.append(ours("temporal", mine[0].reshape(2, frames, -1)))
        theirs.append(model.clip_model.text_model(torch.tensor(tokens).long()))
        mine.append(ours("text", tokens))
        theirs.append(model.logits(theirs[1], theirs[2]))
        mine.append(ours("logits", mine[1], mine[2]))
    for y in theirs:
        assert np.std(y.numpy()) > 1e-2  # of something that could differ
    return max(float(np.abs(x - y.numpy()).max()) for x, y in zip(mine, theirs))


@pytest.mark.parametrize("kind", ["published", "released"])
@pytest.mark.parametrize("temporal", ["attn", "avg"])
def test_a_small_model_gives_pytorchs_numbers(tmp_path, kind, temporal):
    sizes = small.sizes(temporal=temporal)
    assert assert_equal_parts(sizes, tmp_path, kind, frames=5, texts=3) < MOST


def test_adapters_of_the_texts_are_taken_over_too(tmp_path):
    sizes = small.sizes(text_adapter=2, video_adapter=1)
    assert assert_equal_parts(sizes, tmp_path, "published", frames=3, texts=3) < MOST


@pytest.mark.slow
def test_the_published_size_gives_pytorchs_numbers(tmp_path, record_property):
    error = assert_equal_parts(PUBLISHED, tmp_path, "published", frames=16, texts=4)
    record_property("max_error", error)
    assert error < MOST
