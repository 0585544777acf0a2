"""Which state a block takes when it is put down: facing, halves, layers, wall or floor.

Sources: metadata of Minecraft 1.11 (https://minecraft.wiki/w/Java_Edition_data_values/Pre-flattening);
stairs and gates face the way the player looks, torches and ladders hang at the face that
the crosshair meets, slabs and stairs take the half of the face that it meets.
"""

import numpy as np

from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    BLOCK_ID,
    BLOCK_STATES,
    BYTE_OF,
    DOORS,
    META_OF,
    SLABS,
    is_one_of,
)

# The player's direction: 0 = +z, 1 = -x, 2 = -z, 3 = +x.
_STAIRS = (2, 1, 3, 0)
_DOORS = (1, 2, 3, 0)
_TRAPDOORS = {0: 3, 1: 2, 4: 1, 5: 0}  # by face, see below; the hinge is at the block
_TRAPDOOR_AHEAD = (0, 3, 1, 2)  # on a floor: the hinge is away from the player
# By face as in `rays.Hit`: axis (x, y, z) * 2 + (1 if the ray moves in + direction).
_TORCHES = {0: 1, 1: 2, 3: 5, 2: 5, 4: 3, 5: 4}
_LADDERS = {0: 5, 1: 4, 4: 3, 5: 2}
_VINES = {0: 2, 1: 8, 4: 4, 5: 1}
FROM_ABOVE, FROM_BELOW = 2, 3
FACES, DIRECTIONS, MOST_OTHERS = 6, 4, 5


def _meta(name: str, meta: int, face: int, ahead: int, upper: bool) -> int:
    """Metadata of the block `name`, whose item's own is `meta`.

    `upper`: the crosshair meets the upper half of the face, or an underside.
    """
    if name.endswith("_stairs"):
        return _STAIRS[ahead] + 4 * upper
    if name in SLABS:
        return meta % 8 + 8 * upper
    if name in DOORS:
        return _DOORS[ahead]
    if name in ("bed", "fence_gate"):
        return ahead
    if name == "trapdoor":
        return _TRAPDOORS.get(face, _TRAPDOOR_AHEAD[ahead])
    hanging = {"torch": _TORCHES, "ladder": _LADDERS, "vine": _VINES}.get(name, {})
    return hanging.get(face, meta)


def _faced() -> np.ndarray:
    table = np.zeros((256, FACES, DIRECTIONS, 2), np.uint8)
    for byte, (name, meta) in enumerate(BLOCK_STATES):
        for face, ahead, upper in np.ndindex(*table.shape[1:]):
            below_or_above = {FROM_ABOVE: 0, FROM_BELOW: 1}.get(face, upper)
            state = name, _meta(name, meta, face, ahead, bool(below_or_above))
            table[byte, face, ahead, upper] = BYTE_OF.get(state, byte)
    return table


# uint8[256, 6 faces, 4 directions, 2]: the state to put down, by the item's own byte.
FACED = _faced()
# uint8[256, 5]: states that hang elsewhere, tried in this order where the first cannot stay.
OTHERS = np.repeat(np.arange(256, dtype=np.uint8)[:, None], MOST_OTHERS, 1)
for _name, _metas in (("torch", (4, 1, 3, 2, 5)), ("ladder", (2, 5, 3, 4)), ("vine", (1, 2, 4, 8))):
    for _byte, (_block, _) in enumerate(BLOCK_STATES):
        if _block == _name:
            _states = [BYTE_OF[_name, meta] for meta in _metas]
            OTHERS[_byte] = (_states + _states[:1])[:MOST_OTHERS]

# What a second slab or layer makes of a block, 0 if it takes none, and the item's own
# byte for which that holds. Slabs become the block that they are cut from: it costs as
# much as two of them and looks alike.
_WHOLE = {
    0: "double_stone_slab", 1: "sandstone", 3: "cobblestone", 4: "brick_block", 5: "stonebrick",
}  # fmt: skip
MERGED, MERGES_WITH = np.zeros((2, 256), np.uint8)
for _byte, (_block, _meta_of) in enumerate(BLOCK_STATES):
    if _block == "stone_slab":
        MERGED[_byte] = BLOCK_ID[_WHOLE[_meta_of % 8]]
    elif _block == "wooden_slab":
        MERGED[_byte] = BYTE_OF["planks", _meta_of % 8]
    elif _block == "snow_layer" and _meta_of < 7:
        MERGED[_byte] = BYTE_OF["snow_layer", _meta_of + 1]
    if MERGED[_byte]:
        _kind = _meta_of % 8 if "slab" in _block else 0
        MERGES_WITH[_byte] = BYTE_OF[_block, _kind]
# The face at which the crosshair must meet such a block for it to merge there.
MERGE_FACE = np.where(is_one_of(*SLABS) & (META_OF >= 8), FROM_BELOW, FROM_ABOVE).astype(np.int32)

# uint8[256, 4]: what a door, trapdoor or gate becomes when a hand uses it, by the
# player's direction; 0 for blocks that do not swing.
SWUNG = np.zeros((256, DIRECTIONS), np.uint8)
for _byte, (_block, _meta_of) in enumerate(BLOCK_STATES):
    for _ahead in range(DIRECTIONS):
        _turned = _meta_of ^ 4
        if _block == "fence_gate" and _meta_of == (_ahead + 2) % 4:
            _turned = _ahead + 4  # a gate opens away from the player
        if _block in ("trapdoor", "fence_gate") or (_block == "wooden_door" and _meta_of < 8):
            SWUNG[_byte, _ahead] = BYTE_OF[_block, _turned]
UPPER_DOOR = BYTE_OF["wooden_door", 8]
