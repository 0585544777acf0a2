"""N workers of MineDojo as one world: `base.AsyncEnvironment`.

    world = HostMineDojo(get_task("harvest_milk"), 2, MineDojoConfig())
    world.start(seed=0)
    while ...:
        lanes, step = world.receive()       # whichever have answered
        world.send(lanes, choose(step.obs))

Each lane steps as fast as its game does; a lane whose game died begins anew beside the others.
`reset` and `step` are the same worlds in lockstep.
"""

import time
from typing import Any

import numpy as np

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.minedojo.batch import gather
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.lane import Lane, Settings
from rlgpt_jax.envs.minedojo.launcher import Launcher, Local
from rlgpt_jax.envs.minedojo.making import game_of, world_seed
from rlgpt_jax.envs.tasks.tasks import Task


class HostMineDojo:
    """N lanes of one task in MineDojo, one worker each."""

    def __init__(
        self,
        task: Task,
        num_envs: int,
        config: MineDojoConfig,
        launcher: Launcher | None = None,
        image_size: tuple[int, int] | None = None,
        split: str = "train",
    ):
        """Starts nothing: workers are launched by the first `start` or `reset`.

        Args:
          task: a row of the table, or one's own.
          num_envs: lanes, each with a worker and a game.
          config: of workers and time-outs.
          launcher: where workers run, which other worlds may share; None makes the one that
            `config` names, and ends it with this world.
          image_size: height and width of `Observation.rgb`; None sends no pictures.
          split: "train", "validation" or "eval"; their worlds are disjoint.

        Raises:
          ValueError: unknown split, no lanes, or no interpreter for the workers.
        """
        if num_envs < 1:
            raise ValueError(f"num_envs={num_envs}; needs at least one lane.")
        world_seed(0, split, 0, 0)
        self.num_envs = num_envs
        self.goal_names: tuple[str, ...] = task.sources
        self.image_size = image_size
        self._owns_launcher = launcher is None
        self._launcher = launcher or make_launcher(config)
        self._settings = Settings(task, config, game_of(task, config), image_size, split)
        self.lanes = [Lane(index, self._settings, self._launcher) for index in range(num_envs)]
        self._seed = 0

    # --- each lane as fast as it can ---
    def start(self, seed: int) -> None:
        """Begins an episode in every lane, each in a new world.

        The first observations come by `receive`, with reward 0. What was under way is dropped.
        """
        self._seed = int(seed)
        for lane in self.lanes:
            lane.begin(self._seed)

    def send(self, lanes: np.ndarray, action: np.ndarray) -> None:
        """Starts a tick in lanes int[K] with action int32[K, 8]. Never waits.

        Raises:
          RuntimeError: a lane has not answered its last one.
          ValueError: shapes that do not fit, a lane twice or that is not there, or an action
            outside of the action space. No lane has begun its tick then.
        """
        lanes, action = np.asarray(lanes), np.asarray(action, np.int32)
        if lanes.ndim != 1 or action.shape != (len(lanes), 8):
            raise ValueError(
                f"lanes int[K] and action int32[K, 8], got {lanes.shape} and {action.shape}."
            )
        indices = lanes.tolist()
        if len(set(indices)) < len(indices) or not set(indices) <= set(range(self.num_envs)):
            raise ValueError(
                f"lanes {indices}: each may be named once, and there are 0 to {self.num_envs - 1}."
            )
        for index, row in zip(indices, action):
            self.lanes[index].check(row)
        for index, row in zip(indices, action):
            self.lanes[index].send(row)

    def receive(self) -> tuple[np.ndarray, Step]:
        """Waits for at least one lane.

        Returns:
          The lanes int[K] that have answered, ascending, and their Step with leading axis K.
          `Step.info` holds "success", "busy" and "lost" bool[K].

        Raises:
          RuntimeError: no lane has a tick under way, or a worker failed too often in a row
            (`failures.WorkerFailed`).
        """
        if not any(lane.awaited for lane in self.lanes):
            raise RuntimeError("no lane has a tick under way: call start(seed) or send() first.")
        self._move(0.0)
        while not any(lane.answered for lane in self.lanes):
            self._move()
        done = [lane for lane in self.lanes if lane.answered]
        lanes = np.array([lane.index for lane in done], np.int64)
        return lanes, gather([lane.take() for lane in done])

    # --- in lockstep ---
    def reset(self, seed: int) -> Observation:
        """Starts N episodes. Returns their first observation, NumPy arrays."""
        self.start(seed)
        return self._all().obs

    def step(self, action: np.ndarray) -> Step:
        """One tick of every lane, with auto-reset. `action` is int32[N, 8]."""
        self.send(np.arange(self.num_envs), action)
        return self._all()

    def save(self) -> dict[str, Any]:
        """The seeds; a game itself cannot be saved."""
        drawn = [lane.drawn for lane in self.lanes]
        return {"seed": np.int64(self._seed), "drawn": np.array(drawn, np.int64)}

    def load(self, saved: dict[str, Any]) -> Observation:
        """Begins new episodes that go on in the row of seeds. Returns their observation.

        Raises:
          ValueError: it was saved with another number of lanes.
        """
        if len(saved["drawn"]) != self.num_envs:
            raise ValueError(
                f"saved with {len(saved['drawn'])} lanes, this world has {self.num_envs}. Build "
                "it with the same number of workers."
            )
        self._seed = int(saved["seed"])
        for lane, drawn in zip(self.lanes, saved["drawn"]):
            lane.begin(self._seed, int(drawn))
        return self._all().obs

    def close(self) -> None:
        """Ends all workers and their games."""
        self._launcher.end([lane.link for lane in self.lanes if lane.link is not None])
        if self._owns_launcher:
            self._launcher.close()

    def take_over(self, other: "HostMineDojo") -> None:
        """Goes on with the games of another world, which is of no use afterwards.

        Games that the client makes alike, on the same launcher, are kept; the next episodes have
        new worlds built in them. Others are ended.
        """
        mine, its = self._settings, other._settings
        is_same = (mine.game, mine.config) == (its.game, its.config)
        if not (is_same and self.num_envs == other.num_envs and self._launcher is other._launcher):
            other.close()
            return
        self.lanes, other.lanes = other.lanes, self.lanes
        for lane in self.lanes:
            lane.move(mine)

    # --- waiting ---
    def _all(self) -> Step:
        """The answers of all lanes, in order."""
        while not all(lane.answered for lane in self.lanes):
            self._move()
        return gather([lane.take() for lane in self.lanes])

    def _move(self, timeout: float = np.inf) -> None:
        """Waits for messages or the next deadline, and lets the lanes act on them."""
        first = min(lane.deadline for lane in self.lanes)  # of lanes that are awaited
        links = [lane.link for lane in self.lanes if lane.link is not None]
        left = max(0.0, min(timeout, first - time.monotonic()))
        ready = self._launcher.wait(links, left)
        for lane in self.lanes:
            if any(lane.link is link for link in ready):
                lane.ready()
        for lane in self.lanes:
            lane.expire()


def make_launcher(config: MineDojoConfig) -> Launcher:
    """The launcher that the configuration names."""
    if config.launcher == "ray":
        from rlgpt_jax.envs.minedojo.ray_launcher import RayLauncher  # needs the extra `scale`

        return RayLauncher(config)
    return Local(config)
