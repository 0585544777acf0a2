"""Blocks that react to changes: what falls, flows, breaks; a few cells per tick.

A changed cell puts itself and those of its neighbours that may react into the lane's
queue. When an entry is due, what its cell becomes follows from what is around it alone.
Lanes without changes and without due entries cost nothing: the others are handled a
group at a time, each group with reads first and then its writes.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.rules.blocks import (
    cell_update,
    flow,
    grid,
    landmarks,
    reactions,
    update_queue,
)
from rlgpt_jax.envs.voxel.rules.blocks import neighbours as near_by
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BYTE_OF, IS_LIQUID, IS_SOLID
from rlgpt_jax.envs.voxel.rules.items import drops
from rlgpt_jax.envs.voxel.state import Updates, WorldState

PER_TICK = 2  # entries that a lane handles in one tick
ICE = BYTE_OF["ice", 0]


class _Lanes(NamedTuple):
    """What the updates change."""

    blocks: jax.Array  # uint8[N, X, Z, Y]
    queue: Updates
    station_name: jax.Array  # int32[N, S]
    light_level: jax.Array  # int32[N, L]
    broken: jax.Array  # uint8[N]  a block that broke into its item, 0 none
    broken_cell: jax.Array  # int32[N, 3]


class _Seen(NamedTuple):
    """A changed cell per lane whose neighbours may react, or a liquid that stays."""

    edit: grid.Edit
    old: jax.Array  # uint8[G]  what the cell held
    flowed: jax.Array  # bool[G]
    flies: jax.Array  # bool[G]  a block came down into the cell


def run(
    state: WorldState, edits: tuple[grid.Edit, ...], after: jax.Array
) -> tuple[WorldState, drops.Dropped]:
    """Writes the player's edits into the worlds and lets blocks react.

    Args:
      state: N worlds.
      edits: what the player changed in this tick.
      after: bool[N], false, computed from all that was read of the worlds until now.

    Returns:
      The worlds, and items of blocks that broke.
    """
    n = len(state.tick)
    queue = state.updates
    active = update_queue.is_due(queue, state.tick).any(1)
    for edit in edits:
        active |= edit.active
    active &= ~after
    size = min(n, max(16, n // 16))
    (order,) = jnp.nonzero(active, size=-(-n // size) * size, fill_value=n)
    order, total = order.astype(jnp.int32), active.sum(dtype=jnp.int32)

    def turn(carry: tuple[jax.Array, _Lanes]) -> tuple[jax.Array, _Lanes]:
        start, lanes = carry
        lane = jax.lax.dynamic_slice(order, (start,), (size,))
        return start + size, _group(state, lanes, edits, lane)

    lanes = _Lanes(
        state.blocks,
        queue,
        state.stations.name,
        state.lights.level,
        jnp.zeros(n, jnp.uint8),
        jnp.zeros((n, 3), jnp.int32),
    )
    _, lanes = jax.lax.while_loop(lambda carry: carry[0] < total, turn, (jnp.int32(0), lanes))
    state = state.replace(
        blocks=lanes.blocks,
        updates=lanes.queue,
        stations=state.stations.replace(name=lanes.station_name),
        lights=state.lights.replace(level=lanes.light_level),
    )
    return state, _items(state, lanes)


def _group(
    state: WorldState, lanes: _Lanes, edits: tuple[grid.Edit, ...], lane: jax.Array
) -> _Lanes:
    """One tick of the lanes int32[G]; N stands for no lane."""
    n, size_x, size_z, size_y = lanes.blocks.shape
    row = jnp.minimum(lane, n - 1)
    pick = lambda tree: jax.tree.map(lambda a: a[row], tree)  # noqa: E731
    blocks, tick, queue = lanes.blocks, state.tick[row], pick(lanes.queue)
    never = jnp.zeros(lane.shape, bool)

    first = [edit._replace(active=edit.active & (lane < n)) for edit in pick(edits)]
    old = [grid.at(blocks, row, edit.cell) for edit in first]
    first[0] = _melt(blocks, row, first[0], old[0])
    blocks = grid.write(blocks, tuple(first), grid.never(*old), lane)

    taken = update_queue.peek(queue, tick, PER_TICK)
    taken = taken._replace(active=taken.active & (lane < n)[:, None])
    size = size_x * size_z * size_y
    flies = taken.cell >= size
    cell = _unflatten(taken.cell % size, size_z, size_y)
    near = grid.at(blocks, row, cell[:, :, None] + near_by.NEAR)
    change = cell_update.decide(near, flies)
    # One block per lane and tick breaks into its item; others wait for the next tick.
    order = jnp.cumsum(change.breaks & taken.active, axis=1)
    handled = taken.active & ~(change.breaks & (order > 1))
    queue = update_queue.remove(queue, taken.entry, handled)
    change = change._replace(active=change.active & handled, breaks=change.breaks & handled)

    before = near[..., near_by.SELF]
    steps = range(PER_TICK)
    own = [grid.Edit(change.active[:, k], cell[:, k], change.byte[:, k]) for k in steps]
    goes = change.active & change.goes_down
    under = cell + near_by.STEPS[near_by.DOWN]
    fallen = [grid.Edit(goes[:, k], under[:, k], before[:, k]) for k in steps]
    blocks = grid.write(blocks, (*own, *fallen), never, lane)

    looked = [_Seen(edit, was, never, never) for edit, was in zip(first, old)]
    feeds = change.feeds & handled
    for k, edit in enumerate(own):
        edit = edit._replace(active=edit.active | feeds[:, k])
        looked.append(_Seen(edit, before[:, k], change.flowed[:, k], never))
    for k, edit in enumerate(fallen):
        looked.append(_Seen(edit, near[:, k, near_by.DOWN], never, change.goes_down[:, k]))

    def schedule(queue: Updates, seen: _Seen) -> tuple[Updates, None]:
        add = lambda queue: _schedule(blocks, row, tick, queue, seen)  # noqa: E731
        return jax.lax.cond(seen.edit.active.any(), add, lambda queue: queue, queue), None

    stacked = jax.tree.map(lambda *each: jnp.stack(each), *looked)
    queue, _ = jax.lax.scan(schedule, queue, stacked)

    all_edits = (*first, *own, *fallen)
    period = jnp.array([size_x, 1 << 20, size_z], jnp.int32)
    stations = landmarks.ended(state.stations.block[row], all_edits, landmarks.STATION, period)
    lights = landmarks.ended(state.lights.block[row], all_edits, landmarks.LIGHT, period)
    broke = change.breaks.argmax(1)
    at = lambda values: values[jnp.arange(len(lane)), broke]  # noqa: E731
    put = lambda old, new: old.at[lane].set(new, mode="drop")  # noqa: E731
    return _Lanes(
        blocks,
        jax.tree.map(put, lanes.queue, queue),
        put(lanes.station_name, jnp.where(stations, 0, lanes.station_name[row])),
        put(lanes.light_level, jnp.where(lights, 0, lanes.light_level[row])),
        put(lanes.broken, jnp.where(change.breaks.any(1), at(before), 0).astype(jnp.uint8)),
        put(lanes.broken_cell, at(cell)),
    )


def _unflatten(cell: jax.Array, size_z: int, size_y: int) -> jax.Array:
    """int32[..., 3]: x, y, z of flat cells."""
    x, z, y = cell // (size_z * size_y), cell // size_y % size_z, cell % size_y
    return jnp.stack([x, y, z], -1)


def _melt(blocks: jax.Array, row: jax.Array, edit: grid.Edit, old: jax.Array) -> grid.Edit:
    """Ice that is broken over a block or a liquid leaves water."""
    below = grid.at(blocks, row, edit.cell + near_by.STEPS[near_by.DOWN])
    melts = (old == ICE) & (edit.byte == flow.REMOVED) & jnp.asarray(IS_SOLID | IS_LIQUID)[below]
    return edit._replace(byte=jnp.where(melts, jnp.uint8(flow.WATER), edit.byte))


def _schedule(
    blocks: jax.Array, row: jax.Array, tick: jax.Array, queue: Updates, seen: _Seen
) -> Updates:
    """Queues the cells that one change per lane may matter to."""
    _, size_x, size_z, size_y = blocks.shape
    cell = seen.edit.cell[:, None] + near_by.STEPS
    near = grid.at(blocks, row, cell)
    wait = reactions.delays(seen.old, near, seen.flowed, seen.flies)
    inside = (cell[..., 1] >= 0) & (cell[..., 1] < size_y)
    wanted = (wait < reactions.NOT) & inside & seen.edit.active[:, None]
    due = jnp.where(wanted, tick[:, None] + wait, 0)
    flat = (cell[..., 0] % size_x * size_z + cell[..., 2] % size_z) * size_y + cell[..., 1]
    size = size_x * size_z * size_y
    flat = flat.at[:, near_by.SELF].add(jnp.where(seen.flies, size, 0))
    # Cells below the sides never react: they are left out.
    down = near_by.DOWN_SIDES

    def part(a: jax.Array) -> jax.Array:
        return jnp.concatenate([a[:, : down.start], a[:, down.stop :]], 1)

    return update_queue.add(queue, part(flat), part(due), size)


def _items(state: WorldState, lanes: _Lanes) -> drops.Dropped:
    """What the broken blocks leave, where they stood, as near to the player as can be."""
    cell = grid.nearest(lanes.broken_cell, grid.floor(state.player.position), state.blocks)
    nothing = jnp.zeros_like(state.tick)
    none = jnp.zeros((len(nothing), drops.KINDS), jnp.int32)
    name, quantity = jax.lax.cond(
        lanes.broken.any(),
        lambda: drops.of_blocks(state, nothing, lanes.broken, by_itself=True),
        lambda: (none, none),
    )
    dropped = drops.popped(state, name, jnp.where((lanes.broken > 0)[:, None], quantity, 0), cell)
    return dropped._replace(velocity=jnp.zeros_like(dropped.velocity).at[:, 1].set(0.2))
