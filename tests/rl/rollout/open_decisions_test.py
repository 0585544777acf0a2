"""Decisions over the border of a rollout: however ticks are cut, the rows are the same."""

import dataclasses
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlgpt_jax.rl.actions import HybridAction
from rlgpt_jax.rl.config import PPOConfig, RewardConfig
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.ppo import ppo
from rlgpt_jax.rl.rollout.one_tick import Batch, Episodes, OpenDecisions
from rlgpt_jax.rl.rollout.open_decisions import open_after
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor
from tests.rl.macros_test import make_space
from tests.rl.small import CONFIG

T, N, LENGTH = 4, 3, 48  # ticks of a rollout, lanes, ticks in all
PPO = PPOConfig(num_envs=N, unroll_length=T, gamma=0.8, gae_lambda=0.0)


class Stream(NamedTuple):
    """LENGTH ticks of N lanes. Every tick has a number of its own in features and action."""

    decision: np.ndarray  # bool
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    value: np.ndarray
    final: np.ndarray
    restarts: frozenset[int]  # ticks before which all episodes are begun anew


def make_stream(seed: int) -> Stream:
    """Macros of up to 5 rollouts, deaths, time limits, ticks that a script decides."""
    rng, shape = np.random.default_rng(seed), (LENGTH, N)
    decision, longest = np.zeros(shape, bool), rng.choice([1, T, 5 * T])
    terminated, truncated = rng.random((2, *shape)) < 0.5 / longest
    restarts = frozenset(T * (1 + rng.permutation(LENGTH // T - 1))[: rng.integers(3)])
    for lane in range(N):
        free = rng.integers(0, T)
        for tick in range(LENGTH):
            if tick in restarts or (tick and (terminated | truncated)[tick - 1, lane]):
                free = tick + rng.integers(0, 3)  # a script begins the episode
            if tick >= free:
                decision[tick, lane], free = True, tick + rng.integers(1, longest + 1)
    reward, value, final = rng.normal(size=(3, *shape)).astype(np.float32)
    return Stream(decision, reward, terminated, truncated, value, final, restarts)


def features_of(number: np.ndarray) -> Any:
    """Features that tell the number of their tick in the position."""
    blank = jax.tree.map(
        lambda x: np.zeros((*number.shape, *x.shape[1:]), x.dtype), actor_critic.dummy_features()
    )
    return blank._replace(gps=np.repeat(number[..., None], 3, -1).astype(np.float32))


def nothing_open() -> OpenDecisions:
    zeros, number = np.zeros(N, np.float32), np.zeros(N, np.int32)
    action = HybridAction(np.zeros((N, 2), np.int32), number)
    return OpenDecisions(zeros > 0, features_of(number), action, zeros, zeros, zeros, zeros, None)


def rows_of(stream: Stream, length: int, config: PPOConfig = PPO) -> dict[tuple[int, int], float]:
    """(tick, lane) of every row that is learnt from, cut into rollouts: what it is worth.

    With lambda 0 that is reward and bootstrap: the advantage plus the value.
    """
    number = np.arange(len(stream.reward))[:, None] + np.zeros((1, N), int)
    carried, found = nothing_open(), {}
    for begin in range(0, len(stream.reward), length):
        if begin in stream.restarts:
            carried = nothing_open()
        part = slice(begin, begin + length)
        batch = Batch(
            features=features_of(number[part]),
            action=HybridAction(np.zeros((length, N, 2), np.int32), number[part]),
            log_prob=-number[part].astype(np.float32), decision=stream.decision[part],
            reward=stream.reward[part], terminated=stream.terminated[part],
            truncated=stream.truncated[part], final_value=stream.final[part],
            episodes=Episodes(None, None, None, None), carried=carried, value=stream.value[part],
        )  # fmt: skip
        rows, _ = make_rows(config, CONFIG.network, None, batch)
        for i in np.flatnonzero(rows.decision):
            tick, lane = int(rows.action.macro[i]), int(i) % N
            assert (tick, lane) not in found, "a decision must be one row"
            assert rows.features.gps[i, 0] == tick and rows.log_prob[i] == -tick
            found[tick, lane] = float(rows.target[i])
        carried = jax.device_get(open_after(batch, np.float32(PPO.gamma)))
    return found


make_rows = jax.jit(ppo.make_rows, static_argnums=(0, 1))


def brute_force(stream: Stream) -> dict[tuple[int, int], float]:
    """The same, tick by tick and without any rollouts."""
    found = {}
    for first, lane in np.argwhere(stream.decision):
        total, discount = 0.0, 1.0
        for tick in range(first, LENGTH):
            if tick > first and tick in stream.restarts:
                break  # it never ends, and is no row
            if tick > first and stream.decision[tick, lane]:
                found[int(first), int(lane)] = total + discount * stream.value[tick, lane]
                break
            total += discount * stream.reward[tick, lane]
            discount *= PPO.gamma
            if stream.terminated[tick, lane] or stream.truncated[tick, lane]:
                final = 0.0 if stream.terminated[tick, lane] else stream.final[tick, lane]
                found[int(first), int(lane)] = total + discount * final
                break
    return found


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**31))
def test_any_cut_of_a_stream_gives_the_rows_of_the_whole(seed: int) -> None:
    stream = make_stream(seed)
    expected = brute_force(stream)
    lengths = [1, T] if stream.restarts else [1, T, 12, LENGTH]
    for length in lengths:
        found = rows_of(stream, length)
        assert found.keys() == expected.keys()
        for place, worth in expected.items():
            np.testing.assert_allclose(found[place], worth, rtol=1e-4, atol=1e-4)


def test_a_carried_row_has_its_part_of_what_follows() -> None:
    """With lambda 1 the chain of advantages is that of the whole, where no border cuts it.

    Lane 0: a macro over the border, then three decisions and the end of the episode.
    """
    shape = (8, N)
    decision = np.zeros(shape, bool)
    decision[[1, 5, 6, 7], 0] = True
    ends = np.zeros(shape, bool)
    ends[7, 0] = True
    reward, value = np.random.default_rng(0).normal(size=(2, *shape)).astype(np.float32)
    zeros, no = np.zeros(shape, np.float32), np.zeros(shape, bool)
    stream = Stream(decision, reward, ends, no, value, zeros, frozenset())
    config = dataclasses.replace(PPO, gae_lambda=1.0)
    cut, whole = (rows_of(stream, length, config) for length in (4, 8))
    assert cut.keys() == whole.keys() == {(1, 0), (5, 0), (6, 0), (7, 0)}
    returned = sum(PPO.gamma**i * r for i, r in enumerate(reward[1:, 0]))
    np.testing.assert_allclose([cut[1, 0], whole[1, 0]], returned, rtol=1e-5)


def test_the_streams_hold_what_they_are_for() -> None:
    streams = [make_stream(seed) for seed in range(40)]
    quiet = [~(s.decision | s.terminated | s.truncated)[:, 0] for s in streams]
    assert max(len(run) for x in quiet for run in bytes(x).split(b"\0")) > 3 * T
    assert any(s.restarts for s in streams) and any(s.truncated.any() for s in streams)


RIGHT = "def go(obs):\n    for i in range(45):\n        obs = yield forward()\n"
WRONG = "def wait(obs):\n    for i in range(45):\n        obs = yield noop()\n"


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["device", "host"])
def test_credit_of_a_macro_of_three_rollouts_reaches_its_choice(driver: str) -> None:
    """One of two macros reaches the goal, 45 ticks later, if it is the first thing that is done.

    Rollouts have 16 ticks, so whoever loses what is earned after their end learns nothing: nothing
    else is rewarded.
    """
    env = Corridor(num_envs=16, length=40, horizon=47)
    reward = RewardConfig(distance=0.0, step_cost=0.0)
    config = dataclasses.replace(CONFIG, reward=reward, driver=driver)
    space = make_space(RIGHT, WRONG)
    learner = init_learner(env, space, config, 0)
    before = evaluate(env, Policy(learner.params, space, config), 7, num_episodes=64).success_rate
    learner = train(env, space, config, learner, 8_192)
    after = evaluate(env, Policy(learner.params, space, config), 7, num_episodes=64).success_rate
    assert before < 0.5 and after > 0.9
