"""Every block state on a plain of grass, named."""

import argparse
from collections.abc import Iterator

import numpy as np

from experiments.gallery import stage
from experiments.gallery.sheet import Sheet
from rlgpt_jax.envs.voxel.render import for_people
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_STATES, LIQUIDS

_SIZE, _COLUMNS, _PER_SHEET = 88, 11, 77
# What a state hangs at or lies on, as an offset x, z from it.
_WALLS = {
    "ladder": {2: (0, 1), 3: (0, -1), 4: (1, 0), 5: (-1, 0)},
    "torch": {1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)},
    "vine": {1: (0, 1), 2: (-1, 0), 4: (0, -1), 8: (1, 0)},
}


def draw(options: argparse.Namespace) -> Iterator[Sheet | int | None]:
    """Sheets of all states in the order of the table."""
    states = BLOCK_STATES[1:]
    yield len(states)
    for first in range(0, len(states), _PER_SHEET):
        number = first // _PER_SHEET + 1
        sheet = Sheet(f"blocks_{number}", f"blocks, sheet {number}", _COLUMNS, font_size=9)
        for name, meta in states[first : first + _PER_SHEET]:
            sheet.add(thumbnail(name, meta), name if meta == 0 else f"{name}:{meta}")
            yield None
        yield sheet


def thumbnail(name: str, meta: int) -> np.ndarray:
    """uint8[88, 88, 3]: a state with what it needs around it, from the south-west."""
    blocks = stage.flat()
    stage.put(blocks, name, meta, 8, 0, 8)
    x, z = _WALLS.get(name, {}).get(meta, (0, 0))
    if (x, z) != (0, 0):
        stage.put(blocks, "planks", 2, 8 + x, 0, 8 + z)
    if name in ("wooden_door", "iron_door"):
        other = 0 if meta == 8 else 8
        stage.put(blocks, name, other, 8, 1 if other else 0, 8)
        if not other:
            stage.put(blocks, name, 8, 8, 1, 8)
    if name in LIQUIDS:
        for dx, dz in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            stage.put(blocks, "glass", 0, 8 + dx, 0, 8 + dz)
    if name == "bed":
        dx, dz = ((0, 1), (-1, 0), (0, -1), (1, 0))[meta % 4]
        way, other = (-1, meta - 8) if meta >= 8 else (1, meta + 8)
        stage.put(blocks, name, other, 8 + way * dx, 0, 8 + way * dz)
    if name in ("fence", "glass_pane", "iron_bars", "cobblestone_wall"):
        stage.put(blocks, name, meta, 9, 0, 8)
    tall = name in ("wooden_door", "iron_door")
    point = (8.5, 0.9 if tall else 0.42, 8.5)
    eye = (7.2, 1.5, 6.95) if not tall else (6.4, 2.0, 6.2)
    if name == "bed":
        point, eye = (8.5, 0.3, 8.5), (6.9, 2.1, 6.6)
    # From the other side where a wall would hide it.
    if z < 0 or x < 0:
        eye = (17.0 - eye[0], eye[1], 17.0 - eye[2])
    state = stage.state_of(stage.with_clearance(blocks), **stage.facing(eye, point))
    return for_people.first_person(state, 0, _SIZE, _SIZE, samples=2, hud=False)
