"""Evaluation counts what happened, episode by episode."""

import json

import jax
import numpy as np
import pytest

from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.evaluate.dead_loops import WINDOW, Watch
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.report import EvalReport, wilson
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Policy
from tests.corridor import Corridor, HostCorridor
from tests.rl.small import CONFIG


def params():
    """Made in the tests and not at import, where every worker would compile it."""
    return actor_critic.init_params(CONFIG.network, jax.random.key(0))


def run(env, num_episodes=12, seed=3, **kwargs):
    return evaluate(
        env, Policy(params(), empty_space(), CONFIG), seed, num_episodes=num_episodes, **kwargs
    )


def test_wilson_interval_against_known_values():
    np.testing.assert_allclose(wilson(50, 100), (0.4038, 0.5962), atol=1e-4)
    np.testing.assert_allclose(wilson(0, 20), (0.0, 0.1611), atol=1e-4)
    np.testing.assert_allclose(wilson(20, 20), (0.8389, 1.0), atol=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    for num in range(1, 500):
        assert wilson(0, num)[0] == 0.0 and wilson(num, num)[1] == 1.0


def test_counts_add_up_over_chunks_of_lanes():
    """12 episodes in 8 lanes: two chunks, the second not full."""
    report = run(Corridor(num_envs=8, length=1000, horizon=9))
    assert report.num_episodes == 12 and report.successes == 0
    assert report.mean_ticks == 9.0
    assert sum(report.action_ticks.values()) == sum(report.action_counts.values()) == 12 * 9


def test_only_the_first_episode_of_a_lane_counts():
    """Short episodes restart inside a chunk; they must not crowd out long ones."""
    report = run(Corridor(num_envs=8, length=3, horizon=60), num_episodes=8)
    assert report.num_episodes == 8


def test_every_episode_is_recorded_as_the_steps_tell():
    """By hand, from every tick: 12 episodes of 8 lanes, of which some reach the end in time."""
    found, over, ticks = [], np.zeros(8, bool), 0

    def on_tick(env, labels, step):
        nonlocal over, ticks
        ticks += 1
        done = np.asarray(step.terminated | step.truncated)
        for lane in np.flatnonzero(done & ~over):
            found.append((len(starts) * 8 + lane, bool(step.info["success"][lane]), ticks))
        over = over | done
        if over[: 8 if not starts else 4].all():
            starts.append(len(found))
            over, ticks = np.zeros(8, bool), 0

    starts: list[int] = []
    report = run(Corridor(num_envs=8, length=4, horizon=25), on_tick=on_tick)
    counted = sorted(e for e in found if e[0] < 12)
    assert [(e.number, e.success, e.ticks) for e in report.episodes] == counted
    assert 0 < sum(e.success for e in report.episodes) == report.successes < 12
    assert [e.start[1] for e in report.episodes] == [*range(8), *range(4)]
    assert len({e.start[0] for e in report.episodes}) == 2


def test_the_same_seed_gives_the_same_report_and_another_one_does_not():
    env = Corridor(num_envs=8)
    assert run(env) == run(HostCorridor(num_envs=8), task="Corridor") == run(env)
    assert run(env, seed=4).action_counts != run(env).action_counts


def test_a_report_survives_json_and_tells_the_facts():
    report = run(Corridor(num_envs=8, length=1000, horizon=5), split="train")
    assert EvalReport.from_json(json.loads(json.dumps(report.to_json()))) == report
    words = report.describe()
    assert "0 of 12 episodes succeeded" in words and "Corridor" in words
    with pytest.raises(ValueError, match=r"missing \['task'\]"):
        EvalReport.from_json({k: v for k, v in report.to_json().items() if k != "task"})


def test_on_tick_sees_every_tick_with_one_label_per_lane():
    seen = []
    run(
        Corridor(num_envs=8, length=1000, horizon=6),
        num_episodes=8,
        on_tick=lambda env, labels, step: seen.append((env.num_envs, len(labels))),
    )
    assert seen == [(8, 8)] * 6


def test_no_episodes_are_refused():
    with pytest.raises(ValueError, match="num_episodes is 0"):
        run(Corridor(num_envs=8), num_episodes=0)


def watch(cells, actions=(b"a", b"b"), items=lambda i: 0):
    lane = Watch()
    for i, cell in enumerate(cells):
        lane.stand((cell, 0, 0), (0, 0), actions[i % len(actions)], items(i))
    return lane.is_dead()


def test_a_dead_loop_repeats_itself_where_it_has_been_and_gains_nothing():
    here = [0] * (WINDOW + 1)
    assert watch(here)
    assert watch([0, 1] * WINDOW)
    assert not watch(here[: WINDOW - 1]), "too short to tell"
    assert not watch(range(WINDOW + 1)), "new cells"
    assert not watch([*here, 1]), "a new cell at the end"
    assert not watch(here, items=lambda i: int(i > 50)), "something was gained"
    assert not watch(here, actions=[bytes([i]) for i in range(101)]), "it tries new actions"


def test_a_policy_that_cannot_get_anywhere_is_in_a_dead_loop():
    report = run(Corridor(num_envs=8, length=1000, horizon=20), num_episodes=8)
    assert report.dead_loop_rate == 0.0
