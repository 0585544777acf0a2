"""Worlds in which blocks react, without the players: changes, waiting, looking."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks import grid, updates
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    BLOCK_STATES,
    BYTE_OF,
    IS_LIQUID,
    META_OF,
)
from rlgpt_jax.envs.voxel.state import WorldState
from tests.envs.voxel import worlds

AIR = ("air", 0)
GROUND = worlds.GROUND
_RUN = jax.jit(updates.run)
Cell = tuple[int, int, int]


def byte_of(state: tuple[str, int] | str) -> int:
    name, meta = (state, None) if isinstance(state, str) else state
    if name == "air":
        return worlds.AIR
    metas = [m for block, m in BLOCK_STATES if block == name]
    return BYTE_OF[name, metas[0] if meta is None else meta]


def put(state: WorldState, *cells: tuple[Cell, tuple[str, int] | str]) -> WorldState:
    """Sets cells in every lane without telling anyone; clearances become 1."""
    blocks = np.array(state.blocks)
    blocks[blocks >= AIR_CODE] = worlds.AIR
    for (x, y, z), block in cells:
        blocks[:, x % blocks.shape[1], z % blocks.shape[2], y] = byte_of(block)
    return state.replace(blocks=jnp.asarray(blocks))


def change(
    state: WorldState,
    cell: Cell,
    block: tuple[str, int] | str = AIR,
    lanes: list[bool] | None = None,
) -> tuple[WorldState, list[tuple[int, int]]]:
    """One tick in which the players change a cell, see `wait`."""
    n = len(state.tick)
    active = jnp.asarray(lanes if lanes is not None else [True] * n)
    edit = grid.Edit(active, jnp.tile(jnp.array(cell, jnp.int32), (n, 1)),
                     jnp.full(n, byte_of(block), jnp.uint8))  # fmt: skip
    return _tick(state, edit)


def _tick(state: WorldState, edit: grid.Edit) -> tuple[WorldState, list[tuple[int, int]]]:
    none = edit._replace(active=jnp.zeros_like(edit.active))
    state, dropped = _RUN(state, (edit, none), jnp.zeros(len(state.tick), bool))
    names, counts = np.asarray(dropped.name[0]), np.asarray(dropped.quantity[0])
    fallen = [(int(n), int(c)) for n, c in zip(names, counts) if c]
    return state.replace(tick=state.tick + 1), fallen


def wait(state: WorldState, ticks: int) -> tuple[WorldState, list[tuple[int, int]]]:
    """Lets time pass. Returns the worlds and what lane 0 drops, (item id, pieces)."""
    n = len(state.tick)
    nothing = grid.Edit(jnp.zeros(n, bool), jnp.zeros((n, 3), jnp.int32), jnp.zeros(n, jnp.uint8))
    fallen = []
    for _ in range(ticks):
        state, now = _tick(state, nothing)
        fallen += now
    return state, fallen


def name_at(state: WorldState, cell: Cell, lane: int = 0) -> tuple[str, int]:
    """Name and metadata of a cell; air is ("air", 0)."""
    byte = worlds.block(state, cell, lane)
    return AIR if byte >= AIR_CODE else BLOCK_STATES[byte]


def levels(state: WorldState, y: int, kind: str = "water") -> dict[tuple[int, int], int]:
    """Level by (x, z) of all cells of lane 0 that hold this liquid at height y."""
    layer = np.asarray(state.blocks[0, :, :, y])
    names = {byte for byte, (name, _) in enumerate(BLOCK_STATES) if name.endswith(kind)}
    cells = np.argwhere(np.isin(layer, list(names)) & IS_LIQUID[layer])
    return {(int(x), int(z)): int(META_OF[layer[x, z]]) for x, z in cells}


def is_quiet(state: WorldState) -> bool:
    return not bool(state.updates.due.any())
