"""Boxes that blocks are drawn as, in sixteenths of a block, by block state.

They follow the models of Minecraft 1.11.2. They are not the boxes of collision
(`shapes.py`): a torch has none there, a fence is higher than it looks, and snow is one
layer lower.
"""

from collections.abc import Callable

Box = tuple[float, ...]  # x, y, z low and x, y, z high, 0..16
# A box, and the side on which a neighbour must join for it to be drawn: 0 always,
# 1 -x, 2 +x, 3 -z, 4 +z.
Part = tuple[Box, int]

# Two crossed pictures instead of boxes.
PLANTS = (
    "sapling", "tallgrass", "deadbush", "yellow_flower", "red_flower", "brown_mushroom",
    "red_mushroom", "wheat", "reeds", "web", "fire",
)  # fmt: skip


def _slab(meta: int) -> list[Box]:
    return [(0, 8, 0, 16, 16, 16) if meta >= 8 else (0, 0, 0, 16, 8, 16)]


def _stairs(meta: int) -> list[Box]:
    """Half a slab and the step: 0 rises to +x, 1 -x, 2 +z, 3 -z; + 4 upside down."""
    low, high = (8, 16) if meta & 4 else (0, 8)
    other = 8 - low
    step = [(8, other, 0, 16, other + 8, 16), (0, other, 0, 8, other + 8, 16),
            (0, other, 8, 16, other + 8, 16), (0, other, 0, 16, other + 8, 8)]  # fmt: skip
    return [(0, low, 0, 16, high, 16), step[meta & 3]]


def _against(side: int, thick: float) -> Box:
    """A plate at one side of the cell: 0 -x, 1 +x, 2 -z, 3 +z."""
    boxes = [(0, 0, 0, thick, 16, 16), (16 - thick, 0, 0, 16, 16, 16),
             (0, 0, 0, 16, 16, thick), (0, 0, 16 - thick, 16, 16, 16)]  # fmt: skip
    return boxes[side]


def _door(meta: int) -> list[Box]:
    """Facing 0 east, 1 south, 2 west, 3 north, hinge to the left; + 4 open."""
    closed, opened = (0, 2, 1, 3), (2, 1, 3, 0)
    return [_against((opened if meta & 4 else closed)[meta & 3], 3)]


def _trapdoor(meta: int) -> list[Box]:
    """Hinge to the side of 0 +z, 1 -z, 2 +x, 3 -x; + 4 open."""
    return [_against((3, 2, 1, 0)[meta & 3], 3)] if meta & 4 else [(0, 0, 0, 16, 3, 16)]


def _gate(meta: int) -> list[Box]:
    """Posts at both sides, two bars between them, or turned away when open."""
    along_x = meta % 2 == 0  # it faces +-z
    posts = [(0, 5, 7, 2, 16, 9), (14, 5, 7, 16, 16, 9)]
    if meta & 4:
        way = (9, 15) if meta & 3 in (0, 3) else (1, 7)
        bars = [(x, y, way[0], x + 2, y + 3, way[1]) for x in (0, 14) for y in (6, 12)]
    else:
        bars = [(2, y, 7, 14, y + 3, 9) for y in (6, 12)] + [(6, 9, 7, 10, 12, 9)]
    boxes: list[Box] = [*posts, *bars]
    if not along_x:
        boxes = [(z0, y0, x0, z1, y1, x1) for x0, y0, z0, x1, y1, z1 in boxes]
    return boxes


def _torch(meta: int) -> list[Box]:
    """Upright, or three pieces that lean away from the wall."""
    if meta == 5:
        return [(7, 0, 7, 9, 10, 9)]
    pieces = [(0.5, 3, 2.5, 7), (1.7, 7, 3.7, 10), (2.9, 10, 4.9, 13)]
    boxes: list[Box] = []
    for low, bottom, high, top in pieces:
        if meta in (2, 4):
            low, high = 16 - high, 16 - low
        x_wise = (low, bottom, 7, high, top, 9)
        boxes.append(x_wise if meta in (1, 2) else (7, bottom, low, 9, top, high))
    return boxes


def _arms(wide: float, spans: tuple[tuple[float, float], ...], post: float) -> list[Part]:
    """Bars from a post of half width `post` to the four sides, at heights `spans`."""
    low, high = 8 - wide, 8 + wide
    parts: list[Part] = []
    for bottom, top in spans:
        parts += [
            ((0, bottom, low, 8 - post, top, high), 1), ((8 + post, bottom, low, 16, top, high), 2),
            ((low, bottom, 0, high, top, 8 - post), 3), ((low, bottom, 8 + post, high, top, 16), 4),
        ]  # fmt: skip
    return parts


_BY_META: dict[str, Callable[[int], list[Box]]] = {
    "stone_slab": _slab, "wooden_slab": _slab, "oak_stairs": _stairs, "stone_stairs": _stairs,
    "wooden_door": _door, "iron_door": _door, "trapdoor": _trapdoor, "fence_gate": _gate,
    "torch": _torch,
    "ladder": lambda meta: [_against({2: 3, 3: 2, 4: 1, 5: 0}[meta], 1)],
    "vine": lambda meta: [_against({1: 3, 2: 0, 4: 2, 8: 1}[meta], 0.8)],
    "snow_layer": lambda meta: [(0, 0, 0, 16, 2 * meta + 2, 16)],
}  # fmt: skip
_FIXED: dict[str, list[Box]] = {
    "bed": [(0, 3, 0, 16, 9, 16), (0, 0, 0, 3, 3, 3), (13, 0, 0, 16, 3, 3),
            (0, 0, 13, 3, 3, 16), (13, 0, 13, 16, 3, 16)],
    "cake": [(1, 0, 1, 15, 8, 15)], "cactus": [(1, 0, 1, 15, 16, 15)],
    "chest": [(1, 0, 1, 15, 14, 15)],
    "farmland": [(0, 0, 0, 16, 15, 16)], "grass_path": [(0, 0, 0, 16, 15, 16)],
    "rail": [(0, 0, 0, 16, 1, 16)], "redstone_wire": [(0, 0, 0, 16, 0.3, 16)],
    "carpet": [(0, 0, 0, 16, 1, 16)],
    "standing_sign": [(0, 8, 7.2, 16, 16, 8.8), (7.2, 0, 7.2, 8.8, 8, 8.8)],
    "anvil": [(2, 0, 2, 14, 4, 14), (4, 4, 3, 12, 5, 13), (6, 5, 4, 10, 10, 12),
              (3, 10, 0, 13, 16, 16)],
    "hopper": [(0, 10, 0, 16, 16, 16), (4, 4, 4, 12, 10, 12), (6, 0, 6, 10, 4, 10)],
    "lever": [(5, 0, 4, 11, 3, 12), (7, 3, 7, 9, 12, 9)],
}  # fmt: skip
_JOINED: dict[str, list[Part]] = {
    "fence": [((6, 0, 6, 10, 16, 10), 0), *_arms(1, ((6, 9), (12, 15)), 2)],
    "cobblestone_wall": [((4, 0, 4, 12, 16, 12), 0), *_arms(3, ((0, 14),), 4)],
    "glass_pane": [((7, 0, 7, 9, 16, 9), 0), *_arms(1, ((0, 16),), 1)],
    "iron_bars": [((7, 0, 7, 9, 16, 9), 0), *_arms(1, ((0, 16),), 1)],
}
# What the arms of these reach for, besides whole blocks.
JOINS = (*_JOINED, "fence_gate")


def parts_of(name: str, meta: int) -> list[Part] | None:
    """The boxes of a state; None for whole blocks, plants, liquids and air."""
    if name in _JOINED:
        return _JOINED[name]
    if name in _FIXED:
        return [(box, 0) for box in _FIXED[name]]
    if name in _BY_META:
        return [(box, 0) for box in _BY_META[name](meta)]
    return None
