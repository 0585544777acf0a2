"""Mobs as arrays, indexed by their position in `names.MOBS`.

Source: `third_party/minecraft/mobs.json`. Adding a mob that wanders and drops things
means adding its name to `names.MOBS` and its drops here.
"""

from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.names import MOBS, NAME_ID, load
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id

EYE_HEIGHT = 1.62  # of the player, blocks above the feet
PLAYER_SIZE = (0.6, 1.8)  # width, height of the player's box
BLOCK_REACH = 4.5  # blocks from the eye, survival
MOB_REACH = 3.0

_TABLE = load("mobs")["mobs"]
_PLAYER = {"hp": 20, "w": PLAYER_SIZE[0], "h": PLAYER_SIZE[1], "speed": 0.1}
_NONE = {"hp": 0, "w": 0.0, "h": 0.0, "speed": 0.0}
_ROWS = [_NONE if m == "none" else _PLAYER if m == "player" else _TABLE[m] for m in MOBS]


def _panic(row: dict) -> float:
    """The speed multiplier of the mob's panic, 1 if it never panics."""
    words = next((w for w in row.get("ai", ()) if w.startswith("panic")), "panic x1.0")
    return float(words.split("x")[1])


COW, SHEEP, PIG, CHICKEN, ZOMBIE = (
    MOBS.index(mob) for mob in ("cow", "sheep", "pig", "chicken", "zombie")
)
MOB_SIZE = np.array([[row["w"], row["h"]] for row in _ROWS], np.float32)
MOB_LIFE = np.array([row["hp"] for row in _ROWS], np.float32)
MOB_SPEED = np.array([row["speed"] for row in _ROWS], np.float32)
MOB_PANIC = np.array([_panic(row) for row in _ROWS], np.float32)
MOB_ARMOR = np.array([row.get("armor", 0) for row in _ROWS], np.float32)  # points


class MobDrop(NamedTuple):
    """A dead mob leaves between `low` and `high` pieces of `item`."""

    mob: str
    item: str
    low: int
    high: int
    cooked: str = ""  # what it is if the mob burns


# At most `DROPS_PER_MOB` rows for one mob. Wool falls only if the sheep is not shorn, and
# in its colour.
DROPS = (
    MobDrop("cow", "beef", 1, 3, "cooked_beef"),
    MobDrop("cow", "leather", 0, 2),
    MobDrop("sheep", "mutton", 1, 2, "cooked_mutton"),
    MobDrop("sheep", "wool", 1, 1),
    MobDrop("pig", "porkchop", 1, 3, "cooked_porkchop"),
    MobDrop("chicken", "chicken", 1, 1, "cooked_chicken"),
    MobDrop("chicken", "feather", 0, 2),
    MobDrop("zombie", "rotten_flesh", 0, 2),
)
DROPS_PER_MOB = 2


def _drop_arrays() -> tuple[np.ndarray, ...]:
    name, low, high, cooked = np.zeros((4, len(MOBS), DROPS_PER_MOB), np.int32)
    for mob in MOBS:
        for k, row in enumerate(row for row in DROPS if row.mob == mob):
            at = MOBS.index(mob), k
            name[at], low[at], high[at] = NAME_ID[row.item], row.low, row.high
            cooked[at] = NAME_ID[row.cooked or row.item]
    return name, low, high, cooked


# int32[len(MOBS), DROPS_PER_MOB] each; DROP_COOKED is what a burning mob leaves.
DROP_NAME, DROP_LOW, DROP_HIGH, DROP_COOKED = _drop_arrays()
# Experience of a kill by the player, from and to.
XP_LOW, XP_HIGH = np.zeros((2, len(MOBS)), np.int32)
XP_LOW[[COW, SHEEP, PIG, CHICKEN]], XP_HIGH[[COW, SHEEP, PIG, CHICKEN]] = _TABLE["cow"]["xp"]
XP_LOW[ZOMBIE] = XP_HIGH[ZOMBIE] = 5

# Sheep: metadata of their wool, and where on [0, 1) each colour ends. `mobs.json`.
_COLOUR_META = {"white": 0, "pink": 6, "gray": 7, "light_gray": 8, "brown": 12, "black": 15}
_COLOURS = _TABLE["sheep"]["colours"]
COLOUR_META = np.array([_COLOUR_META[colour] for colour in _COLOURS], np.int32)
COLOUR_END = np.cumsum(list(_COLOURS.values())).astype(np.float32)
# By metadata: the item id of the wool.
WOOL_ITEM = np.array([item_id(f"wool:{meta}") for meta in range(16)], np.int32)

# Ground speed of a walking mob: blocks/tick is quadratic in its AI speed s, because s
# is both the input and the acceleration. `mobs.json`, ground_speed_formula.
GROUND_DRAG = 0.546
