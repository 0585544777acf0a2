"""Seeded episodes of a long task with the skills of its sub-tasks, and what came of them."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from rlgpt_jax.envs.base import HostEnvironment, Observation
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.chain import chain as chains
from rlgpt_jax.rl.chain.chain import ChainTick, sighted
from rlgpt_jax.rl.chain.skills import Chain, prepare
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.evaluate.dead_loops import Watch
from rlgpt_jax.rl.evaluate.episodes import Played, chunks
from rlgpt_jax.rl.evaluate.evaluate import Listener, OnTick, play, worlds_of
from rlgpt_jax.rl.evaluate.report import EvalReport, wilson
from rlgpt_jax.rl.evaluate.tally import Tally, ends_of
from rlgpt_jax.rl.rollout import on_host
from rlgpt_jax.rl.rollout.one_tick import Episodes
from rlgpt_jax.rl.rollout.rollout_host import start_lanes


@dataclasses.dataclass(frozen=True)
class SubTaskReport:
    """What one sub-task came to in the episodes of the long task."""

    name: str
    reached: int  # episodes in which its goal was held at some tick
    reached_rate: float
    reached_low: float  # Wilson 95 %
    reached_high: float
    mean_ticks: float  # that an episode spent in its skill
    mean_starts: float  # of its skill in an episode
    mean_tick: float | None  # at which its goal was first held, where it was


@dataclasses.dataclass(frozen=True)
class ChainReport:
    """The whole episodes, then each sub-task in the order of the plan."""

    whole: EvalReport
    sub_tasks: tuple[SubTaskReport, ...]

    def to_json(self) -> dict[str, Any]:
        """The fields of an `EvalReport` and "sub_tasks"."""
        return {
            **self.whole.to_json(),
            "sub_tasks": [dataclasses.asdict(s) for s in self.sub_tasks],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ChainReport":
        """The inverse of `to_json`; also takes what `json.loads` gives."""
        rest = json.loads(json.dumps(dict(data)))
        sub_tasks = tuple(SubTaskReport(**s) for s in rest.pop("sub_tasks"))
        return cls(EvalReport.from_json(rest), sub_tasks)


class ChainTally(Tally):
    """Counts what happens in the first episode of every lane.

    Actions and macros are counted under "skill: name".
    """

    def __init__(self, chain: Chain, goal_names: Sequence[str], num_episodes: int):
        super().__init__(empty_space(), goal_names, num_episodes)
        self.chain = chain
        self.tables: list[np.ndarray] = []  # int[3, S] of each episode, as of `_Episodes`
        self.ends = {
            name_of(chain, s, name): ends
            for s, skill in enumerate(chain.skills)
            for name, ends in Tally(skill.space).ends.items()
        }

    def begin(self, seed: int, num_lanes: int) -> None:
        """As `Tally.begin`."""
        super().begin(seed, num_lanes)
        self._stand = _Episodes(self.chain, num_lanes)

    def renew(self, lanes: np.ndarray) -> None:
        """As `Tally.renew`."""
        super().renew(lanes)
        self._stand.renew(lanes)

    def add_tick(self, played: Played, counts: np.ndarray) -> np.ndarray:
        """As `Tally.add_tick`."""
        self._stand.see(played.result, counts)
        return super().add_tick(played, counts)

    def add_episode(self, episodes: Episodes, lane: int, watch: Watch) -> None:
        super().add_episode(episodes, lane, watch)
        self.tables.append(self._stand.tables[:, lane].copy())

    def add_macro_ends(self, result: ChainTick, counts: np.ndarray) -> None:
        """How macros ended in this tick; `counts` bool[N] are lanes whose episode is counted."""
        for part in result.ran:
            tick, space = part.act.macro, self.chain.skills[part.skill].space
            if tick is None:
                continue
            for _, slot, how, trap in ends_of(tick, counts & part.mine):
                name = name_of(self.chain, part.skill, space.label(slot))
                self.ends[name][how] += 1
                if trap:
                    self.traps[f"{name}, {trap}"] += 1
        cut = counts & np.asarray(result.episodes.done) & (result.act.running > 0)
        for lane in np.flatnonzero(cut):
            skill = int(result.skill[lane])
            label = self.chain.skills[skill].space.label(int(result.act.running[lane]))
            self.ends[name_of(self.chain, skill, label)]["interrupted"] += 1

    def chain_report(self, task: str, split: str, seed: int) -> ChainReport:
        spent, starts, first = np.stack(self.tables, axis=1)
        sub_tasks = []
        for s, skill in enumerate(self.chain.skills):
            hit = first[:, s] > 0
            low, high = wilson(int(hit.sum()), len(hit))
            sub_tasks.append(
                SubTaskReport(
                    name=skill.goal.name, reached=int(hit.sum()), reached_rate=float(hit.mean()),
                    reached_low=low, reached_high=high, mean_ticks=float(spent[:, s].mean()),
                    mean_starts=float(starts[:, s].mean()),
                    mean_tick=float(first[hit, s].mean()) if hit.any() else None,
                )
            )  # fmt: skip
        return ChainReport(self.report(task, split, seed), tuple(sub_tasks))


class _Episodes:
    """Where the episodes of one chunk of lanes stand with their sub-tasks."""

    def __init__(self, chain: Chain, num: int):
        self._chain = chain
        # int[N, S]  ticks in a skill, starts of it, tick at which its goal was held, 0 = never
        self.tables = np.zeros((3, num, len(chain.skills)), np.int64)
        # What is no item is a find's goal, met when a target is near; nobody holds id 0.
        self._ids = np.array([NAME_ID.get(goal.item, 0) for goal in chain.goals], np.int32)
        self._wanted = np.array([goal.quantity for goal in chain.goals])
        self._table, self._furnace = (
            np.array([goal.item == name for goal in chain.goals])
            for name in ("crafting_table", "furnace")
        )

    def see(self, result: ChainTick, counted: np.ndarray) -> None:
        """One tick of the lanes `counted` bool[N]."""
        lanes, (spent, starts, first) = np.flatnonzero(counted), self.tables
        spent[lanes, result.skill[lanes]] += 1
        starts[lanes, result.skill[lanes]] += result.began[lanes]
        met = self._met(result.step.final_obs)
        met[:, -1] = np.asarray(result.step.info["success"])  # the world alone tells
        new = met & (first == 0) & counted[:, None]
        first[new] = spent.sum(axis=1)[np.nonzero(new)[0]]

    def renew(self, lanes: np.ndarray) -> None:
        """Other episodes begin in the lanes int[K]."""
        self.tables[:, lanes] = 0

    def _met(self, obs: Observation) -> np.ndarray:
        """bool[N, S]: which goals are met; a station near counts as one held."""
        held = chains.counts(obs, self._ids)
        near = ((obs.near_table, self._table), (obs.near_furnace, self._furnace))
        held = held + sum(np.outer(*pair) for pair in near)
        found = sighted(obs, self._chain).any(axis=1)
        return (held >= self._wanted) | np.outer(found, self._ids == 0)


def evaluate_chain(
    env: on_host.World,
    chain: Chain,
    config: RLConfig,
    seed: int,
    *,
    num_episodes: int,
    task: str,
    split: str,
    on_tick: OnTick | None = None,
) -> ChainReport:
    """Plays the long task for `num_episodes`, one per lane, lanes in chunks and in lockstep.

    Args:
      env: pure or host environment of the long task; it is reset.
      on_tick: called after every tick as `on_tick(env, labels, step)`; a label is "skill:
        macro or primitive".

    Raises:
      ValueError: if `num_episodes` is less than 1.
      TooManyLost: workers die so often that the episodes do not end.
    """
    world = on_host.as_host(env)
    parts = chunks(seed, num_episodes, world.num_envs)
    tally = ChainTally(chain, world.goal_names, num_episodes)
    for part_seed, share in parts:
        lanes = _ChainLanes(world, chain, config, part_seed)
        tally.world_of = worlds_of(world)
        tally.begin(part_seed, world.num_envs)
        play(lanes, share, tally, on_tick and _listener(env, on_tick))
    return tally.chain_report(task, split, seed)


def _listener(env: on_host.World, on_tick: OnTick) -> Listener:
    return lambda played, ended: on_tick(env, played.labels, played.result.step)


class _ChainLanes:
    """The skills act in all lanes of a host world, which tick together."""

    def __init__(self, world: HostEnvironment, chain: Chain, config: RLConfig, seed: int):
        self._world, self._chain = world, chain
        self._prepared = prepare(chain, config, world.goal_names)
        self._obs = world.reset(seed)
        lanes = start_lanes(self._prepared.whole.reward, self._obs, config.network)
        self._now, self._key, self._index = chains.start(chain, lanes), jax.random.key(seed), 0

    def tick(self, wanted: np.ndarray) -> Played:
        """As `episodes.Lanes.tick`."""
        obs, free = self._obs, ~np.asarray(self._now.lanes.busy)
        result = chains.tick(self._world, self._prepared, self._now, obs, self._key, self._index)
        self._now, self._obs, self._index = result.after, result.step.obs, self._index + 1
        pairs = zip(result.skill, result.labels, strict=True)
        labels = [name_of(self._chain, int(s), label) for s, label in pairs]
        return Played(np.ones(len(free), bool), obs, free, labels, result)


def name_of(chain: Chain, skill: int, label: str) -> str:
    """What a skill did, as it is counted."""
    return f"{chain.skills[skill].goal.name}: {label}"
