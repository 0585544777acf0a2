"""The interpreters by name, each playing a recorded workload.

The device interpreter plays all ticks in one `lax.scan`, as training does; the host one is
called tick by tick. Both must answer what was recorded.
"""

import time
from typing import Any, Protocol

import jax
import numpy as np

from rlgpt_jax.macros.vm.bytecode import MacroSet
from rlgpt_jax.macros.vm.device import interpret_jax
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros.bench.workload import Workload

DEVICE_TICKS = 10  # of a workload: on a CPU the device interpreter is slow


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
    """The JAX interpreter, inside `jit`."""

    ticks = DEVICE_TICKS

    def __init__(self) -> None:
        def one(state: Any, macros: Any, row: tuple) -> tuple:
            view, chosen, busy, done = row
            state, out = interpret_jax.tick(macros, state, view, chosen, busy)
            return interpret_jax.cut(state, done), out.action

        self._scan = jax.jit(
            lambda macros, state, rows: jax.lax.scan(
                lambda s, row: one(s, macros, row), state, rows
            )
        )
        self._tick = jax.jit(one)

    def play(self, work: Workload) -> tuple[float, np.ndarray]:
        given = jax.device_put(
            (work.macros, interpret_jax.init_state(work.chosen.shape[1]), rows(work))
        )
        jax.block_until_ready(given)
        began = time.perf_counter()
        _, actions = jax.block_until_ready(self._scan(*given))
        return time.perf_counter() - began, np.asarray(actions)

    def first_tick(self, macros: MacroSet, work: Workload) -> None:
        state = interpret_jax.init_state(work.chosen.shape[1])
        first = tuple(row[0] for row in rows(work))
        jax.block_until_ready(self._tick(state, jax.device_put(macros), first))


def rows(work: Workload) -> tuple[np.ndarray, ...]:
    return work.views, work.chosen, work.busy, work.done


PLAYERS: dict[str, type[Player]] = {"host": HostPlayer, "jax": DevicePlayer}
