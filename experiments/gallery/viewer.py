"""What lies over the picture: signs, things in hand, flames, water and lava before the eyes."""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.gallery import stage
from experiments.gallery.sheet import Sheet
from rlgpt_jax.envs.voxel.render import for_people
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id

_HOTBAR = (("diamond_sword", 1), ("iron_pickaxe", 1), ("torch", 64), ("planks:2", 33),
           ("cooked_beef", 7), ("water_bucket", 1), ("oak_stairs", 12), ("wool:6", 3),
           ("red_flower", 2))  # fmt: skip
_ARMOR = ("iron_boots", "iron_leggings", "iron_chestplate", "iron_helmet")
_VIEW = stage.facing((8.5, 1.62, 4.0), (8.5, 0.8, 10.0))


def draw(options: argparse.Namespace) -> Iterator[Sheet | int | None]:
    """One sheet of the viewer's own states."""
    hands = np.zeros((2, 36), int)
    hands[:, : len(_HOTBAR)] = [[item_id(name) for name, _ in _HOTBAR], [n for _, n in _HOTBAR]]
    carrying = {"inventory": {"item": hands[0], "quantity": hands[1]}}
    armor = {"armor": {"item": [*(item_id(name) for name in _ARMOR), 0]}}
    views: dict[str, dict[str, Any]] = {
        "sword in hand, armour": carrying | armor | {"life": 13.0, "food": 17.0},
        "night, by a torch": carrying | {"world_time": stage.MIDNIGHT},
        "burning": {"fire": 60, "life": 9.0, "tick": 4},
        "mining a log": {"mining_block": (8, 9, 8), "mining_progress": 0.7},
        "under water": {"oxygen": 180.0, "liquid": "water"},
        "in lava": {"fire": 300, "life": 5.0, "liquid": "lava"},
    }
    yield len(views)
    sheet = Sheet("viewer", "the viewer", 2)
    for label, fields in views.items():
        blocks = _garden(fields.pop("liquid", None))
        state = stage.state_of(stage.with_clearance(blocks), **(_VIEW | fields))
        sheet.add(for_people.first_person(state, 0), label)
        yield None
    yield sheet


def _garden(liquid: str | None) -> np.ndarray:
    """A few things round the cell that the viewer looks at, flooded if asked for."""
    blocks = stage.flat()
    if liquid:
        blocks[:, :, 8:12] = 0
        for x in range(3, 15):
            for z in range(1, 16):
                for y in range(3):
                    stage.put(blocks, liquid, None, x, y, z)
    for y in range(4):
        stage.put(blocks, "log", 0, 8, y, 8)
    things = (
        ("crafting_table", 5, 9),
        ("furnace", 6, 9),
        ("chest", 11, 9),
        ("torch", 10, 7),
        ("pumpkin", 12, 11),
        ("fence", 4, 8),
        ("fence", 3, 8),
        ("bookshelf", 7, 12),
    )
    for name, x, z in things:
        stage.put(blocks, name, None, x, 0, z)
    return blocks
