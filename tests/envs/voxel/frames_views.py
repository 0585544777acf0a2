"""Random views for tests of frames: all biomes and hours, all that can be in a picture."""

import functools
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID, BLOCK_STATES, BYTE_OF
from rlgpt_jax.envs.voxel.rules.blocks.clearance import encode_clearance
from rlgpt_jax.envs.voxel.rules.items.item_table import NUM_ITEMS
from rlgpt_jax.envs.voxel.state import WorldParams, WorldState
from rlgpt_jax.envs.voxel.terrain.biomes import BIOMES
from rlgpt_jax.envs.voxel.terrain.worldgen import generate
from tests.envs.voxel import worlds

PARAMS = WorldParams(
    size_x=32, size_z=32, size_y=96, max_mobs=6, max_items=4, max_lights=3, num_worlds=len(BIOMES)
)
NUM_VIEWS = 100
_LIGHTS = [byte for byte, (name, _) in enumerate(BLOCK_STATES) if name == "torch"]
AIR = AIR_CODE + 1


class Views(NamedTuple):
    """Lanes with one view each."""

    state: WorldState
    pool_light: jnp.ndarray  # uint8[P, X, Z, Y]


@functools.cache
def random_views(number: int = NUM_VIEWS) -> Views:
    """Random places in worlds of every biome, with edits, bodies and held things near."""
    rng = np.random.default_rng(5)
    made = [generate(100 + i, biome.name, PARAMS) for i, biome in enumerate(BIOMES)]
    world = np.arange(number) % len(made)
    blocks, positions, lights = [], [], []
    for lane in range(number):
        x, z = rng.integers(0, PARAMS.size_x, 2)
        ground = int(made[world[lane]].surface[x, z])
        # Every tenth view is from below ground, a tenth of the others from the air.
        y = 20 if lane % 10 == 3 else ground + rng.choice([0, 0, 0, 0, 0, 0, 0, 0, 0, 12])
        lap = PARAMS.size_x * rng.integers(-3, 4, 2)
        cell = np.array([x + lap[0], y, z + lap[1]])
        positions.append(cell + rng.uniform((0.2, 0.0, 0.2), (0.8, 0.0, 0.8)))
        edited, torches = _edited(rng, made[world[lane]].blocks, (x, y, z), cell, kind=lane % 5)
        blocks.append(edited)
        lights.append(torches)
    eyes = np.add(positions, (0.0, 1.62, 0.0))
    yaw, pitch = rng.uniform(-180, 180, number), rng.normal(5, 25, number).clip(-90, 90)
    forward = np.stack([-np.sin(np.radians(yaw)), np.cos(np.radians(yaw))], -1)
    fields = dict(
        pool_index=world,
        position=positions,
        yaw=yaw,
        pitch=pitch,
        biome=world,
        tick=rng.integers(0, 8000, number),
        world_time=rng.integers(0, 24000, number),
        attack_cooldown=rng.integers(0, 12, number),
        inventory=dict(
            item=np.eye(1, 36, dtype=int)
            * rng.integers(0, NUM_ITEMS, (number, 1))
            * (rng.random((number, 1)) < 0.7)
        ),
        **_bodies(rng, eyes, forward),
        **_lights(lights, np.floor(positions).astype(int)),
    )
    ahead = np.stack([forward[:, 0], np.zeros(number), forward[:, 1]], -1)
    fields["mining_block"] = np.floor(eyes + 1.5 * ahead - (0, 1, 0)).astype(int)
    fields["mining_progress"] = rng.uniform(0.05, 1.0, number) * (rng.random(number) < 0.6)
    _wall(rng, blocks, fields["mining_block"])
    coded = np.stack([encode_clearance(world) for world in blocks])
    state = worlds.lanes(coded, PARAMS, **fields)
    return Views(state, jnp.asarray(np.stack([one.light for one in made])))


def _edited(rng, blocks: np.ndarray, at, cell, kind: int) -> tuple[np.ndarray, list]:
    """A world with changes round x, y, z: a pit, liquids, a wood of all block states."""
    blocks, (x, y, z), torches = blocks.copy(), at, []

    def put(dx, dy, dz, byte):
        if 0 < y + dy < PARAMS.size_y:
            blocks[(x + dx) % PARAMS.size_x, (z + dz) % PARAMS.size_z, y + dy] = byte

    for dx, dy, dz in np.ndindex(3, 3, 3):  # room for the agent
        put(dx - 1, dy, dz - 1, AIR)
    around = rng.integers((-6, -2, -6), (7, 4, 7), (60, 3))
    liquid = BLOCK_ID["water"] if kind == 1 else BLOCK_ID["lava"]
    for place in around if kind else ():
        if np.abs(place[[0, 2]]).max() < 2:
            continue
        if kind in (1, 2):
            put(*place, liquid if rng.random() < 0.4 else AIR)
        elif kind == 3:
            put(*place, int(rng.integers(1, len(BLOCK_STATES))))
        else:
            put(*place, AIR)
    if kind == 1 and rng.random() < 0.5:  # the eye is under water
        for dx, dy, dz in np.ndindex(5, 3, 5):
            put(dx - 2, dy, dz - 2, liquid)
    if kind == 4:
        for place in rng.integers((-9, 0, -9), (10, 3, 10), (3, 3)):
            put(*place, int(rng.choice(_LIGHTS)))
            torches.append(cell + place)
    return blocks, torches


def _wall(rng, blocks: list[np.ndarray], cells: np.ndarray) -> None:
    """In place: half of the views have the block that is being mined in front of them."""
    names = ("stone", "log", "planks", "glass", "wooden_door", "oak_stairs", "sand", "leaves")
    for lane, (x, y, z) in enumerate(cells):
        if rng.random() < 0.5:
            byte = BYTE_OF[names[lane % len(names)], 0]
            blocks[lane][x % PARAMS.size_x, z % PARAMS.size_z, y] = byte


def _bodies(rng, eyes: np.ndarray, forward: np.ndarray) -> dict[str, np.ndarray]:
    """Mobs and items mostly in front of the eyes."""
    number, m, d = len(eyes), PARAMS.max_mobs, PARAMS.max_items

    def places(k: int, near: float, far: float) -> np.ndarray:
        along = rng.uniform(near, far, (number, k, 1))
        ground = eyes[:, None] + np.insert(forward, 1, 0, 1)[:, None] * along
        return ground + rng.normal(0, 0.25, (number, k, 3)) * along * (1, 0.2, 1) - (0, 1.5, 0)

    return dict(
        mobs=dict(
            kind=rng.integers(0, len(MOBS), (number, m)) * (rng.random((number, m)) < 0.6),
            position=places(m, 3.0, 14.0),
            velocity=rng.normal(0, 0.05, (number, m, 3)),
            yaw=rng.uniform(-180, 180, (number, m)),
            hurt_time=5 * (rng.random((number, m)) < 0.2),
            sheared=rng.random((number, m)) < 0.3,
            variant=rng.integers(0, 16, (number, m)),
            fire=9 * (rng.random((number, m)) < 0.15),
        ),
        items=dict(
            id=rng.integers(0, NUM_ITEMS, (number, d)),
            quantity=rng.integers(0, 4, (number, d)),
            position=places(d, 1.0, 4.0),
            age=rng.integers(0, 500, (number, d)),
        ),
    )


def _lights(torches: list[list], cells: np.ndarray) -> dict[str, np.ndarray]:
    shape = len(cells), PARAMS.max_lights
    block, level = np.zeros((*shape, 3), int), np.zeros(shape, int)
    for lane, found in enumerate(torches):
        for i, cell in enumerate(found):
            block[lane, i], level[lane, i] = cell, 14
    return {"lights": {"block": block, "level": level}}
