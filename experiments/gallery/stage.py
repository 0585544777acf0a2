"""Single worlds to be drawn: a block array, a viewer, and what stands about."""

from typing import Any

import numpy as np

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID, BYTE_OF
from rlgpt_jax.envs.voxel.rules.blocks.clearance import encode_clearance
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import EYE_HEIGHT
from rlgpt_jax.envs.voxel.state import PATHS, WorldState, from_paths, paths_of
from rlgpt_jax.envs.voxel.terrain.biomes import BIOME_INDEX

NOON, DUSK, MIDNIGHT = 6000, 12000, 18000
MOST_MOBS, MOST_ITEMS = 24, 8
_GROUND = 8  # y of the first free cell of a flat world
# Fields and groups of them that are no single numbers, after the axis N.
_SHAPES = {
    "player.position": (3,), "player.velocity": (3,), "player.mining_block": (3,),
    "inventory": (36,), "armor": (5,), "mobs": (MOST_MOBS,), "items": (MOST_ITEMS,),
    "stations": (1,), "lights": (1,), "updates": (1,), "stage_done": (0,),
    "mobs.position": (MOST_MOBS, 3), "mobs.velocity": (MOST_MOBS, 3),
    "mobs.target": (MOST_MOBS, 2), "items.position": (MOST_ITEMS, 3),
    "items.velocity": (MOST_ITEMS, 3), "stations.block": (1, 3), "lights.block": (1, 3),
}  # fmt: skip


def state_of(blocks: np.ndarray, biome: str = "plains", **fields: Any) -> WorldState:
    """A healthy player with empty hands in a world uint8[X, Z, Y]; N is 1.

    `fields` are values of the lane, without the axis N.
    """
    values: dict[str, Any] = {}
    for path in PATHS:
        shape = _SHAPES.get(path, _SHAPES.get(path.split(".")[0], ()))
        values[path] = np.zeros((1, *shape), np.float32)
    whole = {"mobs.kind", "mobs.variant", "mobs.sheared", "items.id", "inventory.item",
             "armor.item", "inventory.quantity", "items.quantity"}  # fmt: skip
    values |= {name: values[name].astype(np.int32) for name in whole}
    values |= {name: np.full(1, 20.0, np.float32) for name in ("player.life", "player.food")}
    values["player.oxygen"] = np.full(1, 300.0, np.float32)
    values["player.attack_cooldown"] = np.full(1, 100, np.int32)
    values["blocks"] = blocks[None]
    values["biome"] = np.full(1, BIOME_INDEX[biome], np.int32)
    values["world_time"] = np.full(1, NOON, np.int32)
    for path, value in paths_of(fields).items():
        values[path] = np.asarray(value, values[path].dtype).reshape(values[path].shape)
    return from_paths(values)


def flat(size: int = 48, height: int = 24) -> np.ndarray:
    """uint8[size, size, height]: a plain to put things on, 0 for air."""
    blocks = np.zeros((size, size, height), np.uint8)
    blocks[:, :, :_GROUND] = BLOCK_ID["dirt"]
    blocks[:, :, _GROUND - 1] = BLOCK_ID["grass"]
    return blocks


def with_clearance(blocks: np.ndarray) -> np.ndarray:
    """The array that a state holds, from one with 0 for air."""
    return encode_clearance(np.where(blocks >= AIR_CODE, 0, blocks))


def put(blocks: np.ndarray, name: str, meta: int | None, x: int, y: int, z: int) -> None:
    """In place: a block of these metadata, or its usual state, at a cell above the plain."""
    byte = BLOCK_ID[name] if meta is None else BYTE_OF[name, meta]
    blocks[x % blocks.shape[0], z % blocks.shape[1], y + _GROUND] = byte


def facing(eye: tuple[float, ...], point: tuple[float, ...]) -> dict[str, Any]:
    """Position, yaw and pitch of a player whose eyes are at `eye` and look at a point.

    Both are given above the plain.
    """
    dx, dy, dz = (b - a for a, b in zip(eye, point))
    return {
        "position": np.array(eye) + np.array([0.0, _GROUND - EYE_HEIGHT, 0.0]),
        "yaw": np.degrees(np.arctan2(-dx, dz)),
        "pitch": np.degrees(np.arctan2(-dy, np.hypot(dx, dz))),
    }


def mobs(*rows: dict[str, Any]) -> dict[str, dict[str, np.ndarray]]:
    """Fields of the mobs: rows with kind, x, z, yaw and what else `WorldState` has."""
    fields: dict[str, np.ndarray] = {
        "kind": np.zeros(MOST_MOBS), "position": np.zeros((MOST_MOBS, 3)),
        "velocity": np.zeros((MOST_MOBS, 3)),
    }  # fmt: skip
    for i, row in enumerate(rows):
        fields["kind"][i] = MOBS.index(row["kind"])
        fields["position"][i] = row["x"], row.get("y", 0) + _GROUND, row["z"]
        fields["velocity"][i, 0] = row.get("speed", 0.0)
        for name in ("yaw", "hurt_time", "sheared", "variant", "fire"):
            column = fields.setdefault(name, np.zeros(MOST_MOBS))
            column[i] = row.get(name, 0)
    return {"mobs": fields}
