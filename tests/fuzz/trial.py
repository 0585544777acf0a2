"""Runs accepted programs on the host interpreter with made-up views, and checks what they do.

What a program may do is little: hand out rows of the table of actions, and end. The checks
here hold for every program, whatever its author wanted.
"""

import dataclasses

import numpy as np

from rlgpt_jax.envs.base import ACTION_SIZES, NUM_RAYS
from rlgpt_jax.envs.names import NAME_ID, NAMES
from rlgpt_jax.macros import actions, sensors
from rlgpt_jax.macros.vm import bytecode
from rlgpt_jax.macros.vm.bytecode import Program
from rlgpt_jax.macros.vm.host import interpret_host

LANES, TICKS = 4, bytecode.TICK_LIMIT + 1  # the last one sees the cut
COMMON = ("log", "planks", "stick", "stone", "air", "grass", "water", "cow", "none", "bucket",
          "crafting_table", "wooden_pickaxe", "dirt", "coal", "sheep")  # fmt: skip
WILD = (np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-38, -0.0, 0.0, 1e9, 65_536.0, 0.5)


class Escaped(AssertionError):
    """A program did what no program may do."""


@dataclasses.dataclass(frozen=True)
class Fate:
    """What a program did in a trial, all lanes together."""

    ticks: int  # ticks in which it acted
    returned: int  # activations that ended by themselves
    trapped: int  # ... by a mistake
    cut: int  # ... by the tick limit
    traps: tuple[str, ...]  # the mistakes in words, each once

    def describe(self) -> str:
        if self.trapped and not self.ticks:
            return "ends: " + self.traps[0]
        if self.trapped:
            return f"acts, then ends: {self.traps[0]}"
        return "acts, cut by the tick limit" if self.cut else "acts and returns"


def random_views(rng: np.random.Generator, lanes: int, wild: bool = False) -> np.ndarray:
    """Returns float32[lanes, VIEW_SIZE]; wild views hold NaN, infinities and huge numbers."""
    view = np.zeros((lanes, sensors.VIEW_SIZE), np.float32)
    view[:, :9] = rng.uniform(-200, 200, (lanes, 9))
    view[:, 9:11] = rng.integers(0, 2, (lanes, 2))
    if wild:
        view[:, :11] = rng.choice(WILD, (lanes, 11))
    common = [NAME_ID[name] for name in COMMON]

    def names(*shape: int) -> np.ndarray:
        rare = rng.integers(0, len(NAMES), (lanes, *shape))
        return np.where(rng.random((lanes, *shape)) < 0.9, rng.choice(common, rare.shape), rare)

    view[:, sensors.HELD] = names()
    view[:, sensors.NEAR_TABLE : sensors.NEAR_FURNACE + 1] = rng.integers(0, 2, (lanes, 2))
    view[:, sensors.VOXELS : sensors.VOXELS + 27] = names(27)
    slots = sensors.SLOT_QUANTITIES - sensors.SLOT_NAMES
    view[:, sensors.SLOT_NAMES : sensors.SLOT_QUANTITIES] = names(slots)
    view[:, sensors.SLOT_QUANTITIES : sensors.EQUIPMENT] = rng.integers(0, 65, (lanes, slots))
    view[:, sensors.EQUIPMENT : sensors.RAY_BLOCKS] = names(sensors.RAY_BLOCKS - sensors.EQUIPMENT)
    view[:, sensors.RAY_BLOCKS : sensors.RAY_ENTITIES] = names(NUM_RAYS)
    view[:, sensors.RAY_ENTITIES : sensors.RAY_DISTANCES] = names(NUM_RAYS)
    distances = rng.choice(WILD, (lanes, NUM_RAYS)) if wild else rng.uniform(0, 32, NUM_RAYS)
    view[:, sensors.RAY_DISTANCES :] = distances
    return view


def run(
    program: Program, ticks: int = TICKS, lanes: int = LANES, seed: int = 0, fresh: int = 16
) -> Fate:
    """Runs a program and starts it again whenever it ends; half of the views are wild.

    Args:
      fresh: how many different views there are.

    Raises:
      Escaped: an action that the world does not know, or memory outside of the bounds.
    """
    bytecode.verify(program)
    rng = np.random.default_rng(seed)
    views = [random_views(rng, lanes, wild=bool(i % 2)) for i in range(fresh)]
    macro_set = bytecode.link([program])
    state = interpret_host.init_state(lanes)
    chosen, busy = np.ones(lanes, np.int32), np.zeros(lanes, np.bool_)
    acted, ends = 0, np.zeros(4, np.int64)
    traps: dict[str, None] = {}  # in the order in which they came
    for tick in range(ticks):
        state, out = interpret_host.tick(macro_set, state, views[tick % fresh], chosen, busy)
        check(out.action, state)
        acted += int((out.from_macro & (state.slot > 0)).sum())
        ends += np.bincount(out.ended, minlength=4)[:4]
        for code, line in zip(out.trap_code, out.trap_line, strict=True):
            if code:
                traps[bytecode.trap_message(int(code), int(line))] = None
    _, returned, trapped, cut = ends.tolist()
    return Fate(acted, returned, trapped, cut, tuple(traps))


_ROWS = {tuple(row) for row in actions.TABLE.tolist()}


def check(action: np.ndarray, state: bytecode.MacroState) -> None:
    """Checks one tick's actions int32[N, 8] and the lanes' registers. Raises `Escaped`."""
    for row in action.tolist():
        if tuple(row) not in _ROWS or any(
            not 0 <= value < size for value, size in zip(row, ACTION_SIZES, strict=True)
        ):
            raise Escaped(f"the action {row} is not in the table")
    running = state.slot > 0
    bounds = (
        ("pc", state.pc, 0, bytecode.MAX_CODE - 1),
        ("frame", state.frame, 0, bytecode.STACK_CELLS - 1),
        ("heap", state.heap, bytecode.STACK_CELLS, bytecode.MEMORY_CELLS),
        ("ticks", state.ticks, 0, bytecode.TICK_LIMIT),
    )
    for name, values, low, high in bounds:
        if ((values < low) | (values > high))[running].any():
            raise Escaped(f"{name} {values[running].tolist()} is not within {low}..{high}")
