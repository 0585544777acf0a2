"""Whole worlds of flat ground for checks of rules that need whole ticks."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import MOBS, NAME_ID
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel import transition
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.rules.blocks.clearance import encode_clearance
from rlgpt_jax.envs.voxel.rules.blocks.light import flood
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_LIFE
from rlgpt_jax.envs.voxel.state import WorldParams, WorldPool, WorldState

GROUND = 4  # y of the first free cell
PARAMS = WorldParams(size_x=32, size_z=32, size_y=16, max_mobs=1, max_items=4, num_worlds=1)
MIDDLE = (16.5, float(GROUND), 16.5)  # where the player stands, looking along +z
LANES = 208  # of all checks, so that they share one compiled tick
MIDNIGHT = 18_000
LOOK_DOWN = 30.0  # degrees, at a mob one and a half blocks ahead


def lanes(mobs: list[str], held: list[str], ahead: float = 1.5) -> WorldState:
    """One world per mob: it stands `ahead` of a player who holds an item, "" for nothing.

    It is midnight, so that no zombie burns.
    """
    blocks = np.zeros((PARAMS.size_x, PARAMS.size_z, PARAMS.size_y), np.uint8)
    blocks[:, :, :GROUND] = BLOCK_ID["stone"]
    blocks[:, :, GROUND - 1] = BLOCK_ID["grass"]
    blocks = encode_clearance(blocks)
    columns = (1, PARAMS.size_x, PARAMS.size_z)
    pool = WorldPool(
        blocks=jnp.asarray(blocks[None]),
        light=jnp.asarray(flood(blocks)[None]),
        surface=jnp.full(columns, GROUND, jnp.int32),
        spawnable=jnp.ones(columns, bool),
    )
    n = len(mobs)
    task = Task("flat", "", "log", mobs=("cow",), horizon=10**6)
    env = VoxelEnv(task, PARAMS, 1, pool)
    one, _ = jax.jit(env.reset)(env.default_params, jax.random.key(0))
    state = jax.tree.map(lambda array: jnp.repeat(array, n, 0), one)
    kind = np.array([[MOBS.index(mob)] for mob in mobs], np.int32)
    item = np.array([NAME_ID[name] for name in held], np.int32)
    slot = np.zeros((n, base.NUM_SLOTS), np.int32)
    place = np.tile(np.array(MIDDLE, np.float32), (n, 1))
    slot[:, 0] = item
    return state.replace(
        seed=jnp.arange(n, dtype=jnp.uint32),
        world_time=jnp.full(n, MIDNIGHT, jnp.int32),
        player=state.player.replace(
            position=jnp.asarray(place),
            yaw=jnp.zeros(n, jnp.float32),
            pitch=jnp.full(n, LOOK_DOWN, jnp.float32),
        ),
        inventory=state.inventory.replace(
            item=jnp.asarray(slot), quantity=jnp.asarray((slot > 0).astype(np.int32))
        ),
        mobs=state.mobs.replace(
            kind=jnp.asarray(kind),
            life=jnp.asarray(MOB_LIFE[kind]),
            position=jnp.asarray(place[:, None] + np.array([0.0, 0.0, ahead], np.float32)),
            yaw=jnp.zeros((n, 1), jnp.float32),
            variant=jnp.zeros((n, 1), jnp.int32),
        ),
    )


def tick(state: WorldState, columns: Mapping[int, int] | None = None) -> WorldState:
    """One tick in which every lane does the same; columns of the action by index."""
    action = np.array(base.NOOP, np.int32)
    for column, value in (columns or {}).items():
        action[column] = value
    return _tick(state, jnp.tile(jnp.asarray(action), (len(state.tick), 1)))


@jax.jit
def _tick(state: WorldState, action: jax.Array) -> WorldState:
    light = jnp.full((1, *state.blocks.shape[1:]), 16 * 15, jnp.uint8)
    return transition.tick(state, action, 1.0, light)
