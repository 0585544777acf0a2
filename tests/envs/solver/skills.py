"""Gathering and hunting. Each skill ends or raises."""

import contextlib

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BYTE_OF, is_one_of
from tests.envs.solver import aim, search
from tests.envs.solver.building import SIDES, Builder
from tests.envs.solver.moving import Stuck


class Player(Builder):
    """The skills that plans are written in."""

    # --- gathering -----------------------------------------------------------------

    def gather(self, item: str, quantity: int, *blocks: str) -> None:
        """Breaks the nearest of some blocks until the inventory holds so many more pieces."""
        game = self.game
        target = game.count(item) + quantity
        self.wanted = bytes_of(*blocks)
        for _ in range(12 * quantity + 20):
            if game.count(item) >= target:
                return
            mask = self.wanted[game.blocks()]
            if not mask.any():
                raise Stuck(f"no {blocks} in this world")
            self.go(search.near(mask))
            self._break_around(item, target)
            self.collect()
        raise Stuck(f"{game.count(item)} of {target} {item}")

    def _break_around(self, item: str, target: int) -> None:
        """Breaks the wanted blocks in reach: above first, as in a trunk."""
        game = self.game
        x, y, z = game.feet
        reach = [(x, y + up, z) for up in range(2, 7)]
        reach += [(x + dx, y + dy, z + dz) for dy in (1, 0, 2) for dx, dz in SIDES]
        for cell in reach:
            dropped = int(game.read("items.quantity")[game.read("items.id") > 0].sum())
            if game.count(item) + dropped >= target:
                return
            if self.wanted[game.byte(cell)] and self.is_safe(cell):
                view = aim.at_cell(game.blocks(), game.eye, float(game.read("player.yaw")), cell)
                if view is not None:
                    with contextlib.suppress(Stuck):  # at the end of the reach
                        self.dig(cell, harvest=True)

    # --- mobs ----------------------------------------------------------------------

    def approach(self, kind: str) -> int:
        """Walks up to the nearest mob of a kind until the crosshair can meet it."""
        game = self.game
        for _ in range(60):
            mobs = self.reachable(kind)
            if not mobs:
                raise Stuck(f"no {kind} about")
            mob = mobs[0]

            def in_sight(index: int = mob.index, start: np.ndarray = mob.position) -> bool:
                now = next((m for m in game.mobs(kind) if m.index == index), None)
                if now is None or np.linalg.norm(now.position - start) > 4:
                    return True
                if np.linalg.norm(now.position - game.position) > 3.6:
                    return False
                yaw = float(game.read("player.yaw"))
                return aim.at_mob(game.blocks(), game.eye, yaw, kind, now.position) is not None

            self.go(self.around(mob.position, 1, 1), stop=in_sight)
            now = next((m for m in game.mobs(kind) if m.index == mob.index), None)
            if now is None:
                continue
            yaw = float(game.read("player.yaw"))
            if aim.at_mob(game.blocks(), game.eye, yaw, kind, now.position) is not None:
                return mob.index
            self.toward(now.position[0], now.position[2])
        raise Stuck(f"could not catch a {kind}")

    def reachable(self, kind: str) -> list:
        """Mobs of a kind, those to be used first."""
        mobs = self.game.mobs(kind)
        if kind == "sheep" and self.game.name_in_hand() == "shears":
            sheared = self.game.read("mobs.sheared")
            return [mob for mob in mobs if not sheared[mob.index]]
        return mobs

    def use_on(self, kind: str, tool: str) -> None:
        """Uses an item on the nearest mob of a kind: milks a cow, shears a sheep."""
        self.hold(tool)
        for _ in range(20):
            index = self.approach(kind)
            if self.strike(kind, index, base.FN_USE):
                self.collect()
                return
        raise Stuck(f"could not use {tool} on a {kind}")

    def kill(self, kind: str) -> None:
        """Kills the nearest mob of a kind and picks up what it leaves."""
        weapons = [t for t in self.tools() if t.endswith(("sword", "axe"))]
        if weapons:
            self.hold(max(weapons, key=lambda t: (t.endswith("sword"), t)))
        for _ in range(60):
            index = self.approach(kind)
            life = self.game.read("mobs.life")[index]
            self.strike(kind, index)
            if life > 0 and index not in [mob.index for mob in self.game.mobs(kind)]:
                break
        self.collect()


def bytes_of(*blocks: str) -> np.ndarray:
    """bool[256] of block names, "name:meta" for one state of a block."""
    whole = is_one_of(*(name for name in blocks if ":" not in name))
    for name, meta in (name.split(":") for name in blocks if ":" in name):
        whole[BYTE_OF[name, int(meta)]] = True
    return whole
