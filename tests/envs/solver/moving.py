"""Walking along a way, digging what is in it, fighting off what attacks."""

from collections.abc import Callable

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, IS_SOLID
from rlgpt_jax.envs.voxel.rules.player import tools
from tests.envs.solver import aim, search
from tests.envs.solver.game import Cell, Game

SWING = 13  # ticks between hits: the slowest weapon in use is ready again
PICKAXES = ("diamond_pickaxe", "iron_pickaxe", "stone_pickaxe", "wooden_pickaxe")


class Stuck(Exception):
    """A skill did not get done what it should."""


class Body:
    """Motor skills over a `Game`."""

    def __init__(self, game: Game):
        self.game = game
        self.last_swing = -SWING
        self.wanted = np.zeros(256, bool)  # bytes whose drops are wanted

    # --- hands ---------------------------------------------------------------------

    def hold(self, name: str) -> None:
        """Takes an item into the hand."""
        slot = self.game.slot(name)
        if slot is None:
            raise Stuck(f"no {name} to hold")
        if slot != 0:
            self.game.function(base.FN_EQUIP, slot=slot)

    def tools(self) -> list[str]:
        """Names of the tools that one carries."""
        held = self.game.inventory()
        return [name for name in tools.TOOLS[1:] if name in held]

    def hold_for(self, byte: int, harvest: bool) -> None:
        """The best tool for a block in hand; a hand without tools will do for most."""
        best = search.best_tool(byte, self.tools(), harvest)
        now = search.mining_ticks(byte, self.in_hand())
        is_faster = search.mining_ticks(byte, best) < now - 6  # what the change costs
        if best not in ("hand", self.in_hand()) and (is_faster or harvest):
            self.hold(best)

    def in_hand(self) -> str:
        name = self.game.name_in_hand()
        return name if name in tools.TOOLS else "hand"

    def look(self, view: tuple[float, float], **columns: int) -> None:
        """Turns to a view (yaw, pitch) within one tick."""
        game = self.game
        yaw, pitch = float(game.read("player.yaw")), float(game.read("player.pitch"))
        game.act(**aim.bins(yaw, pitch, *view), **columns)

    # --- digging -------------------------------------------------------------------

    def dig(self, cell: Cell, harvest: bool = False, depth: int = 0) -> None:
        """Breaks a block in reach, and before it what is in the way of the crosshair."""
        game = self.game
        for _ in range(6):
            byte = game.byte(cell)
            if byte >= AIR_CODE or (not IS_SOLID[byte] and depth == 0):
                return
            blocks, eye, yaw = game.blocks(), game.eye, float(game.read("player.yaw"))
            view = aim.at_cell(blocks, eye, yaw, cell)
            if view is None:
                self._dig_between(blocks, eye, cell, depth)
                continue
            self.hold_for(byte, harvest)
            speed = game.env.task.break_speed
            patience = search.mining_ticks(byte, self.in_hand()) / speed
            if not bool(game.read("player.on_ground")):
                patience *= 5
            self.look(view, FUNCTION=base.FN_ATTACK)
            for _ in range(int(patience) + 14):
                if game.byte(cell) != byte:
                    break
                game.act(FUNCTION=base.FN_ATTACK)
        if game.byte(cell) < AIR_CODE and IS_SOLID[game.byte(cell)]:
            raise Stuck(f"cannot break {game.block(cell)} at {cell} from {game.position}")

    def _dig_between(self, blocks: np.ndarray, eye: np.ndarray, cell: Cell, depth: int) -> None:
        """Breaks the block that hides a cell, or steps aside if nothing does."""
        centre = np.array(cell) + 0.5 - eye
        far = float(np.linalg.norm(centre))
        hit = aim.first_block(blocks, eye, centre / max(far, 1e-6), far, False)
        hidden = hit[5] < far - 1e-6 and tuple(map(int, hit[:3])) != cell
        if hidden and depth < 2:
            self.dig(tuple(map(int, hit[:3])), depth=depth + 1)
        else:
            self.settle(self.game.feet, within=0.12)
            self.game.wait(2)

    # --- walking -------------------------------------------------------------------

    def toward(self, x: float, z: float, **columns: int) -> None:
        """One tick of walking to a point."""
        position = self.game.position
        yaw, _ = aim.heading(np.array([x - position[0], 0.0, z - position[2]]))
        pitch = float(self.game.read("player.pitch"))
        turn = aim.bins(float(self.game.read("player.yaw")), pitch, yaw, pitch)
        self.game.act(YAW=turn["YAW"], MOVE=1, **columns)

    def settle(self, cell: Cell, within: float = 0.2) -> None:
        """Walks slowly to the middle of the cell one stands in."""
        for _ in range(30):
            position = self.game.position
            off = max(abs(position[0] - cell[0] - 0.5), abs(position[2] - cell[2] - 0.5))
            if off <= within:
                break
            jump = 2 if off < 0.5 else 0
            self.toward(cell[0] + 0.5, cell[2] + 0.5, JUMP=1 if self.swims() else jump)
        for _ in range(4):  # the last of the speed
            if np.abs(self.game.read("player.velocity")[::2]).max() > 0.02:
                self.game.act()

    def swims(self) -> bool:
        return bool(self.game.read("player.in_water"))

    def follow(self, way: list[Cell], stop: Callable[[], bool] = lambda: False) -> None:
        """Walks and digs along a way of `search.route`.

        Args:
          way: cells of the feet, the first is the present one.
          stop: asked before every step; true ends the walk.
        """
        for here, there, *rest in zip(way, way[1:], [*way[2:], way[-1]]):
            if stop():
                return
            self.fight_off()
            self._step(here, there, rest[0])

    def _step(self, here: Cell, there: Cell, after: Cell) -> None:
        """One move of a way."""
        game = self.game
        cells = [c for c in search.to_clear(here, there) if IS_SOLID[game.byte(c)]]
        if cells or here[::2] == there[::2]:
            self.settle(here)
        for cell in cells:
            while IS_SOLID[game.byte(cell)]:  # again if something fell into it
                self.dig(cell, harvest=bool(self.wanted[game.byte(cell)]))
        if here[::2] == there[::2]:
            return self._fall(there)
        same = all(after[k] - there[k] == there[k] - here[k] for k in (0, 2))
        slack = 0.45 if same and after[1] == there[1] == here[1] else 0.25
        for ticks in range(60):
            position = game.position
            off = max(abs(position[0] - there[0] - 0.5), abs(position[2] - there[2] - 0.5))
            level = position[1] - there[1]
            if off <= slack and -0.1 < level < (0.6 if not self.swims() else 1.2):
                return
            if off <= slack and level >= 0.6 and not self.swims():
                game.act()  # falling onto it
                continue
            rises = there[1] > position[1] + 0.1
            jump = 1 if self.swims() or (rises and off < 1.3) else 0
            if ticks > 30 and ticks % 10 < 3:
                jump = 1
            self.toward(there[0] + 0.5, there[2] + 0.5, JUMP=jump)
        raise Stuck(f"no step from {here} to {there}, at {game.position}")

    def _fall(self, there: Cell) -> None:
        for _ in range(25):
            if abs(self.game.position[1] - there[1]) < 0.1 and bool(
                self.game.read("player.on_ground")
            ):
                return
            self.game.act()
        raise Stuck(f"did not fall to {there}, at {self.game.position}")

    def terrain(self) -> search.Terrain:
        return search.survey(self.game.blocks(), self.tools(), self.game.env.task.break_speed)

    def go(
        self, goals: np.ndarray, limit: float = 6000.0, stop: Callable[[], bool] = lambda: False
    ) -> None:
        """Walks and digs to the nearest of the feet cells bool[X, Z, Y]."""
        for _ in range(12):
            way = search.route(self.terrain(), self.stand(), goals, limit)
            if way is None:
                raise Stuck(f"no way from {self.game.feet}")
            try:
                return self.follow(way, stop)
            except Stuck:
                self.game.act(MOVE=2)
                self.game.wait(3)
        raise Stuck("gave up walking")

    def stand(self) -> Cell:
        """The cell to start a way from: the one whose ground carries the body."""
        game = self.game
        for _ in range(40):
            if bool(game.read("player.on_ground")) or self.swims():
                break
            game.act()
        x, y, z = game.feet
        full = search.FULL
        if full[game.byte((x, y - 1, z))] or self.swims():
            return x, y, z
        # On the edge of a neighbouring block.
        position = game.position
        cells = [(x + dx, y, z + dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1)]
        near = [c for c in cells if full[game.byte((c[0], y - 1, c[2]))]]
        if not near:
            return x, y, z
        return min(near, key=lambda c: np.hypot(c[0] + 0.5 - position[0], c[2] + 0.5 - position[2]))

    # --- fighting ------------------------------------------------------------------

    def strike(self, kind: str, index: int, function: int = base.FN_ATTACK) -> bool:
        """One hit (or use) at a mob. False if the crosshair cannot meet it from here."""
        game = self.game
        found = [mob for mob in game.mobs(kind) if mob.index == index]
        if not found:
            return True
        view = aim.at_mob(
            game.blocks(), game.eye, float(game.read("player.yaw")), kind, found[0].position
        )
        if view is None:
            return False
        if function == base.FN_ATTACK:
            game.wait(max(0, self.last_swing + SWING - game.tick))
            self.last_swing = game.tick
        self.look(view, FUNCTION=function)
        return True

    def fight_off(self) -> None:
        """Hits zombies that came near until they are dead or gone."""
        for _ in range(40):
            near = [
                mob for mob in self.game.mobs("zombie")
                if np.linalg.norm(mob.position - self.game.position) < 3.5
            ]  # fmt: skip
            if not near or not self.strike("zombie", near[0].index):
                return
