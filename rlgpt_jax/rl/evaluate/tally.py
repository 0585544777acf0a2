"""What is counted in the episodes of an evaluation, and the report of it.

An episode that is lost with its worker is no episode: its lane plays another one in its place.
What was done in it counts among the actions, the macros that ended, their traps and what use and
attack were pressed on, and nowhere else. How many were lost is told, and limited (`lost.py`).
"""

import collections
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from rlgpt_jax.macros.vm.bytecode import TRAPPED, trap_message
from rlgpt_jax.rl.actions import MAX_MACROS, HybridSpace
from rlgpt_jax.rl.evaluate import facts
from rlgpt_jax.rl.evaluate.crosshair import Presses
from rlgpt_jax.rl.evaluate.dead_loops import Watch, watch
from rlgpt_jax.rl.evaluate.episodes import Played
from rlgpt_jax.rl.evaluate.failures import failures_of, sights_of
from rlgpt_jax.rl.evaluate.lost import Lost
from rlgpt_jax.rl.evaluate.report import MACRO_ENDS, EpisodeEnd, EvalReport, top, wilson
from rlgpt_jax.rl.rollout.one_tick import Episodes


class Tally:
    """Counts what happens in the episodes of an evaluation."""

    def __init__(self, space: HybridSpace, goal_names: Sequence[str] = (), num_episodes: int = 0):
        self.space = space
        self.goal_names = tuple(goal_names)
        self.returns: list[float] = []
        self.ticks: list[int] = []
        self.action_counts: collections.Counter[str] = collections.Counter()
        self.action_ticks: collections.Counter[str] = collections.Counter()
        self.traps: collections.Counter[str] = collections.Counter()
        self.presses = Presses()
        # Of every episode that has ended.
        self.episodes: dict[str, list[Watch]] = {"succeeded": [], "failed": []}
        self.lost = Lost(num_episodes)
        self.ended: list[EpisodeEnd] = []
        self.watches: list[Watch] = []  # of each lane's episode
        # int[N]  number of each lane's episode, -1 after one that was lost; empty: not known.
        self.numbers = np.zeros(0, int)
        self._begun = (0, 0)  # seed of the last reset and number of the episode in its first lane
        self.world_of: np.ndarray | None = None  # int[N]  of the pool, of each lane's episode
        self.by_world: dict[int, list[int]] = {}  # [successes, episodes]
        valid = np.asarray(space.macros.valid)
        acts = lambda s: valid[s - 1] and (space.offered[s - 1] or s in space.script)  # noqa: E731
        used = filter(acts, range(1, MAX_MACROS + 1))
        self.ends = {space.label(slot): dict.fromkeys(MACRO_ENDS, 0) for slot in used}
        self.ends_in_sight = {name: dict(ends) for name, ends in self.ends.items()}

    def begin(self, seed: int, num_lanes: int) -> None:
        """All lanes start an episode, after a reset with `seed`."""
        self._begun = (seed, len(self.ticks))
        self.numbers = len(self.ticks) + np.arange(num_lanes)
        self.watches = [Watch() for _ in range(num_lanes)]

    def renew(self, lanes: np.ndarray) -> None:
        """New episodes begin in the lanes int[K]."""
        for lane in lanes:
            self.watches[lane] = Watch()

    def add_tick(self, played: Played, counts: np.ndarray) -> np.ndarray:
        """Counts one tick of the lanes `counts` bool[N].

        Returns:
          bool[N], those of them whose episode ended. A lost one is forgotten.

        Raises:
          TooManyLost: as `Lost.add`.
        """
        free, result = counts & played.free, played.result
        for lane in np.flatnonzero(free):
            self.action_ticks[played.labels[lane]] += 1
            if result.act.decided[lane]:
                self.action_counts[played.labels[lane]] += 1
        if self.space.spec is not None:
            facts.watch(self.watches, self.space.spec, played, free, counts)
        else:
            watch(self.watches, self.goal_names, played.obs, result.act.action, played.labels, free)
            self.presses.add(played.obs, result.act.action, free)
        self.add_macro_ends(result, counts)
        lost = self.lost.add(result.step, counts, len(self.ticks))
        if len(self.numbers):
            self.numbers[lost] = -1
        episodes = jax.device_get(result.episodes)
        ended: np.ndarray = counts & episodes.done
        for lane in np.flatnonzero(ended):
            self.add_episode(episodes, int(lane), self.watches[lane])
        return ended

    def add_macro_ends(self, result: Any, counts: np.ndarray) -> None:
        """How macros ended in this tick, which `watches` have seen; `counts` bool[N] are lanes
        whose episode is counted."""
        tick, running = result.act.macro, result.act.running
        if tick is None:
            return
        for lane, slot, how, trap in ends_of(tick, counts):
            name = self.space.label(slot)
            self._add_end(name, how, self.watches[lane])
            if trap:
                self.traps[f"{name}, {trap}"] += 1
        done = np.asarray(result.episodes.done)
        for lane in map(int, np.flatnonzero(counts & (running > 0))):
            seen = self.watches[lane]
            if seen.start_in_sight is None:
                seen.start_in_sight = seen.is_in_sight
            if done[lane]:
                self._add_end(self.space.label(int(running[lane])), "interrupted", seen)

    def _add_end(self, name: str, how: str, seen: Watch) -> None:
        """One macro ended; without a start before this tick it was started in it."""
        began = seen.is_in_sight if seen.start_in_sight is None else seen.start_in_sight
        self.ends[name][how] += 1
        self.ends_in_sight[name][how] += began
        seen.start_in_sight = None

    def add_episode(self, episodes: Episodes, lane: int, watch: Watch) -> None:
        success = bool(episodes.success[lane])
        self.episodes["succeeded" if success else "failed"].append(watch)
        self.returns.append(float(episodes.episode_return[lane]))
        self.ticks.append(int(episodes.ticks[lane]))
        if self.world_of is not None:
            counts = self.by_world.setdefault(int(self.world_of[lane]), [0, 0])
            counts[0] += success
            counts[1] += 1
        if len(self.numbers) and self.numbers[lane] >= 0:
            self._add_end_of(lane, success, watch)

    def _add_end_of(self, lane: int, success: bool, watch: Watch) -> None:
        """The record of a lane's episode; the next one of the lane has another number."""
        (seed, first), number = self._begun, int(self.numbers[lane])
        last = collections.Counter(watch.last).most_common(1)
        spec = self.space.spec
        dead = "dead loop" if watch.is_dead() else "death or time" if spec is None else "not solved"
        self.ended.append(EpisodeEnd(
            number=number, start=(seed, lane) if number == first + lane else None, success=success,
            ticks=self.ticks[-1], end="solved the task" if success else dead,
            doing=last[0][0] if last else "", first_sight=watch.first_sight,
            distance=round(watch.distance, 2) if watch.is_in_sight else None,
            facts=facts.told(spec, watch.values) if spec is not None else {},
        ))  # fmt: skip
        self.numbers[lane] += len(self.numbers)

    def report(self, task: str, split: str, seed: int) -> EvalReport:
        num, spec, failed = len(self.ticks), self.space.spec, self.episodes["failed"]
        successes = len(self.episodes["succeeded"])
        low, high = wilson(successes, num)
        return EvalReport(
            task=task, split=split, num_episodes=num, successes=successes,
            success_rate=successes / num, success_low=low, success_high=high,
            mean_return=float(np.mean(self.returns)), mean_ticks=float(np.mean(self.ticks)),
            action_counts=dict(top(self.action_counts)), action_ticks=dict(top(self.action_ticks)),
            macro_ends=self.ends, trap_messages=dict(top(self.traps)),
            dead_loop_rate=sum(e.is_dead() for e in failed) / num, seed=seed,
            presses=self.presses.to_json(),
            failures=failures_of(failed), goal_names=self.goal_names, lost=self.lost.num,
            by_world={str(w): (k, n) for w, (k, n) in sorted(self.by_world.items())},
            sights={} if spec else sights_of(self.episodes), ends_in_sight=self.ends_in_sight,
            episodes=tuple(sorted(self.ended, key=lambda e: e.number)),
            facts=facts.facts_of(spec, self.episodes) if spec else {},
        )  # fmt: skip


def ends_of(tick: Any, lanes: np.ndarray) -> Iterator[tuple[int, int, str, str]]:
    """The macros that ended in a `MacroTick` in the `lanes` bool[N], in the order in which they
    did: lane, slot, one of `MACRO_ENDS`, and where and why it trapped, "" if it did not."""
    for lane in map(int, np.flatnonzero(lanes & (tick.ended > 0))):
        last = [x[lane] for x in (tick.ended, tick.ended_slot, tick.trap_code, tick.trap_line)]
        for end, slot, code, line in (tick.earlier[lane], last):
            if end > 0:
                trap = trap_message(int(code), int(line)) if end == TRAPPED else ""
                yield lane, int(slot), MACRO_ENDS[end - 1], trap
