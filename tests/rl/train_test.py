"""Learning in the corridor, both drivers, restarts of what macros left behind."""

import dataclasses
import math

import jax
import numpy as np
import pytest

from rlgpt_jax.rl import train as train_module
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.train import TrainingDiverged, carry_over, init_learner, train
from tests.corridor import Corridor, HostCorridor
from tests.rl.small import CONFIG, assert_same_bits

ENV = Corridor(num_envs=16)


def collect(env, config, num_ticks, seed=0):
    """Trains anew. Returns the learner and the metrics of every update."""
    space, seen = empty_space(), []
    learner = init_learner(env, space, config, seed)
    learner = train(env, space, config, learner, num_ticks, lambda _, m: seen.append(m))
    return learner, seen


def test_ppo_solves_the_corridor():
    learner, _ = collect(ENV, CONFIG, 12_000)
    report = evaluate(ENV, Policy(learner.params, empty_space(), CONFIG), 5, num_episodes=32)
    assert report.success_rate > 0.9
    assert report.mean_ticks < 20  # 8 to 10 steps are needed


def test_training_stops_after_the_first_update_that_reaches_the_budget():
    learner, seen = collect(ENV, CONFIG, 257)  # an update takes 256 ticks
    assert learner.ticks == 512 and learner.num_updates == len(seen) == 2


def test_the_host_interface_and_the_wrapped_pure_world_give_the_same_bits():
    pure, _ = collect(ENV, CONFIG, 512)
    host, _ = collect(HostCorridor(num_envs=16), CONFIG, 512)
    assert_same_bits(pure.params, host.params)
    assert_same_bits(pure.rollout.obs, host.rollout.obs)


def test_training_in_two_calls_is_training_in_one():
    once, _ = collect(ENV, CONFIG, 1024)
    first, _ = collect(ENV, CONFIG, 512)
    twice = train(ENV, empty_space(), CONFIG, first, 512)
    assert_same_bits(once, twice)
    assert not jax.tree.leaves(first.params)[0].is_deleted()


def test_another_seed_gives_another_run():
    a, b = (collect(ENV, CONFIG, 256, seed=s)[0] for s in (0, 1))
    assert not np.array_equal(jax.tree.leaves(a.params)[0], jax.tree.leaves(b.params)[0])


def test_a_reward_that_the_world_does_not_tell_is_refused_in_training_and_not_in_evaluation():
    config = dataclasses.replace(CONFIG, reward=RewardConfig(clip=0.5))
    learner = init_learner(ENV, empty_space(), config, 0)
    with pytest.raises(ValueError, match="reward.clip is 0.5, but this world tells no CLIP reward"):
        train(ENV, empty_space(), config, learner, 256)
    report = evaluate(ENV, Policy(learner.params, empty_space(), config), 5, num_episodes=2)
    assert report.num_episodes == 2


def test_metrics_name_success_losses_and_where_the_time_went():
    _, seen = collect(ENV, CONFIG, 1024)
    last = seen[-1]
    for name in (
        "success_rate", "episode_return", "episode_ticks", "decisions", "policy_loss",
        "value_loss", "entropy", "approx_kl", "clip_fraction", "explained_variance",
        "grad_norm", "steps_per_second", "time_policy", "time_world", "time_macros",
        "time_update",
    ):  # fmt: skip
        assert isinstance(last[name], float), name
    assert last["decisions"] == 1.0


def test_episode_metrics_agree_with_the_world():
    """Every episode of a policy that never arrives lasts `horizon` ticks."""
    env = Corridor(num_envs=16, length=1000, horizon=8)
    config = dataclasses.replace(CONFIG, reward=RewardConfig(step_cost=0.5, distance=0.0))
    _, seen = collect(env, config, 256)
    assert seen[0]["episodes"] == 32
    assert seen[0]["success_rate"] == 0.0
    assert seen[0]["episode_ticks"] == 8.0
    assert seen[0]["episode_return"] == -4.0


def test_lanes_that_are_busy_make_no_decision():
    class Slow(Corridor):
        def step(self, params, state, action):
            """Every attack is slow here, as `drop` is in the real world."""
            attack = action[:, 5] == 3
            return super().step(params, state, action.at[:, 5].set(attack.astype("int32") * 2))

    _, seen = collect(Slow(num_envs=16), CONFIG, 256)
    # A third of the decisions at first are attacks and cost two more ticks: 3 / (3 + 2).
    assert 0.5 < seen[0]["decisions"] < 0.7


def test_the_device_driver_makes_the_same_decisions_as_the_host_driver():
    host, host_seen = collect(ENV, CONFIG, 768)
    device, device_seen = collect(ENV, dataclasses.replace(CONFIG, driver="device"), 768)
    np.testing.assert_array_equal(host.rollout.obs.position, device.rollout.obs.position)
    np.testing.assert_array_equal(host.rollout.lanes.previous, device.rollout.lanes.previous)
    for a, b in zip(jax.tree.leaves(host.params), jax.tree.leaves(device.params), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-4)
    for a, b in zip(host_seen, device_seen, strict=True):
        np.testing.assert_allclose(a["episode_return"], b["episode_return"], rtol=1e-5)
    assert math.isnan(device_seen[0]["time_world"]) and device_seen[0]["time_rollout"] > 0


def test_a_host_world_cannot_run_on_the_device():
    config = dataclasses.replace(CONFIG, driver="device")
    with pytest.raises(ValueError, match="driver"):
        init_learner(HostCorridor(num_envs=16), empty_space(), config, 0)


def test_the_number_of_lanes_must_agree():
    with pytest.raises(ValueError, match=r"ppo.num_envs is 16.*8 lanes"):
        init_learner(Corridor(num_envs=8), empty_space(), CONFIG, 0)


def test_training_that_diverges_stops_with_the_update_number():
    class Broken(Corridor):
        def step(self, params, state, action):
            state, step = super().step(params, state, action)
            return state, step._replace(reward=step.reward * float("inf"))

    with pytest.raises(TrainingDiverged, match="update 1 gave"):
        collect(Broken(num_envs=16, length=3), CONFIG, 2048)


def test_carry_over_forgets_changed_macros_only():
    learner, _ = collect(ENV, CONFIG, 512)
    noisy = learner.replace(
        params=jax.tree.map(lambda x: x + 0.5, learner.params),
        opt_state=jax.tree.map(lambda x: x + 1, learner.opt_state),
    )
    after = carry_over(noisy, ENV, empty_space(), (2, 5), CONFIG, seed=9)
    before, now = (x.params.actor["params"]["macro"] for x in (noisy, after))
    moments = after.opt_state[1][0].mu.actor["params"]["macro"]
    for leaf in ("kernel", "bias"):
        changed = np.zeros(9, bool)
        changed[[2, 5]] = True
        np.testing.assert_array_equal(now[leaf][..., changed], 0.0)
        np.testing.assert_array_equal(moments[leaf][..., changed], 0.0)
        np.testing.assert_array_equal(now[leaf][..., ~changed], before[leaf][..., ~changed])
    assert_same_bits(after.params.critic, noisy.params.critic)
    assert after.ticks == learner.ticks and int(after.rollout.lanes.episode_ticks.max()) == 0
    again = train(ENV, empty_space(), CONFIG, after, 256)
    assert again.num_updates == learner.num_updates + 1


def test_the_driver_follows_the_backend_and_the_kind_of_world():
    on_device = train_module._on_device
    assert on_device(ENV, CONFIG) == (jax.default_backend() != "cpu")
    assert not on_device(HostCorridor(num_envs=16), CONFIG)
    assert on_device(ENV, dataclasses.replace(CONFIG, driver="device"))
    assert not on_device(ENV, dataclasses.replace(CONFIG, driver="host"))
