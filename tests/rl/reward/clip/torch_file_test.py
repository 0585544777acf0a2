"""What PyTorch wrote is read, and what is no checkpoint is refused; needs PyTorch."""

import os
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.rl.reward.clip.torch_file import CheckpointError, load

torch = pytest.importorskip("torch", reason="the extra `clip` is not installed")


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "before PyTorch 1.6"])
def test_tensors_of_every_kind_are_read_in_float32(tmp_path: Path, zipped: bool) -> None:
    shared = torch.arange(24.0)
    state = {
        "turned": torch.randn(3, 4).T, "part": shared[4:10], "whole_of_it": shared,
        "half": torch.randn(5).half(), "brain": torch.randn(5).bfloat16(),
        "double": torch.randn(2).double(), "whole": torch.tensor([1, 2**20]),
        "scalar": torch.tensor(2.5), "empty": torch.zeros(0, 3), "bits": torch.tensor([True]),
        "parameter": torch.nn.Parameter(torch.randn(2)),
    }  # fmt: skip
    path = tmp_path / "a.pth"
    given = {"epoch": 3, "state_dict": state}
    torch.save(given, path, _use_new_zipfile_serialization=zipped)
    read = load(path)
    assert read.keys() == state.keys()
    for name, x in state.items():
        assert read[name].dtype == np.float32 and read[name].shape == tuple(x.shape)
        np.testing.assert_array_equal(read[name], x.detach().float().numpy(), err_msg=name)


def test_a_file_with_other_objects_is_refused_and_they_are_not_made(tmp_path: Path) -> None:
    made = tmp_path / "made"

    class Trainer:
        def __reduce__(self):
            return os.mkdir, (str(made),)

    path = tmp_path / "a.pth"
    torch.save({"state_dict": {"a": torch.ones(2)}, "trainer": Trainer()}, path)
    with pytest.raises(CheckpointError, match="cannot be read as weights of PyTorch"):
        load(path)
    assert not made.exists()


@pytest.mark.parametrize("data", [b"", b"<!DOCTYPE html><p>Sign in", b"\x80\x02}", b"PK\x03\x04"])
def test_a_file_of_another_format_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.pth"
    path.write_bytes(data)
    with pytest.raises(CheckpointError, match="cannot be read as weights.*a page of the site"):
        load(path)


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pth"
    torch.save({"x": torch.ones(200)}, path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(CheckpointError, match="cut short"):
        load(path)


def test_a_file_without_tensors_or_none_at_all_is_refused(tmp_path: Path) -> None:
    for given in ({"epoch": 3}, [torch.ones(2)], {"state_dict": {}}):
        torch.save(given, tmp_path / "a.pth")
        with pytest.raises(CheckpointError, match="holds no dictionary of named tensors"):
            load(tmp_path / "a.pth")
    with pytest.raises(CheckpointError, match="there is no file"):
        load(tmp_path / "b.pth")
