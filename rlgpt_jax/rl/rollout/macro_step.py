"""The macro part of one tick: a lane's macro goes on, or a decision counts, which starts a macro
or uses the primitive.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NOOP, Observation
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros.vm import in_scan
from rlgpt_jax.macros.vm.bytecode import MacroState
from rlgpt_jax.macros.vm.host import interpret_host
from rlgpt_jax.rl.actions import HybridSpace


class Act(NamedTuple):
    """What every lane does in this tick. Arrays are NumPy on the host, JAX's on the device."""

    action: Any  # int32[N, 8], float32[N, columns] with a spec
    decided: Any  # bool[N]  a decision counted, the policy's or the script's
    slot: Any  # int32[N]  the macro that made the action, 0 if a primitive
    running: Any  # int32[N]  the macro that will go on in the next tick, 0 if none
    macro: Any = None  # interpreter's MacroTick, None without macros


def init_macros(space: HybridSpace, num_lanes: int) -> MacroState | None:
    """State of the interpreter with nothing running; None if the space has no macros."""
    return interpret_host.init_state(num_lanes) if space.uses_macros else None


def idle_of(spec: WorldSpec | None) -> np.ndarray:
    """int32[8] or float32[columns]: what a lane does that does nothing."""
    return np.array(NOOP, np.int32) if spec is None else spec.idle


def act(
    space: HybridSpace,
    state: MacroState | None,
    obs: Any,
    chosen: np.ndarray,
    primitive: np.ndarray,
    busy: np.ndarray,
    arguments: Any = None,
) -> tuple[MacroState | None, Act]:
    """Advances the macros of all lanes by one tick, on the host.

    Args:
      space: whose programs run; not read if `state` is None.
      state: of `init_macros`, used up; None means that no macro can run.
      obs: Observation or Sensed.
      chosen: int32[N], macro to start where a lane decides.
      primitive: int32[N, 8], action where a lane decides for no macro; float32[N, columns] with a
        spec.
      busy: bool[N], lanes whose action will be ignored: nothing is decided there.
      arguments: float32[N, MAX_ARGUMENTS] that a macro is started with, in its units; None in
        Minecraft, and with a spec for the defaults.

    Returns:
      The state after the tick, and what every lane does.
    """
    spec = space.spec
    if state is None:
        return None, without_macros(spec, primitive, busy)
    running = state.slot.copy()  # the interpreter works in place
    if spec is None:
        view = sensors.pack_view(obs)
    else:
        # A macro reads its arguments when it starts and never again, so that these need not be
        # those of a macro that runs.
        given = space.defaults(chosen) if arguments is None else arguments
        view = np.concatenate([obs.fields, given], axis=1, dtype=np.float32)
    state, tick = interpret_host.tick(
        space.macros, state, view, chosen, busy, space.tick_limit, spec
    )
    act = _made(tick.decided, tick.action, chosen, primitive, running, state.slot.copy())
    return state, act._replace(macro=tick)


def act_in_scan(
    running: in_scan.Running | None,
    obs: Observation,
    chosen: jax.Array,
    primitive: jax.Array,
    busy: jax.Array,
) -> tuple[in_scan.Running | None, Act]:
    """The same inside of a jitted scan, in Minecraft."""
    if running is None:
        return None, without_macros(None, primitive, busy)
    after, action, decided = in_scan.tick(running, sensors.pack_view(obs), chosen, busy)
    return after, _made(decided, action, chosen, primitive, running.slot, after.slot)


def _made(decided: Any, action: Any, chosen: Any, primitive: Any, before: Any, running: Any) -> Act:
    xp = jnp if isinstance(primitive, jax.Array) else np
    action = xp.where((decided & (chosen == 0))[:, None], primitive, action)
    return Act(action, decided, xp.where(decided, chosen, before), running)


def without_macros(spec: WorldSpec | None, primitive: Any, busy: Any) -> Act:
    """What lanes do that can run no macro; JAX or NumPy, as `primitive` is."""
    xp = jnp if isinstance(primitive, jax.Array) else np
    zeros = xp.zeros(busy.shape, xp.int32)
    return Act(xp.where(busy[:, None], idle_of(spec), primitive), ~busy, zeros, zeros)


def cut(state: MacroState | None, done: np.ndarray) -> MacroState | None:
    """Drops the macros of the lanes `done` bool[N], whose episode ended."""
    return None if state is None else interpret_host.cut(state, done)
