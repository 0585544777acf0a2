"""Reads recorded player trajectories: what was built, which keys were held, where he was.

The format is that of `third_party/minecraft/trajectories`: one JSON object with
`scenario` (boxes of blocks, start, keys by run length; yaw in degrees, 0 = +z, 90 = -x),
`columns` and `rows`, one row per tick and row 0 the start. A `.json.gz` file holds many
of them under `cases`.
"""

import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.names import DATA

GOLDEN = DATA / "trajectories"
MADE = DATA / "trajectories_made.json.gz"
RESTING_SPEED = -0.0784000015258789  # vy of a body that stands, where a file gives none
KEYS = ("forward", "back", "left", "right", "jump", "sprint", "sneak")


class Fill(NamedTuple):
    """A box of one block state; later boxes win."""

    block: str
    meta: int
    low: tuple[int, int, int]  # x, y, z
    high: tuple[int, int, int]  # inclusive


class Trajectory(NamedTuple):
    """One run of T ticks."""

    source: str  # the file, for messages
    name: str
    fills: list[Fill]
    position: np.ndarray  # float64[3]  at the start
    velocity: np.ndarray  # float64[3]
    on_ground: bool
    keys: np.ndarray  # float32[T, 6]  forward, right, jump, sneak, sprint, yaw in degrees
    path: np.ndarray  # float64[T, 3]  positions after each tick


def load(path: Path) -> list[Trajectory]:
    """All trajectories of a .json or .json.gz file.

    Raises:
      ValueError: the file cannot be read or is not in the format; it says what is wrong.
    """
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        table = json.loads(content)
    except (OSError, EOFError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read as a trajectory file: {error}.") from error
    cases = table["cases"] if isinstance(table, dict) and "cases" in table else [table]
    if not isinstance(cases, list) or not cases:
        raise ValueError(f"{path}: 'cases' must be a list of trajectories.")
    return [parse(case, path) for case in cases]


def parse(table: dict, source: Path | str = "trajectory") -> Trajectory:
    """One trajectory from its JSON object.

    Raises:
      ValueError: it is not in the format; the message names the source and the place.
    """
    try:
        scenario, start = table["scenario"], table["scenario"]["start"]
        name = str(scenario.get("name", source))
        fills = [_fill(entry) for entry in scenario["world"]["fill"]]
        on_ground = bool(start.get("onGround", False))
        resting = [0.0, RESTING_SPEED if on_ground else 0.0, 0.0]
        trajectory = Trajectory(
            source=str(source),
            name=name,
            fills=fills,
            position=_vector(start["pos"]),
            velocity=_vector(start.get("vel", resting)),
            on_ground=on_ground,
            keys=_keys(scenario["controls"], float(start.get("yaw_deg", 0.0))),
            path=_path(table["columns"], table["rows"]),
        )
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{source}: not in the trajectory format: {what}.") from error
    ticks = len(trajectory.keys)
    if len(trajectory.path) != ticks:
        raise ValueError(
            f"{source}: {name} has keys for {ticks} ticks but {len(trajectory.path)} rows "
            "after the start."
        )
    return trajectory


def _fill(entry: dict) -> Fill:
    if not isinstance(entry["block"], str):
        raise ValueError(f"a block must be a name, not {entry['block']!r}")
    return Fill(
        entry["block"], _integer(entry.get("meta") or 0), _cell(entry["from"]), _cell(entry["to"])
    )


def _cell(values: Sequence[float]) -> tuple[int, int, int]:
    if len(values) != 3:
        raise ValueError(f"the end {values} of a box needs 3 numbers")
    x, y, z = map(_integer, values)
    return x, y, z


def _integer(value: float) -> int:
    if int(value) != value:
        raise ValueError(f"{value} must be an integer")
    return int(value)


def _vector(values: Sequence[float]) -> np.ndarray:
    vector = np.array(values, np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ValueError(f"{values} must be 3 finite numbers")
    return vector


def _keys(entries: Sequence[dict], yaw: float) -> np.ndarray:
    rows = []
    for entry in entries:
        yaw = float(entry.get("yaw_deg", yaw))
        on = {key: float(bool(entry.get(key, 0))) for key in KEYS}
        for _ in range(_integer(entry.get("ticks") or 1)):
            yaw += float(entry.get("dyaw_deg", 0.0))
            if not math.isfinite(yaw):
                raise ValueError("the yaw must be finite")
            ways = (on["forward"] - on["back"], on["right"] - on["left"])
            # Wrapped here, where it is still exact.
            wrapped = (yaw + 180.0) % 360.0 - 180.0
            rows.append((*ways, on["jump"], on["sneak"], on["sprint"], wrapped))
    if not rows:
        raise ValueError("no controls")
    return np.array(rows, np.float32)


def _path(columns: Sequence[str], rows: Sequence[Sequence[float]]) -> np.ndarray:
    at = [list(columns).index(axis) for axis in "xyz"]
    path = np.array([[row[k] for k in at] for row in rows[1:]], np.float64)
    if path.ndim != 2 or not np.isfinite(path).all():
        raise ValueError("rows must hold finite positions, the start and at least one tick")
    return path
