"""The bridge as a world of the contract: its workers play the embedded world by the double."""

import tempfile
from pathlib import Path

import numpy as np

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.minedojo import spelling
from rlgpt_jax.envs.minedojo.convert import cured
from rlgpt_jax.envs.minedojo.damage import Facts, damage_source
from rlgpt_jax.envs.minedojo.judging import Verdict
from rlgpt_jax.envs.minedojo.making import START_TIME
from rlgpt_jax.envs.minedojo.request import Arrays
from rlgpt_jax.envs.view.observation import View
from rlgpt_jax.envs.view.spec import SPEC, Field
from tests.envs.contract_worlds import LANES, NOOPS, TASK
from tests.envs.minedojo import doubles
from tests.envs.minedojo.voxel_game import VoxelGame, serve
from tests.envs.voxel import worlds


class Bridge:
    """A `contract_worlds.Driver`: arrangements are chat commands, which the games hear here."""

    def __init__(self) -> None:
        self._games = [VoxelGame() for _ in range(LANES)]
        port = serve(self._games)
        self._idle = [False] * LANES
        self._folder = tempfile.TemporaryDirectory()
        self.host = doubles.make(Path(self._folder.name), TASK, LANES, port=str(port))

    def reset(self, seed: int) -> Observation:
        self._idle = [False] * LANES
        return self.host.reset(seed)

    def arrange(self, *items: tuple[str, int]) -> Observation:
        self.reset(0)
        commands = [
            f"/replaceitem entity @p {_slot(slot)} minecraft:{name} {quantity} 0"
            for slot, (name, quantity) in enumerate(items)
        ]
        commands += [f"/tp 8.5 {worlds.GROUND} 8.5 0 0", f"/time set {START_TIME}"]
        return self._command(*commands)

    def put(self, block: str, offset: tuple[int, int, int]) -> None:
        self._command("/setblock " + " ".join(f"~{step}" for step in offset) + f" {block}")

    def kill(self, lane: int) -> None:
        self._games[lane].hear("/kill")

    def step(self, action: np.ndarray) -> Step:
        self._idle = [lane._idle > 0 for lane in self.host.lanes]
        return self.host.step(action)

    def view(self) -> View:
        """Of a tick that the client did not hear, what it told last but for changes and damage."""
        seen = [lane.seen for lane in self.host.lanes]
        lanes = [view(one.arrays, one.facts) for one in seen]
        for lane, is_idle in zip(lanes, self._idle, strict=True):
            for group in ("delta_inv", "damage_source") if is_idle else ():
                for key, field in SPEC[group].items():
                    lane[group][key][...] = spelling.AIR if field.is_name else 0
        return {
            group: {key: np.stack([lane[group][key] for lane in lanes]) for key in keys}
            for group, keys in lanes[0].items()
        }

    def _command(self, *commands: str) -> Observation:
        """Ticks that are none of the episode: what commands give is no reward.

        One hears the commands; of the next one nothing is told to have changed.
        """
        for game, lane in zip(self._games, self.host.lanes, strict=True):
            for command in commands:
                game.hear(command)
            lane._episode.judge = lambda *told: Verdict(0.0, False, False, False)
        self.host.step(NOOPS)
        obs = self.step(NOOPS).obs
        for lane in self.host.lanes:
            del lane._episode.judge
            lane._episode._facts = lane.seen.facts
        return obs


def _slot(number: int) -> str:
    return f"slot.hotbar.{number}" if number < 9 else f"slot.inventory.{number - 9}"


def view(seen: Arrays, facts: Facts) -> dict[str, dict[str, np.ndarray]]:
    """{group: {key: array}} of one lane, with ids for names and the true damage.

    Keys, shapes and dtypes are those of `view.spec.SPEC`.
    """
    seen, source = cured(seen), damage_source(seen, facts)
    groups: dict[str, dict[str, np.ndarray]] = {}
    for group, keys in SPEC.items():
        found = {}
        for key, field in keys.items():
            value = seen.get(f"{group}/{key}")
            if group == "damage_source":
                value = np.asarray(source.get(key, 0))
            if value is None:
                raise KeyError(f"MineDojo's observation has no {group}/{key}.")
            found[key] = _typed(group, key, field, value)
        groups[group] = found
    return groups


def table_of(group: str, key: str) -> dict[str, int]:
    """The names that this entry of the observation may hold."""
    if key == "entity_name":
        return spelling.ENTITIES
    return spelling.BLOCKS if group in ("voxels", "rays") else spelling.ITEMS


def _typed(group: str, key: str, field: Field, value: np.ndarray) -> np.ndarray:
    if field.is_name:
        value = spelling.ids_of(table_of(group, key), value)
    return np.asarray(value).astype(field.dtype).reshape(field.shape)
