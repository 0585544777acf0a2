"""Work that only some lanes need, and choices between lanes."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.state import WorldState

In = TypeVar("In")
Out = TypeVar("Out")
Tree = TypeVar("Tree")


def for_some(
    active: jax.Array, act: Callable[[In], Out], inputs: In, default: Out, at_once: int = 8
) -> Out:
    """Runs `act` on the active lanes alone, a few at a time, so that it costs by their number.

    Args:
      active: bool[N].
      act: from arrays [K, ...] to arrays [K, ...]; lanes do not see each other.
      inputs: arrays [N, ...].
      default: arrays [N, ...], the result of the other lanes.
      at_once: K, the lanes in one turn.

    Returns:
      Arrays [N, ...].
    """
    n = len(active)
    size = min(at_once, n)

    def some(default: Out) -> Out:
        # Active lanes first; n, which is no lane, fills the last turn up.
        (order,) = jnp.nonzero(active, size=-(-n // size) * size, fill_value=n)
        total = active.sum(dtype=jnp.int32)

        def turn(carry: tuple[jax.Array, Out]) -> tuple[jax.Array, Out]:
            start, out = carry
            lane = jax.lax.dynamic_slice(order, (start,), (size,))
            part = act(jax.tree.map(lambda a: a[jnp.minimum(lane, n - 1)], inputs))
            out = jax.tree.map(lambda a, b: a.at[lane].set(b, mode="drop"), out, part)
            return start + size, out

        return jax.lax.while_loop(lambda carry: carry[0] < total, turn, (jnp.int32(0), default))[1]

    return jax.lax.cond(active.any(), some, lambda default: default, default)


def if_any(
    condition: jax.Array,
    act: Callable[[WorldState], tuple[WorldState, Out]],
    state: WorldState,
    default: Out,
) -> tuple[WorldState, Out]:
    """`act(state)` in ticks in which it concerns some lane; else the state as it is.

    The worlds can be read inside, but do not pass through the condition: XLA would copy
    them.

    Args:
      condition: bool, or bool[N] of which one counts.
      act: gives the new state, in which the worlds must be unchanged, and more results.
      state: N worlds.
      default: the other results if nothing is done.
    """
    blocks, small = state.blocks, state.replace(blocks=None)  # type: ignore[arg-type]

    def some(small: WorldState) -> tuple[WorldState, Out]:
        new, out = act(small.replace(blocks=blocks))
        return new.replace(blocks=None), out  # type: ignore[arg-type]

    small, out = jax.lax.cond(condition.any(), some, lambda small: (small, default), small)
    return small.replace(blocks=blocks), out


def only_if_any(
    condition: jax.Array, act: Callable[[WorldState], WorldState], state: WorldState
) -> WorldState:
    """`if_any` for an `act` without more results."""
    return if_any(condition, lambda state: (act(state), ()), state, ())[0]


def choose(chosen: jax.Array, new: Tree, old: Tree) -> Tree:
    """`new` where bool[N, ...] is true, else `old`, whose arrays begin with these axes."""

    def pick(a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.where(chosen.reshape(chosen.shape + (1,) * (jnp.ndim(b) - chosen.ndim)), a, b)

    return jax.tree.map(pick, new, old)


@jax.jit
def lane_of(state: Tree, lane: int) -> Tree:
    """One lane, [1, ...], in one program; what the others hold stays where it is."""
    return jax.tree.map(lambda x: jax.lax.dynamic_slice_in_dim(x, lane, 1), state)


def by_case(default: Tree, *cases: tuple[jax.Array, Tree]) -> Tree:
    """The last case that is active in each lane, `default` where none is."""
    for active, case in cases:
        default = choose(active, case, default)
    return default
