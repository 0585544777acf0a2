"""What happens to the bodies of mobs: damage, fire, falls, death and what they leave.

Sources: `third_party/minecraft/mobs.json`, https://minecraft.wiki (Damage, Sheep, Chicken,
Experience; Java 1.11). A dead mob is gone at once and its experience goes straight to the
player.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel import hashing, lanes
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.rules.items import drops, items
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import (
    CHICKEN,
    DROP_COOKED,
    DROP_HIGH,
    DROP_LOW,
    DROP_NAME,
    MOB_ARMOR,
    MOB_LIFE,
    WOOL_ITEM,
    XP_HIGH,
    XP_LOW,
    ZOMBIE,
)
from rlgpt_jax.envs.voxel.rules.player import armor, physics, vitals
from rlgpt_jax.envs.voxel.state import Mobs, WorldState

PANIC_TICKS = 100  # how long an attacker is remembered
SIGHT_TICKS = 60  # how long a zombie goes on after it last saw the player
EGG_TICKS = (6000, 12_000)  # from one egg to the next
GRAZE_CHANCE = 1.0 / 1000.0  # per tick, of a sheep on grass
EGG, WOOL = NAME_ID["egg"], NAME_ID["wool"]


def strike(
    state: WorldState, damage: jax.Array, pierces: bool = False
) -> tuple[WorldState, jax.Array, jax.Array]:
    """Damage reaches the mobs; as `vitals.hurt`.

    Args:
      state: N worlds.
      damage: float32[N, M], 0 for none.
      pierces: whether armour does not keep it off.

    Returns:
      The worlds, bool[N, M] whether it was a new hit, bool[N, M] whether it counted, if
      only as the rest of a stronger hit.
    """
    counts = (damage > 0) & alive(state)
    fresh = counts & (state.mobs.hurt_time == 0)
    counts &= fresh | (damage > state.mobs.hurt_amount)
    new = jnp.where(fresh, damage, damage - state.mobs.hurt_amount)
    if not pierces:
        new = armor.absorb(new, jnp.asarray(MOB_ARMOR)[state.mobs.kind])
    state = state.replace(
        mobs=state.mobs.replace(
            life=state.mobs.life - jnp.where(counts, new, 0.0),
            hurt_time=jnp.where(fresh, vitals.HURT_WINDOW, state.mobs.hurt_time).astype(jnp.int32),
            hurt_amount=jnp.where(counts, damage, state.mobs.hurt_amount),
        )
    )
    return state, fresh, counts


def born(kind: jax.Array, position: jax.Array, yaw: jax.Array) -> Mobs:
    """Healthy mobs int32[N, M] that stand at float32[N, M, 3] and look to degrees float32[N, M]."""
    no, zero = jnp.zeros(kind.shape, jnp.int32), jnp.zeros(kind.shape, jnp.float32)
    return Mobs(
        kind=kind, position=position, velocity=jnp.tile(physics.REST, (*kind.shape, 1)), yaw=yaw,
        on_ground=jnp.ones(kind.shape, bool), life=jnp.asarray(MOB_LIFE)[kind], hurt_time=no,
        panic=no, target=jnp.zeros((*kind.shape, 2), jnp.float32), walk=no,
        sheared=jnp.zeros(kind.shape, bool), variant=no, hurt_amount=zero, fire=no, fall=zero,
        timer=no,
    )  # fmt: skip


def alive(state: WorldState) -> jax.Array:
    """bool[N, M]"""
    return (state.mobs.kind > 0) & (state.mobs.life > 0)


def suffer(
    state: WorldState,
    fallen: jax.Array,
    in_water: jax.Array,
    in_lava: jax.Array,
    in_fire: jax.Array,
) -> WorldState:
    """One tick of fire and of landing.

    Args:
      state: N worlds after the move.
      fallen: float32[N, M], height of a fall that ends in this tick, else 0.
      in_water: bool[N, M], as are the others: what the body touched before the move.
    """
    state = state.replace(
        mobs=state.mobs.replace(hurt_time=jnp.maximum(state.mobs.hurt_time - 1, 0))
    )

    def harm(state: WorldState) -> WorldState:
        hot = (state.mobs.fire > 0) & (state.mobs.fire % vitals.FIRE_PERIOD == 0)
        state, *_ = strike(state, hot.astype(jnp.float32), pierces=True)
        state, *_ = strike(state, jnp.where(in_lava, vitals.LAVA_DAMAGE, 0.0))
        lands = jnp.maximum(jnp.ceil(fallen - vitals.SAFE_FALL), 0.0)
        # A chicken flutters down.
        state, *_ = strike(state, jnp.where(state.mobs.kind == CHICKEN, 0.0, lands), pierces=True)
        state, *_ = strike(state, in_fire.astype(jnp.float32))
        fire = jnp.maximum(state.mobs.fire - 1, 0)
        fire = jnp.where(in_fire, jnp.maximum(fire, vitals.BLOCK_FIRE), fire)
        fire = jnp.where(in_lava, vitals.LAVA_FIRE, fire)
        return state.replace(
            mobs=state.mobs.replace(fire=jnp.where(in_water, 0, fire).astype(jnp.int32))
        )

    danger = (state.mobs.fire > 0) | (fallen > vitals.SAFE_FALL) | in_lava | in_fire
    return lanes.only_if_any(danger.any(), harm, state)


def graze(state: WorldState, below: jax.Array, index: jax.Array) -> WorldState:
    """A shorn sheep on grass, uint8[N, M] the block below, gets its wool back at times.

    It eats in no time, and the grass stays. `index` int32[N, M] numbers the mobs.
    """

    def eat(state: WorldState) -> WorldState:
        u = hashing.uniform(state.seed[:, None], state.tick[:, None], hashing.GRAZE, index)
        eats = (u < GRAZE_CHANCE) & (below == BLOCK_ID["grass"]) & (state.mobs.panic == 0)
        return state.replace(mobs=state.mobs.replace(sheared=state.mobs.sheared & ~eats))

    return lanes.only_if_any(state.mobs.sheared.any(), eat, state)


def leave(state: WorldState) -> WorldState:
    """A dead mob goes and leaves items and experience; a chicken leaves an egg.

    One mob per world and tick; another dead one waits for the next.
    """
    leaves = _lays(state) | ((state.mobs.kind > 0) & (state.mobs.life <= 0))
    return lanes.only_if_any(leaves.any(), lambda state: _leave(state, leaves), state)


def egg_time(seed: jax.Array, tick: jax.Array | int, index: jax.Array) -> jax.Array:
    """int32: ticks to a chicken's next egg."""
    low, high = EGG_TICKS
    return low + hashing.below(high - low, seed, tick, hashing.EGG_TIME, index)


def _lays(state: WorldState) -> jax.Array:
    return alive(state) & (state.mobs.kind == CHICKEN) & (state.mobs.timer == 1)


def _leave(state: WorldState, leaves: jax.Array) -> WorldState:
    lane = jnp.arange(leaves.shape[0], dtype=jnp.int32)
    entry = jnp.argmax(leaves, axis=1).astype(jnp.int32)
    at = lambda values: values[lane, entry]  # noqa: E731
    some = leaves.any(1)
    lays = some & at(_lays(state))
    dies = some & ~lays
    kind = at(state.mobs.kind)
    name, quantity = of_mobs(state, entry)
    first = jnp.arange(drops.KINDS) == 0
    name = jnp.where(lays[:, None], jnp.where(first, EGG, 0), name)
    quantity = jnp.where(lays[:, None], first, jnp.where(dies[:, None], quantity, 0))
    zero = jnp.zeros_like(entry)
    place = at(state.mobs.position)
    up = jnp.array([0.0, 0.2, 0.0], jnp.float32)
    dropped = drops.Dropped(
        name, quantity.astype(jnp.int32), place + up, jnp.zeros_like(place) + up, zero
    )
    # Zombies remember the player by sight, too; a blow counts for 100 ticks.
    sight = jnp.where(kind == ZOMBIE, SIGHT_TICKS, 0)
    killed = dies & (at(state.mobs.panic) > sight)
    low, high = jnp.asarray(XP_LOW)[kind], jnp.asarray(XP_HIGH)[kind]
    gain = low + hashing.below(high - low + 1, state.seed, state.tick, hashing.EXPERIENCE)
    chosen = jnp.arange(leaves.shape[1], dtype=jnp.int32) == entry[:, None]
    timer = egg_time(state.seed, state.tick, entry)[:, None]
    state = state.replace(
        player=state.player.replace(xp=state.player.xp + jnp.where(killed, gain, 0)),
        mobs=state.mobs.replace(
            kind=jnp.where(chosen & dies[:, None], 0, state.mobs.kind),
            timer=jnp.where(chosen & lays[:, None], timer, state.mobs.timer).astype(jnp.int32),
        ),
    )
    return items.appear(state, dropped)


def of_mobs(state: WorldState, entry: jax.Array) -> tuple[jax.Array, jax.Array]:
    """(item, quantity) int32[N, KINDS] that the mob `entry` int32[N] of each lane leaves."""
    lane = jnp.arange(len(entry), dtype=jnp.int32)
    at = lambda values: values[lane, entry]  # noqa: E731
    kind, burns = at(state.mobs.kind), at(state.mobs.fire) > 0
    raw = jnp.asarray(DROP_NAME)[kind]
    name = jnp.where(burns[:, None], jnp.asarray(DROP_COOKED)[kind], raw)
    name = jnp.where(raw == WOOL, jnp.asarray(WOOL_ITEM)[at(state.mobs.variant)][:, None], name)
    low = jnp.asarray(DROP_LOW)[kind]
    spread = jnp.asarray(DROP_HIGH)[kind] - low + 1
    slot = jnp.arange(drops.KINDS, dtype=jnp.int32)
    quantity = low + hashing.below(
        spread, state.seed[:, None], state.tick[:, None], hashing.DROP_COUNT, slot
    )
    shorn = at(state.mobs.sheared)[:, None] & (raw == WOOL)
    return name, jnp.where((raw > 0) & ~shorn, quantity, 0)
