"""The player's motion against recorded trajectories, tick by tick.

All cases run as lanes of one program, with the functions that move the player in the
embedded world, in float32.

The recorded runs have one fault. They hold the player's middle in float64 and compute his
sides from it in every tick; a side that rests on a wall may be rounded into the wall (so at
2 and -2 always), and a body in a wall is not stopped by it: the recorded player walks
through. Cases that differ after such a tick are run again with the same rounding: a player
who rests where the recording does is set into the wall by 0.0001 blocks. The table says how
many hold in this way alone.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks.blocks import BYTE_OF
from rlgpt_jax.envs.voxel.rules.bodies import shapes
from rlgpt_jax.envs.voxel.rules.player import physics
from rlgpt_jax.envs.voxel.state import PATHS, WorldState, from_paths, paths_of
from tests.fidelity import fields
from tests.fidelity.row import Row
from tests.fidelity.trajectories import GOLDEN, MADE, Trajectory, load, parse

TOLERANCE = 1e-3  # blocks
SHARE = 0.95  # of the cases
MAX_VOLUME = 2**30  # cells of all lanes of one program
HALF_WIDTH = 0.3  # of the player, blocks
DEPTH = 1.2e-4  # blocks, a little more than `collision.EPS`
TICKS, CELLS = 50, 16  # sizes are rounded up to these, so that few programs are compiled


class Result(NamedTuple):
    """How one case went."""

    name: str
    ticks: int
    first_divergence: int | None  # the first tick off by more than 1e-3 blocks
    max_error: float  # blocks, over all ticks and axes
    rounded: bool = False  # run with the recording's rounding at walls


def rows(files: Sequence[Path] = ()) -> list[Row]:
    """The golden cases, the ones made for this project, and those of the given files.

    Raises:
      ValueError: a file is not in the format, or holds what no world of ours can.
    """
    golden = [case for path in sorted(GOLDEN.glob("*.json")) for case in load(path)]
    groups = {"golden trajectories": golden, "made trajectories": load(MADE)}
    if files:
        groups["given trajectories"] = [case for path in files for case in load(Path(path))]
    results = run_cases([case for cases in groups.values() for case in cases])
    found, done = [], 0
    for rule, cases in groups.items():
        found.append(_row(rule, results[done : done + len(cases)]))
        done += len(cases)
    return found


def _row(rule: str, results: Sequence[Result]) -> Row:
    failing = [r for r in results if r.first_divergence is not None]
    held = len(results) - len(failing)
    worst = max((r.max_error for r in results if r.first_divergence is None), default=0.0)
    measured = f"{held} of {len(results)} ({held / len(results):.1%}), these within {worst:.0e}"
    rounded = sum(r.rounded for r in results if r.first_divergence is None)
    if rounded:
        plain = held - rounded
        measured += (
            f"; {plain} ({plain / len(results):.1%}) without repeating the reference's rounding"
            " into walls"
        )
    if failing:
        late = (f"{r.name} from tick {r.first_divergence} ({r.max_error:.2g})" for r in failing)
        measured += "; off: " + ", ".join(late)
    return Row(
        "motion", f"{rule} within {TOLERANCE:g} blocks at every tick", measured,
        f"{SHARE:.0%} of the cases", held >= SHARE * len(results),
    )  # fmt: skip


def run_case(trajectory: dict) -> Result:
    """One trajectory, as its JSON object."""
    return run_cases([parse(trajectory)])[0]


def run_cases(cases: Sequence[Trajectory]) -> list[Result]:
    """Moves a player through every case; as few programs as the memory allows."""
    results = _run_all(cases, rounds=False)
    again = [
        i for i, r in enumerate(results)
        if r.first_divergence and _rounding(cases[i])[: r.first_divergence].any()
    ]  # fmt: skip
    if again:
        for i, second in zip(again, _run_all([cases[i] for i in again], rounds=True)):
            if (second.first_divergence or np.inf) > (results[i].first_divergence or np.inf):
                results[i] = second
    return results


def _rounding(case: Trajectory) -> np.ndarray:
    """float32[T, 3]: by how much to set the player into walls after each tick, blocks.

    Not 0 where a recorded side lies behind a sixteenth of a block, on which all walls
    stand, by no more than float64's rounding.
    """
    into = np.zeros(case.path.shape, np.float32)
    for sign in (-1.0, 1.0):
        side = case.path[:, ::2] + sign * HALF_WIDTH
        behind = sign * (side - np.round(side * 16) / 16)
        into[:, ::2] += np.where((behind > 0) & (behind < 1e-10), sign * DEPTH, 0.0)
    return into


def _run_all(cases: Sequence[Trajectory], rounds: bool) -> list[Result]:
    boxes = [fields.extent(case) for case in cases]
    most = np.max([high - low for low, high in boxes], axis=0, initial=1)
    size = np.array([_round_up(int(cells), CELLS) for cells in most])
    lanes = max(1, MAX_VOLUME // int(size.prod()))
    results = []
    for start in range(0, len(cases), lanes):
        part = slice(start, start + lanes)
        results += _run(cases[part], boxes[part], size, rounds)
    return results


def _run(
    cases: Sequence[Trajectory],
    boxes: Sequence[tuple[np.ndarray, np.ndarray]],
    size: np.ndarray,
    rounds: bool,
) -> list[Result]:
    states = dict(BYTE_OF)
    lowest = [int(low[1]) for low, _ in boxes]
    worlds = np.stack([fields.build(case, y, size, states) for case, y in zip(cases, lowest)])
    shift = np.array([[0.0, y, 0.0] for y in lowest])
    ticks = _round_up(max(len(case.keys) for case in cases), TICKS)
    keys = np.zeros((ticks, len(cases), 6), np.float32)
    place, into = np.zeros((2, ticks, len(cases), 3), np.float32)
    for lane, case in enumerate(cases):
        keys[: len(case.keys), lane] = case.keys
        place[: len(case.keys), lane] = case.path - shift[lane]
        if rounds:
            into[: len(case.keys), lane] = _rounding(case)
    start = _state(
        position=np.stack([case.position for case in cases]) - shift,
        velocity=np.stack([case.velocity for case in cases]),
        on_ground=np.array([case.on_ground for case in cases]),
    )
    table = shapes.table(list(states))
    paths = np.asarray(_simulate(worlds, start, (keys, place, into), table), np.float64) + shift
    return [_compare(case, paths[:, lane], rounds) for lane, case in enumerate(cases)]


def _round_up(number: int, to: int) -> int:
    return -(-number // to) * to


@jax.jit
def _simulate(
    worlds: jax.Array, state: WorldState, inputs: tuple[jax.Array, ...], table: shapes.Shapes
) -> jax.Array:
    """Positions float32[T, N, 3] after every tick.

    Args:
      worlds: uint8[N, X, Z, Y].
      state: the start.
      inputs: keys float32[T, N, 6]; recorded place float32[T, N, 3] and what to add to it,
        float32[T, N, 3], which is 0 unless the recording's rounding is repeated.
      table: shapes by byte.
    """

    def tick(state: WorldState, inputs: tuple[jax.Array, ...]) -> tuple[WorldState, jax.Array]:
        row, place, into = inputs
        held = physics.Controls(row[:, 0], row[:, 1], *(row[:, k] > 0 for k in (2, 3, 4)))
        state = state.replace(blocks=worlds, player=state.player.replace(yaw=row[:, 5]))
        state, _ = physics.move(state, held, physics.around(state), table)
        # Only who rests where the recording does, and is not in the wall already.
        rests = jnp.abs(state.player.position - place) < DEPTH / 2
        position = state.player.position + jnp.where(rests, into, 0.0)
        player = state.player.replace(position=position)
        return state.replace(blocks=jnp.zeros((), jnp.uint8), player=player), position

    return jax.lax.scan(tick, state, inputs)[1]


def _state(**fields: np.ndarray) -> WorldState:
    """Players who are not hungry; what motion does not read is empty."""
    n = len(fields["position"])
    values = {path: jnp.zeros(0) for path in PATHS}
    own = {name: jnp.zeros(n, jnp.float32) for name in ("yaw", "fall_distance")}
    own |= {
        "blocks": jnp.zeros((), jnp.uint8),
        "food": jnp.full(n, 20.0, jnp.float32),
        "jump_cooldown": jnp.zeros(n, jnp.int32),
        "in_water": jnp.zeros(n, bool),
    }
    for name, value in fields.items():
        own[name] = jnp.asarray(value, bool if value.dtype == bool else jnp.float32)
    return from_paths(values | paths_of(own))


def _compare(case: Trajectory, path: np.ndarray, rounds: bool) -> Result:
    error = np.abs(path[: len(case.path)] - case.path).max(axis=1)
    off = ~(error < TOLERANCE)  # not a number is off too
    first = 1 + int(off.argmax()) if off.any() else None
    return Result(case.name, len(error), first, float(error.max()), rounds)
