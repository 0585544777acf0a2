"""Mining time and harvest against the stored ticks: 22 tools on 84 blocks.

Every cell of the table is a lane. Progress is summed in float32 as the world does; the
shorter cells are also mined by the function that the world calls. A block at once is 0
ticks in the table, and one click here.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAME_ID, load
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID, BLOCKS, HARDNESS
from rlgpt_jax.envs.voxel.rules.player import interact, tools
from tests.fidelity.lanes import bare
from tests.fidelity.row import Row

GROUP = "mining"
TOLERANCE = 1  # ticks
SHORT = 160  # ticks of what is mined by whole steps: stone by hand among them
NEVER = 100_000


def cells() -> tuple[np.ndarray, ...]:
    """Of the table: item int32[C], byte uint8[C], ticks, ticks of a float32 sum, harvested."""
    table = load("mining_ticks")
    found = [
        (NAME_ID.get(tool, 0), BLOCK_ID[block], ticks, summed, bool(harvested))
        for block, row in table["blocks"].items()
        for tool in table["tools"]
        for ticks, summed, harvested in [row[tool]]
    ]
    item, byte, *rest = (np.array(column) for column in zip(*found))
    return item.astype(np.int32), byte.astype(np.uint8), *rest


@jax.jit
def ticks_by_sum(item: jax.Array, byte: jax.Array) -> jax.Array:
    """int32[C]: ticks until the float32 sum of progress reaches 1; 0 breaks at once."""
    part = tools.progress_per_tick(item, byte)

    def more(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        progress, ticks = carry
        open_ = progress < 1.0
        return progress + jnp.where(open_, part, 0.0), ticks + open_

    def unfinished(carry: tuple[jax.Array, jax.Array]) -> jax.Array:
        return ((carry[0] < 1.0) & (part > 0)).any()

    start = jnp.zeros_like(part), jnp.zeros_like(item)
    _, ticks = jax.lax.while_loop(unfinished, more, start)
    return jnp.where(part >= 1.0, 0, jnp.where(part > 0, ticks, NEVER))


@jax.jit
def ticks_by_attack(item: jax.Array, byte: jax.Array) -> jax.Array:
    """int32[C]: the tick in which holding the attack key breaks the block, as in the world."""
    n = len(item)
    zeros, ints = jnp.zeros(n, jnp.float32), jnp.zeros(n, jnp.int32)
    state = bare(
        n,
        blocks=jnp.full((n, 1, 1, 8), AIR_CODE + 1, jnp.uint8),
        position=jnp.zeros((n, 3), jnp.float32),
        on_ground=jnp.ones(n, bool),
        inventory=dict(
            item=jnp.zeros((n, 36), jnp.int32).at[:, 0].set(item),
            quantity=jnp.zeros((n, 36), jnp.int32).at[:, 0].set(1),
            damage=jnp.zeros((n, 36), jnp.int32),
        ),
        mining_block=jnp.zeros((n, 3), jnp.int32),
        mining_progress=zeros,
        mining_delay=ints,
        exhaustion=zeros,
        xp=zeros,
    )
    target = interact.Target(
        is_block=jnp.ones(n, bool),
        byte=byte,
        cell=jnp.tile(jnp.array([0, 1, 2], jnp.int32), (n, 1)),
        face=ints,
        mob=ints - 1,
    )

    def step(tick: jax.Array, carry: tuple) -> tuple:
        state, broken = carry
        state, edit, _ = interact._mine(state, broken == NEVER, target, 1.0)
        return state, jnp.where(edit.active & (broken == NEVER), tick, broken)

    return jax.lax.fori_loop(1, SHORT + 1, step, (state, ints + NEVER))[1]


def rows() -> list[Row]:
    """Ticks and harvest flags of all cells, and that variants of a block are alike."""
    item, byte, expected, client, harvested = cells()
    total = len(item)
    summed = np.asarray(ticks_by_sum(item, byte))
    off = np.abs(summed - expected)
    flags = tools.HARVESTS[tools.TOOL_OF_ITEM[item], byte] == harvested
    short = expected <= SHORT - TOLERANCE
    mined = np.asarray(ticks_by_attack(item[short], byte[short]))
    late = np.abs(mined - np.maximum(expected[short], 1))
    alike = [
        bool((tools.SPEED[:, b] == tools.SPEED[:, BLOCK_ID[name]]).all())
        and bool((tools.HARVESTS[:, b] == tools.HARVESTS[:, BLOCK_ID[name]]).all())
        and HARDNESS[b] == HARDNESS[BLOCK_ID[name]]
        for b, name in enumerate(BLOCKS)
    ]
    return [
        Row(
            GROUP, "ticks to break: 22 tools on 84 blocks",
            f"{(off <= TOLERANCE).sum()} of {total} within {TOLERANCE}, "
            f"{(summed == client).sum()} equal to the client's float32 sums",
            f"{total} of {total} within {TOLERANCE}", bool((off <= TOLERANCE).all()),
        ),
        Row(
            GROUP, "whether the tool harvests the block",
            f"{flags.sum()} of {total}", f"{total} of {total}", bool(flags.all()),
        ),
        Row(
            GROUP, f"ticks until the world breaks a block, those of up to {SHORT - TOLERANCE}",
            f"{(late <= TOLERANCE).sum()} of {len(late)} within {TOLERANCE}",
            f"{len(late)} of {len(late)}", bool((late <= TOLERANCE).all()),
        ),
        Row(
            GROUP, "states of one block (kinds, facings) are mined alike",
            f"{sum(alike)} of {len(alike)}", f"{len(alike)} of {len(alike)}", all(alike),
        ),
    ]  # fmt: skip
