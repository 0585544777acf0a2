"""The macro part of one tick, for every interpreter.

A lane's macro goes on, or a decision counts: a macro starts, or the primitive is used.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.macros import interpret_host, interpret_jax, sensors
from rlgpt_jax.rl.actions import HybridSpace, MacroSet
from rlgpt_jax.rl.rollout import without_macros


class Act(NamedTuple):
    """What every lane does in this tick. Arrays are NumPy on the host."""

    action: Any  # int32[N, 8]
    decided: Any  # bool[N]  a decision counted, the policy's or the script's
    slot: Any  # int32[N]  the macro that made the action, 0 if a primitive
    running: Any  # int32[N]  the macro that will go on in the next tick, 0 if none
    macro: Any  # interpreter's MacroTick, None without macros


def interpreter_for(given: str, on_device: bool) -> str:
    """Returns which interpreter a driver uses: "host", "jax" or "pallas".

    The host driver has the host interpreter alone. On the device, "auto" is "jax"
    everywhere: the kernel of "pallas" compiles for CUDA and gives the same bits where it
    is interpreted, but neither was measured on a GPU, so that it has to be asked for.

    Args:
      given: `RLConfig.interpreter`.
      on_device: whether the driver is the device driver.

    Raises:
      ValueError: the two do not go together, or there is no GPU for the kernel.
    """
    if given == "auto":
        return "jax" if on_device else "host"
    if on_device == (given == "host"):
        driver, needed = ("device", "jax or pallas") if on_device else ("host", "host")
        raise ValueError(
            f"macros.interpreter is {given!r}, but the {driver} driver is in use, which needs "
            f"{needed}. Set macros.interpreter to auto, or driver to "
            f"{'host' if on_device else 'device'}."
        )
    if given == "pallas" and jax.default_backend() != "gpu":
        raise ValueError(
            f"macros.interpreter is 'pallas', but JAX runs on {jax.default_backend()}; the kernel "
            "needs a GPU. Set macros.interpreter to jax or auto, or start on a machine with a GPU."
        )
    return given


def device_tick(given: str) -> Any:
    """Returns the `tick` of a device interpreter."""
    if interpreter_for(given, on_device=True) == "jax":
        return interpret_jax.tick
    # Imported where it is used: its part of JAX is experimental.
    from rlgpt_jax.macros import interpret_pallas

    return interpret_pallas.tick


def init_macros(space: HybridSpace, num_lanes: int, on_device: bool) -> Any:
    """State of an interpreter with nothing running; None if the space has no macros.

    All device interpreters have the same state.
    """
    if not space.uses_macros:
        return None
    return (interpret_jax if on_device else interpret_host).init_state(num_lanes)


def act(
    macros: MacroSet | None,
    tick_limit: int,
    state: Any,
    obs: Observation,
    chosen: Any,
    primitive: Any,
    busy: Any,
    interpreter: str = "auto",
) -> tuple[Any, Act]:
    """Advances the macros of all lanes by one tick.

    Args:
      macros: the programs; not read if `state` is None.
      state: of `init_macros`; None means that no macro can run.
      chosen: int32[N], macro to start where a lane decides.
      primitive: int32[N, 8], action where a lane decides for no macro.
      busy: bool[N], lanes whose action will be ignored: nothing is decided there.
      interpreter: of the device driver, see `interpreter_for`.
    """
    on_device = isinstance(primitive, jax.Array)
    xp = jnp if on_device else np
    if state is None:
        zeros = xp.zeros(busy.shape, xp.int32)
        return None, Act(without_macros(primitive, busy), ~busy, zeros, zeros, None)
    assert macros is not None, "a state without programs"
    interpret = device_tick(interpreter) if on_device else interpret_host.tick
    running = state.slot if on_device else state.slot.copy()
    view = sensors.pack_view(obs)
    state, tick = interpret(macros, state, view, chosen, busy, tick_limit)
    use_primitive = tick.decided & (chosen == 0)
    action = xp.where(use_primitive[:, None], primitive, tick.action)
    slot = xp.where(tick.decided, chosen, running)
    # A copy on the host: the interpreter may clear the lane's slot in place.
    goes_on = state.slot if on_device else state.slot.copy()
    return state, Act(action, tick.decided, slot, goes_on, tick)


def cut(state: Any, done: Any) -> Any:
    """Drops the macros of lanes whose episode ended."""
    if state is None:
        return None
    on_device = isinstance(done, jax.Array)
    return (interpret_jax if on_device else interpret_host).cut(state, done)
