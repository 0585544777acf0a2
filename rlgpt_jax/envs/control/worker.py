"""A process with a share of the lanes, started by `workers.py`.

It answers requests on one pipe, in turn, and ends with it or with its parent.

    (class, options, count, horizon)          -> None, once, first
    ("reset", seeds[k])                       -> fields[k, F]
    ("step", actions[k, C], seeds[k], size)   -> Stepped
    ("save",), ("load", states), ("render", lanes, size)

An answer is ("ok", value), ("refused", one line for the user) or ("failed", what was raised).
"""

import importlib
import os
import sys
import threading
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs.control import rendering
from rlgpt_jax.envs.control.simulator import Simulator

LOOK_SECONDS = 1.0  # between two looks at whether the parent lives

Size = tuple[int, int] | None


class Stepped(NamedTuple):
    """A step of k lanes with auto-reset, as `envs.base.Step`."""

    fields: np.ndarray  # float32[k, F]
    final: np.ndarray  # float32[k, F]
    success: np.ndarray  # bool[k]
    terminated: np.ndarray  # bool[k]
    truncated: np.ndarray  # bool[k]
    rgb: np.ndarray | None = None  # uint8[k, H, W, 3]
    final_rgb: np.ndarray | None = None


class Lane:
    """A simulator, the seed of its episode and the steps since."""

    def __init__(self, simulator: Simulator, horizon: int):
        self.simulator, self._horizon = simulator, horizon
        self._seed = self._steps = 0

    def reset(self, seed: int) -> np.ndarray:
        self._seed, self._steps = seed, 0
        return self.simulator.reset(seed)

    def step(self, action: np.ndarray, seed: int, size: Size) -> tuple[Any, ...]:
        """One lane of `Stepped`; `seed` is that of the next episode."""
        fields, success, terminated = self.simulator.step(action)
        self._steps += 1
        truncated = self._steps >= self._horizon and not terminated
        rgb = final_rgb = None if size is None else self.simulator.render(size)
        final = fields
        if terminated or truncated:
            fields = self.reset(seed)
            rgb = None if size is None else self.simulator.render(size)
        return fields, final, success, terminated, truncated, rgb, final_rgb

    def save(self) -> dict[str, Any]:
        numbers = {"seed": np.int64(self._seed), "steps": np.int64(self._steps)}
        return {**numbers, "state": dict(self.simulator.save())}

    def load(self, saved: dict[str, Any]) -> None:
        self.reset(int(saved["seed"]))
        self._steps = int(saved["steps"])
        self.simulator.load(saved["state"])


class Worker:
    """The lanes of this process."""

    def __init__(self, path: str, options: dict[str, Any], count: int, horizon: int):
        make = class_of(path)
        self.lanes = [Lane(make(**options), horizon) for _ in range(count)]

    def reset(self, seeds: list[int]) -> np.ndarray:
        return np.stack([lane.reset(seed) for lane, seed in zip(self.lanes, seeds)])

    def step(self, actions: np.ndarray, seeds: list[int], size: Size) -> Stepped:
        rows = [lane.step(a, s, size) for lane, a, s in zip(self.lanes, actions, seeds)]
        columns = [None if part[0] is None else np.array(part) for part in zip(*rows)]
        return Stepped(*columns)  # type: ignore[arg-type]

    def save(self) -> list[dict[str, Any]]:
        return [lane.save() for lane in self.lanes]

    def load(self, states: list[dict[str, Any]]) -> None:
        for lane, state in zip(self.lanes, states):
            lane.load(state)

    def render(self, lanes: list[int], size: tuple[int, int]) -> np.ndarray:
        return np.stack([self.lanes[lane].simulator.render(size) for lane in lanes])


def class_of(path: str) -> Any:
    """The class that "module.Class" names."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)


def serve(pipe: Connection) -> None:
    """Answers until the pipe ends."""
    worker: Worker | None = None
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        try:
            if worker is None:
                worker = Worker(*request)
                value = None
            else:
                op, *given = request
                value = getattr(worker, op)(*given)
            answer = ("ok", value)
        except rendering.CannotDraw as error:
            answer = ("refused", str(error))
        except Exception as error:
            traceback.print_exc()  # to the log, whose end errors quote
            answer = ("failed", f"{type(error).__name__}: {error}")
        pipe.send(answer)


def main() -> None:
    """Serves the pipe whose number is the first argument."""
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    rendering.choose_backend()
    serve(Connection(int(sys.argv[1])))
