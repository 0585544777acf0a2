"""What the towers promise whatever their weights are."""

import dataclasses
import re
from pathlib import Path

import jax
import numpy as np
import pytest

from rlgpt_jax.rl.reward.clip import weights as weights_file
from rlgpt_jax.rl.reward.clip.model import apply, shapes_of
from rlgpt_jax.rl.reward.clip.sizes import PUBLISHED, Sizes
from rlgpt_jax.rl.reward.clip.torch_names import sources
from tests.rl.reward.clip import small

TOKENS = np.zeros((1, 12), np.int32)
TOKENS[0, :4] = 48, 5, 7, 49


def test_the_published_model_has_the_published_number_of_parameters() -> None:
    counts = dict.fromkeys(("image", "text", "temporal", "video_adapter", "log_scale"), 0)
    for path, shape in shapes_of(PUBLISHED).items():
        counts[path.partition("/")[0]] += int(np.prod(shape))
    # CLIP ViT-B/16 has 86,192,640 and 63,428,096 with 197 positions; here there are 161.
    assert counts["image"] == 86_192_640 - (197 - 161) * 768
    assert counts["text"] == 63_428_096
    assert counts["temporal"] == 32 * 512 + 2 * (4 * 512**2 + 12 * 512**2 + 4608 + 4 * 512) + 1024
    assert counts["video_adapter"] == 2 * (512**2 + 512) + 1


@pytest.mark.parametrize("temporal", ["attn", "avg"])
def test_every_parameter_has_a_source_and_every_source_a_parameter(temporal: str) -> None:
    sizes = dataclasses.replace(PUBLISHED, temporal=temporal, text_adapter=1)
    assert sources(sizes).keys() == shapes_of(sizes).keys()


@pytest.mark.slow
def test_what_stands_after_the_end_token_does_not_matter() -> None:
    weights = small.weights()
    plain = apply(weights.sizes, weights.params, "text", TOKENS)
    tail = TOKENS.copy()
    tail[0, 6:] = 3
    other = TOKENS.copy()
    other[0, 1] = 6
    np.testing.assert_array_equal(apply(weights.sizes, weights.params, "text", tail), plain)
    assert np.abs(apply(weights.sizes, weights.params, "text", other) - plain).max() > 1e-4


def test_a_window_may_be_shorter_than_the_longest_and_its_order_matters() -> None:
    weights = small.weights()
    frames = np.random.default_rng(0).normal(size=(1, 5, 16)).astype(np.float32)
    video = apply(weights.sizes, weights.params, "temporal", frames)
    turned = apply(weights.sizes, weights.params, "temporal", frames[:, ::-1])
    assert video.shape == (1, 16) and np.abs(video - turned).max() > 1e-5


@pytest.mark.slow
def test_logits_are_the_scaled_cosine_of_the_adapted_features() -> None:
    weights = small.weights(small.sizes(video_adapter=0))
    video = np.array([[3.0] + [0.0] * 15, [0.0, -2.0] + [0.0] * 14], np.float32)
    texts = np.eye(16, dtype=np.float32)[:2]
    logits = apply(weights.sizes, weights.params, "logits", video, texts)
    np.testing.assert_allclose(logits, np.array([[1, 0], [0, -1]]) / 0.07, rtol=1e-5)


def test_the_whole_is_its_parts() -> None:
    weights = small.weights()
    rgb = np.random.default_rng(0).integers(0, 256, (2, 3, 16, 24, 3)).astype(np.uint8)
    call = lambda *x: apply(weights.sizes, weights.params, *x)  # noqa: E731
    whole = call("__call__", rgb, TOKENS)
    frames = call("image", rgb.reshape(-1, 16, 24, 3)).reshape(2, 3, -1)
    parts = call("logits", call("temporal", frames), call("text", TOKENS))
    np.testing.assert_allclose(whole, parts, atol=1e-4)


def test_pictures_of_another_size_and_tokens_of_another_length_are_refused() -> None:
    weights = small.weights()
    with pytest.raises(ValueError, match=r"frames must be \[B, 16, 24, 3\], got \(1, 24, 16, 3\)"):
        apply(weights.sizes, weights.params, "image", np.zeros((1, 24, 16, 3), np.uint8))
    with pytest.raises(ValueError, match=r"tokens must be \[B, 12\], got \(1, 9\)"):
        apply(weights.sizes, weights.params, "text", np.zeros((1, 9), np.int32))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"image_size": (160, 250)}, "multiples of the patch of 16"),
        ({"text_heads": 7}, "text_width=512 must be a multiple of its 7 heads"),
        ({"temporal": "max"}, "temporal is 'max'; it must be attn or avg"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(changes: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Sizes(**changes)


def test_weights_come_back_from_their_file(tmp_path: Path) -> None:
    weights = small.weights()
    path = tmp_path / "new" / "weights.npz"
    weights_file.save(path, weights)
    back = weights_file.load(path)
    assert (back.sizes, back.digest) == (weights.sizes, weights.digest)
    assert not list(path.parent.glob("*.part"))
    jax.tree.map(np.testing.assert_array_equal, back.params, weights.params)


def test_files_that_are_no_weights_are_refused_with_what_to_do(tmp_path: Path) -> None:
    def refused(path: Path, words: str) -> None:
        with pytest.raises(weights_file.WeightsError, match=re.escape(words)):
            weights_file.load(path)

    path = tmp_path / "weights.npz"
    refused(path, f"there are no weights of MineCLIP at {path}. Convert the published checkpoint")
    path.write_bytes(b"<html>")
    refused(path, "is no file of converted weights")
    np.savez(path, a=np.ones(2))
    refused(path, "must be converted first")
    params = dict(small.weights().params)
    params["log_scale"] = np.zeros(2, np.float32)
    weights_file.save(path, small.weights()._replace(params=params))
    refused(path, "log_scale missing, unexpected or of another shape")
