"""Macros inside a jitted scan: the host's interpreter, called by the device once per tick.

Views go to the host and actions come back; what macros remember is handed over once, by `begin`,
and stays on the host until `finish`. docs/gpu.md compares this with an interpreter in JAX.
"""

import dataclasses
import itertools
import os
import threading
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from rlgpt_jax.macros import sensors
from rlgpt_jax.macros.vm.bytecode import MacroSet, MacroState, reads_rays
from rlgpt_jax.macros.vm.host import interpret_host


def check_threads(num_devices: int) -> None:
    """On a CPU, where a device that waits for the host holds one of XLA's threads, which arrays
    for the host need too.

    Raises:
      ValueError: there would be none left, and the call would never end.
    """
    threads = int(os.environ.get("NPROC") or len(os.sched_getaffinity(0)))
    needed = num_devices + 1
    if jax.default_backend() == "cpu" and threads < needed:
        raise ValueError(
            f"the device driver runs macros on {num_devices} device(s) of a CPU, which needs "
            f"{needed} threads of XLA, and there are {threads}. Set NPROC={needed} in the "
            "environment, or driver to host."
        )


class Running(NamedTuple):
    """The macros of N lanes between `begin` and `finish`."""

    token: Any  # int32[]  of what the host holds
    reads_rays: Any  # bool[]  whether a macro can: if not, a quarter of a view is sent
    slot: Any  # int32[N]  running macro 1..K, 0 = none
    done: Any  # bool[N]  lanes whose episode has ended since the last tick


@dataclasses.dataclass
class Held:
    """What the host holds of the lanes of one device."""

    macro_set: MacroSet
    state: MacroState
    tick_limit: int


_held: dict[int, Held] = {}
_tokens = itertools.count()
_guard = threading.Lock()  # several devices begin at once


def begin(macro_set: MacroSet, state: MacroState, tick_limit: Any) -> Running:
    """Hands the macros of N lanes to the host."""

    def hold(macro_set: MacroSet, state: MacroState, tick_limit: Any) -> tuple[Any, Any]:
        held = Held(
            jax.tree.map(np.asarray, macro_set),
            jax.tree.map(np.array, state),  # copies: the interpreter works in place
            int(tick_limit),
        )
        with _guard:
            token = next(_tokens)
            _held[token] = held
        return np.int32(token), np.bool_(reads_rays(held.macro_set))

    shapes = jax.ShapeDtypeStruct((), jnp.int32), jax.ShapeDtypeStruct((), jnp.bool)
    token, reads = io_callback(hold, shapes, macro_set, state, tick_limit)
    return Running(token, reads, state.slot, jnp.zeros(state.slot.shape, bool))


def tick(
    running: Running, view: jax.Array, chosen: jax.Array, busy: jax.Array
) -> tuple[Running, jax.Array, jax.Array]:
    """Runs the macros of all lanes for one tick, as `interpret_host.tick`.

    Returns:
      What runs now, the actions int32[N, 8], and bool[N] whether `chosen` counted.
    """
    lanes = busy.shape[0]
    shapes = (
        jax.ShapeDtypeStruct((lanes, 8), jnp.int32),
        jax.ShapeDtypeStruct((lanes,), jnp.bool),
        jax.ShapeDtypeStruct((lanes,), jnp.int32),
    )

    def ask(view: jax.Array) -> Any:
        return io_callback(_tick, shapes, running.token, running.done, view, chosen, busy)

    action, decided, slot = jax.lax.cond(
        running.reads_rays, ask, lambda view: ask(view[:, : sensors.RAY_BLOCKS]), view
    )
    return running._replace(slot=slot, done=jnp.zeros(lanes, bool)), action, decided


def _tick(token: Any, done: Any, view: Any, chosen: Any, busy: Any) -> tuple[Any, Any, Any]:
    """On the host."""
    held, arrays = _held[int(token)], map(np.asarray, (done, view, chosen, busy))
    done, view, chosen, busy = arrays
    state = interpret_host.cut(held.state, done)
    held.state, made = interpret_host.tick(
        held.macro_set, state, view, chosen, busy, held.tick_limit
    )
    return made.action, made.decided, held.state.slot.copy()


def cut(running: Running, done: jax.Array) -> Running:
    """Drops the macros of lanes whose episode ended, bool[N]."""
    return running._replace(slot=jnp.where(done, 0, running.slot), done=running.done | done)


def finish(running: Running, state: MacroState) -> MacroState:
    """What macros remember after the last tick; `state` of `begin` says its shape."""

    def release(token: Any, _: Any, done: Any) -> MacroState:
        with _guard:
            held = _held.pop(int(token))
        return interpret_host.cut(held.state, np.asarray(done))

    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), state)
    # The slots are those of the last tick, which must be over.
    return io_callback(release, shapes, running.token, running.slot, running.done)
