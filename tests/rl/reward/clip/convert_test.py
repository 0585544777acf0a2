"""Checkpoints are converted name by name, and wrong ones are refused with every name that differs.

No PyTorch is needed for that; that its files are read is tested in `torch_file_test.py`, and that a
converted model gives its numbers in `parity_test.py`.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.rl.reward.clip import convert
from rlgpt_jax.rl.reward.clip.convert import Report
from rlgpt_jax.rl.reward.clip.weights import Weights
from tests.rl.reward.clip import small

SIZES = small.sizes()
FILE = b"a checkpoint"


def converted(folder: Path, state: Mapping[str, np.ndarray]) -> tuple[Weights, Report]:
    """What becomes of the arrays of a file."""
    path = folder / "attn.pth"
    path.write_bytes(FILE)
    return convert.convert_state(state, path, SIZES)


def test_a_whole_checkpoint_is_converted_and_every_name_is_told(tmp_path: Path) -> None:
    state = small.checkpoint(SIZES)
    weights, report = converted(tmp_path, state)
    assert not report.faults and weights.sizes == SIZES
    assert weights.digest == hashlib.sha256(FILE).hexdigest()
    told = "\n".join(report.lines())
    assert all(name in told for name in state) and len(report.lines()) == len(report.rows)
    assert (
        "image/class_token [24] <- model.image_encoder.cls_token = "
        "model.clip_model.vision_model.cls_token" in told
    )
    qkv = weights.params["text"]["block_1"]["qkv"]["kernel"]
    name = "model.clip_model.text_model.blocks.1.attn.in_proj_weight"
    np.testing.assert_array_equal(qkv, state[name].T)
    patch = weights.params["image"]["patches"]["kernel"].reshape(8, 8, 3, 24)
    conv = state["model.image_encoder.conv1.weight"]
    np.testing.assert_array_equal(patch[2, 5, 1], conv[:, 1, 2, 5])


def test_a_checkpoint_without_a_temporal_transformer_is_the_average_one(tmp_path: Path) -> None:
    state = {name: x for name, x in small.checkpoint(SIZES).items() if "temporal" not in name}
    weights, _ = converted(tmp_path, state)
    assert weights.sizes.temporal == "avg" and "temporal" not in weights.params


def test_all_that_is_missing_unexpected_or_of_another_shape_is_in_one_error(tmp_path: Path) -> None:
    state = small.checkpoint(SIZES)
    del state["model.reward_head.video_adapter.3.bias"]
    state["model.clip_model.text_model.pos_embed"] = np.zeros((5, 16))
    state["model.image_encoder.ln_post.bias"] = np.full(24, 7.0)
    state["model.clip_model.text_model.ln_final.bias"] = np.full(16, np.nan)
    state["fc.weight"] = np.zeros(2)
    with pytest.raises(convert.Unfit) as caught:
        converted(tmp_path, state)
    total = len(caught.value.report.rows)
    assert f"of {total} parameters {total - 4} fit, and 5 names do not." in str(caught.value)
    for words in (
        "video_adapter/layer_1/bias: missing (head.video_adapter.3.bias or head.video_adapter.2",
        "text/positions: shape (5, 16) of model.clip_model.text_model.pos_embed, needed (12, 16)",
        "image/norm_after/bias: model.image_encoder.ln_post.bias and model.clip_model.vision_model"
        ".ln_post.bias, model.reward_head.clip_model.vision_model.ln_post.bias should be equal",
        "text/norm_after/bias: model.clip_model.text_model.ln_final.bias holds numbers that",
        "fc.weight: unexpected",
    ):
        assert words in str(caught.value)
    assert "Give the published file" in str(caught.value)


def test_of_a_quite_different_model_the_first_names_are_told(tmp_path: Path) -> None:
    state = {f"layer{i}.weight": np.zeros(2) for i in range(20)}
    with pytest.raises(convert.Unfit, match="0 fit, and .* do not") as caught:
        converted(tmp_path, state)
    assert "more\nGive the published file" in str(caught.value)
    assert len(caught.value.report.unexpected) == 20
