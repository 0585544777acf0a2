"""The tensors of a `.pth` file, as NumPy arrays by name; the extra `clip` has PyTorch."""

from pathlib import Path
from typing import Any

import numpy as np

from rlgpt_jax.rl.reward.clip.faults import MineClipError


class CheckpointError(MineClipError):
    """The file cannot be used: what it is, what is needed, what to try."""


def pytorch() -> Any:
    """The package.

    Raises:
      CheckpointError: it is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise CheckpointError(
            f"a checkpoint is read by PyTorch, which cannot be imported ({error}): "
            "pip install -e '.[clip]'"
        ) from error
    return torch


def load(path: Path) -> dict[str, np.ndarray]:
    """The tensors, in float32, of a file by `torch.save`: a state dictionary, or one with it.

    Nothing in the file is run: PyTorch reads tensors and plain values alone (`weights_only`).

    Raises:
      CheckpointError: PyTorch is not installed, or there is no such file, it is of another format,
        broken or without tensors.
    """
    torch = pytorch()
    if not path.is_file():
        raise CheckpointError(f"there is no file {path}. Give the path of the checkpoint (.pth).")
    try:
        tree = torch.load(path, map_location="cpu", weights_only=True)
        if isinstance(tree, dict) and isinstance(tree.get("state_dict"), dict):
            tree = tree["state_dict"]
        named = tree.items() if isinstance(tree, dict) else ()
        found = {
            name: x.detach().float().numpy()
            for name, x in named
            if isinstance(name, str) and isinstance(x, torch.Tensor)
        }
    except Exception as error:  # of a broken file PyTorch's readers raise all kinds
        # Their words are left out: they advise to run what is in the file.
        raise CheckpointError(
            f"{path} cannot be read as weights of PyTorch ({type(error).__name__}). If it was "
            "downloaded, look whether it is a page of the site in its place, or cut short; if it "
            "holds objects beside the weights, save the state dictionary alone."
        ) from error
    if not found:
        raise CheckpointError(f"{path} holds no dictionary of named tensors. Give another file.")
    return found
