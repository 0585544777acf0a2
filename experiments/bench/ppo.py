"""PPO end to end: training steps per second, and where the time goes.

The action space holds one macro beside the primitives, so macros run in a share of the
ticks that an untrained policy gives them. The time of the rays is that of the same ray
kernel on the same worlds, measured apart.
"""

import dataclasses
import math

import numpy as np

from experiments.bench import world as world_bench
from experiments.bench.table import Row
from experiments.configs import base
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.macros.bytecode import MAX_MACROS, link
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.train import init_learner, train

# Size and shape of what models write: loops, a comparison of positions, a helper.
MACRO = '''
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
'''
PARTS = {"time_policy": "network", "time_world": "world and rays", "time_macros": "macros",
         "time_update": "update"}


def one_macro() -> HybridSpace:
    """The primitives and `MACRO` in slot 1."""
    program = parse_macro(MACRO, "wander")
    assert not isinstance(program, Refusal), program
    empty = MAX_MACROS - 1
    return HybridSpace(
        macros=link([program]), names=("wander", *[""] * empty),
        offered=(True, *[False] * empty),
    )


def measure(env: VoxelEnv, config: base.Config, seconds: float) -> list[Row]:
    """One row: the whole, and shares of the wall time per update."""
    ppo = dataclasses.replace(config.ppo, num_envs=env.num_envs)
    rl = dataclasses.replace(config.rl, ppo=ppo)
    world, space = HostVoxel(env), one_macro()
    learner = init_learner(world, space, rl, seed=0)
    per_update = ppo.num_envs * ppo.unroll_length
    learner = train(world, space, rl, learner, 2 * per_update)  # compiles
    updates: list[dict[str, float]] = []

    def note(_, metrics: dict[str, float]) -> None:
        updates.append(metrics)

    while sum(per_update / m["steps_per_second"] for m in updates) < seconds:
        learner = train(world, space, rl, learner, per_update, note)
    total = sum(per_update / m["steps_per_second"] for m in updates)
    numbers = {"lanes": ppo.num_envs, "steps_per_second": per_update * len(updates) / total}
    numbers |= {f"share {name}": share(updates, key, total) for key, name in PARTS.items()}
    numbers["share rays"] = ray_seconds(env, ppo.unroll_length * len(updates)) / total
    return [Row("ppo", "training", numbers)]


def share(updates: list[dict[str, float]], key: str, total: float) -> float:
    """NaN where a driver does not measure that part."""
    values = [metrics.get(key, math.nan) for metrics in updates]
    return float(np.sum(values)) / total


def ray_seconds(env: VoxelEnv, num_ticks: int) -> float:
    """Seconds that the rays of so many ticks take: the step with them less that without."""
    world = HostVoxel(env)
    world.reset(0)
    seen = world_bench.ticks_per_second(world.step, env, 2.0)
    blind = world_bench.ticks_per_second(world_bench.Blind(env).step, env, 2.0)
    return max(0.0, 1 / seen - 1 / blind) * num_ticks
