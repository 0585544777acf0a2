"""Hand-built worlds for tests: flat ground, single bodies, lanes of them."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import MOBS, NAME_ID
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel import transition
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID, MAX_CLEARANCE
from rlgpt_jax.envs.voxel.rules.blocks.light import FULL, flood
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import GROUND_DRAG, MOB_LIFE, MOB_SPEED
from rlgpt_jax.envs.voxel.state import (
    PATHS,
    WorldParams,
    WorldPool,
    WorldState,
    from_paths,
    paths_of,
)

AIR = AIR_CODE + 1
GROUND = 8  # y of the first free cell of a flat world
LANES = 2  # of the small states, so that all tests share one compiled tick
PARAMS = WorldParams(size_x=32, size_z=32, size_y=24, max_mobs=3, max_items=4, num_worlds=2)
# Of the worlds that a `HostVoxel` plays: with as many lanes and one mob or none at all, tests of
# different tasks and terrain share the tick that is compiled, through the cache on the disk.
HOST_LANES = 4
HOST_PARAMS = dataclasses.replace(PARAMS, size_y=40)


def empty(size_x: int, size_z: int, size_y: int) -> np.ndarray:
    """Nothing but air of clearance 1."""
    return np.full((size_x, size_z, size_y), AIR, np.uint8)


def flat(params: WorldParams = PARAMS, ground: int = GROUND) -> np.ndarray:
    """Bedrock, dirt and grass below `ground`, air with true clearances above."""
    blocks = empty(params.size_x, params.size_z, params.size_y)
    blocks[:, :, :ground] = BLOCK_ID["dirt"]
    blocks[:, :, 0] = BLOCK_ID["bedrock"]
    blocks[:, :, ground - 1] = BLOCK_ID["grass"]
    height = np.arange(ground, params.size_y)
    blocks[:, :, ground:] = AIR_CODE + np.minimum(height - ground + 1, MAX_CLEARANCE)
    return blocks


def pool(params: WorldParams = PARAMS, ground: int = GROUND) -> WorldPool:
    """Flat worlds that one can stand in everywhere."""
    blocks = np.stack([flat(params, ground)] * params.num_worlds)
    columns = (params.num_worlds, params.size_x, params.size_z)
    return WorldPool(
        blocks=jax.device_put(blocks),
        light=jax.device_put(np.stack([flood(world) for world in blocks])),
        surface=jax.device_put(np.full(columns, ground, np.int32)),
        spawnable=jax.device_put(np.ones(columns, bool)),
    )


def lanes(blocks: np.ndarray, params: WorldParams = PARAMS, **fields) -> WorldState:
    """N healthy players with empty hands, standing at the origin unless `fields` says."""
    n, m, d, s = len(blocks), params.max_mobs, params.max_items, params.max_stations
    shapes = {
        "mobs": (n, m), "items": (n, d), "inventory": (n, 36), "stations": (n, s),
        "armor": (n, 5), "lights": (n, params.max_lights), "updates": (n, params.max_updates),
        "stage_done": (n, 0),
        "player.position": (n, 3), "player.velocity": (n, 3), "player.mining_block": (n, 3),
        "mobs.position": (n, m, 3), "mobs.velocity": (n, m, 3), "mobs.target": (n, m, 2),
        "items.position": (n, d, 3), "items.velocity": (n, d, 3), "stations.block": (n, s, 3),
        "lights.block": (n, params.max_lights, 3),
    }  # fmt: skip
    floats = {
        "player.position", "player.velocity", "player.yaw", "player.pitch",
        "player.fall_distance", "player.life", "player.food", "player.saturation",
        "player.exhaustion", "player.oxygen", "player.mining_progress", "player.hurt_amount",
        "player.damage", "player.xp", "mobs.position", "mobs.velocity", "mobs.yaw", "mobs.life",
        "mobs.target", "mobs.hurt_amount", "mobs.fall", "items.position", "items.velocity",
    }  # fmt: skip
    bools = {"player.on_ground", "player.in_water", "mobs.on_ground", "mobs.sheared", "stage_done"}
    values = {}
    for path in PATHS:
        shape = shapes.get(path) or shapes.get(path.split(".")[0], (n,))
        dtype = np.float32 if path in floats else bool if path in bools else np.int32
        values[path] = np.zeros(shape, dtype)
    values.update(blocks=np.array(blocks), seed=np.arange(n, dtype=np.uint32))
    whole = dict(
        life=np.full(n, 20.0),
        food=np.full(n, 20.0),
        saturation=np.full(n, 5.0),
        oxygen=np.full(n, 300.0),
        on_ground=np.ones(n, bool),
        velocity=np.tile([0.0, -0.0784, 0.0], (n, 1)),
        attack_cooldown=np.full(n, 100),
    )
    for path, value in paths_of(whole | fields).items():
        values[path] = np.array(value, values[path].dtype)
    # NumPy until here: JAX would compile a program for every shape.
    return from_paths(jax.device_put(values))


def player(n: int = LANES, params: WorldParams = PARAMS, **fields) -> WorldState:
    """N players on flat ground at (8.5, GROUND, 8.5), looking along +z."""
    fields.setdefault("position", np.tile([8.5, GROUND, 8.5], (n, 1)))
    return lanes(np.stack([flat(params)] * n), params, **fields)


def with_player(state: WorldState, **fields: jax.Array) -> WorldState:
    """Every lane's player has these fields."""
    return state.replace(player=state.player.replace(**fields))


def holding(state: WorldState, *items: tuple[str, int]) -> WorldState:
    """Every lane's first slots hold these (name, quantity)."""
    names, quantities = state.inventory.item, state.inventory.quantity
    for slot, (name, quantity) in enumerate(items):
        names = names.at[:, slot].set(NAME_ID[name])
        quantities = quantities.at[:, slot].set(quantity)
    return state.replace(inventory=state.inventory.replace(item=names, quantity=quantities))


def with_mob(state: WorldState, kind: str, at: tuple[float, float, float]) -> WorldState:
    """Every lane's first mob is this one, standing at `at`."""
    index = MOBS.index(kind)
    return state.replace(
        mobs=state.mobs.replace(
            kind=state.mobs.kind.at[:, 0].set(index),
            position=state.mobs.position.at[:, 0].set(jnp.array(at, jnp.float32)),
            life=state.mobs.life.at[:, 0].set(float(MOB_LIFE[index])),
            on_ground=state.mobs.on_ground.at[:, 0].set(True),
        )
    )


def with_block(state: WorldState, name: str, *cells: tuple[int, int, int]) -> WorldState:
    """Every lane has this block at these cells (x, y, z); clearances become 1."""
    blocks = np.array(state.blocks)
    blocks[blocks >= AIR_CODE] = AIR
    for x, y, z in cells:
        blocks[:, x % blocks.shape[1], z % blocks.shape[2], y] = BLOCK_ID[name]
    return state.replace(blocks=jnp.asarray(blocks))


def count(state: WorldState, name: str) -> np.ndarray:
    """int32[N]: how many pieces of an item every lane carries."""
    return np.asarray(((state.inventory.item == NAME_ID[name]) * state.inventory.quantity).sum(1))


def action(**columns: int) -> np.ndarray:
    """int32[8]: a no-op but for the named columns, for example `FUNCTION=base.FN_USE`."""
    row = np.array(base.NOOP, np.int32)
    for name, value in columns.items():
        row[getattr(base, name)] = value
    return row


def with_a_cow() -> HostVoxel:
    """Flat ground with a cow, the task harvest_milk, in `HOST_LANES` lanes."""
    flat_pool = pool(HOST_PARAMS)
    return HostVoxel(VoxelEnv(get_task("harvest_milk"), HOST_PARAMS, HOST_LANES, flat_pool))


_TICK = jax.jit(transition.tick)


def run(
    state: WorldState, ticks: int = 1, light: np.ndarray | None = None, **columns: int
) -> WorldState:
    """Every lane does the same action for some ticks.

    `light` is that of the pool's worlds, uint8[1, X, Z, Y]; None is daylight everywhere.
    """
    if light is None:
        light = np.full((1, *state.blocks.shape[1:]), 16 * FULL, np.uint8)
    actions = np.tile(action(**columns), (len(state.tick), 1))
    # Through NumPy, which has no weak types: they would compile the tick anew.
    state = jax.device_put(jax.tree.map(np.asarray, state))
    for _ in range(ticks):
        state = _TICK(state, actions, 1.0, light)
    return state


def steady_speed(mob: str, multiplier: float = 1.0) -> float:
    """Blocks per tick that a mob reaches on level ground; its speed is also its acceleration."""
    speed = float(MOB_SPEED[MOBS.index(mob)]) * multiplier
    return 0.98 * speed**2 / (1.0 - GROUND_DRAG)


def block(state: WorldState, cell: tuple[int, int, int], lane: int = 0) -> int:
    """The byte of a cell (x, y, z)."""
    x, y, z = cell
    return int(state.blocks[lane, x % state.blocks.shape[1], z % state.blocks.shape[2], y])
