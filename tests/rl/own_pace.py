"""Async worlds for tests: corridors that answer together, or each at its own pace."""

import heapq
from collections.abc import Collection, Sequence
from typing import Any

import jax
import numpy as np

from rlgpt_jax.envs.base import NOOP, Observation, Step
from tests.corridor import Corridor, HostCorridor


class Together:
    """A `HostCorridor` as an `AsyncEnvironment` whose lanes all answer at once."""

    def __init__(self, **fields):
        self.host = HostCorridor(**fields)
        self.num_envs, self.goal_names = self.host.num_envs, self.host.goal_names
        self.action = np.zeros((self.num_envs, 8), np.int32)
        self.sent = np.zeros(self.num_envs, bool)

    def reset(self, seed: int) -> Observation:
        self.sent[:] = False  # what is under way is dropped
        return self.host.reset(seed)

    def start(self, seed: int) -> None:
        raise NotImplementedError

    def step(self, action: np.ndarray) -> Step:
        return self.host.step(action)

    def send(self, lanes: np.ndarray, action: np.ndarray) -> None:
        assert not self.sent[lanes].any()
        self.sent[lanes], self.action[lanes] = True, action

    def receive(self) -> tuple[np.ndarray, Step]:
        assert self.sent.all(), "this world waits for all"
        self.sent[:] = False
        return np.arange(self.num_envs), self.host.step(self.action)

    def save(self):
        return self.host.save()

    def load(self, saved):
        return self.host.reset(int(saved.seed[0]))


class OwnPace:
    """A corridor whose lanes have ticks of their own length, in simulated time: a queue of the
    times at which answers come."""

    goal_names = ("cow",)

    def __init__(self, seconds: Sequence[float], lost: Collection[tuple[int, int]] = (), **fields):
        """Makes the worlds; `reset` begins.

        Args:
          seconds: of a tick, by lane.
          lost: (lane, tick since `reset`) whose episode is lost with its worker.
        """
        self.num_envs = len(seconds)
        self.world = Corridor(num_envs=self.num_envs, **fields)
        self._step = jax.jit(self.world.step)
        self.seconds, self.lost = list(seconds), set(lost)
        self.now = 0.0
        self.waiting: list[tuple[float, int, Step]] = []  # answers, one lane each
        self.sent: list[list[np.ndarray]] = [[] for _ in seconds]  # actions since `reset`
        self.total = 0  # ticks of all lanes, ever
        self.seed = 0

    def reset(self, seed: int) -> Observation:
        self.waiting.clear()  # what is under way is dropped
        self.seed, self.sent = seed, [[] for _ in self.seconds]
        self.state, self.obs = jax.device_get(self.world.reset((), jax.random.key(seed)))
        return self.obs

    def start(self, seed: int) -> None:
        raise NotImplementedError

    def step(self, action: np.ndarray) -> Step:
        self.send(np.arange(self.num_envs), action)
        rows = []
        while self.waiting:
            lanes, step = self.receive()
            rows += [(lane, _row(step, i)) for i, lane in enumerate(lanes)]
        return _joined([row for _, row in sorted(rows, key=lambda pair: pair[0])])

    def send(self, lanes: np.ndarray, action: np.ndarray) -> None:
        assert action.shape == (len(lanes), 8)
        assert not {lane for _, lane, _ in self.waiting} & set(lanes.tolist()), "sent twice"
        everyone = np.tile(np.array(NOOP, np.int32), (self.num_envs, 1))
        everyone[lanes] = action
        after, step = jax.device_get(self._step((), self.state, everyone))
        last = [_row(self.obs, lane) for lane in range(self.num_envs)]
        gone = [lane for lane in lanes.tolist() if (lane, len(self.sent[lane])) in self.lost]
        self._set(lanes, after, step.obs)
        for lane, one in zip(lanes.tolist(), action, strict=True):
            self.sent[lane].append(one.copy())
            self.total += 1
            row = _row(step, lane)
            lost = lane in gone
            if lost:
                row = self._lose(lane, last[lane])
            row = row._replace(info={**row.info, "lost": np.array([lost])})
            heapq.heappush(self.waiting, (self.now + self.seconds[lane], lane, row))

    def _set(self, lanes: np.ndarray, state: Any, obs: Observation) -> None:
        """Puts some lanes where they stand in `state` and `obs`."""
        mine = np.isin(np.arange(self.num_envs), lanes)

        def choose(new: np.ndarray, old: np.ndarray) -> np.ndarray:
            return np.where(mine.reshape(-1, *[1] * (new.ndim - 1)), new, old)

        self.state, self.obs = jax.tree.map(choose, (state, obs), (self.state, self.obs))

    def _lose(self, lane: int, last: Observation) -> Step:
        """The answer of a lane whose worker died, which begins another episode."""
        fresh, obs = jax.device_get(self.world.reset((), jax.random.key(len(self.sent[lane]))))
        self._set(np.array([lane]), fresh, obs)
        no = np.zeros(1, bool)
        info = {"success": no, "busy": no}
        return Step(_row(self.obs, lane), np.zeros(1, np.float32), no, ~no, last, info)

    def receive(self) -> tuple[np.ndarray, Step]:
        assert self.waiting, "nothing was sent"
        self.now = max(self.now, self.waiting[0][0])
        come = []
        while self.waiting and self.waiting[0][0] <= self.now:
            come.append(heapq.heappop(self.waiting)[1:])
        come.sort(key=lambda pair: pair[0])
        return np.array([lane for lane, _ in come]), _joined([step for _, step in come])

    def save(self):
        return {"seed": np.int64(self.seed)}

    def load(self, saved) -> Observation:
        return self.reset(int(saved["seed"]) + 1)


def _row(tree: Any, lane: int) -> Any:
    return jax.tree.map(lambda x: x[lane : lane + 1], tree)


def _joined(rows: list[Step]) -> Step:
    return jax.tree.map(lambda *xs: np.concatenate(xs), *rows)
