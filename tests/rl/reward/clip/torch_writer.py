"""Checkpoints as PyTorch lays them out, written without PyTorch."""

import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rlgpt_jax.rl.reward.clip.model import shapes_of
from rlgpt_jax.rl.reward.clip.sizes import Sizes
from rlgpt_jax.rl.reward.clip.torch_names import sources


def text(word: str) -> bytes:
    return b"X" + struct.pack("<I", len(word)) + word.encode()


def number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def numbers(values: tuple[int, ...]) -> bytes:
    return b"(" + b"".join(map(number, values)) + b"t"


def tensor(key: str, array: np.ndarray, length: int | None = None) -> bytes:
    strides = tuple(stride // array.itemsize for stride in array.strides)
    return view(key, array.size if length is None else length, array.shape, strides)


def view(key: str, size: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> bytes:
    """A tensor of a storage of `size` numbers, whatever it claims to be."""
    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text(key) + text("cpu")
    return (
        b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(size) + b"tQ" + number(0)
        + numbers(shape) + numbers(strides) + b"\x89ccollections\nOrderedDict\n)RtR"
    )  # fmt: skip


def write(
    path: Path, state: Mapping[str, np.ndarray], before: bytes = b"", length: int | None = None
) -> Path:
    """As `torch.save({"state_dict": state}, path)` does; `before` is put in front of the state."""
    contiguous = {name: np.array(x, np.float32, order="C") for name, x in state.items()}
    inside = b"".join(
        text(name) + tensor(str(i), x, length) for i, (name, x) in enumerate(contiguous.items())
    )
    tree = b"\x80\x02}(" + before + text("state_dict") + b"}(" + inside + b"uu."
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model/data.pkl", tree)
        archive.writestr("model/version", "3\n")
        for i, x in enumerate(contiguous.values()):
            archive.writestr(f"model/data/{i}", x.tobytes())
    return path


def checkpoint(sizes: Sizes) -> dict[str, np.ndarray]:
    """Arrays under PyTorch's names and in its layouts, as in MineDojo's file."""
    rng = np.random.default_rng(0)
    given, table = {}, sources(sizes)
    names = {
        "image.": "image_encoder.", "text.": "clip_model.text_model.",
        "temporal.": "temporal_encoder.attn.model.", "head.": "reward_head.",
        "logit_scale": "clip_model.logit_scale",
    }  # fmt: skip
    for path, shape in shapes_of(sizes).items():
        source = table[path]
        array = rng.normal(size=shape).astype(np.float32)
        name = source.names[0]
        if name == "image.conv1.weight":
            side = sizes.patch
            array = array.T.reshape(shape[1], side, side, 3).transpose(0, 3, 1, 2)
        elif path.endswith("kernel") and not name.endswith("projection"):
            array = array.T
        ours = next(x for x in names if name.startswith(x))
        given["model." + name.replace(ours, names[ours], 1)] = array
    copies = {
        name.replace("image_encoder", f"{prefix}clip_model.vision_model"): x
        for name, x in given.items() if "image_encoder" in name
        for prefix in ("", "reward_head.")
    }  # fmt: skip
    return {**given, **copies}
