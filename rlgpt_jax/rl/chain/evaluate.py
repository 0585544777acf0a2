"""Seeded episodes of a long task with the skills of its sub-tasks, and what came of them."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.macros.vm.bytecode import TRAPPED
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.chain import chain as chains
from rlgpt_jax.rl.chain.chain import Chain, ChainTick
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.evaluate.dead_loops import LoopWatch, watch
from rlgpt_jax.rl.evaluate.evaluate import OnTick, Tally, trap_text, worlds_of
from rlgpt_jax.rl.evaluate.report import MACRO_ENDS, EvalReport, wilson
from rlgpt_jax.rl.rollout import on_host
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


class ChainTally:
    """Counts what happens in the first episode of every lane.

    Actions and macros are counted under "skill: name".
    """

    def __init__(self, chain: Chain, goal_names: Sequence[str], num_episodes: int):
        self.chain = chain
        self.whole = Tally(empty_space(), goal_names, num_episodes)
        self.spent: list[np.ndarray] = []  # int[S] ticks, one entry per episode
        self.starts: list[np.ndarray] = []
        self.first: list[np.ndarray] = []  # int[S] tick at which the goal was held, 0 = never
        self.whole.ends = {}
        for skill in chain.skills:
            own = Tally(skill.space).ends
            self.whole.ends |= {f"{skill.goal.name}: {name}": ends for name, ends in own.items()}

    def name(self, skill: int, label: str) -> str:
        return f"{self.chain.skills[skill].goal.name}: {label}"

    def add_actions(self, result: ChainTick, counts: np.ndarray) -> None:
        """`counts` are the lanes that were free to act in an episode that is counted."""
        for lane in np.flatnonzero(counts):
            label = self.name(int(result.skill[lane]), result.labels[lane])
            self.whole.action_ticks[label] += 1
            if result.decided[lane]:
                self.whole.action_counts[label] += 1

    def add_macro_ends(self, result: ChainTick, counts: np.ndarray) -> None:
        """How macros ended in this tick; `counts` are lanes whose episode is counted."""
        for part in result.ran:
            tick, space = part.act.macro, self.chain.skills[part.skill].space
            if tick is None:
                continue
            ended, slot = np.asarray(tick.ended), np.asarray(tick.ended_slot)
            for lane in np.flatnonzero(counts & part.mine & (ended > 0)):
                name = self.name(part.skill, space.label(int(slot[lane])))
                self.whole.ends[name][MACRO_ENDS[ended[lane] - 1]] += 1
                if ended[lane] == TRAPPED:
                    self.whole.traps[f"{name}, {trap_text(tick, int(lane))}"] += 1
        cut = counts & np.asarray(result.episodes.done) & (result.running > 0)
        for lane in np.flatnonzero(cut):
            skill = int(result.skill[lane])
            label = self.chain.skills[skill].space.label(int(result.running[lane]))
            self.whole.ends[self.name(skill, label)]["interrupted"] += 1

    def report(self, task: str, split: str, seed: int) -> ChainReport:
        spent, starts, first = map(np.array, (self.spent, self.starts, self.first))
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
        return ChainReport(self.whole.report(task, split, seed), tuple(sub_tasks))


class _Episodes:
    """Where the episodes of one chunk of lanes stand with their sub-tasks."""

    def __init__(self, chain: Chain, num: int):
        size = (num, len(chain.skills))
        self.spent, self.starts, self.first = np.zeros((3, *size), np.int64)
        self._ids = np.array([NAME_ID[goal.item] for goal in chain.goals], np.int32)
        self._wanted = np.array([goal.quantity for goal in chain.goals])
        self._table, self._furnace = (
            np.array([goal.item == name for goal in chain.goals])
            for name in ("crafting_table", "furnace")
        )

    def see(self, result: ChainTick, counted: np.ndarray) -> None:
        """One tick of the lanes `counted` bool[N]."""
        lanes = np.flatnonzero(counted)
        self.spent[lanes, result.skill[lanes]] += 1
        self.starts[lanes, result.skill[lanes]] += result.began[lanes]
        met = self._met(result.step.final_obs)
        met[:, -1] = np.asarray(result.step.info["success"])  # the world alone tells
        new = met & (self.first == 0) & counted[:, None]
        self.first[new] = self.spent.sum(axis=1)[np.nonzero(new)[0]]

    def forget(self, lane: int) -> None:
        """The episode of a lane was lost, and another one is played in its place."""
        for table in (self.spent, self.starts, self.first):
            table[lane] = 0

    def _met(self, obs: Observation) -> np.ndarray:
        """bool[N, S]: which goals are held; a station near counts as one."""
        held = chains.counts(obs, self._ids)
        held = (
            held + np.outer(obs.near_table, self._table) + np.outer(obs.near_furnace, self._furnace)
        )
        return held >= self._wanted


def evaluate_chain(
    env: Any,
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
    if num_episodes < 1:
        raise ValueError(f"num_episodes is {num_episodes}; at least 1 is needed.")
    world = on_host.as_host(env)
    tally = ChainTally(chain, world.goal_names, num_episodes)
    for chunk, begin in enumerate(range(0, num_episodes, world.num_envs)):
        counted = min(world.num_envs, num_episodes - begin)
        chunk_seed = int(np.random.SeedSequence([seed, chunk]).generate_state(1)[0] >> 1)
        _one_chunk(world, env, chain, config, chunk_seed, counted, tally, on_tick)
    return tally.report(task, split, seed)


def _one_chunk(
    world: Any,
    env: Any,
    chain: Chain,
    config: RLConfig,
    seed: int,
    num_counted: int,
    tally: ChainTally,
    on_tick: OnTick | None,
) -> None:
    """One episode in every lane; the first `num_counted` lanes are counted."""
    prepared = chains.prepare(chain, config, world.goal_names)
    obs = world.reset(seed)
    tally.whole.world_of = worlds_of(world)
    now = chains.start(chain, start_lanes(prepared.whole.reward, obs, config.network))
    key = jax.random.key(seed)
    open_lanes = np.arange(world.num_envs) < num_counted
    watches = [LoopWatch() for _ in range(world.num_envs)]
    stand = _Episodes(chain, world.num_envs)
    index = 0
    while open_lanes.any():
        busy = np.asarray(now.lanes.busy)
        result = chains.tick(world, chain, prepared, config, now, obs, key, index)
        tally.add_actions(result, open_lanes & ~busy)
        tally.add_macro_ends(result, open_lanes)
        stand.see(result, open_lanes)
        labels = [tally.name(int(s), la) for s, la in zip(result.skill, result.labels)]
        free = open_lanes & ~busy
        watch(watches, tally.whole.goal_names, obs, result.action, labels, free)
        tally.whole.presses.add(obs, result.action, free)
        if on_tick is not None:
            on_tick(env, labels, result.step)
        for lane in tally.whole.add_losses(result.step, open_lanes, watches):
            stand.forget(int(lane))
        episodes = jax.device_get(result.episodes)
        for lane in np.flatnonzero(open_lanes & episodes.done):
            tally.whole.add_episode(episodes, int(lane), watches[lane])
            tally.spent.append(stand.spent[lane])
            tally.starts.append(stand.starts[lane])
            tally.first.append(stand.first[lane])
        open_lanes &= ~episodes.done
        now, obs = result.after, result.step.obs
        index += 1
