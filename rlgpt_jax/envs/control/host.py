"""N lanes of a simulator in worker processes, as one `base.HostEnvironment`."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from rlgpt_jax.envs.base import Step
from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.control.worker import Stepped
from rlgpt_jax.envs.control.workers import WorkerProcess
from rlgpt_jax.envs.minedojo.failures import WorkerFailed
from rlgpt_jax.envs.minedojo.making import world_seed
from rlgpt_jax.envs.spec import Sensed

FILM_SIZE = (240, 320)


class SpecLanes:
    """What worlds of N lanes with a spec share."""

    goal_names: tuple[str, ...] = ()

    def __init__(
        self, task: ControlTask, num_envs: int, image_size: tuple[int, int] | None, split: str
    ):
        """See `making.make`."""
        self.spec, self.num_envs, self.image_size = task.spec, num_envs, image_size
        self._split, self._seed = split, 0
        self._drawn = np.zeros(num_envs, np.int64)  # episodes begun since the seed was given
        arguments = [action.arguments for action in task.spec.actions]
        self._low, self._high = np.zeros((2, len(arguments), task.spec.columns - 1), np.float32)
        for row, some in enumerate(arguments):
            self._low[row, : len(some)] = [a.low for a in some]
            self._high[row, : len(some)] = [a.high for a in some]

    def render(self, lanes: Any, size: tuple[int, int] = FILM_SIZE) -> np.ndarray:
        """Pictures of some lanes now, uint8[K, height, width, 3]."""
        raise NotImplementedError

    def _sensed(self, fields: np.ndarray) -> Sensed:
        """float32[N, F] with the pictures that were asked for."""
        size = self.image_size
        rgb = None if size is None else self.render(range(self.num_envs), size)
        return Sensed(np.asarray(fields, np.float32), rgb)

    def _check_saved(self, drawn: np.ndarray) -> None:
        """Raises ValueError: int[N] was saved with another number of lanes."""
        if len(drawn) != self.num_envs:
            raise ValueError(
                f"saved with {len(drawn)} lanes, this world has {self.num_envs}. Build it with "
                "the same number."
            )

    def _bounded(self, action: np.ndarray) -> np.ndarray:
        """Brings actions within their bounds: float32[N, columns]; a NaN counts as 0.

        Raises:
          ValueError: another shape, or an action that there is not.
        """
        action, shape = np.array(action, np.float32), [self.num_envs, self.spec.columns]
        if list(action.shape) != shape:
            raise ValueError(f"action must be float32{shape}, got {action.shape}.")
        index = action[:, 0].astype(int)
        if (index != action[:, 0]).any() or index.min() < 0 or index.max() >= len(self._low):
            raise ValueError(f"actions {action[:, 0].tolist()}: there are {len(self._low)}.")
        action[np.isnan(action)] = 0.0
        action[:, 1:] = np.clip(action[:, 1:], self._low[index], self._high[index])
        return action


class HostControl(SpecLanes):
    """The lanes of one task; workers start at once and begin episodes at `reset` or `load`."""

    def __init__(
        self,
        task: ControlTask,
        num_envs: int,
        workers: int,
        image_size: tuple[int, int] | None,
        split: str,
    ):
        """See `making.make`."""
        super().__init__(task, num_envs, image_size, split)
        self._next = [0] * num_envs  # seeds of the episodes after those
        self._gone = np.zeros(num_envs, bool)  # lost while no step was under way, to be told
        self._last: Sensed | None = None
        shares = np.array_split(np.arange(num_envs), min(workers, num_envs))
        self._workers = [WorkerProcess(task, s.tolist(), self._draw_seeds) for s in shares]

    def reset(self, seed: int) -> Sensed:
        """Starts N episodes."""
        self._seed, self._drawn[:], self._gone[:] = int(seed), 0, False
        self._count(range(self.num_envs), 0)
        for worker in self._workers:
            worker.fresh = None
            worker.ask("reset", self._draw_seeds(worker.lanes))
        answers = [worker.answer() for worker in self._workers]
        fields = [w.taken() if a is None else a for w, a in zip(self._workers, answers)]
        return self._begun(np.concatenate(fields))

    def step(self, action: np.ndarray) -> Step:
        """One step of every lane, with auto-reset. `action` is float32[N, columns].

        `reward` is 1 in the step of success. A worker that died has lost its episodes.

        Raises:
          RuntimeError: before the first `reset` or `load`; `WorkerFailed` where a worker failed
            too often in a row.
          ValueError: an action that is none.
        """
        before = self._known
        action = self._bounded(action)
        for worker in self._workers:
            seeds = [self._next[lane] for lane in worker.lanes]  # where an episode may begin
            worker.ask("step", action[worker.lanes], seeds, self.image_size)
        parts = [worker.answer() for worker in self._workers]
        lost, self._gone = self._gone, np.zeros(self.num_envs, bool)
        for i, worker in enumerate(self._workers):
            if parts[i] is None:
                lost[worker.lanes] = True
                parts[i] = self._lost(worker, before)
            else:
                done = np.flatnonzero(parts[i].terminated | parts[i].truncated)
                self._count([worker.lanes[k] for k in done])
        fields, final, success, terminated, truncated, rgb, final_rgb = (
            None if part[0] is None else np.concatenate(part) for part in zip(*parts)
        )
        self._last, last = Sensed(fields, rgb), Sensed(final, final_rgb)
        success, terminated, truncated = success & ~lost, terminated & ~lost, truncated | lost
        info = {"success": success, "busy": np.zeros(self.num_envs, bool), "lost": lost}
        reward = success.astype(np.float32)
        return Step(self._last, reward, terminated, truncated, last, info)  # type: ignore[arg-type]

    def save(self) -> dict[str, Any]:
        """All that changes, the simulators' state too, as a tree of NumPy arrays."""
        last = np.array(self._known.fields)
        lanes: list[Any] = []
        for worker in self._workers:
            worker.ask("save")
            saved = worker.answer()
            while saved is None:  # its new episodes then
                last[worker.lanes] = worker.taken()
                self._gone[worker.lanes] = True
                worker.ask("save")
                saved = worker.answer()
            lanes += saved
        return {"seed": np.int64(self._seed), "drawn": self._drawn.copy(), "fields": last,
                "gone": self._gone.copy(), "lanes": lanes}  # fmt: skip

    def load(self, saved: dict[str, Any]) -> Sensed:
        """Restores what `save` returned, so that the same actions give the same bits.

        Raises:
          ValueError: it was saved with another number of lanes.
        """
        self._check_saved(saved["drawn"])
        self._seed, self._drawn = int(saved["seed"]), np.array(saved["drawn"], np.int64)
        self._gone = np.array(saved["gone"], bool)
        self._count(range(self.num_envs), 0)
        for worker in self._workers:
            worker.fresh = None
            worker.ask("load", [saved["lanes"][lane] for lane in worker.lanes])
        for worker in self._workers:
            worker.answer()
        return self._begun(np.array(saved["fields"], np.float32))

    def render(self, lanes: Any, size: tuple[int, int] = FILM_SIZE) -> np.ndarray:
        """Pictures of some lanes now, uint8[K, height, width, 3].

        Raises:
          CannotDraw: there is no OpenGL; a ValueError with the package's name.
        """
        wanted = [int(lane) for lane in lanes]
        pictures = np.zeros((len(wanted), *size, 3), np.uint8)
        for worker in self._workers:
            at = [i for i, lane in enumerate(wanted) if lane in worker.lanes]
            if at:
                worker.ask("render", [worker.lanes.index(wanted[i]) for i in at], size)
                drawn = worker.answer()
                if drawn is not None:
                    pictures[at] = drawn
        return pictures

    def close(self) -> None:
        """Ends the workers."""
        for worker in self._workers:
            worker.close()

    @property
    def _known(self) -> Sensed:
        if self._last is None:
            raise RuntimeError("no episode has been started: call reset(seed) or load(saved).")
        return self._last

    def _count(self, lanes: Iterable[int], episodes: int = 1) -> None:
        """Episodes have begun in some lanes."""
        for lane in lanes:
            self._drawn[lane] += episodes
            number = int(self._drawn[lane])
            self._next[lane] = world_seed(self._seed, self._split, lane, number) % 2**31

    def _draw_seeds(self, lanes: list[int]) -> list[int]:
        seeds = [self._next[lane] for lane in lanes]
        self._count(lanes)
        return seeds

    def _begun(self, fields: np.ndarray) -> Sensed:
        """The first observation. Raises WorkerFailed: the simulator does not fit its spec."""
        if fields.shape[1:] != (len(self.spec.fields),):
            raise WorkerFailed(
                f"the simulator of {self.spec.name} tells numbers of shape {fields.shape[1:]}, and "
                f"its spec has {len(self.spec.fields)} fields"
            )
        self._last = self._sensed(fields)
        return self._last

    def _lost(self, worker: WorkerProcess, before: Sensed) -> Stepped:
        """The end of the episodes of a worker that died."""
        final = before.fields[worker.lanes]
        rgb = final_rgb = None
        fields = worker.taken()
        if self.image_size is not None:
            rgb, final_rgb = self.render(worker.lanes, self.image_size), before.rgb[worker.lanes]
        no = np.zeros(len(final), bool)
        return Stepped(fields, final, no, no, ~no, rgb, final_rgb)
