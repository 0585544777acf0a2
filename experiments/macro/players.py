"""The interpreters by name, each playing a recorded workload.

A device interpreter plays all ticks in one `lax.scan`, as training does; the host one is
called tick by tick. Both must answer what was recorded.
"""

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

import jax
import numpy as np

from experiments.macro.workload import Workload
from rlgpt_jax.macros import interpret_host
from rlgpt_jax.macros.bytecode import MacroSet

DEVICE_TICKS = 10  # of a workload: on a CPU a device interpreter is slow


class Player(Protocol):
    """One interpreter."""

    @property
    def ticks(self) -> int | None:
        """How much of a workload it plays, None for all."""

    def play(self, work: Workload) -> tuple[float, np.ndarray]:
        """Returns (seconds of the ticks alone, actions int32[T, N, 8])."""

    def first_tick(self, macros: MacroSet, work: Workload) -> None:
        """Runs the first tick of a workload with other macros."""


class HostPlayer:
    """The numba interpreter."""

    ticks = None

    def play(self, work: Workload) -> tuple[float, np.ndarray]:
        state, seconds, actions = interpret_host.init_state(work.chosen.shape[1]), 0.0, []
        for view, chosen, busy, done in zip(
            work.views, work.chosen, work.busy, work.done, strict=True
        ):
            began = time.perf_counter()
            state, out = interpret_host.tick(work.macros, state, view, chosen, busy)
            seconds += time.perf_counter() - began
            state = interpret_host.cut(state, done)
            actions.append(out.action)
        return seconds, np.stack(actions)

    def first_tick(self, macros: MacroSet, work: Workload) -> None:
        state = interpret_host.init_state(work.chosen.shape[1])
        interpret_host.tick(macros, state, work.views[0], work.chosen[0], work.busy[0])


class DevicePlayer:
    """An interpreter inside `jit`: a module with `init_state`, `tick` and `cut`."""

    ticks = DEVICE_TICKS

    def __init__(self, tick: Callable[..., Any], module: ModuleType):
        self._module = module

        def one(state: Any, macros: Any, row: tuple) -> tuple:
            view, chosen, busy, done = row
            state, out = tick(macros, state, view, chosen, busy)
            return module.cut(state, done), out.action

        self._scan = jax.jit(
            lambda macros, state, rows: jax.lax.scan(
                lambda s, row: one(s, macros, row), state, rows
            )
        )
        self._tick = jax.jit(one)

    def play(self, work: Workload) -> tuple[float, np.ndarray]:
        given = jax.device_put(
            (work.macros, self._module.init_state(work.chosen.shape[1]), rows(work))
        )
        jax.block_until_ready(given)
        began = time.perf_counter()
        _, actions = jax.block_until_ready(self._scan(*given))
        return time.perf_counter() - began, np.asarray(actions)

    def first_tick(self, macros: MacroSet, work: Workload) -> None:
        state = self._module.init_state(work.chosen.shape[1])
        first = tuple(row[0] for row in rows(work))
        jax.block_until_ready(self._tick(state, jax.device_put(macros), first))


def rows(work: Workload) -> tuple[np.ndarray, ...]:
    return work.views, work.chosen, work.busy, work.done


def make_player(name: str) -> Player | None:
    """Returns an interpreter; None for a kernel that needs a GPU where there is none."""
    if name == "host":
        return HostPlayer()
    from rlgpt_jax.macros import interpret_jax

    if name == "jax":
        return DevicePlayer(interpret_jax.tick, interpret_jax)
    if jax.default_backend() != "gpu":
        return None
    from rlgpt_jax.macros import interpret_pallas

    return DevicePlayer(interpret_pallas.tick, interpret_jax)  # they share the state
