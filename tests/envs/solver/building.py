"""Placing blocks, using stations, crafting, picking up what lies about."""

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCKS, IS_SOLID, is_one_of
from rlgpt_jax.envs.voxel.rules.player.placing import REPLACEABLE
from tests.envs.solver import aim, search
from tests.envs.solver.game import REST, Cell, Game
from tests.envs.solver.moving import Body, Stuck

STATIONS = ("crafting_table", "furnace")
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Builder(Body):
    """What hands do besides digging."""

    def __init__(self, game: Game):
        super().__init__(game)
        self.stations: dict[str, Cell] = {}  # those that stand in the world

    def collect(self) -> None:
        """Picks up what lies about."""
        game = self.game
        for _ in range(8):
            lying = (game.read("items.id") > 0) & (game.read("items.age") >= -40)
            position = game.read("items.position").astype(float)
            near = lying & (np.abs(position - game.position).max(1) < 6)
            if not near.any():
                return
            carried = sum(game.inventory().values())
            game.wait(8)
            if sum(game.inventory().values()) > carried:
                continue
            offset = np.where(near, np.linalg.norm(position - game.position, axis=1), np.inf)
            place = position[int(offset.argmin())]
            try:
                self.go(self.around(place, 0, 1), limit=150.0)
            except Stuck:
                return
            game.wait(2)

    def around(self, point: np.ndarray, reach: int, rise: int) -> np.ndarray:
        """bool[X, Z, Y]: cells within `reach` of a point sideways and `rise` up or down."""
        size_x, size_z, size_y = self.game.state.blocks.shape[1:]
        x, y, z = np.floor(point + REST).astype(int)
        goals = np.zeros((size_x, size_z, size_y), bool)
        for dx in range(-reach, reach + 1):
            for dz in range(-reach, reach + 1):
                low, high = max(y - rise, 1), min(y + rise + 1, size_y)
                goals[(x + dx) % size_x, (z + dz) % size_z, low:high] = True
        return goals

    def is_safe(self, cell: Cell) -> bool:
        x, y, z = cell
        period = self.game.state.blocks.shape[1:3]
        return bool(np.isfinite(self.terrain().clear[x % period[0], z % period[1], y]))

    def place(self, name: str) -> Cell:
        """Puts a block down so that it is in view. Returns its cell."""
        for attempt in range(8):
            found = self._place_view()
            if found is not None:
                view, cell = found
                self.look(view)
                slot = self.game.slot(name)
                if slot is None:
                    raise Stuck(f"no {name} to place")
                self.game.function(base.FN_PLACE, slot=slot)
                if self.game.block(cell) == name:
                    return cell
            self._make_room(attempt)
        raise Stuck(f"no room for a {name} at {self.game.position}")

    def _place_view(self) -> tuple[tuple[float, float], Cell] | None:
        """A view under whose crosshair a block can be put, the flattest first."""
        game = self.game
        blocks, eye, feet = game.blocks(), game.eye, game.position
        best, nearest = None, np.inf
        for view in aim.views(float(game.read("player.yaw"))):
            hit = aim.first_block(blocks, eye, aim.direction(*view), 3.4, False)
            if hit[5] >= 3.4:
                continue
            cell = [int(v) for v in hit[:3]]
            byte = game.byte(tuple(cell))
            if not search.FULL[byte] or BLOCKS[byte] in (*STATIONS, "chest"):
                continue
            cell[hit[3]] -= int(hit[4])
            old = game.byte(tuple(cell))
            apart = np.abs(np.array(cell)[::2] + 0.5 - feet[::2]).max() > 0.82
            level = feet[1] - 1.2 < cell[1] < feet[1] + 2.2
            score = abs(view[1] - 30) + 4 * hit[5]
            if apart and level and (old >= AIR_CODE or _gives_way(old)) and score < nearest:
                if not any(self._stands_in(mob.position, cell) for mob in game.mobs(*MOBS[1:])):
                    best, nearest = ((float(view[0]), float(view[1])), tuple(cell)), score
        return best

    @staticmethod
    def _stands_in(position: np.ndarray, cell: list[int]) -> bool:
        offset = np.abs(position - (np.array(cell) + 0.5))
        return bool(offset[0] < 1.1 and offset[2] < 1.1 and offset[1] < 2)

    def _make_room(self, attempt: int) -> None:
        """Digs a niche to place into beside the head; after four of them, goes elsewhere."""
        x, y, z = self.game.feet
        if attempt >= len(SIDES):
            here = self.game.position
            self.go(self.around(here, 5, 3) & ~self.around(here, 2, 3))
            return
        dx, dz = SIDES[attempt % 4]
        cell = (x + dx, y + 1, z + dz)
        if IS_SOLID[self.game.byte(cell)] and self.is_safe(cell):
            self.settle((x, y, z))
            self.dig(cell)

    def at(self, station: str) -> None:
        """Makes sure that a station is near and in view, placing one if need be."""
        if station in self.game.near_stations():
            return
        if station in self.standing() and self._face(station):
            return
        self.stations[station] = self.place(station)
        if not self._face(station):
            raise Stuck(f"the {station} at {self.stations[station]} is not near")

    def standing(self) -> set[str]:
        """Stations of one's own that stand not too far away."""
        game = self.game
        return {
            name for name, cell in self.stations.items()
            if game.block(cell) == name and np.linalg.norm(np.array(cell) - game.eye) < 16.0
        }  # fmt: skip

    def _face(self, station: str) -> bool:
        """Goes to a station and looks at it. Returns whether it is near and in view."""
        centre = np.array(self.stations[station]) + 0.5
        if np.linalg.norm(centre - self.game.eye) > 4.5:
            self.go(self.around(centre, 2, 1))
        if station not in self.game.near_stations():
            self.look(aim.heading(centre - self.game.eye))
        return station in self.game.near_stations()

    def fetch(self, station: str) -> None:
        """Breaks a station of one's own and takes it along."""
        cell = self.stations.pop(station)
        if self.game.block(cell) == station:
            self.wanted = is_one_of(station)
            if np.linalg.norm(np.array(cell) + 0.5 - self.game.eye) > 4.0:
                self.go(self.around(np.array(cell) + 0.5, 2, 1))
            self.dig(cell, harvest=True)
            self.game.wait(12)
            self.collect()

    def craft(self, name: str, times: int = 1) -> None:
        """Crafts or smelts `times` times; stations are the caller's matter."""
        for _ in range(times):
            if not self.game.craft(name):
                raise Stuck(f"cannot make {name} of {self.game.inventory()}")


def _gives_way(byte: int) -> bool:
    return bool(REPLACEABLE[byte]) and not search.WATER[byte] and not search.LAVA[byte]
