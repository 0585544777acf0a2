"""PPO with macros: who decides when, scripts, both drivers, and that macros help."""

import dataclasses
import json

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.base import MOVE
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, link
from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.actions import HybridSpace, empty_space
from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.trial import trial
from rlgpt_jax.rl.evaluate.trial_report import TrialReport
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.ppo import ppo
from rlgpt_jax.rl.rollout import macro_step, rollout_host
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor, HostCorridor
from tests.rl.small import CONFIG, assert_same_bits

WALK = "def walk(obs):\n    for i in range(10):\n        obs = yield forward()\n"
BACK = "def back_off(obs):\n    obs = yield back()\n    obs = yield back()\n"
TRAP = "def broken(obs):\n    obs = yield forward()\n    yield turn(1 / (obs.pitch * 0), 0)\n"
EMPTY = "def at_once(obs):\n    if obs.life < 0:\n        yield noop()\n"
ENDLESS = "def for_ever(obs):\n    while True:\n        yield noop()\n"


def make_space(*sources: str, offered: bool = True, **fields) -> HybridSpace:
    programs = [parse_macro(source, None) for source in sources]
    names = [program.name for program in programs]
    rest = MAX_MACROS - len(names)
    return HybridSpace(
        macros=link(programs), names=(*names, *[""] * rest),
        offered=(*[offered] * len(names), *[False] * rest), **fields,
    )  # fmt: skip


def roll(env, space, config=CONFIG, seed=0):
    """One host rollout of a fresh learner: the batch and the learner it began with."""
    learner = init_learner(env, space, config, seed)
    world = HostCorridor(**dataclasses.asdict(env))
    obs = world.reset(seed)
    policy, held = Policy(learner.params, space, config), learner.rollout._replace(obs=obs)
    return rollout_host.rollout_host(world, policy, held, jax.random.key(seed))[1]


LONG = Corridor(num_envs=16, length=1000, horizon=1000)


@pytest.mark.slow
def test_a_macro_of_ten_ticks_leaves_nine_ticks_without_a_decision():
    batch = roll(LONG, make_space(WALK))
    started = np.argwhere(batch.decision & (batch.action.macro == 1))
    assert len(started) > 0
    for tick, lane in started:
        inside = batch.decision[tick + 1 : tick + 10, lane]
        assert not inside.any()
        if tick + 10 < len(batch.decision):
            assert batch.decision[tick + 10, lane]


def test_the_previous_action_shows_the_running_macro():
    batch = roll(LONG, make_space(WALK))
    tick, lane = np.argwhere(batch.decision & (batch.action.macro == 1))[0]
    np.testing.assert_array_equal(batch.features.previous[tick + 1 : tick + 10, lane], 108)


def test_a_script_runs_before_ppo_decides():
    space = make_space(WALK, BACK, offered=False, script=(2, 1, 2))
    batch = roll(LONG, space)
    # 2 + 10 + 2 scripted ticks, then every tick is a decision of PPO.
    np.testing.assert_array_equal(batch.decision.all(axis=1), np.arange(16) >= 14)
    assert not batch.decision[:14].any()


def test_a_script_starts_again_with_the_episode():
    space = make_space(BACK, offered=False, script=(1,))
    batch = roll(Corridor(num_envs=16, length=1000, horizon=5), space)
    expected = np.arange(16) % 5 >= 2
    np.testing.assert_array_equal(batch.decision, np.tile(expected[:, None], (1, 16)))


@pytest.mark.slow
def test_pure_code_never_lets_ppo_decide():
    space = make_space(WALK, BACK, offered=False, script=(1, 2), repeat_script=True)
    batch = roll(LONG, space)
    assert not batch.decision.any()
    learner = train(LONG, space, CONFIG, init_learner(LONG, space, CONFIG, 0), 256)
    fresh = init_learner(LONG, space, CONFIG, 0)
    assert_same_bits(learner.params, fresh.params)


def test_a_macro_that_ends_the_episode_is_dropped():
    """Six steps are needed at most; the seventh tick belongs to the next episode."""
    env = Corridor(num_envs=16, length=6, horizon=50)
    batch = roll(env, make_space(WALK, offered=False, script=(1,)))
    done = batch.terminated
    assert done.any()
    for tick, lane in np.argwhere(done):
        # The script starts at once: z 0, 1 or 2 plus one cell per tick.
        assert batch.features.gps[tick, lane, 2] > 0
        if tick + 1 < 16:
            assert batch.features.previous[tick + 1, lane] == 0
            assert batch.features.gps[tick + 1, lane, 2] == 0


def test_evaluation_tells_how_macros_ended():
    space = make_space(WALK, TRAP, EMPTY, ENDLESS, offered=False, tick_limit=7,
                       script=(1, 3, 2, 4), repeat_script=True)  # fmt: skip
    params = actor_critic.init_params(CONFIG.network, jax.random.key(0))
    env = Corridor(num_envs=16, length=1000, horizon=16)
    report = evaluate(env, Policy(params, space, CONFIG), 1, num_episodes=16)
    # 7 ticks of walk, 1 in which the empty macro ends too, 1 and a trap, 7 of waiting: 16 ticks.
    ends = {name: {k: v for k, v in x.items() if v} for name, x in report.macro_ends.items()}
    assert ends == {
        "at_once": {"returned": 16}, "walk": {"tick_limit": 16}, "broken": {"trapped": 16},
        "for_ever": {"interrupted": 16},
    }  # fmt: skip
    (message,) = report.trap_messages
    assert message.startswith("broken, line 3: division by zero")
    assert report.action_counts == dict.fromkeys(ends, 16)
    assert report.action_ticks == {"walk": 112, "for_ever": 112, "at_once": 16, "broken": 16}
    words = report.describe()
    assert "Macro broken: 16 activations ended; 16 stopped by an error." in words


@pytest.mark.slow  # `closed_loop_test.py` compares the interpreters in a world
def test_both_drivers_run_macros_alike():
    space = make_space(WALK, BACK, EMPTY)
    on_device = dataclasses.replace(CONFIG, driver="device")
    host, device = (trained(space, config) for config in (CONFIG, on_device))
    np.testing.assert_array_equal(host.rollout.obs.position, device.rollout.obs.position)
    np.testing.assert_array_equal(host.rollout.lanes.previous, device.rollout.lanes.previous)
    np.testing.assert_array_equal(host.rollout.macros.slot, device.rollout.macros.slot)


def trained(space, config):
    env = Corridor(num_envs=16)
    return train(env, space, config, init_learner(env, space, config, 0), 512)


def test_a_resumed_run_with_running_macros_gives_the_same_bits(tmp_path):
    env, space = Corridor(num_envs=16), make_space(WALK, BACK)
    learner = train(env, space, CONFIG, init_learner(env, space, CONFIG, 3), 256)
    assert (learner.rollout.macros.slot > 0).any(), "some macro is cut by the end of the rollout"
    checkpoint.save(tmp_path / "c", learner, env)
    straight = train(env, space, CONFIG, learner, 512)
    restored = checkpoint.load(tmp_path / "c", env, space, CONFIG)
    assert_same_bits(train(env, space, CONFIG, restored, 512), straight)


def test_new_macros_compile_nothing():
    env, sizes = Corridor(num_envs=16), []
    for source in (WALK, BACK):
        space = make_space(source)
        train(env, space, CONFIG, init_learner(env, space, CONFIG, 0), 256)
        jitted = (ppo.update, rollout_host.decide, rollout_host.compiled_end_tick)
        sizes.append([f._cache_size() for f in jitted])
    assert sizes[0] == sizes[1]


@pytest.mark.slow
def test_a_useful_macro_solves_the_corridor_sooner():
    """30 cells in 60 ticks for a reward at the end only: single steps never get there."""
    env = Corridor(num_envs=16, length=30, horizon=60)
    config = dataclasses.replace(
        CONFIG, reward=RewardConfig(distance=0.0),
        ppo=dataclasses.replace(CONFIG.ppo, unroll_length=64),
    )  # fmt: skip

    def success_rate(space):
        learner = train(env, space, config, init_learner(env, space, config, 0), 8_192)
        return evaluate(env, Policy(learner.params, space, config), 7, num_episodes=32).success_rate

    assert success_rate(make_space(WALK)) > 0.9
    assert success_rate(empty_space()) < 0.3


def test_a_trial_tells_what_the_macro_did():
    env = Corridor(num_envs=16, length=1000, horizon=100)
    report = trial(env, make_space(WALK), 1, seed=0, num_episodes=20)
    assert report.num_episodes == 20
    assert report.ends == {"returned": 20, "trapped": 0, "tick_limit": 0, "interrupted": 0}
    assert report.mean_ticks == 10.0
    assert all(e.actions == {"forward": 10} and e.gained == {} for e in report.episodes)
    assert all(0 < e.walked <= 10.0 and not e.success for e in report.episodes)
    assert report.env_ticks == 10 * 20
    assert TrialReport.from_json(json.loads(json.dumps(report.to_json()))) == report
    assert "started once in each of 20 fresh episodes, at their beginning." in report.describe()


def test_a_trial_sees_success_items_and_the_goal():
    env = Corridor(num_envs=16, length=8, horizon=100)
    report = trial(env, make_space(WALK), 1, seed=1, num_episodes=16)
    assert report.successes == report.ends["interrupted"] == 16
    for e in report.episodes:
        assert e.gained == {"milk_bucket": 1} and not e.died
        assert (e.target, e.target_after) == ("in sight", "in reach")
        assert e.distances[1] < e.distances[0]
    words = report.describe()
    assert "- target in sight: 16 of 16 episodes. Ended: interrupted 16; solved 16;" in words
    assert "Mean change of the inventory: milk_bucket +1.00." in words


def test_a_trial_reports_traps_and_the_tick_limit():
    report = trial(LONG, make_space(TRAP), 1, seed=0, num_episodes=16)
    assert report.ends["trapped"] == 16
    assert list(report.trap_messages) == ["line 3: division by zero"]
    endless = make_space(ENDLESS, tick_limit=5)
    report = trial(LONG, endless, 1, seed=0, num_episodes=16)
    assert report.ends["tick_limit"] == 16 and report.mean_ticks == 5.0
    assert all(e.actions == {"noop": 5} for e in report.episodes)


def test_actions_come_from_the_macro_the_policy_or_nobody():
    """One tick of three lanes: busy, a macro starting, a primitive."""
    space = make_space(WALK)
    _, obs = Corridor(num_envs=3).reset((), jax.random.key(0))
    obs = jax.device_get(obs)
    primitive = np.tile(np.array([2, 0, 0, 12, 12, 0, 0, 0], np.int32), (3, 1))
    _, act = macro_step.act(
        space, macro_step.init_macros(space, 3), obs,
        np.array([1, 1, 0], np.int32), primitive, np.array([True, False, False]),
    )  # fmt: skip
    np.testing.assert_array_equal(act.action[:, MOVE], [0, 1, 2])
    np.testing.assert_array_equal(act.decided, [False, True, True])
    np.testing.assert_array_equal(act.slot[1:], [1, 0])
