"""The macro part of one tick, for every interpreter.

A lane's macro goes on, or a decision counts: a macro starts, or the primitive is used.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NOOP, Observation
from rlgpt_jax.envs.spec import Sensed, WorldSpec
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros.vm.device import interpret_jax
from rlgpt_jax.macros.vm.host import interpret_host
from rlgpt_jax.rl.actions import HybridSpace, SpaceArrays


class Act(NamedTuple):
    """What every lane does in this tick. Arrays are NumPy on the host, JAX's on the device."""

    action: Any  # int32[N, 8], float32[N, columns] with a spec
    decided: Any  # bool[N]  a decision counted, the policy's or the script's
    slot: Any  # int32[N]  the macro that made the action, 0 if a primitive
    running: Any  # int32[N]  the macro that will go on in the next tick, 0 if none
    macro: Any  # interpreter's MacroTick, None without macros


def init_macros(space: HybridSpace, num_lanes: int, on_device: bool) -> Any:
    """State of an interpreter with nothing running; None if the space has no macros."""
    if not space.uses_macros:
        return None
    return (interpret_jax if on_device else interpret_host).init_state(num_lanes)


def idle_of(spec: WorldSpec | None) -> np.ndarray:
    """int32[8] or float32[columns]: what a lane does that does nothing."""
    return np.array(NOOP, np.int32) if spec is None else spec.idle


def view_of(obs: Any, spec: WorldSpec | None, arguments: Any) -> Any:
    """What macros read. A macro reads `arguments` float32[N, MAX_ARGUMENTS] when it starts and
    never again, so that they need not be those of a macro that runs."""
    if spec is None:
        return sensors.pack_view(obs)
    return np.concatenate([obs.fields, arguments], axis=1, dtype=np.float32)


def act(
    space: HybridSpace | SpaceArrays,
    state: Any,
    obs: Observation | Sensed,
    chosen: Any,
    primitive: Any,
    busy: Any,
    arguments: Any = None,
) -> tuple[Any, Act]:
    """Advances the macros of all lanes by one tick.

    Args:
      space: whose programs run; not read if `state` is None.
      state: of `init_macros`; None means that no macro can run.
      chosen: int32[N], macro to start where a lane decides.
      primitive: int32[N, 8], action where a lane decides for no macro; float32[N, columns] with a
        spec, where all is NumPy.
      busy: bool[N], lanes whose action will be ignored: nothing is decided there.
      arguments: float32[N, MAX_ARGUMENTS] that a macro is started with, in its units; None in
        Minecraft, and with a spec for the defaults.

    Returns:
      The state after the tick, and what every lane does. JAX or NumPy, as `primitive` is.
    """
    on_device = isinstance(primitive, jax.Array)
    xp = jnp if on_device else np
    spec = space.spec if isinstance(space, HybridSpace) else None
    if state is None:
        zeros = xp.zeros(busy.shape, xp.int32)
        action = xp.where(busy[:, None], idle_of(spec), primitive)
        return None, Act(action, ~busy, zeros, zeros, None)
    assert space.macros is not None, "a state without programs"
    interpret = interpret_jax.tick if on_device else interpret_host.tick
    running = state.slot if on_device else state.slot.copy()
    if isinstance(space, HybridSpace) and spec is not None and arguments is None:
        arguments = space.defaults(chosen)
    view = view_of(obs, spec, arguments)
    state, tick = interpret(space.macros, state, view, chosen, busy, space.tick_limit, spec)
    use_primitive = tick.decided & (chosen == 0)
    action = xp.where(use_primitive[:, None], primitive, tick.action)
    slot = xp.where(tick.decided, chosen, running)
    # A copy on the host: the interpreter may clear the lane's slot in place.
    goes_on = state.slot if on_device else state.slot.copy()
    return state, Act(action, tick.decided, slot, goes_on, tick)


def cut(state: Any, done: Any) -> Any:
    """Drops the macros of the lanes `done` bool[N], whose episode ended."""
    if state is None:
        return None
    on_device = isinstance(done, jax.Array)
    return (interpret_jax if on_device else interpret_host).cut(state, done)
