"""Macros that the policy may end: every so many ticks it is asked whether they go on."""

import dataclasses

import numpy as np
import pytest

from rlgpt_jax.envs.base import MOVE
from rlgpt_jax.rl import macro_step
from rlgpt_jax.rl.evaluate import evaluate
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor, HostCorridor
from tests.rl.macros_test import BACK, LONG, WALK, make_space, roll
from tests.rl.small import CONFIG

SPACE = make_space(WALK, BACK, ask_every=4)


def test_a_running_macro_is_asked_about_and_nearly_always_goes_on():
    batch = roll(LONG, SPACE)
    macro, lead = np.asarray(batch.action.macro), np.asarray(batch.features.lead)
    kept = ended = 0
    for lane in range(16):
        running, since = 0, 0
        for tick in range(16):
            asks = running > 0 and since in (4, 8)
            assert (lead[tick, lane] == running) if asks else lead[tick, lane] == 0
            assert batch.decision[tick, lane] == (asks or not running)
            if asks and macro[tick, lane] == running:
                kept += 1
            elif batch.decision[tick, lane]:
                ended += asks
                running, since = int(macro[tick, lane]), 0
            since += 1
            if running and since == {1: 10, 2: 2}[running]:
                running = 0
    assert kept > 10 * ended


def _act(chosen: int, asks: int, state, obs):
    primitive = np.zeros((1, 8), np.int32)
    primitive[0, MOVE] = 2
    given = (np.array([chosen], np.int32), primitive, np.zeros(1, bool))
    return macro_step.act(SPACE.macros, 200, state, obs, *given, asks=np.array([asks], np.int32))


@pytest.fixture
def running():
    """The state of a lane in which `walk` has run for four ticks."""
    obs = HostCorridor(num_envs=1, length=100, horizon=100).reset(0)
    state = macro_step.init_macros(SPACE, 1, on_device=False)
    for chosen in (1, 0, 0, 0):
        state, _ = _act(chosen, 0, state, obs)
    return state, obs


def test_it_is_due_after_so_many_ticks_where_the_macro_is_offered_and_the_lane_is_free(running):
    offered, free = SPACE.arrays().masks.macro, np.zeros(1, bool)
    assert macro_step.asked(4, offered, running[0], free) == [1]
    assert macro_step.asked(3, offered, running[0], free) == [0]
    assert macro_step.asked(4, offered & False, running[0], free) == [0]
    assert macro_step.asked(4, offered, running[0], ~free) == [0]
    assert macro_step.asked(0, offered, running[0], free) is None


def test_going_on_begins_nothing(running):
    state, act = _act(1, 1, *running)
    assert act.chose and not act.decided and act.slot == [1] and state.ticks == [5]
    assert act.action[0, MOVE] == 1


@pytest.mark.parametrize(("chosen", "move"), [(0, 2), (2, 2)])
def test_another_choice_ends_the_macro_and_counts_at_once(running, chosen, move):
    state, act = _act(chosen, 1, *running)
    assert act.decided and act.left == [1] and act.slot == [chosen]
    assert act.action[0, MOVE] == move and state.slot == [chosen]


def test_a_macro_that_has_nothing_left_is_not_begun_again(running):
    state, obs = running
    for _ in range(6):  # its ten ticks are over, which shows when it is run once more
        state, _ = _act(0, 0, state, obs)
    state, act = _act(1, 1, state, obs)
    assert act.chose and not act.decided and act.slot == [0] and state.slot == [0]
    assert act.action[0, MOVE] == 0


def test_both_drivers_ask_alike():
    device = dataclasses.replace(CONFIG, driver="device", interpreter="jax")
    short = Corridor(num_envs=16, length=12, horizon=30)
    learners = [
        train(short, SPACE, config, init_learner(short, SPACE, config, 0), 1024)
        for config in (CONFIG, device)
    ]
    places = [np.asarray(learner.obs.position) for learner in learners]
    np.testing.assert_array_equal(*places)
    np.testing.assert_array_equal(learners[0].macros.slot, learners[1].macros.slot)


def test_an_evaluation_tells_which_macros_the_policy_ended():
    env = Corridor(num_envs=16, length=1000, horizon=60)
    params = init_learner(env, SPACE, CONFIG, 0).params
    ends = evaluate(env, SPACE, CONFIG, params, 0, num_episodes=64).macro_ends["walk"]
    assert ends["returned"] > 5 * ends["left"] > 0


def test_it_asks_after_a_whole_number_of_ticks():
    with pytest.raises(ValueError, match="space.ask_every is -1; it must be at least 0"):
        make_space(WALK, ask_every=-1)
