"""Which blocks need others to hold them, and whether they have them.

Sources: https://minecraft.wiki (Java 1.11): Torch, Ladder, Door, Bed, Cactus, Sugar Cane,
Snow, Vines, Carpet, Rail, Redstone Dust, Sapling, Flower, Mushroom.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks import neighbours as near_by
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    AIR_CODE,
    BLOCK_STATES,
    BYTE_OF,
    DOORS,
    IS_LIQUID,
    IS_SOLID,
    LAVAS,
    META_OF,
    SLABS,
    STAIRS,
    WATERS,
    is_one_of,
)

_AIR = np.zeros(256, bool)
_AIR[0], _AIR[AIR_CODE:] = True, True
# Solid blocks that nothing hangs at: not a full cube, or one that lets light through.
_NOT_FULL = is_one_of(
    "leaves", "leaves2", "glass", "ice", "chest", "fence", "fence_gate", "trapdoor", "ladder",
    "cactus", "cake", "bed", "snow_layer", "anvil", "mob_spawner", "farmland", "grass_path",
    "cobblestone_wall", "glass_pane", "iron_bars", "carpet", "hopper", *STAIRS, *SLABS, *DOORS,
)  # fmt: skip
FULL = IS_SOLID & ~_NOT_FULL
# Full at the top: upper slabs, stairs upside down, eight layers of snow.
SOLID_TOP = (
    FULL
    | (is_one_of(*SLABS) & (META_OF >= 8))
    | (is_one_of(*STAIRS) & (META_OF >= 4))
    | (is_one_of("snow_layer") & (META_OF == 7))
)

_SOIL = is_one_of("grass", "dirt", "farmland")
# What may be below. The first row asks for nothing.
_GROUNDS: dict[str, np.ndarray] = {
    "any": np.ones(256, bool),
    "soil": _SOIL,
    "dry": is_one_of("sand", "hardened_clay", "dirt"),
    "full": FULL,
    "top": SOLID_TOP,
    "torch": SOLID_TOP | is_one_of("fence", "glass", "cobblestone_wall"),
    "solid": IS_SOLID,
    "thing": ~_AIR,
    "snow": (SOLID_TOP & ~is_one_of("packed_ice")) | is_one_of("leaves", "leaves2"),
    "cactus": is_one_of("sand", "cactus"),
    "reeds": is_one_of("grass", "dirt", "sand", "reeds"),
    "farmland": is_one_of("farmland"),
}
_GROUND_OF = {
    "sapling": "soil", "tallgrass": "soil", "yellow_flower": "soil", "red_flower": "soil",
    "deadbush": "dry", "brown_mushroom": "full", "red_mushroom": "full", "rail": "top",
    "redstone_wire": "top", "carpet": "thing", "snow_layer": "snow", "cactus": "cactus",
    "reeds": "reeds", "wheat": "farmland", "standing_sign": "solid", "cake": "solid",
}  # fmt: skip
# By metadata: the index of the side (`neighbours`) at which a block hangs.
_WALL_OF = {
    "torch": {1: 1, 2: 0, 3: 3, 4: 2},
    "ladder": {2: 2, 3: 3, 4: 0, 5: 1},
    "vine": {1: 2, 2: 1, 4: 3, 8: 0},
}
# Bed metadata 0 to 3: the side of the foot at which the head lies.
BED_SIDE = (2, 1, 3, 0)
_OPPOSITE = (1, 0, 3, 2)


def _by_state(values: dict[tuple[str, int], int], default: int = 0) -> np.ndarray:
    full = np.full(256, default, np.int32)
    for state, value in values.items():
        full[BYTE_OF[state]] = value
    return full


def _ground(name: str, meta: int) -> str:
    if name == "torch":
        return "torch" if meta == 5 else "any"
    if name in DOORS:
        return "top" if meta < 8 else "any"
    return _GROUND_OF.get(name, "any")


_ORDER = list(_GROUNDS)
GROUND = np.stack(list(_GROUNDS.values()))  # bool[grounds, 256]
GROUND_OF = _by_state({state: _ORDER.index(_ground(*state)) for state in BLOCK_STATES})
WALL_OF = _by_state(
    {(n, m): side for n, walls in _WALL_OF.items() for m, side in walls.items()}, default=-1
)


def _halves() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of blocks of two cells, by byte: its kind, its partner's kind, where that one is."""
    kind, other, place = {}, {}, {}
    side = near_by.SIDES.start
    for name, meta in BLOCK_STATES:
        if name in DOORS:
            lower = meta < 8
            base = 2 * DOORS.index(name) + 1
            kind[name, meta], other[name, meta] = base + (not lower), base + lower
            place[name, meta] = near_by.UP if lower else near_by.DOWN
        elif name == "bed":
            head = BED_SIDE[meta % 4]
            kind[name, meta], other[name, meta] = 100 + meta, 100 + (meta ^ 8)
            place[name, meta] = side + (head if meta < 8 else _OPPOSITE[head])
    return _by_state(kind), _by_state(other), _by_state(place)


HALF, OTHER_HALF, OTHER_AT = _halves()
# The half that placing a door's lower half or a bed's foot brings along; 0 for others.
SECOND_BYTE = np.zeros(256, np.uint8)
for _byte, (_name, _meta) in enumerate(BLOCK_STATES):
    if _name in (*DOORS, "bed") and _meta < 8:
        SECOND_BYTE[_byte] = BYTE_OF[_name, 8 + (_meta if _name == "bed" else 0)]
SECOND_STEP = np.where(SECOND_BYTE[:, None] > 0, near_by.STEPS[OTHER_AT], 0).astype(np.int32)

_REEDS, _CACTUS, _VINE = is_one_of("reeds"), is_one_of("cactus"), is_one_of("vine")
_WATER, _LAVA = is_one_of(*WATERS), is_one_of(*LAVAS)
_PRICKS = IS_SOLID | _LAVA  # what a cactus does not bear at its sides
SUPPORTED = (GROUND_OF > 0) | (WALL_OF >= 0) | (HALF > 0)


def holds(byte: jax.Array, near: jax.Array, whole: bool = True) -> jax.Array:
    """Whether a block can stay where it is.

    Args:
      byte: uint8[...], the block.
      near: uint8[..., 11], what is around its cell, in the order of `neighbours.NEAR`;
        the entry of the cell itself is not looked at.
      whole: the other half of a door or bed must be there.

    Returns:
      bool[...].
    """
    is_in = lambda table, cells: jnp.asarray(table)[cells]  # noqa: E731
    up, down, sides = near[..., near_by.UP], near[..., near_by.DOWN], near[..., near_by.SIDES]
    ground = is_in(GROUND, (is_in(GROUND_OF, byte), down))
    wall = is_in(WALL_OF, byte)
    faces = is_in(FULL, sides) & (wall[..., None] == jnp.arange(4))
    hangs = (wall < 0) | faces.any(-1) | (is_in(_VINE, byte) & (up == byte))
    wet = is_in(_WATER, near[..., near_by.DOWN_SIDES]).any(-1) | is_in(_REEDS, down)
    free = ~is_in(_PRICKS, sides).any(-1) & ~is_in(IS_LIQUID, up)
    stays = ground & hangs & (wet | ~is_in(_REEDS, byte)) & (free | ~is_in(_CACTUS, byte))
    if whole:
        place = is_in(OTHER_AT, byte)[..., None] == jnp.arange(near.shape[-1])
        there = (is_in(HALF, near) == is_in(OTHER_HALF, byte)[..., None]) & place
        stays &= (is_in(HALF, byte) == 0) | there.any(-1)
    return stays
