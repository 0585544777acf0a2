"""PPO end to end: training steps per second, by the driver in use.

The action space holds one macro beside the primitives, so macros run in a share of the
ticks that an untrained policy gives them.
"""

import math
import time
from typing import Any

import numpy as np

from experiments.bench.setting import Setting
from experiments.bench.table import Row
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, link
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.train import init_learner, train

# Size and shape of what models write: loops, a comparison of positions, a helper.
MACRO = """
def moved(before_x, before_z, obs):
    return abs(obs.x - before_x) + abs(obs.z - before_z) > 0.02

def wander(obs):
    stuck = 0
    for step in range(20):
        x, z = obs.x, obs.z
        ahead = obs.block(0, 0, 1)
        if ahead in ("water", "lava") or stuck > 3:
            obs = yield turn(yaw=60)
            stuck = 0
        else:
            obs = yield forward(jump=stuck > 0)
        if moved(x, z, obs):
            stuck = 0
        else:
            stuck += 1
"""


def one_macro() -> HybridSpace:
    """The primitives and `MACRO` in slot 1."""
    program = parse_macro(MACRO, "wander")
    assert not isinstance(program, Refusal), program
    empty = MAX_MACROS - 1
    return HybridSpace(
        macros=link([program]), names=("wander", *[""] * empty), offered=(True, *[False] * empty)
    )


def updates(
    setting: Setting, world: Any, space: HybridSpace, seconds: float
) -> list[dict[str, float]]:
    """The metrics of updates that take about `seconds`; what compiles came before."""
    rl = setting.rl(world.num_envs)
    learner = init_learner(world, space, rl, seed=0)
    per_update = rl.ppo.num_envs * rl.ppo.unroll_length
    learner = train(world, space, rl, learner, 2 * per_update)  # compiles
    measured: list[dict[str, float]] = []
    until = time.perf_counter() + seconds
    while not measured or time.perf_counter() < until:
        learner = train(
            world, space, rl, learner, per_update, lambda _, metrics: measured.append(metrics)
        )
    return measured


def wall(measured: list[dict[str, float]], per_update: int) -> float:
    """Seconds of all updates together."""
    return sum(per_update / metrics["steps_per_second"] for metrics in measured)


def measure(setting: Setting, lanes: int, seconds: float) -> list[Row]:
    """One row: the whole."""
    measured = updates(setting, setting.world(lanes), one_macro(), seconds)
    rates = [metrics["steps_per_second"] for metrics in measured]
    per_update = lanes * setting.config.ppo.unroll_length
    numbers = {
        "lanes": float(lanes),
        "steps_per_second": per_update * len(measured) / wall(measured, per_update),
        "low": min(rates), "high": max(rates), "updates": float(len(measured)),
        "seconds of a rollout": share(measured, "time_rollout", len(measured)),
        "seconds of an update": share(measured, "time_update", len(measured)),
    }  # fmt: skip
    return [Row("ppo", f"{setting.name}, {setting.driver} driver", numbers)]


def share(measured: list[dict[str, float]], key: str, total: float) -> float:
    """NaN where a driver does not measure that part."""
    values = [metrics.get(key, math.nan) for metrics in measured]
    return float(np.sum(values)) / total
