"""How episodes of a task begin: how far its sources are, and whether they are in sight."""

import dataclasses
from typing import Any

import numpy as np

from rlgpt_jax.envs.names import MOBS, NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCKS, is_one_of

NEAR = (10, 30, 60)  # blocks


@dataclasses.dataclass(frozen=True)
class Starts:
    """What was found in the first tick of every lane."""

    sources: tuple[str, ...]
    distance: np.ndarray  # float64[N]  blocks from the feet to the nearest source; inf if none
    in_sight: np.ndarray  # bool[N]  one of the 120 rays meets a source

    def describe(self) -> str:
        """One line of numbers."""
        if not self.sources:
            return "The goal is made of the start items; nothing has to be found."
        n = len(self.distance)
        near = ", ".join(f"{reach}: {(self.distance <= reach).mean():.0%}" for reach in NEAR)
        middle = float(np.median(self.distance))
        words = f"{middle:.0f} blocks" if np.isfinite(middle) else "out of every world's reach"
        return (
            f"In {n} starts the nearest {' or '.join(self.sources)} is {words} away (median); "
            f"within so many blocks it is in a share of starts of {near}; in sight of the rays "
            f"at once: {self.in_sight.mean():.0%}."
        )


def measure(world: Any, sources: tuple[str, ...], seed: int) -> Starts:
    """Starts an episode in every lane of a host world.

    Args:
      world: a `HostVoxel`.
      sources: blocks and mobs.
      seed: of the reset.
    """
    obs = world.reset(seed)
    distance = np.full(world.num_envs, np.inf)
    for lane in range(world.num_envs):
        distance[lane] = min(
            _nearest_block(world, lane, sources), _nearest_mob(world, lane, sources)
        )
    ids = [NAME_ID[name] for name in sources]
    met = np.stack([np.isin(obs.ray_block, ids), np.isin(obs.ray_entity, ids)])
    return Starts(sources, distance, np.asarray(met.any(axis=(0, 2))))


def _nearest_block(world: Any, lane: int, sources: tuple[str, ...]) -> float:
    names = [name for name in sources if name in BLOCKS]
    if not names:
        return np.inf
    blocks = np.asarray(world.state.blocks[lane])
    cells = np.argwhere(is_one_of(*names)[blocks])[:, [0, 2, 1]]  # x, y, z
    if not len(cells):
        return np.inf
    size = np.array([blocks.shape[0], 0, blocks.shape[1]], float)
    away = cells + 0.5 - np.asarray(world.state.player.position[lane], float)
    wide = size > 0
    away[:, wide] -= size[wide] * np.round(away[:, wide] / size[wide])  # worlds are periodic
    return float(np.sqrt((away**2).sum(1)).min())


def _nearest_mob(world: Any, lane: int, sources: tuple[str, ...]) -> float:
    kinds = np.asarray(world.state.mobs.kind[lane])
    chosen = np.isin(kinds, [MOBS.index(name) for name in sources if name in MOBS])
    if not chosen.any():
        return np.inf
    feet = np.asarray(world.state.player.position[lane])
    away = np.asarray(world.state.mobs.position[lane])[chosen] - feet
    return float(np.sqrt((away**2).sum(1)).min())
