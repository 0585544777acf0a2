"""One game tick of N worlds: rules in a fixed order, the blocks before the bodies.

Order, which is part of the world:
  1. a slow functional action still runs: the new action is ignored
  2. the player turns
  3. the crosshair's target is found; attack, use, place, drop, craft, equip, destroy
  4. the changed blocks are written; blocks that wait for an update fall, flow or break
  5. the player moves through the world as it now is
  6. the body: landing, air, hunger, healing
  7. mobs think and move, zombies hit and appear; items fall and are picked up
  8. clocks advance

All reads of steps 1 to 3 come before the writes of step 4, which is done in place; the
later steps only read. What follows a tick must not write before those reads: the tick's
clock depends on them.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs import base
from rlgpt_jax.envs.voxel import lanes
from rlgpt_jax.envs.voxel.rules.blocks import grid, landmarks, updates
from rlgpt_jax.envs.voxel.rules.items import crafting, drops, inventory, items
from rlgpt_jax.envs.voxel.rules.mobs import mob_life, mob_turns, spawning, zombies
from rlgpt_jax.envs.voxel.rules.player import eating, interact, physics, placing, use, vitals
from rlgpt_jax.envs.voxel.state import Player, WorldState

DAY = 24_000  # ticks


def tick(
    state: WorldState,
    action: jax.Array,
    break_speed: float,
    pool_light: jax.Array,
    hostile: int = 0,
) -> WorldState:
    """Advances every world by one tick.

    Args:
      state: N worlds.
      action: int32[N, 8].
      break_speed: factor on the speed of mining, 1 but in some tasks.
      pool_light: uint8[P, X, Z, Y], light of the worlds as they were at reset.
      hostile: how many zombies may appear in a lane, in its last mobs; a constant.
    """
    player, action = _listen(state.player, action)
    state = state.replace(player=_turn(player, action))
    state, edit, dropped = _act(state, action, break_speed)
    state = landmarks.remember(state, edit)
    player = state.player
    read = grid.never(
        player.mining_progress, player.life, player.food, player.velocity, state.inventory,
        state.mobs.life, state.mobs.position,
    )  # fmt: skip
    state, fallen = updates.run(state, (edit, placing.second_half(edit)), after=read)

    keys = eating.slow_down(player, controls(action))
    state, motion = physics.move(state, keys, physics.around(state))
    state = vitals.live(state, motion)
    state = zombies.act(mob_turns.act(state), pool_light)
    state = spawning.spawn(state, pool_light, hostile)
    state = items.appear(_move_items(state, fallen), dropped)
    state = mob_life.leave(state)
    player = state.player
    read = grid.never(
        player.position, player.velocity, player.life, player.oxygen, player.fire,
        player.mining_progress, state.inventory.quantity, state.mobs, state.items.position,
    )  # fmt: skip
    return state.replace(tick=state.tick + 1 + read, world_time=(state.world_time + 1) % DAY)


def _move_items(state: WorldState, fallen: drops.Dropped) -> WorldState:
    """Items fall and are picked up, those of broken blocks appear; skipped without any."""

    def act(state: WorldState) -> WorldState:
        return items.appear(items.pick_up(items.fall(state)), fallen)

    return lanes.only_if_any(state.items.id.any() | fallen.quantity.any(), act, state)


def _listen(player: Player, action: jax.Array) -> tuple[Player, jax.Array]:
    """Replaces the actions of busy lanes by no-ops and starts slow ones."""
    is_busy = player.busy > 0
    noop = jnp.array(base.NOOP, jnp.int32)
    sizes = jnp.array(base.ACTION_SIZES, jnp.int32)
    action = jnp.where(is_busy[:, None], noop, jnp.clip(action, 0, sizes - 1))
    slow = (action[:, base.FUNCTION, None] == jnp.array(base.SLOW_FUNCTIONS)).any(1)
    busy = jnp.where(slow, base.SLOW_TICKS - 1, jnp.maximum(player.busy - 1, 0))
    return player.replace(busy=busy.astype(jnp.int32)), action


def _turn(player: Player, action: jax.Array) -> Player:
    by = (action[:, (base.PITCH, base.YAW)] - base.CAMERA_CENTRE) * base.CAMERA_STEP
    return player.replace(
        pitch=jnp.clip(player.pitch + by[:, 0], -90.0, 90.0),
        yaw=(player.yaw + by[:, 1] + 180.0) % 360.0 - 180.0,
    )


def controls(action: jax.Array) -> physics.Controls:
    one_of = lambda column, plus, minus: (  # noqa: E731
        (column == plus).astype(jnp.float32) - (column == minus).astype(jnp.float32)
    )
    return physics.Controls(
        forward=one_of(action[:, base.MOVE], 1, 2),
        right=one_of(action[:, base.STRAFE], 2, 1),
        jump=action[:, base.JUMP] == 1,
        sneak=action[:, base.JUMP] == 2,
        sprint=action[:, base.JUMP] == 3,
    )


def _act(
    state: WorldState, action: jax.Array, break_speed: float
) -> tuple[WorldState, grid.Edit, drops.Dropped]:
    """The functional action: at most one block changes and one place drops items."""
    function, slot = action[:, base.FUNCTION], action[:, base.SLOT_ARG]
    uses, attacks = function == base.FN_USE, function == base.FN_ATTACK
    sprints = (action[:, base.JUMP] == 3) & (action[:, base.MOVE] == 1)
    target = interact.look(state, uses)
    state, broken, loot = interact.attack(state, attacks, sprints, target, break_speed)
    state, used, given = use.use(state, uses, target)
    state, thrown = items.throw(state, function == base.FN_DROP)
    state, placed, spilled = _rare(state, function, action[:, base.CRAFT_ARG], slot, target)

    edit = lanes.by_case(used, (attacks, broken), (function == base.FN_PLACE, placed))
    dropped = lanes.by_case(
        given,
        (attacks, loot),
        (function == base.FN_DROP, thrown),
        (function == base.FN_CRAFT, spilled),
    )
    return state, edit, dropped


def _rare(
    state: WorldState,
    function: jax.Array,
    argument: jax.Array,
    slot: jax.Array,
    target: interact.Target,
) -> tuple[WorldState, grid.Edit, drops.Dropped]:
    """Craft, equip, place and destroy: skipped in ticks in which no lane does them."""
    is_rare = jnp.isin(function, jnp.array(base.SLOW_FUNCTIONS[1:]))

    def act(state: WorldState) -> tuple:
        state, name, left = crafting.craft(state, function == base.FN_CRAFT, argument)
        state = inventory.equip(state, function == base.FN_EQUIP, slot)
        state, edit = placing.place(state, function == base.FN_PLACE, slot, target)
        state = inventory.destroy(state, function == base.FN_DESTROY, slot)
        return state, (edit, name, left)

    none = jnp.zeros_like(function)
    nothing = grid.Edit(jnp.zeros_like(is_rare), target.cell, target.byte)
    state, (edit, name, left) = lanes.if_any(is_rare, act, state, (nothing, none, none))
    return state, edit, items.spill(state, name, left)
