"""The list that E opens: what can be made now, what is carried. No drawing here."""

import dataclasses

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAMES, NUM_HAND, NUM_TABLE
from rlgpt_jax.envs.voxel.rules.player.tools import DURABILITY


@dataclasses.dataclass(frozen=True)
class Entry:
    """One line."""

    words: str
    function: int  # what choosing it does
    craft: int = 0
    slot: int = 0


def craftable(obs: base.Observation) -> list[Entry]:
    """What the mask of the first lane allows, by name."""
    found = []
    for index in np.flatnonzero(obs.mask_craft[0]).tolist():
        way = "by hand" if index < NUM_HAND else "table"
        way = "furnace" if index >= NUM_HAND + NUM_TABLE else way
        found.append(Entry(f"{CRAFT_NAMES[index]}  ({way})", base.FN_CRAFT, craft=index))
    return sorted(found, key=lambda entry: entry.words)


def carried(obs: base.Observation) -> list[Entry]:
    """The filled slots of the first lane; choosing one equips it."""
    found = []
    for slot in np.flatnonzero(obs.slot_quantity[0] > 0).tolist():
        words = f"{slot + 1:>2}  {item_name(obs, slot)} x{obs.slot_quantity[0, slot]}"
        full = DURABILITY[obs.slot_name[0, slot]]
        if full > 0:
            words += f"  {obs.slot_durability[0, slot]:.0f}/{full}"
        found.append(Entry(words, base.FN_EQUIP, slot=slot))
    return found


def item_name(obs: base.Observation, slot: int) -> str:
    """The item of a slot of the first lane, such as "log" or "planks:2"."""
    variant = int(obs.slot_variant[0, slot])
    return NAMES[obs.slot_name[0, slot]] + (f":{variant}" if variant else "")


class Menu:
    """Two columns with one line marked."""

    def __init__(self) -> None:
        self.is_open = False
        self.columns: tuple[list[Entry], list[Entry]] = ([], [])
        self.column, self.line = 0, 0

    def open(self, obs: base.Observation) -> None:
        """Shows what holds now; the mark is on the first line that there is."""
        self.columns = (craftable(obs), carried(obs))
        self.column = 0 if self.columns[0] or not self.columns[1] else 1
        self.line, self.is_open = 0, True

    def close(self) -> None:
        self.is_open = False

    def move(self, key: str) -> None:
        """Moves the mark by an arrow key, round the ends."""
        if key in ("left", "right"):
            self.column, self.line = 1 - self.column, 0
        elif self.columns[self.column]:
            step = {"up": -1, "down": 1}[key]
            self.line = (self.line + step) % len(self.columns[self.column])

    def chosen(self) -> Entry | None:
        """The marked line; None if the column is empty."""
        entries = self.columns[self.column]
        return entries[self.line] if entries else None
