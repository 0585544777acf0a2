"""What an update came to, from episodes whose ends are known."""

import math
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.interface import STOP_EPISODES
from rlgpt_jax.rl.ppo import outcome
from rlgpt_jax.rl.rollout.one_tick import Episodes
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor
from tests.rl.small import CONFIG


def episodes(done: list[list[int]], success: list[list[int]]) -> Episodes:
    """[T, N]; an episode took as many ticks as its tick's number plus one."""
    ended = np.array(done, bool)
    ticks = np.broadcast_to(np.arange(1, len(done) + 1)[:, None], ended.shape)
    return Episodes(ended, np.array(success, bool), ticks.astype(np.float32), ticks)


def test_success_is_of_the_lanes_and_the_rest_of_what_ended() -> None:
    told = outcome.episode_metrics(
        episodes([[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [0, 1, 0]]), jnp.array([0, 1, 0])
    )
    assert told == pytest.approx(
        dict(success_rate=1 / 3, episode_return=5 / 3, episode_ticks=5 / 3, episodes=3.0)
    )
    none = outcome.episode_metrics(episodes([[0, 0]], [[0, 0]]), jnp.array([1, 0]))
    assert none["success_rate"] == 0.5 and math.isnan(none["episode_ticks"])


def test_the_early_stop_counts_episodes_in_the_order_in_which_they_ended() -> None:
    before = SimpleNamespace(finished=7, recent=np.zeros(STOP_EPISODES, bool))
    now = outcome.outcomes(before, episodes([[1, 0], [1, 1]], [[1, 0], [0, 1]]))
    assert now["finished"] == 10 and now["recent"][-3:].tolist() == [True, False, True]
    assert now["recent"].shape == (STOP_EPISODES,)


def test_a_curve_does_not_begin_with_the_successes_that_end_first() -> None:
    """Here nothing but a success ever ends, and no lane is done in the first update."""
    env = Corridor(num_envs=16, length=6, horizon=100_000)
    seen = []
    train(
        env, empty_space(), CONFIG, init_learner(env, empty_space(), CONFIG, 0), 4 * 256,
        lambda now, m: seen.append((m, np.array(now.rollout.lanes.solved), now.recent.sum())),
    )  # fmt: skip
    ended = np.cumsum([m["episodes"] for m, _, _ in seen])
    assert [successes for _, _, successes in seen] == ended.tolist() and ended[-1] > 0
    assert [m["success_rate"] for m, _, _ in seen] == [solved.mean() for _, solved, _ in seen]
    rates = [m["success_rate"] for m, _, _ in seen]
    assert rates == sorted(rates) and rates[0] < 1.0 and rates[-1] > rates[0]
