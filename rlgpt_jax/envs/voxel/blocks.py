"""Blocks of the embedded world: one internal id each, with properties as arrays.

A world array holds one byte per voxel. Below `AIR_CODE` it is a block id, an index
into `BLOCKS`. From `AIR_CODE` on it is air, and `byte - AIR_CODE` is a lower bound,
in blocks and at least 1, of the Chebyshev distance to the nearest block that is not
air, capped at `MAX_CLEARANCE`: a ray may skip that far minus one without looking.

Source: `third_party/minecraft/blocks.json` (minecraft-data, Minecraft 1.11).
"""

import numpy as np

from rlgpt_jax.envs.names import NAME_ID, load

AIR_CODE = 128
MAX_CLEARANCE = 8

_TABLE = load("blocks")["blocks"]
BLOCKS: tuple[str, ...] = ("air", *_TABLE)
BLOCK_ID: dict[str, int] = {name: i for i, name in enumerate(BLOCKS)}
assert len(BLOCKS) <= AIR_CODE

LIQUIDS = ("water", "flowing_water", "lava", "flowing_lava")


def _array(values, dtype) -> np.ndarray:
    """One value per possible byte; every air code shares the value of air."""
    full = np.zeros(256, dtype)
    full[: len(BLOCKS)] = values
    full[AIR_CODE:] = full[0]
    return full


# All indexed by the byte of the world array, uint8 0..255.
NAME_OF = _array([NAME_ID[b] for b in BLOCKS], np.int32)  # id in `envs.names`
IS_LIQUID = _array([b in LIQUIDS for b in BLOCKS], bool)
# Blocks that stop motion. Partial shapes (slabs, snow layers) count as full cubes in
# this world; none of them is generated.
IS_SOLID = _array(
    [b != "air" and _TABLE[b]["bb"] == "block" for b in BLOCKS], bool
)
# Seconds-scale hardness; -1 cannot be broken, 0 breaks at once.
HARDNESS = _array(
    [0.0 if b == "air" else -1.0 if _TABLE[b]["hardness"] is None else _TABLE[b]["hardness"]
     for b in BLOCKS],
    np.float32,
)
