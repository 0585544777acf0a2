"""What an RL interface sets of a policy and its reward changes the run, and compiles nothing."""

import dataclasses

import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.base import YAW
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.actions import HybridSpace, empty_space
from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.evaluate import episodes
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.interface import (
    DEFAULT,
    OBSERVATION_PARTS,
    STOP_EPISODES,
    RewardTerms,
    RLInterface,
)
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Policy, problem_of
from rlgpt_jax.rl.reward import rewards
from rlgpt_jax.rl.rollout import on_host
from rlgpt_jax.rl.rollout.rollout_device import on_devices, rollout_device
from rlgpt_jax.rl.rollout.rollout_host import rollout_host, tick
from rlgpt_jax.rl.train import carry_over, init_learner, train
from tests.corridor import Corridor
from tests.rl.reward.rewards_test import PLAIN, observe, run, step_to
from tests.rl.small import CONFIG, assert_same_bits

ENV = Corridor(num_envs=16, horizon=12)  # episodes end within a rollout
SPACE = dataclasses.replace(empty_space(), primitives=("forward", "turn_left", "use"))
INTERFACE = RLInterface(
    observation=("compass", "rays"),
    reward=RewardTerms(
        success=3.0, step_cost=0.5, distance=2.0, targets=("sheep", "cow"),
        items=(("milk_bucket", 4.0),), exploration=0.25,
    ),
)  # fmt: skip
TURNED = dataclasses.replace(SPACE, turn=15)
COMPILED: list[str] = []


@jax.monitoring.register_event_duration_secs_listener
def _note(event: str, seconds: float, **about) -> None:
    if event == "/jax/core/compile/jaxpr_to_mlir_module_duration":
        COMPILED.append(str(about.get("fun_name")))


def set_up(**parts):
    return CONFIG.set_up(dataclasses.replace(DEFAULT, **parts))


def roll(config, env=ENV):
    """The batch of one rollout by the host driver."""
    learner = init_learner(env, SPACE, config, 0)
    world = on_host.as_host(env, learner.rollout.env_state)
    policy = Policy(learner.params, SPACE, config)
    return rollout_host(world, policy, learner.rollout, jax.random.key(1))[1]


def test_what_an_interface_leaves_out_stays_as_the_run_has_it():
    assert CONFIG.set_up(DEFAULT) == CONFIG
    config = dataclasses.replace(CONFIG, reward=RewardConfig(items=(("log", 1.0),)))
    one = config.set_up(RLInterface(reward=RewardTerms(success=0.0)))
    assert one.reward == dataclasses.replace(config.reward, success=0.0)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        # Two ticks: cow from 9 to 8 blocks, then success with a wool picked up.
        ("success", 7.0, [0.5 - 0.02, 7.0 - 0.02]),
        ("step_cost", 0.25, [0.5 - 0.25, 10.0 - 0.25]),
        ("distance", 3.0, [3.0 - 0.02, 10.0 - 0.02]),
        ("targets", ("sheep",), [-0.02, 10.0 - 0.02]),
        ("items", (("wool", -2.0), ("log", 5.0)), [0.5 - 0.02, 10.0 - 0.02 - 2.0]),
        ("exploration", 1.0, [0.5 - 0.02, 10.0 - 0.02]),  # it stays in its cell
    ],
)
def test_every_reward_term_pays(field, value, expected):
    config = CONFIG.set_up(RLInterface(reward=RewardTerms(**{field: value}))).reward
    steps = [step_to(observe(8.0)), step_to(observe(8.0, wool=1), done=True, success=True)]
    np.testing.assert_allclose(run(config, observe(9.0), steps), expected, rtol=1e-6)


def at(x: float, z: float):
    return observe(None)._replace(position=jnp.array([[x, 70.0, z]]))


def test_exploration_pays_once_for_every_cell_of_an_episode():
    config = dataclasses.replace(PLAIN, exploration=1.0)
    places = [(3.9, 0.0), (4.1, 0.0), (3.9, 0.0), (4.1, -0.1), (4.1, 3.9), (-0.1, -0.1)]
    got = run(config, at(0.5, 0.5), [step_to(at(*p)) for p in places])
    assert got == [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]


def test_exploration_begins_anew_with_the_episode():
    config = dataclasses.replace(PLAIN, exploration=1.0)
    ended = step_to(at(9.0, 0.0), next_obs=at(50.0, 0.0), done=True)
    got = run(config, at(0.0, 0.0), [ended, step_to(at(51.0, 0.0)), step_to(at(9.0, 0.0))])
    assert got == [1.0, 0.0, 1.0]


def test_cells_farther_than_the_map_of_visits_repeat():
    config = dataclasses.replace(PLAIN, exploration=1.0)
    size = 4 * rewards.GRID
    got = run(config, at(0.0, 0.0), [step_to(at(size - 1.0, 0.0)), step_to(at(size, 0.0))])
    assert got == [1.0, 0.0]


@pytest.mark.parametrize("part", OBSERVATION_PARTS)
def test_a_part_that_is_left_out_is_zero_in_training(part):
    kept = tuple(p for p in OBSERVATION_PARTS if p != part)
    whole, batch = roll(CONFIG).features, roll(set_up(observation=kept)).features
    gone = {"rays": ("ray", "ray_near", "target")}.get(part, (part,))
    for name in set(batch._fields) - {"rgb", "past"}:
        values = np.asarray(getattr(batch, name))
        assert values.dtype == np.asarray(getattr(whole, name)).dtype
        if name in gone:
            assert not values.any(), name
        else:
            np.testing.assert_array_equal(values[0], getattr(whole, name)[0])


def test_the_value_at_a_cut_sees_the_same_parts():
    """With nothing but a constant to see, every value is the same."""
    batch = roll(set_up(observation=("biome",)), env=Corridor(num_envs=16, length=99, horizon=8))
    cut = np.asarray(batch.truncated)
    assert cut.any() and len(np.unique(np.asarray(batch.final_value)[cut])) == 1


def test_an_evaluation_shows_and_allows_what_the_training_did(monkeypatch):
    seen = []

    def watched(*args):
        seen.append(tick(*args))
        return seen[-1]

    monkeypatch.setattr(episodes, "tick", watched)
    config = set_up(observation=("compass",))
    params = actor_critic.init_params(config.network, jax.random.key(0))
    report = evaluate(ENV, Policy(params, SPACE, config), 3, num_episodes=16)
    features = seen[0].decision.features
    assert np.asarray(features.compass).any() and not np.asarray(features.ray_near).any()
    allowed = {"nothing", "forward", "turn_left", "use", "forward+use", "turn_left+use"}
    assert set(report.action_counts) == allowed


def test_primitives_that_are_left_out_are_not_tried_in_training():
    chosen = np.asarray(roll(CONFIG).action.primitive)
    assert set(np.unique(chosen[..., 0])) == {0, 1, 10}
    assert set(np.unique(chosen[..., 1])) == {0, 1}


def test_an_evaluation_turns_by_as_much_as_its_space(monkeypatch):
    acted = []

    def watched(*args):
        acted.append(tick(*args))
        return acted[-1]

    monkeypatch.setattr(episodes, "tick", watched)
    params = actor_critic.init_params(CONFIG.network, jax.random.key(0))
    for degrees in (15, 30):
        acted.clear()
        space = dataclasses.replace(SPACE, primitives=("turn_left",), turn=degrees)
        evaluate(ENV, Policy(params, space, CONFIG), 3, num_episodes=16)
        yaws = np.concatenate([result.act.action[:, YAW] for result in acted])
        assert set(np.unique(yaws)) == {12 - degrees // 15, 12}


def test_the_rewards_of_a_rollout_are_those_of_the_interface():
    config = set_up(reward=RewardTerms(success=0.0, step_cost=0.5, distance=0.0))
    assert set(np.unique(roll(config).reward)) == {-0.5}


@pytest.mark.slow
def test_another_interface_compiles_nothing_in_rollout_update_and_evaluation():
    counts = []
    learner = None
    for number, interface in enumerate([DEFAULT, INTERFACE, RLInterface(observation=("gps",))]):
        config = CONFIG.set_up(interface)
        space = (empty_space(), TURNED, empty_space())[number]
        if learner is None:
            learner = init_learner(ENV, space, config, 0)
            learner = carry_over(learner, ENV, space, (), config, 0)
        else:
            learner = carry_over(learner, ENV, space, (1, 3)[:number], config, number)
        learner = train(ENV, space, config, learner, 512)
        evaluate(ENV, Policy(learner.params, space, config), 1, num_episodes=16)
        counts.append(len(COMPILED))
    assert counts[0] > 0, "the listener hears what is compiled"
    assert counts[1] == counts[0], COMPILED[counts[0] :]
    assert counts[2] == counts[0], COMPILED[counts[0] :]


def test_both_drivers_decide_and_pay_alike_under_an_interface():
    config = CONFIG.set_up(INTERFACE)
    learner = init_learner(ENV, SPACE, config, 0)
    policy = Policy(learner.params, SPACE, config)
    _, device = rollout_device(on_devices(ENV, None), policy, learner.rollout, jax.random.key(1))
    host = roll(config)
    for name in ("features", "action", "decision", "terminated", "truncated"):
        assert_same_bits(
            jax.tree.map(np.asarray, getattr(host, name)),
            jax.tree.map(np.asarray, getattr(device, name)),
        )
    np.testing.assert_allclose(host.reward, device.reward, rtol=1e-6)
    np.testing.assert_allclose(host.final_value, device.final_value, rtol=1e-4, atol=1e-6)
    assert len(np.unique(np.round(host.reward, 3))) > 2  # several terms paid


@pytest.mark.slow
def test_the_device_driver_compiles_nothing_for_another_interface():
    counts = []
    for number, interface in enumerate([DEFAULT, INTERFACE]):
        config = dataclasses.replace(CONFIG, driver="device").set_up(interface)
        space = (empty_space(), TURNED)[number]
        learner = init_learner(ENV, space, config, 0)
        train(ENV, space, config, learner, 512)
        counts.append(len(COMPILED))
    assert counts[1] == counts[0], COMPILED[counts[0] :]


@pytest.mark.slow
def test_the_last_episodes_are_kept_in_the_order_in_which_they_ended():
    env = Corridor(num_envs=16, length=6, horizon=8)
    seen = []
    learner = init_learner(env, empty_space(), CONFIG, 0)
    train(env, empty_space(), CONFIG, learner, 8 * 256, lambda now, m: seen.append((now, m)))
    finished = np.cumsum([m["episodes"] for _, m in seen])
    assert [now.finished for now, _ in seen] == finished.tolist() and finished[-1] > STOP_EPISODES
    now, last = seen[-1]
    count = int(last["episodes"])
    assert now.recent.shape == (STOP_EPISODES,)
    # What is not of the last update is what was there before, moved on.
    np.testing.assert_array_equal(now.recent[:-count], seen[-2][0].recent[count:])


def test_training_ends_when_it_is_enough():
    learner = init_learner(ENV, SPACE, CONFIG, 0)
    ended = train(ENV, SPACE, CONFIG, learner, 4096, is_enough=lambda now: now.num_updates >= 2)
    assert ended.ticks == 512
    assert train(ENV, SPACE, CONFIG, ended, 4096, is_enough=lambda _: True).ticks == 512


def test_a_problem_on_the_host_leaves_the_programs_to_the_interpreter():
    problem = problem_of(CONFIG, ("cow",), HybridSpace(macros=empty_space().macros))
    assert problem.space.macros is None
    assert np.asarray(problem.reward.targets).tolist() == [NAME_ID["cow"]] + [-1] * 7
