"""The tensors of a `.pth` file, as NumPy arrays by name; PyTorch is not needed."""

import math
import zipfile
import zlib
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from rlgpt_jax.rl.reward.clip.faults import MineClipError
from rlgpt_jax.rl.reward.clip.torch_pickle import Tensor, read

DTYPES: dict[str, Any] = {
    "FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2",
    "BFloat16Storage": ml_dtypes.bfloat16, "LongStorage": "<i8", "IntStorage": "<i4",
    "ShortStorage": "<i2", "CharStorage": "i1", "ByteStorage": "u1", "BoolStorage": "?",
}  # fmt: skip
MAX_STRUCTURE = 64 * 2**20  # bytes of the structure; the numbers are in other entries of the file


class CheckpointError(MineClipError):
    """The file cannot be used: what it is, what is needed, what to try."""


def load(path: Path) -> dict[str, np.ndarray]:
    """The tensors of a file that `torch.save` wrote: a state dictionary, or one with it.

    Raises:
      CheckpointError: there is no such file, it is of another format, broken or without tensors.
    """
    if not path.is_file():
        raise CheckpointError(f"there is no file {path}. Give the path of the checkpoint (.pth).")
    try:
        with zipfile.ZipFile(path) as archive:
            return _tensors(archive)
    except zipfile.BadZipFile as error:
        raise CheckpointError(
            f"{path} is not in PyTorch's zip format ({_kind(path)}). If it is an older checkpoint, "
            "write it again with torch.save(torch.load(path), new_path); if it was downloaded, "
            "look whether it is a page of the site in its place, or cut short."
        ) from error
    # Of a broken file: what our readers say, but also zipfile, zlib and NumPy.
    except (
        ValueError,
        KeyError,
        EOFError,
        OSError,
        RuntimeError,
        OverflowError,
        zlib.error,
    ) as error:
        raise CheckpointError(
            f"{path} cannot be read as a PyTorch checkpoint: {error}. Download it again, or give "
            "another file."
        ) from error


def _kind(path: Path) -> str:
    with path.open("rb") as file:
        begin = file.read(64)
    if begin.lstrip()[:1] == b"<":
        return "it is an HTML page"
    return "it is empty" if not begin else f"it begins with {begin[:8]!r}"


def _tensors(archive: zipfile.ZipFile) -> dict[str, np.ndarray]:
    names = archive.namelist()
    roots = [name.removesuffix("data.pkl") for name in names if name.endswith("/data.pkl")]
    if len(roots) != 1:
        raise CheckpointError(f"it is a zip archive with {len(roots)} data.pkl in place of one")
    (root,) = roots
    if f"{root}byteorder" in names and _read(archive, f"{root}byteorder") != b"little":
        raise CheckpointError("its numbers are big-endian")
    tree = read(_read(archive, f"{root}data.pkl"))
    if isinstance(tree, dict) and isinstance(tree.get("state_dict"), dict):
        tree = tree["state_dict"]
    named = tree.items() if isinstance(tree, dict) else ()
    found = {name: x for name, x in named if isinstance(x, Tensor) and isinstance(name, str)}
    if not found:
        raise CheckpointError("it holds no dictionary of named tensors")
    arrays: dict[Tensor, np.ndarray] = {}  # a tensor may stand under several names
    for name, tensor in found.items():
        if tensor not in arrays:
            arrays[tensor] = _array(archive, root, name, tensor)
    return {name: arrays[tensor] for name, tensor in found.items()}


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    """An entry that describes; a small file may claim a huge one."""
    size = archive.getinfo(name).file_size
    if size > MAX_STRUCTURE:
        raise CheckpointError(f"its {name} has {size:,} bytes; at most {MAX_STRUCTURE:,} are read")
    return archive.read(name)


def _array(archive: zipfile.ZipFile, root: str, name: str, tensor: Tensor) -> np.ndarray:
    storage = tensor.storage
    if storage.kind not in DTYPES:
        raise CheckpointError(f"{name} is of the type {storage.kind}, which is not known here")
    dtype = np.dtype(DTYPES[storage.kind])
    entry = archive.getinfo(f"{root}data/{storage.key}")
    last = tensor.offset + sum(
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True)
    )
    negative = min((tensor.offset, *tensor.shape, *tensor.strides)) < 0
    # The size is checked before the entry is read, and the tensor has no number twice (by a stride
    # of 0): a small file may claim a huge one.
    if (
        entry.file_size != storage.length * dtype.itemsize
        or math.prod(tensor.shape) > storage.length
        or negative
        or (0 not in tensor.shape and last >= storage.length)
    ):
        raise CheckpointError(f"{name} reaches beyond its numbers")
    if 0 in tensor.shape:
        return np.zeros(tensor.shape, dtype)
    flat = np.frombuffer(archive.read(entry), dtype)[tensor.offset :]
    strides = [stride * dtype.itemsize for stride in tensor.strides]
    return np.lib.stride_tricks.as_strided(flat, tensor.shape, strides, writeable=False)
