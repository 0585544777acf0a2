"""Seconds until PPO alone, without macros, solves a share of its episodes."""

import collections
import time
from collections.abc import Mapping

from experiments.bench.setting import Setting
from experiments.bench.table import Row
from rlgpt_jax.loop.tools import EVAL
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.train import init_learner, train

EPISODES = 200  # of the evaluation afterwards, in worlds that were not trained in


class Window:
    """Training success over the last updates, as many as hold two whole episodes of each lane."""

    def __init__(self, horizon: int, unroll_length: int):
        self._last: collections.deque = collections.deque(maxlen=-(-2 * horizon // unroll_length))

    def note(self, metrics: Mapping[str, float]) -> None:
        """The metrics of one update."""
        self._last.append(metrics["success_rate"])

    @property
    def share(self) -> float:
        """Of successes; 0 until there are enough updates."""
        return sum(self._last) / len(self._last) if len(self._last) == self._last.maxlen else 0.0


def measure(setting: Setting, lanes: int, level: float, max_ticks: int) -> list[Row]:
    """One row. `reached` is 1 if `level` of the training episodes were solved in time.

    Args:
      level: share of successes, see `Window`.
      max_ticks: of all lanes together.
    """
    world, space, rl = setting.world(lanes), empty_space(), setting.rl(lanes)
    ticks = rl.ppo.unroll_length
    began = time.perf_counter()
    train(world, space, rl, init_learner(world, space, rl, seed=0), lanes * ticks)  # compiles
    compiled = time.perf_counter()
    window = Window(setting.config.task_record.horizon, ticks)
    learner = train(
        world, space, rl, init_learner(world, space, rl, seed=0), max_ticks,
        lambda _, metrics: window.note(metrics), lambda _: window.share >= level,
    )  # fmt: skip
    seconds = time.perf_counter() - compiled
    held_out = setting.world(min(lanes, EPISODES), EVAL)
    report = evaluate(
        held_out, Policy(learner.params, space, rl), 1, num_episodes=EPISODES, split=EVAL
    )
    numbers = {
        "lanes": float(lanes), "level": level, "reached": float(window.share >= level),
        "seconds": seconds, "ticks": float(learner.ticks),
        "steps_per_second": learner.ticks / seconds, "share solved": window.share,
        "share solved held out": report.success_rate, "seconds_before": compiled - began,
    }  # fmt: skip
    return [Row("learn", f"{setting.name}, {setting.driver} driver", numbers)]
