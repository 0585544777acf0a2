"""How many ticks per second lanes give that sleep, with and without updates beside them.

    NPROC=2 python -m tests.rl.rollout_async_speed [--lanes=8] [--tick=0.04] [--epochs=4]

A benchmark and no test: it measures wall time. With NPROC=1, XLA has one thread on a CPU, and
the policy waits for it while an update computes.
"""

import argparse
import dataclasses
import time

import jax
import numpy as np

from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RLConfig
from rlgpt_jax.rl.rollout.rollout_async import AsyncRollout
from rlgpt_jax.rl.train import init_learner, train
from tests.rl.own_pace import OwnPace


def ticks_per_second(lanes: int, tick: float, config: RLConfig, seconds: float) -> float:
    """Of lanes that are decided for and never learnt from."""
    env, learner = _made(lanes, tick, config)
    rolling = AsyncRollout(env, empty_space(), config, learner.key, 0, learner.rollout)
    rolling.step(learner.params)  # compiles
    before, began = env.total, time.perf_counter()
    while time.perf_counter() - began < seconds:
        rolling.step(learner.params)
    return (env.total - before) / (time.perf_counter() - began)


def trained_per_second(
    lanes: int, tick: float, config: RLConfig, updates: int
) -> tuple[float, float]:
    """The same in training, of what the worlds were sent from the second update on, and the
    share of the time in which an update computed."""
    env, learner = _made(lanes, tick, config)
    per_update = lanes * config.ppo.unroll_length
    seen: list[tuple[float, int, float]] = []

    def on_update(_, metrics: dict[str, float]) -> None:
        seen.append((time.perf_counter(), env.total, metrics["time_update"]))

    train(env, empty_space(), config, learner, (updates + 2) * per_update, on_update)
    # The first compiles, and during the last one nothing is sent any more.
    (began, first, _), *rest = seen[1:-1]
    ended, last, _ = rest[-1]
    seconds = ended - began
    return (last - first) / seconds, sum(taken for *_, taken in rest) / seconds


def _made(lanes: int, tick: float, config: RLConfig):
    env = OwnPace(np.linspace(tick, 1.2 * tick, lanes), is_real=True, horizon=200)
    return env, init_learner(env, empty_space(), config, 0)


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m tests.rl.rollout_async_speed", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--lanes", type=int, default=8)
    parser.add_argument("--tick", type=float, default=0.04, help="seconds of the fastest lane")
    parser.add_argument("--ticks", type=int, default=128, help="of a lane in an update")
    parser.add_argument("--epochs", type=int, default=4, help="more make an update longer")
    parser.add_argument("--updates", type=int, default=6)
    asked = parser.parse_args()
    ppo = PPOConfig(num_envs=asked.lanes, unroll_length=asked.ticks, num_epochs=asked.epochs)
    config = RLConfig(ppo=ppo, network=NetworkConfig())
    pace = np.linspace(asked.tick, 1.2 * asked.tick, asked.lanes)
    plain = ticks_per_second(asked.lanes, asked.tick, config, 10.0)
    print(f"{jax.default_backend()}: {asked.lanes} lanes")  # noqa: T201
    print(f"  the lanes alone could give {np.sum(1.0 / pace):.1f} ticks/s")  # noqa: T201
    print(f"  without updates            {plain:.1f}")  # noqa: T201
    for overlap in (True, False):
        given = dataclasses.replace(config, overlap=overlap)
        rate, share = trained_per_second(asked.lanes, asked.tick, given, asked.updates)
        words = "beside" if overlap else "between"
        print(  # noqa: T201
            f"  updates {words} them        {rate:.1f} ({rate / plain - 1:+.1%}), updates took "
            f"{share:.0%} of the time"
        )


if __name__ == "__main__":
    main()
