"""Converted weights on disk: one `.npz` of float32 arrays, with the sizes they are for."""

import dataclasses
import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from flax.traverse_util import flatten_dict, unflatten_dict

from rlgpt_jax.rl.reward.clip.faults import MineClipError
from rlgpt_jax.rl.reward.clip.model import Params, shapes_of
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
    leaves = flatten_dict(params, sep="/")
    return {path: np.asarray(leaves[path]) for path in sorted(leaves)}


def save(path: Path, weights: Weights) -> None:
    """Writes the file, as `write` does."""
    sizes = dataclasses.asdict(weights.sizes)
    meta = {"version": VERSION, "sizes": sizes, "digest": weights.digest}
    write(path, meta, flatten(weights.params))


def write(path: Path, meta: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Writes arrays behind plain data under the name of `_META`, whole or not at all."""
    coded = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        np.savez(file, **{_META: coded, **arrays})
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
    return Weights(sizes, unflatten_dict(arrays, sep="/"), digest)


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
