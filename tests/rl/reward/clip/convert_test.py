"""Checkpoints are converted name by name, and wrong ones are refused with every name that differs.

The files are written as PyTorch lays them out, so that no PyTorch is needed; the same is tested
with PyTorch's own in `parity_test.py`.
"""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.rl.mineclip import small
from tests.rl.mineclip.torch_writer import checkpoint, text, view, write

from rlgpt_jax.rl.reward.clip import convert, torch_file
from rlgpt_jax.rl.reward.clip.torch_file import CheckpointError

SIZES = small.sizes()


def test_a_whole_checkpoint_is_converted_and_every_name_is_told(tmp_path: Path) -> None:
    state = checkpoint(SIZES)
    weights, report = convert.convert_file(write(tmp_path / "attn.pth", state), SIZES)
    assert not report.faults and weights.sizes == SIZES and len(weights.digest) == 64
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
    state = {name: x for name, x in checkpoint(SIZES).items() if "temporal" not in name}
    weights, _ = convert.convert_file(write(tmp_path / "avg.pth", state), SIZES)
    assert weights.sizes.temporal == "avg" and "temporal" not in weights.params


def test_all_that_is_missing_unexpected_or_of_another_shape_is_in_one_error(tmp_path: Path) -> None:
    state = checkpoint(SIZES)
    del state["model.reward_head.video_adapter.3.bias"]
    state["model.clip_model.text_model.pos_embed"] = np.zeros((5, 16))
    state["model.image_encoder.ln_post.bias"] = np.full(24, 7.0)
    state["model.clip_model.text_model.ln_final.bias"] = np.full(16, np.nan)
    state["fc.weight"] = np.zeros(2)
    with pytest.raises(convert.Unfit) as caught:
        convert.convert_file(write(tmp_path / "other.pth", state), SIZES)
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
    path = write(tmp_path / "resnet.pth", {f"layer{i}.weight": np.zeros(2) for i in range(20)})
    with pytest.raises(convert.Unfit, match="0 fit, and .* do not") as caught:
        convert.convert_file(path, SIZES)
    assert "more\nGive the published file" in str(caught.value)
    assert len(caught.value.report.unexpected) == 20


def test_objects_beside_the_weights_are_passed_over_and_not_made(tmp_path: Path) -> None:
    made = tmp_path / "made"  # by os.mkdir, a function that is named and called
    hostile = text("trainer") + b"cposix\nmkdir\n(" + text(str(made)) + b"tR"
    read = torch_file.load(write(tmp_path / "a.pth", {"x": np.ones((2, 3))}, before=hostile))
    assert not made.exists()
    assert read.keys() == {"x"}
    np.testing.assert_array_equal(read["x"], np.ones((2, 3)))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "there is no file"),
        (b"", "it is empty"),
        (b"<!DOCTYPE html><p>Sign in", "it is an HTML page"),
        (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P", "write it again with torch.save"),
    ],
)
def test_a_file_of_another_format_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "a.pth"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(CheckpointError, match=words):
        torch_file.load(path)


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pth", {"x": np.ones(200)})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(CheckpointError, match="cut short"):
        torch_file.load(path)


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (b"\x80\x02}.", "no dictionary of named tensors"),
        (b"\x80\x02(.", "no dictionary of named tensors"),
        (b"\x80\x02}", "broken"),
        (b"\x80\x02t.", "broken"),
        (b"\x80\x02h\x05.", "broken"),
        (b"\x80\x02(" + text("module") + b"tQ.", "broken"),
        (b"\x80\x02ios\nsystem\n.", "instruction INST, which PyTorch never uses"),
    ],
)
def test_a_broken_structure_is_refused(tmp_path: Path, tree: bytes, words: str) -> None:
    path = tmp_path / "a.pth"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/data.pkl", tree)
    with pytest.raises(CheckpointError, match=words):
        torch_file.load(path)


def test_a_tensor_beyond_its_numbers_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pth", {"x": np.ones(4)}, length=2**30)
    with pytest.raises(CheckpointError, match="x reaches beyond its numbers"):
        torch_file.load(path)


@pytest.mark.parametrize(
    ("shape", "strides", "words"),
    [
        ((2000, 3000), (0, 0), "x reaches beyond its numbers"),  # one number, six million times
        ((0, *[2**31 - 1] * 3), (1, 1, 1, 1), "cannot be read as a PyTorch checkpoint"),
        ((1, 1), (1,), "cannot be read as a PyTorch checkpoint"),
    ],
)
def test_a_tensor_of_one_number_that_claims_to_be_another_is_refused(
    tmp_path: Path, shape: tuple[int, ...], strides: tuple[int, ...], words: str
) -> None:
    path = tmp_path / "a.pth"
    with zipfile.ZipFile(path, "w") as archive:
        tree = b"\x80\x02}(" + text("x") + view("0", 1, shape, strides) + b"u."
        archive.writestr("a/data.pkl", tree)
        archive.writestr("a/data/0", bytes(4))
    with pytest.raises(CheckpointError, match=words):
        torch_file.load(path)


def test_a_huge_structure_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.pth", {"x": np.ones(4)})
    monkeypatch.setattr(torch_file, "MAX_STRUCTURE", 100)
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was read"))
    with pytest.raises(CheckpointError, match="data.pkl has .* bytes; at most 100 are read"):
        torch_file.load(path)


def test_broken_compression_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pth"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/data.pkl", bytes(1000))
    data = bytearray(path.read_bytes())
    at = data.index(b"data.pkl") + len(b"data.pkl")
    data[at : at + 4] = b"\xff" * 4
    path.write_bytes(data)
    with pytest.raises(CheckpointError, match="cannot be read as a PyTorch checkpoint"):
        torch_file.load(path)


def test_a_zip_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pth"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "hello")
    with pytest.raises(CheckpointError, match="a zip archive with 0 data.pkl"):
        torch_file.load(path)
