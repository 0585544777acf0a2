"""From a PyTorch checkpoint to the parameters of `model.MineCLIP`, name by name."""

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from flax.traverse_util import unflatten_dict

from rlgpt_jax.rl.reward.clip import torch_file
from rlgpt_jax.rl.reward.clip.model import shapes_of
from rlgpt_jax.rl.reward.clip.sizes import PUBLISHED, Sizes
from rlgpt_jax.rl.reward.clip.torch_file import CheckpointError
from rlgpt_jax.rl.reward.clip.torch_names import common_name, sources
from rlgpt_jax.rl.reward.clip.weights import Weights


@dataclasses.dataclass(frozen=True)
class Row:
    """One parameter of ours and what became of it."""

    path: str  # `image/block_0/qkv/kernel`
    shape: tuple[int, ...]
    names: tuple[str, ...]  # in the file, all with these numbers; empty if it is missing
    fault: str = ""  # "" if it was taken over


@dataclasses.dataclass(frozen=True)
class Report:
    """What became of every parameter and of every name of the file."""

    rows: tuple[Row, ...]
    unexpected: tuple[str, ...]  # names of the file that nothing stands for

    @property
    def faults(self) -> list[str]:
        """One line per thing that does not fit; empty if all does."""
        found = [f"{row.path}: {row.fault}" for row in self.rows if row.fault]
        return found + [f"{name}: unexpected" for name in self.unexpected]

    def lines(self) -> list[str]:
        """All of it as text, one line per parameter."""
        told = []
        for row in self.rows:
            shape = "x".join(map(str, row.shape)) or "scalar"
            told.append(f"{row.path} [{shape}] <- {row.fault or ' = '.join(row.names)}")
        return told + [f"unexpected: {name}" for name in self.unexpected]


def convert(state: Mapping[str, np.ndarray], sizes: Sizes) -> tuple[dict[str, np.ndarray], Report]:
    """The parameters that could be taken over, float32 by path, and the report.

    Args:
      state: arrays by PyTorch's names, as `torch_file.load` reads them.
      sizes: of the model that they are for.
    """
    by_name: dict[str, list[str]] = {}
    for name in state:
        by_name.setdefault(common_name(name), []).append(name)
    params: dict[str, np.ndarray] = {}
    rows, used = [], set()
    table = sources(sizes)
    for path, shape in shapes_of(sizes).items():
        source = table[path]
        known = next((name for name in source.names if name in by_name), None)
        if known is None:
            rows.append(Row(path, shape, (), f"missing ({' or '.join(source.names)})"))
            continue
        used.add(known)
        names = by_name[known]
        array = source.turn(np.asarray(state[names[0]]))
        fault = _fault(array, shape, [np.asarray(state[name]) for name in names], names)
        rows.append(Row(path, shape, tuple(names), fault))
        if not fault:
            params[path] = np.array(array, np.float32, order="C")
    others = [name for known, names in by_name.items() if known not in used for name in names]
    return params, Report(tuple(rows), tuple(others))


def _fault(
    array: np.ndarray, shape: tuple[int, ...], copies: list[np.ndarray], names: list[str]
) -> str:
    """Why it cannot be taken over; "" if it can."""
    if array.shape != shape:
        return f"shape {array.shape} of {names[0]}, needed {shape}"
    different = [
        name
        for name, copy in zip(names[1:], copies[1:], strict=True)
        if not np.array_equal(copy, copies[0], equal_nan=True)
    ]
    if different:
        return f"{names[0]} and {', '.join(different)} should be equal and are not"
    if not np.isfinite(array.astype(np.float32)).all():
        return f"{names[0]} holds numbers that are not finite"
    return ""


def convert_file(path: Path, sizes: Sizes = PUBLISHED) -> tuple[Weights, Report]:
    """Reads and converts a checkpoint, as `convert_state` does.

    Raises:
      CheckpointError: the file cannot be read, or something in it does not fit.
    """
    return convert_state(torch_file.load(path), path, sizes)


def convert_state(
    state: Mapping[str, np.ndarray], path: Path, sizes: Sizes
) -> tuple[Weights, Report]:
    """Converts what was read from a checkpoint.

    Args:
      state: arrays by PyTorch's names.
      path: the file, whose digest the weights are given.
      sizes: of the model; whether it has a temporal transformer is taken from the file.

    Raises:
      Unfit: something does not fit. The message has the first lines of what the report has in full.
    """
    is_temporal = any(common_name(name).startswith("temporal.") for name in state)
    sizes = dataclasses.replace(sizes, temporal="attn" if is_temporal else "avg")
    params, report = convert(state, sizes)
    if report.faults:
        raise Unfit(path, report)
    return Weights(sizes, unflatten_dict(params, sep="/"), digest_of(path)), report


class Unfit(CheckpointError):
    """A checkpoint of another model."""

    def __init__(self, path: Path, report: Report):
        self.report = report
        faults = report.faults
        told = "".join(f"\n  {line}" for line in faults[:8])
        more = f"\n  and {len(faults) - 8} more" if len(faults) > 8 else ""
        taken = sum(not row.fault for row in report.rows)
        super().__init__(
            f"{path} is not a checkpoint of MineCLIP: of {len(report.rows)} parameters {taken} "
            f"fit, and {len(faults)} names do not.{told}{more}\nGive the published file (attn or "
            "avg of MineDojo/MineCLIP, or adjust.pth of the released RL-GPT)."
        )


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
