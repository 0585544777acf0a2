"""Changes to a world between two ticks: bodies, items and blocks of a saved state."""

import functools
from typing import Any

import jax
import numpy as np

from rlgpt_jax.envs.names import MOBS, NAME_ID
from rlgpt_jax.envs.tasks.own_task import ITEMS
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BYTE_OF, IS_SOLID, MAX_CLEARANCE
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEM_ID
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import MOB_LIFE
from rlgpt_jax.envs.voxel.rules.player import physics, tools, vitals
from tests.doubles.minecraft.mission import Stack

NUM_SLOTS = 36  # the places after them are feet, legs, chest, head, off hand
RESTED = 100  # ticks since the last swing
_MOB_NUMBERS = ("panic", "hurt_time", "hurt_amount", "walk", "fire", "fall", "variant", "timer")


class Edits:
    """One lane's saved state, open for changes; all arrays keep their shapes."""

    def __init__(self, saved: dict[str, Any], pool_blocks: np.ndarray, summoned: int):
        """Opens what `HostVoxel.save` returned for a single lane.

        Args:
          saved: is changed in place.
          pool_blocks: uint8[P, X, Z, Y], the worlds that it was reset from.
          summoned: how many of the first mobs may be replaced by new ones.
        """
        self.fields: Any = saved["fields"]  # a `WorldState` of NumPy arrays
        self._saved, self._summoned = saved, summoned
        self._pool = pool_blocks[self.fields.pool_index[0]]
        self._blocks: np.ndarray | None = None

    @property
    def position(self) -> np.ndarray:
        """float32[3] of the feet, can be written to."""
        return self.fields.player.position[0]

    @property
    def blocks(self) -> np.ndarray:
        """uint8[X, Z, Y], the world as it is; to be changed by `set_block` only."""
        if self._blocks is None:
            world = self._pool.copy().reshape(-1)
            world[self._saved["edit_cell"]] = self._saved["edit_byte"]
            self._blocks = world.reshape(self._pool.shape)
        return self._blocks

    def close(self) -> dict[str, Any]:
        """What `HostVoxel.load` takes."""
        if self._blocks is not None:
            changed = self._blocks.reshape(-1)
            cell = np.flatnonzero(changed != self._pool.reshape(-1))
            lane = np.zeros(len(cell), np.int32)
            self._saved |= {"edit_lane": lane, "edit_cell": cell, "edit_byte": changed[cell]}
        return self._saved

    # --- the player -----------------------------------------------------------

    def stand(self, position: np.ndarray, yaw: float | None = None, pitch: float | None = None):
        """Puts the player somewhere, at rest."""
        player = self.fields.player
        player.position[0] = position
        player.velocity[0] = (0.0, physics.RESTING_SPEED, 0.0)
        player.fall_distance[0] = 0.0
        if yaw is not None:
            player.yaw[0] = (yaw + 180.0) % 360.0 - 180.0
        if pitch is not None:
            player.pitch[0] = np.clip(pitch, -90.0, 90.0)

    def respawn(self, position: np.ndarray) -> None:
        """A new body, with nothing."""
        player = self.fields.player
        self.clear()
        for name in ("fire", "hurt_time", "exhaustion", "xp", "eating", "busy", "damage"):
            getattr(player, name)[:] = 0
        player.life[:], player.food[:] = vitals.FULL_LIFE, vitals.FULL_FOOD
        player.saturation[:] = vitals.START_SATURATION
        player.oxygen[:], player.attack_cooldown[:] = vitals.FULL_OXYGEN, RESTED
        self.stand(position, pitch=0.0)

    def die(self) -> None:
        """All life is gone, and what was carried lies on the ground, as far as it can."""
        fields = self.fields
        fields.player.life[:] = 0.0
        held = np.flatnonzero(fields.inventory.item[0])[: fields.items.id.shape[1]]
        for entry, slot in enumerate(held):
            for name in ("quantity", "damage"):
                getattr(fields.items, name)[0, entry] = getattr(fields.inventory, name)[0, slot]
            fields.items.id[0, entry] = fields.inventory.item[0, slot]
            fields.items.position[0, entry] = self.position + np.array([0.0, 0.5, 0.0])
            fields.items.velocity[0, entry] = fields.items.age[0, entry] = 0
        self.clear()

    def clear(self) -> None:
        """Empties the inventory and takes armour off."""
        for array in jax.tree.leaves((self.fields.inventory, self.fields.armor)):
            array[:] = 0

    def put(self, stack: Stack) -> bool:
        """Replaces what is in one place of the inventory. False if there is no such item.

        The variant of what wears out is how much of it is worn.
        """
        empty = stack.name == "air" or stack.quantity < 1
        if not empty and stack.name not in ITEMS:
            return False
        name = 0 if empty else NAME_ID[stack.name]
        wears = tools.DURABILITY[name] > 0
        item = name if wears else ITEM_ID.get((stack.name, stack.variant), name)
        damage = stack.variant if wears and not empty else 0
        row: Any = self.fields.inventory
        place = stack.place
        if place >= NUM_SLOTS:
            row, place = self.fields.armor, place - NUM_SLOTS
        else:
            self.fields.inventory.quantity[0, place] = 0 if empty else stack.quantity
        row.item[0, place] = 0 if empty else item
        row.damage[0, place] = damage
        return True

    # --- mobs and items -------------------------------------------------------

    def summon(self, mob: str, position: np.ndarray) -> bool:
        """A new mob, instead of the farthest summoned one if there is no room.

        False if there is no such mob here. One that would stand in a block stands on it.
        """
        if mob not in MOBS[1:] or mob == "player":
            return False
        fields, kind = self.fields, MOBS.index(mob)
        kinds = fields.mobs.kind[0, : self._summoned]
        offset = fields.mobs.position[0, : self._summoned] - self.position
        away = np.where(kinds == 0, np.inf, np.linalg.norm(offset, axis=1))
        entry = int(np.argmax(away))
        for name in _MOB_NUMBERS:
            getattr(fields.mobs, name)[0, entry] = 0
        fields.mobs.sheared[0, entry] = fields.mobs.on_ground[0, entry] = False
        fields.mobs.kind[0, entry], fields.mobs.life[0, entry] = kind, MOB_LIFE[kind]
        fields.mobs.velocity[0, entry] = (0.0, physics.RESTING_SPEED, 0.0)
        fields.mobs.position[0, entry] = self.free_above(position)
        return True

    def remove_items(self) -> None:
        """No item lies about any more."""
        self.fields.items.id[:] = 0

    def remove_mobs(self, wanted: np.ndarray) -> None:
        """Mobs whose kind is in bool[len(MOBS)] are gone; they leave nothing."""
        self.fields.mobs.kind[wanted[self.fields.mobs.kind]] = 0

    # --- blocks ---------------------------------------------------------------

    def free_above(self, position: np.ndarray) -> np.ndarray:
        """float64[3]: the first place from `position` upwards with two free cells."""
        x, y, z = position
        size_x, size_z, size_y = self.blocks.shape
        column = self.blocks[int(np.floor(x)) % size_x, int(np.floor(z)) % size_z]
        stops = np.append(IS_SOLID[column], [False] * 2)
        level = int(np.clip(np.floor(y + 1e-3), 0, size_y))
        while stops[level : level + 2].any():
            level += 1
        return np.array([x, y if level <= y + 1e-3 else level, z])

    def ground(self, column: tuple[int, int]) -> int:
        """The y above the highest block of a column (x, z) that one can stand on."""
        size_x, size_z, _ = self.blocks.shape
        solid = np.flatnonzero(IS_SOLID[self.blocks[column[0] % size_x, column[1] % size_z]])
        return int(solid[-1]) + 1 if len(solid) else 0

    def set_block(self, cell: tuple[int, int, int], name: str, variant: int = 0) -> bool:
        """Puts a block into a cell (x, y, z). False if there is none or no such cell."""
        byte = AIR_CODE + 1 if name == "air" else BYTE_OF.get((name, variant))
        size_x, size_z, size_y = self.blocks.shape
        if byte is None or not 0 <= cell[1] < size_y:
            return False
        x, y, z = cell[0] % size_x, cell[1], cell[2] % size_z
        self.blocks[x, z, y] = byte
        if byte < AIR_CODE:
            self._lower_clearances(x, z, y)
        return True

    def _lower_clearances(self, *cell: int) -> None:
        """Air near a new block is clear only as far as it."""
        blocks, reach = self.blocks, MAX_CLEARANCE - 1
        near = []
        for axis, (at, size) in enumerate(zip(cell, blocks.shape)):
            steps = np.arange(-reach, reach + 1)
            periodic = axis < 2
            inside = np.ones(len(steps), bool) if periodic else (at + steps >= 0) & (
                at + steps < size)  # fmt: skip
            near.append(((at + steps[inside]) % size, np.abs(steps[inside])))
        index = np.ix_(*(cells for cells, _ in near))
        far = functools.reduce(np.maximum, np.ix_(*(gap for _, gap in near)))
        cap = (AIR_CODE + np.clip(far, 1, MAX_CLEARANCE)).astype(np.uint8)
        box = blocks[index]
        blocks[index] = np.where(box >= AIR_CODE, np.minimum(box, cap), box)
