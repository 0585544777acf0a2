"""Seeded episodes with a fixed policy, and what came of them.

An episode that is lost with its worker is no episode: its lane plays another one in its place.
What was done in it counts among the actions, the macros that ended, their traps and what use and
attack were pressed on, and nowhere else. How many were lost is told, and limited (`lost.py`).
"""

import collections
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from rlgpt_jax.envs.base import AsyncEnvironment, Observation, Step
from rlgpt_jax.macros.vm.bytecode import TRAPPED, trap_message
from rlgpt_jax.rl.actions import MAX_MACROS, HybridSpace, primitive_label
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.evaluate.crosshair import Presses
from rlgpt_jax.rl.evaluate.dead_loops import LoopWatch, watch
from rlgpt_jax.rl.evaluate.failures import Failures, Sights, Trace
from rlgpt_jax.rl.evaluate.keyframes import Recorder
from rlgpt_jax.rl.evaluate.lost import Lost
from rlgpt_jax.rl.evaluate.report import MACRO_ENDS, EpisodeEnd, EvalReport, wilson
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.rollout import on_host
from rlgpt_jax.rl.rollout.lanes_async import AsyncLanes
from rlgpt_jax.rl.rollout.macro_step import init_macros
from rlgpt_jax.rl.rollout.one_tick import Episodes, lost_in
from rlgpt_jax.rl.rollout.rollout_host import Seconds, TickResult, host_problem, start_lanes, tick

OnTick = Callable[[Any, list[str], Step], None]


class Tally:
    """Counts what happens in the episodes of an evaluation."""

    def __init__(self, space: HybridSpace, goal_names: Sequence[str] = (), num_episodes: int = 0):
        self.space = space
        self.goal_names = tuple(goal_names)
        self.successes = 0
        self.dead_loops = 0
        self.returns: list[float] = []
        self.ticks: list[int] = []
        self.action_counts: collections.Counter[str] = collections.Counter()
        self.action_ticks: collections.Counter[str] = collections.Counter()
        self.traps: collections.Counter[str] = collections.Counter()
        self.presses = Presses()
        self.failures = Failures()
        self.sights = Sights()
        self.lost = Lost(num_episodes)
        self.ended: list[EpisodeEnd] = []
        # int[N]  number of each lane's episode, -1 after one that was lost; empty: not known.
        self.numbers = np.zeros(0, int)
        self._begun = (0, 0)  # seed of the last reset and number of the episode in its first lane
        self.world_of: np.ndarray | None = None  # int[N]  of the pool, of each lane's episode
        self.by_world: dict[int, list[int]] = {}  # [successes, episodes]
        valid = np.asarray(space.macros.valid)
        used = [s for s in range(1, MAX_MACROS + 1) if valid[s - 1] and self._is_used(s)]
        self.ends = {space.label(slot): dict.fromkeys(MACRO_ENDS, 0) for slot in used}
        self.ends_in_sight = {name: dict(ends) for name, ends in self.ends.items()}

    def begin(self, seed: int, num_lanes: int) -> None:
        """All lanes start an episode, after a reset with `seed`."""
        self._begun = (seed, len(self.ticks))
        self.numbers = len(self.ticks) + np.arange(num_lanes)

    def _is_used(self, slot: int) -> bool:
        return self.space.offered[slot - 1] or slot in self.space.script

    def add_actions(self, result: TickResult, labels: list[str], counts: np.ndarray) -> None:
        """`counts` are the lanes that were free to act in an episode that is counted."""
        for lane in np.flatnonzero(counts):
            self.action_ticks[labels[lane]] += 1
            if result.act.decided[lane]:
                self.action_counts[labels[lane]] += 1

    def add_macro_ends(
        self, result: TickResult, counts: np.ndarray, watches: list[LoopWatch]
    ) -> None:
        """How macros ended in this tick, which `watches` have seen; `counts` are lanes whose
        episode is counted."""
        tick, running = result.act.macro, result.act.running
        if tick is None:
            return
        ended, slot = np.asarray(tick.ended), np.asarray(tick.ended_slot)
        for lane in np.flatnonzero(counts & (ended > 0)):
            name = self.space.label(int(slot[lane]))
            self._add_end(name, MACRO_ENDS[ended[lane] - 1], watches[lane].trace)
            if ended[lane] == TRAPPED:
                self.traps[f"{name}, {trap_text(tick, int(lane))}"] += 1
        done = np.asarray(result.episodes.done)
        for lane in np.flatnonzero(counts & (running > 0)):
            trace = watches[lane].trace
            if trace.start_in_sight is None:
                trace.start_in_sight = trace.is_in_sight
            if done[lane]:
                self._add_end(self.space.label(int(running[lane])), "interrupted", trace)

    def _add_end(self, name: str, how: str, trace: Trace) -> None:
        """One macro ended; without a start before this tick it was started in it."""
        began = trace.is_in_sight if trace.start_in_sight is None else trace.start_in_sight
        self.ends[name][how] += 1
        self.ends_in_sight[name][how] += began
        trace.start_in_sight = None

    def add_losses(self, step: Step, counts: np.ndarray, watches: list[LoopWatch]) -> np.ndarray:
        """Forgets the episodes that the lanes `counts` bool[N] lost in this tick; their lanes.

        Raises:
          TooManyLost: as `Lost.add`.
        """
        lanes = self.lost.add(step, counts, len(self.ticks))
        for lane in lanes:
            watches[lane] = LoopWatch()
        if len(self.numbers):
            self.numbers[lanes] = -1
        return lanes

    def add_episode(self, episodes: Any, lane: int, watch: LoopWatch) -> None:
        success, is_dead = bool(episodes.success[lane]), watch.is_dead()
        self.successes += success
        self.returns.append(float(episodes.episode_return[lane]))
        self.ticks.append(int(episodes.ticks[lane]))
        self.dead_loops += not success and is_dead
        if self.world_of is not None:
            counts = self.by_world.setdefault(int(self.world_of[lane]), [0, 0])
            counts[0] += success
            counts[1] += 1
        if len(self.numbers) and self.numbers[lane] >= 0:
            self._add_end_of(lane, success, watch)
        if watch.trace.actions:
            self.sights.add(watch.trace, success)
            if not success:
                self.failures.add(watch.trace, is_dead)

    def _add_end_of(self, lane: int, success: bool, watch: LoopWatch) -> None:
        """The record of a lane's episode; the next one of the lane has another number."""
        (seed, first), number, trace = self._begun, int(self.numbers[lane]), watch.trace
        last = collections.Counter(trace.last).most_common(1)
        dead = "dead loop" if watch.is_dead() else "death or time"
        self.ended.append(EpisodeEnd(
            number=number, start=(seed, lane) if number == first + lane else None, success=success,
            ticks=self.ticks[-1], end="solved the task" if success else dead,
            doing=last[0][0] if last else "", first_sight=trace.first_sight,
            distance=round(trace.distance, 2) if trace.is_in_sight else None,
        ))  # fmt: skip
        self.numbers[lane] += len(self.numbers)

    def report(self, task: str, split: str, seed: int) -> EvalReport:
        num = len(self.ticks)
        low, high = wilson(self.successes, num)
        return EvalReport(
            task=task, split=split, num_episodes=num, successes=self.successes,
            success_rate=self.successes / num, success_low=low, success_high=high,
            mean_return=float(np.mean(self.returns)), mean_ticks=float(np.mean(self.ticks)),
            action_counts=_sorted(self.action_counts), action_ticks=_sorted(self.action_ticks),
            macro_ends=self.ends, trap_messages=_sorted(self.traps),
            dead_loop_rate=self.dead_loops / num, seed=seed, presses=self.presses.to_json(),
            failures=self.failures.to_json(), goal_names=self.goal_names, lost=self.lost.num,
            by_world={str(w): (k, n) for w, (k, n) in sorted(self.by_world.items())},
            sights=self.sights.to_json(), ends_in_sight=self.ends_in_sight,
            episodes=tuple(sorted(self.ended, key=lambda e: e.number)),
        )  # fmt: skip


def _sorted(counts: collections.Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def worlds_of(world: Any) -> np.ndarray | None:
    """int[N]  which world of the pool each lane is in; None of worlds that have no pool."""
    index = getattr(getattr(world, "state", None), "pool_index", None)
    return None if index is None else np.array(index)


def trap_text(tick: Any, lane: int) -> str:
    """Where and why a macro trapped, in words."""
    return trap_message(int(tick.trap_code[lane]), int(tick.trap_line[lane]))


def labels_of(space: HybridSpace, result: TickResult) -> list[str]:
    """What each lane does in this tick: a macro's name or a primitive's label."""
    primitives = np.asarray(result.decision.action.primitive)
    return [
        space.label(int(slot)) if slot > 0 else primitive_label(primitive)
        for slot, primitive in zip(result.act.slot, primitives, strict=True)
    ]


def _add_tick(
    tally: Tally,
    watches: list[LoopWatch],
    obs: Observation,
    result: TickResult,
    labels: list[str],
    counts: np.ndarray,
    free: np.ndarray,
) -> Episodes:
    """Counts one tick of the lanes `counts` bool[N], of which those `free` could act.

    Returns the episodes that ended. A lost one is forgotten.
    """
    tally.add_actions(result, labels, counts & free)
    watch(watches, tally.goal_names, obs, result.act.action, labels, counts & free)
    tally.add_macro_ends(result, counts, watches)
    tally.presses.add(obs, result.act.action, counts & free)
    tally.add_losses(result.step, counts, watches)
    episodes: Episodes = jax.device_get(result.episodes)
    for lane in np.flatnonzero(counts & episodes.done):
        tally.add_episode(episodes, int(lane), watches[lane])
    return episodes


def _one_chunk(
    world: Any,
    env: Any,
    space: HybridSpace,
    config: RLConfig,
    params: actor_critic.Params,
    seed: int,
    num_counted: int,
    tally: Tally,
    on_tick: OnTick | None,
    recorder: Recorder | None,
) -> None:
    """One episode in every lane; the first `num_counted` lanes are counted."""
    problem = host_problem(config, world.goal_names, space)
    obs = world.reset(seed)
    tally.world_of = worlds_of(world)
    tally.begin(seed, world.num_envs)
    lanes = start_lanes(problem.reward, obs, config.network)
    macros = init_macros(space, world.num_envs, on_device=False)
    key = jax.random.key(seed)
    open_lanes = np.arange(world.num_envs) < num_counted
    watches = [LoopWatch() for _ in range(world.num_envs)]
    unbroken = np.ones(world.num_envs, bool)  # no episode of the lane was lost
    index = 0
    if recorder is not None:
        recorder.start(seed)
    while open_lanes.any():
        busy = np.asarray(lanes.busy)
        result = tick(
            world, space, problem, config.network, params, lanes, macros, obs, key, index, Seconds()
        )
        labels = labels_of(space, result)
        episodes = _add_tick(tally, watches, obs, result, labels, open_lanes, ~busy)
        unbroken &= ~lost_in(result.step)
        if recorder is not None:
            recorder.tick(obs, labels, result.act, ~busy)
            for lane in np.flatnonzero(open_lanes & episodes.done & unbroken):
                recorder.end(
                    int(lane), bool(episodes.success[lane]), watches[lane].is_dead(),
                    result.step.final_obs,
                )  # fmt: skip
        if on_tick is not None:
            on_tick(env, labels, result.step)
        open_lanes &= ~episodes.done
        lanes, macros, obs = result.lanes, result.macros, result.step.obs
        index += 1
    if recorder is not None:
        recorder.finish()


def _at_own_pace(
    world: AsyncEnvironment,
    space: HybridSpace,
    config: RLConfig,
    params: actor_critic.Params,
    seed: int,
    num_episodes: int,
    tally: Tally,
) -> None:
    """Every lane plays its share of the episodes, one after the other, as fast as it can.

    The shares are fixed, so that short episodes are not counted more often than long ones.
    """
    num = world.num_envs
    obs = world.reset(seed)
    terms = host_problem(config, world.goal_names, space).reward
    walk = AsyncLanes(
        world, space, config, jax.random.key(seed), start_lanes(terms, obs, config.network),
        init_macros(space, num, on_device=False), obs,
    )  # fmt: skip
    tally.begin(seed, num)
    left = num_episodes // num + (np.arange(num) < num_episodes % num)
    watches = [LoopWatch() for _ in range(num)]
    episode, tick = np.zeros((2, num), int)
    while left.any():
        mine = walk.rests & (left > 0)
        if mine.any():
            walk.send(params, mine, episode, tick)
        answered, obs, lanes, result = walk.receive()
        labels = labels_of(space, result)
        free = ~np.asarray(lanes.busy)
        ended = _add_tick(tally, watches, obs, result, labels, answered, free).done
        left -= answered & ended
        over = answered & np.asarray(result.step.terminated | result.step.truncated)
        for lane in np.flatnonzero(over):
            watches[lane] = LoopWatch()
        episode, tick = episode + over, np.where(over, 0, tick + answered)


def evaluate(
    env: Any,
    space: HybridSpace,
    config: RLConfig,
    params: actor_critic.Params,
    seed: int,
    *,
    num_episodes: int,
    on_tick: OnTick | None = None,
    task: str | None = None,
    split: str = "eval",
    recorder: Recorder | None = None,
) -> EvalReport:
    """Runs the stochastic policy for `num_episodes`, one per lane, lanes in chunks.

    Every lane's first episode counts, whatever its length, so that short episodes are
    not counted more often than long ones. Worlds whose lanes step on their own do so, each with
    a fixed share of the episodes, unless somebody listens to the ticks (`on_tick`, `recorder`).

    Args:
      env: pure or host environment; it is reset, so do not give the one that trains
        unless it is pure.
      on_tick: called after every tick as `on_tick(env, labels, step)`.
      task: the report's task; by default the name of `env.task`, if it has one.
      split: which worlds `env` holds, for the report.
      recorder: keeps the episodes that are worth a picture.

    Raises:
      ValueError: if `num_episodes` is less than 1.
      TooManyLost: workers die so often that the episodes do not end.
    """
    if num_episodes < 1:
        raise ValueError(f"num_episodes is {num_episodes}; at least 1 is needed.")
    world = on_host.as_host(env)
    tally = Tally(space, world.goal_names, num_episodes)
    name = task or str(getattr(getattr(env, "task", None), "name", type(env).__name__))
    if on_host.is_async(world) and on_tick is None and recorder is None:
        _at_own_pace(world, space, config, params, seed, num_episodes, tally)
        return tally.report(name, split, seed)
    for chunk, begin in enumerate(range(0, num_episodes, world.num_envs)):
        counted = min(world.num_envs, num_episodes - begin)
        chunk_seed = int(np.random.SeedSequence([seed, chunk]).generate_state(1)[0] >> 1)
        _one_chunk(world, env, space, config, params, chunk_seed, counted, tally, on_tick, recorder)
    return tally.report(name, split, seed)
