"""The first update of a run: what a start pays before it trains."""

import time

import jax.monitoring

from experiments.bench.ppo import one_macro
from experiments.bench.setting import Setting
from experiments.bench.table import Row
from experiments.compiles import Compiles
from rlgpt_jax.rl.train import init_learner, train

HIT = "/jax/compilation_cache/cache_hits"
MISS = "/jax/compilation_cache/cache_misses"


def measure(setting: Setting, lanes: int) -> list[Row]:
    """One row: seconds to the end of the first two updates, and what was compiled in each."""
    compiles, seen = Compiles(), {HIT: 0, MISS: 0}

    def note(event: str, **about: object) -> None:
        if event in seen:
            seen[event] += 1

    jax.monitoring.register_event_listener(note)
    began = time.perf_counter()
    world, space, rl = setting.world(lanes), one_macro(), setting.rl(lanes)
    learner = init_learner(world, space, rl, seed=0)
    per_update = rl.ppo.num_envs * rl.ppo.unroll_length
    learner = train(world, space, rl, learner, per_update)
    first, programs = time.perf_counter() - began, sum(compiles.counts.values())
    train(world, space, rl, learner, per_update)
    compiles.close()
    numbers = {
        "lanes": float(lanes), "seconds_to_first_update": first,
        "compile_seconds": compiles.total, "programs": float(programs),
        "programs_later": float(sum(compiles.counts.values()) - programs),
        "cache_hits": float(seen[HIT]), "cache_misses": float(seen[MISS]),
    }  # fmt: skip
    return [Row("first", f"{setting.name}, {setting.driver} driver", numbers)]
