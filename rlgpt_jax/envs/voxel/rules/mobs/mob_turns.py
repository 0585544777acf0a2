"""One tick of all mobs: those that are near the player or on their way move, others rest.

With several mobs a lane most are far away or do not exist. Only the others are computed,
in turns of a fixed number, gathered from all lanes.
"""

import operator

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel import lanes
from rlgpt_jax.envs.voxel.rules.bodies import pushing
from rlgpt_jax.envs.voxel.rules.mobs import mob_life, mobs
from rlgpt_jax.envs.voxel.state import Mobs, WorldState, from_paths

AT_ONCE = 512  # mobs of one turn
RESTING = 0.003  # blocks/tick
# What a mob's tick reads of its lane, and what it reads and changes of the mob.
_LANE = ("player.position", "seed", "tick")
_MOB = tuple(name for name in Mobs.__dataclass_fields__ if name not in ("kind", "variant"))


def act(state: WorldState) -> WorldState:
    """Thinks, moves and pushes every mob by one tick."""
    m = state.mobs.kind.shape[1]
    state = mobs.move(state, mobs.around(state)) if m == 1 else _move_awake(state)
    state = state.replace(
        mobs=state.mobs.replace(
            timer=jnp.where(state.mobs.timer > 1, state.mobs.timer - 1, state.mobs.timer)
        )
    )
    return pushing.stay_near(pushing.push(state, mob_life.alive(state)))


def awake(state: WorldState) -> jax.Array:
    """bool[N, M]: the mob may move or change in this tick."""
    way = ((state.mobs.position - state.player.position[:, None])[..., ::2] ** 2).sum(-1)
    busy = (state.mobs.walk + state.mobs.panic + state.mobs.fire + state.mobs.hurt_time) > 0
    busy |= ~state.mobs.on_ground | (state.mobs.life <= 0)
    busy |= (jnp.abs(state.mobs.velocity[..., ::2]) > RESTING).any(-1)
    return (state.mobs.kind > 0) & (busy | (way < mobs.ACTIVE_RANGE**2))


def _move_awake(state: WorldState) -> WorldState:
    n, m = state.mobs.kind.shape
    flat = lambda array: array.reshape(n * m, *array.shape[2:])  # noqa: E731
    entry = jnp.arange(n * m, dtype=jnp.int32)
    own = {name: flat(getattr(state.mobs, name)) for name in _MOB}
    inputs = own | {"kind": flat(state.mobs.kind), "entry": entry}

    def some(inputs: dict[str, jax.Array]) -> dict[str, jax.Array]:
        """The chosen mobs as lanes of one mob each."""
        lane = inputs["entry"] // m
        values = {path: operator.attrgetter(path)(state)[lane] for path in _LANE}
        values |= {f"mobs.{name}": inputs[name][:, None] for name in (*_MOB, "kind")}
        chosen = from_paths(values)
        region = mobs.around(chosen.replace(blocks=state.blocks), lane)
        moved = mobs.move(chosen, region, (inputs["entry"] % m)[:, None])
        return {name: getattr(moved.mobs, name)[:, 0] for name in _MOB}

    out = lanes.for_some(flat(awake(state)), some, inputs, own, AT_ONCE)
    shaped = {name: out[name].reshape(getattr(state.mobs, name).shape) for name in _MOB}
    return state.replace(mobs=state.mobs.replace(**shaped))
