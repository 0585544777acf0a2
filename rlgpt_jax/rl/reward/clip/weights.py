"""Converted weights on disk: one `.npz` of float32 arrays, with the sizes they are for."""

import dataclasses
import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from rlgpt_jax.rl.reward.clip.faults import MineClipError
from rlgpt_jax.rl.reward.clip.model import Params, path_name, shapes_of
from rlgpt_jax.rl.reward.clip.sizes import Sizes

VERSION = 1
_META = "meta"  # the entry that is no parameter: JSON as bytes


class WeightsError(MineClipError):
    """A file that is no weights of MineCLIP: what it is and what to try."""


class Weights(NamedTuple):
    """A model that can be applied."""

    sizes: Sizes
    params: Params
    digest: str  # of the file that they were converted from


def flatten(params: Params) -> dict[str, np.ndarray]:
    """Arrays by path, for example `image/block_0/qkv/kernel`."""
    leaves = jax.tree_util.tree_leaves_with_path(params)
    return {path_name(path): np.asarray(x) for path, x in leaves}


def unflatten(arrays: dict[str, np.ndarray]) -> Params:
    """The tree that `flatten` came from."""
    tree: dict[str, Any] = {}
    for path, array in arrays.items():
        *parts, last = path.split("/")
        node = tree
        for part in parts:
            node = node.setdefault(part, {})
        node[last] = array
    return tree


def save(path: Path, weights: Weights) -> None:
    """Writes the file, whole or not at all."""
    meta = {
        "version": VERSION, "sizes": dataclasses.asdict(weights.sizes), "digest": weights.digest
    }  # fmt: skip
    coded = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        arrays: dict[str, Any] = {_META: coded, **flatten(weights.params)}
        np.savez(file, **arrays)
    part.replace(path)


def load(path: Path) -> Weights:
    """Reads what `save` wrote.

    Raises:
      WeightsError: there is no such file, or it is no whole one of this format.
    """
    sizes, digest, arrays = _read(path)
    needed = shapes_of(sizes)
    wrong = [n for n in needed.keys() | arrays.keys()
             if n not in arrays or n not in needed or arrays[n].shape != needed[n]]  # fmt: skip
    if wrong:
        raise WeightsError(
            f"{path} does not hold the parameters of its own sizes: {', '.join(sorted(wrong)[:5])} "
            "missing, unexpected or of another shape. Convert the checkpoint anew."
        )
    return Weights(sizes, unflatten(arrays), digest)


def digest_of(path: Path) -> str:
    """The digest of what `save` wrote, without reading the numbers.

    Raises:
      WeightsError: there is no such file, or it has no digest.
    """
    return _read(path, whole=False)[1]


def _read(path: Path, whole: bool = True) -> tuple[Sizes, str, dict[str, np.ndarray]]:
    """Sizes, digest, and, of the `whole`, the arrays by path."""
    if not path.is_file():
        raise WeightsError(
            f"there are no weights of MineCLIP at {path}. Convert the published checkpoint: "
            f"python -m experiments.mineclip convert CHECKPOINT.pth {path}"
        )
    try:
        with np.load(path, allow_pickle=False) as stored:
            meta = json.loads(stored[_META].tobytes())
            arrays = {name: stored[name] for name in stored.files if whole and name != _META}
        version = meta["version"]
        sizes = Sizes(**meta["sizes"]) if version == VERSION else None
        digest = str(meta["digest"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise WeightsError(
            f"{path} is no file of converted weights ({error}). A PyTorch checkpoint must be "
            f"converted first: python -m experiments.mineclip convert CHECKPOINT.pth OUT.npz"
        ) from error
    if sizes is None:
        raise WeightsError(f"{path} has format {version}; this code reads {VERSION}. Convert anew.")
    return sizes, digest, arrays
