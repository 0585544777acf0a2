"""The driver of host worlds whose lanes step on their own.

A column of its `Batch` is a *segment*: `unroll_length` ticks of one lane, one after the other.
A rollout ends when as many segments are complete as there are lanes. A fast lane may give two,
a slow or dead one none; what is not complete goes on in the next rollout, so that no world is
waited for. Where all lanes answer together this is what `rollout_host` records, bit for bit.
"""

import time
from typing import Any, NamedTuple

import jax
import numpy as np

from rlgpt_jax.envs.base import AsyncEnvironment, Observation
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.networks.frame_stack import FrameStack
from rlgpt_jax.rl.policy import PolicyArrays
from rlgpt_jax.rl.rollout.lanes_async import Answer, AsyncLanes
from rlgpt_jax.rl.rollout.one_tick import Batch, Lanes, OpenDecisions, RolloutState
from rlgpt_jax.rl.rollout.open_decisions import open_after
from rlgpt_jax.rl.rollout.rollout_host import Cut, Seconds, cut_of, cut_values
from rlgpt_jax.rl.worlds.minecraft import Seen


class Segment(NamedTuple):
    """`unroll_length` ticks of one lane, T, complete."""

    # [T, ...]  the fields of a batch with an axis of ticks, and "update" int[T]: how many updates
    # had made the networks that acted.
    rows: dict[str, Any]
    cuts: list[Cut]  # of one lane each
    frames: FrameStack | None  # before the first tick
    carried: OpenDecisions  # without an axis of lanes, as what follows
    lanes: Lanes  # after the last tick
    obs: Observation


class AsyncRollout:
    """Records segments in all lanes, and deals them out as batches."""

    def __init__(
        self, env: AsyncEnvironment, space: HybridSpace, config: RLConfig, key: jax.Array,
        number: int, state: RolloutState,
    ):  # fmt: skip
        """Args: as of `AsyncLanes`, and the number of the first rollout, as in `keys_of`.

        All lanes begin with that number. Where training goes on in another call or after a kill,
        lanes that had been further have the sampling keys of some numbers a second time, for
        other observations.
        """
        num, lanes = env.num_envs, state.lanes
        self._open = [_of_lane(lanes.open, lane) for lane in range(num)]
        state = state._replace(lanes=lanes._replace(open=None))
        self.walk = AsyncLanes(env, space, config, key, state)
        self._config = config
        self._number = np.full(num, number)
        self._tick = np.zeros(num, int)
        self._rows: dict[str, Any] = {}  # [N, T, ...] of the segments that are not complete
        self._cuts: list[list[Cut]] = [[] for _ in range(num)]
        self._frames = [_of_lane(lanes.frames, lane) for lane in range(num)]
        self._complete: list[Segment] = []
        self._seconds = 0.0  # spent in `step` and `batch` since the last batch

    @property
    def is_whole(self) -> bool:
        """Whether there are segments for a batch."""
        return len(self._complete) >= len(self._tick)

    def step(self, params: actor_critic.Params, update: int = 0) -> None:
        """Sends every lane that rests and takes the answers of those that have one.

        Args:
          update: how many updates have made `params`.
        """
        began = time.perf_counter()
        walk = self.walk
        if walk.rests.any():
            mine = walk.rests
            decision, act = walk.send(params, mine, self._number, self._tick)
            learns = act.decided & ~np.asarray(decision.scripted)
            self._record(
                mine, features=decision.features, action=decision.action,
                log_prob=decision.log_prob, decision=learns, value=decision.value,
                update=np.full(len(mine), update),
            )  # fmt: skip
        self._take(walk.receive())
        self._seconds += time.perf_counter() - began

    def roll(self, params: actor_critic.Params, update: int) -> tuple[Batch, dict[str, float]]:
        """`step` until `is_whole`, and the `batch`."""
        while not self.is_whole:
            self.step(params, update)
        return self.batch(params, update)

    def stand(self) -> RolloutState:
        """Where the lanes stand.

        Decisions of lanes that are within a segment, which is dropped, are not carried.
        """
        walk, carried = self.walk, _stack(self._open, axis=0)
        carried = carried._replace(is_open=carried.is_open & (self._tick == 0))
        lanes = walk.lanes._replace(open=carried)
        return RolloutState(lanes, jax.tree.map(np.copy, walk.macros), walk.obs)

    def rest(self) -> RolloutState:
        """Waits until every lane has answered; what they record is dropped. Where they stand."""
        self._tick += ~self.walk.rests
        while not self.walk.rests.all():
            self.walk.receive()
        return self.stand()

    def batch(self, params: actor_critic.Params, update: int = 0) -> tuple[Batch, dict[str, float]]:
        """The oldest N segments that are complete; `is_whole` must be true.

        Args:
          params, update: as of `step`, of the networks that will learn from it.

        Returns:
          The batch and its metrics: wall seconds by part since the last one, of which those of
          the world are spent waiting; and how many updates older than `params` the networks were
          that acted, on average over the ticks and at most.
        """
        began = time.perf_counter()
        num, actor = len(self._tick), PolicyArrays(self._config.network, params, self.walk.problem)
        taken, self._complete = self._complete[:num], self._complete[num:]
        with self.walk.seconds.measure("policy"):
            columns = _stack([s.rows for s in taken], axis=1)
            age = update - columns.pop("update")
            memory, carried, lanes, obs = (
                _stack([getattr(s, name) for s in taken], axis=0)
                for name in ("frames", "carried", "lanes", "obs")
            )
            everyone = Cut(0, np.arange(num), Seen(obs, lanes.previous, lanes.start), memory)
            cuts = [
                cut._replace(lanes=np.array([column]))
                for column, segment in enumerate(taken)
                for cut in segment.cuts
            ]
            cuts.sort(key=lambda cut: (cut.tick, cut.lanes[0]))
            final = cut_values(actor, cuts, columns["reward"].shape, everyone)
        batch = Batch(final_value=final, carried=carried, frames=memory, **columns)
        self._seconds += time.perf_counter() - began
        ages = dict(policy_age=float(age.mean()), policy_age_max=float(age.max()))
        return batch, {**ages, **self._spent()}

    def _spent(self) -> dict[str, float]:
        """Wall seconds since the last call."""
        spent, total = self.walk.seconds, self._seconds
        self.walk.seconds, self._seconds = Seconds(), 0.0
        return spent.metrics() | {"time_rollout": total}

    def _take(self, answer: Answer) -> None:
        """Records the ends of ticks; segments that are complete are put aside."""
        result = answer.result
        step = result.step
        cut = np.asarray(step.truncated & ~step.terminated) & answer.mask
        for lane in map(int, np.flatnonzero(cut)):
            tick, at = int(self._tick[lane]), np.array([lane])
            self._cuts[lane].append(cut_of(tick, answer.lanes, result, at))
        self._record(
            answer.mask, reward=result.reward, terminated=step.terminated,
            truncated=step.truncated, episodes=result.episodes,
        )  # fmt: skip
        self._tick += answer.mask
        ended = np.flatnonzero(self._tick == self._config.ppo.unroll_length)
        if len(ended):
            stand = jax.tree.map(np.asarray, (self.walk.lanes, self.walk.obs))
        for lane in map(int, ended):
            lanes, obs = _of_lane(stand, lane)
            rows = _of_lane(self._rows, lane)
            segment = Segment(
                rows, self._cuts[lane], self._frames[lane], self._open[lane], lanes, obs
            )
            self._complete.append(segment)
            self._cuts[lane], self._frames[lane] = [], lanes.frames
            self._open[lane] = _open_after(segment, self.walk.problem.gamma)
            self._number[lane] += 1
            self._tick[lane] = 0

    def _record(self, mine: np.ndarray, **fields: Any) -> None:
        """Writes the rows of the lanes `mine` bool[N] at their ticks."""
        size = len(mine), self._config.ppo.unroll_length
        lanes = np.flatnonzero(mine)
        for name, tree in fields.items():
            tree = jax.tree.map(np.asarray, tree)
            if name not in self._rows:
                empty = lambda x: np.zeros((*size, *x.shape[1:]), x.dtype)  # noqa: E731
                self._rows[name] = jax.tree.map(empty, tree)

            def write(rows: np.ndarray, x: np.ndarray) -> None:
                rows[lanes, self._tick[lanes]] = x[lanes]

            jax.tree.map(write, self._rows[name], tree)


def _of_lane(tree: Any, lane: int) -> Any:
    """A copy of one lane of [N, ...]."""
    return jax.tree.map(lambda x: np.array(np.asarray(x)[lane]), tree)


def _open_after(segment: Segment, gamma: float) -> OpenDecisions:
    """The decision of a lane that is open after a segment of it."""
    rows = {name: x for name, x in segment.rows.items() if name != "update"}
    columns = jax.tree.map(lambda x: x[:, None], rows)
    before = jax.tree.map(lambda x: x[None], (segment.carried, segment.frames))
    batch = Batch(final_value=None, carried=before[0], frames=before[1], **columns)
    return _of_lane(open_after(batch, gamma), 0)


def _stack(trees: list[Any], axis: int) -> Any:
    return jax.tree.map(lambda *xs: np.stack(xs, axis=axis), *trees)
