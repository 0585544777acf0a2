"""Policies that see pictures, and such that remember them."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.rl import checkpoint, devices
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.chain import chain as chains
from rlgpt_jax.rl.chain.rule import Goal
from rlgpt_jax.rl.chain.skills import Chain, Skill, prepare
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RewardConfig, RLConfig
from rlgpt_jax.rl.distribution import distribution
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.interface import OBSERVATION_PARTS, RLInterface
from rlgpt_jax.rl.networks import actor_critic, frame_stack
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.ppo import minibatches, ppo
from rlgpt_jax.rl.rollout import on_host
from rlgpt_jax.rl.rollout.rollout_device import on_devices, rollout_device
from rlgpt_jax.rl.rollout.rollout_host import rollout_host, start_lanes
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor
from tests.rl.macros_test import BACK, WALK, make_space
from tests.rl.small import CONFIG as BLIND
from tests.rl.small import assert_same_bits
from tests.sides import Sides

SIZE = (8, 12)
NETWORK = NetworkConfig(
    feature_width=8, feature_depth=0, fusion_width=32, head_width=32, image_size=SIZE,
    conv_channels=(8, 8), picture_width=16, shared=True,
)  # fmt: skip
# Without previous action and position, through which a policy could remember by what it does.
CONFIG = RLConfig(
    ppo=PPOConfig(
        num_envs=16, unroll_length=16, num_minibatches=2, num_epochs=4, learning_rate=3e-3,
        gamma=0.9,
    ),
    network=NETWORK, reward=RewardConfig(step_cost=0.1), observation=("rgb", "compass"),
)  # fmt: skip
SPACE = dataclasses.replace(empty_space(), primitives=("left", "right", "forward"))
LATE = Sides(wait=2, shown=1, horizon=6)  # the goal is seen two ticks before a step counts


def with_network(**fields) -> RLConfig:
    return dataclasses.replace(CONFIG, network=dataclasses.replace(NETWORK, **fields))


STACK = with_network(frame_stack=3, shared=False)
SHARED = with_network(frame_stack=3)


def learned(env, config, num_ticks: int) -> float:
    """Success of a policy after training, in 64 episodes."""
    learner = train(env, SPACE, config, init_learner(env, SPACE, config, 0), num_ticks)
    return evaluate(env, Policy(learner.params, SPACE, config), 5, num_episodes=64).success_rate


@pytest.mark.slow
def test_ppo_learns_what_nothing_but_a_picture_shows():
    assert learned(Sides(), CONFIG, 4_000) > 0.9


@pytest.mark.slow
def test_a_policy_that_remembers_learns_what_is_no_longer_seen():
    assert learned(LATE, STACK, 8_000) > 0.9


@pytest.mark.slow
def test_the_side_is_in_the_picture_alone_and_later_nowhere():
    """So that a policy without pictures, or without a memory, cannot do better than chance."""
    state, _ = LATE.reset((), jax.random.key(0))
    sides = [state._replace(seed=state.seed * 0 + (side << 16)) for side in (0, 1)]
    for tick in range(LATE.horizon):
        left, right = (LATE.observe(s._replace(tick=s.tick + tick)) for s in sides)
        assert (tick < LATE.shown) == bool((left.rgb != right.rgb).any())
        assert_same_bits(left._replace(rgb=None), right._replace(rgb=None))


def roll(config, space=SPACE):
    """The second rollout in `LATE`, which begins in the middle of episodes, and its learner."""
    learner = init_learner(LATE, space, config, 0)
    policy = Policy(learner.params, space, config)
    if config.driver == "device":
        held, worlds = devices.taken_over(None, learner.rollout), on_devices(LATE, None)
        for index in range(2):
            held, batch = rollout_device(worlds, policy, held, jax.random.key(index))
        return batch, learner
    world, held = on_host.as_host(LATE, learner.rollout.env_state), learner.rollout
    for index in range(2):
        held, batch, _ = rollout_host(world, policy, held, jax.random.key(index))
    return batch, learner


make_rows = jax.jit(ppo.make_rows, static_argnums=(0, 1))
respond = jax.jit(actor_critic.policy_step, static_argnums=0)


@functools.partial(jax.jit, static_argnums=0)
def judged(network, params, rows, index):
    """A minibatch as the update takes it, and what the networks make of it."""
    part = ppo._take_rows(network, rows, index)
    return part, *actor_critic.logits_and_values(network, params, part.features)


CASES = {
    "one body": (SHARED, SPACE),
    "device": (dataclasses.replace(SHARED, driver="device"), SPACE),
    "macros": (SHARED, make_space(WALK, BACK)),
    "stack, two bodies": (STACK, SPACE),
}


CASES_MARKED = [
    pytest.param(name, marks=() if name == "macros" else pytest.mark.slow) for name in CASES
]


@pytest.mark.parametrize("name", CASES_MARKED)
def test_the_update_sees_what_the_policy_saw(name):
    """Of a batch the networks make the same probabilities and values as in the rollout."""
    config, space = CASES[name]
    batch, learner = roll(config, space)
    done = np.asarray(batch.terminated | batch.truncated)
    assert done[:-1].any() and not done[-1].all()  # episodes end inside, others go on
    rows, _ = make_rows(config.ppo, config.network, learner.params, batch)
    lanes = done.shape[1]
    half = rows.decision.size // 2
    index, real, num = minibatches.deal(jax.random.key(3), rows.decision, half)
    total = carried = 0
    for i in range(int(num)):
        part, logits, value = judged(config.network, learner.params, rows, index[i])
        policy = distribution(logits.primitive, logits.macro, space.arrays().masks)
        keep = np.asarray(real[i])
        new, old = (np.asarray(x)[keep] for x in (policy.log_prob(part.action), part.log_prob))
        np.testing.assert_allclose(new, old, atol=1e-5)
        if batch.value is not None:
            seen = np.concatenate([batch.carried.value, np.asarray(batch.value).reshape(-1)])
            seen = seen[index[i]]
            np.testing.assert_allclose(value, seen, atol=1e-5)
        total += keep.sum()
        carried += (np.asarray(index[i]) < lanes)[keep].sum()
    assert total == np.asarray(rows.decision).sum() and 0 < carried < total


def test_both_drivers_record_the_same_pictures_and_memories():
    host, device = (roll(CASES[name][0])[0] for name in ("one body", "device"))
    np.testing.assert_array_equal(host.features.rgb, device.features.rgb)
    np.testing.assert_array_equal(host.features.past, device.features.past)
    np.testing.assert_array_equal(host.action.primitive, device.action.primitive)
    for name in ("frames", "carried", "value", "final_value"):
        pair = (jax.tree.leaves(getattr(batch, name)) for batch in (host, device))
        for a, b in zip(*pair, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-5)
    assert np.asarray(host.truncated).any() and np.asarray(host.final_value).any()
    # One picture of a byte per colour is kept for every tick, and those before the first.
    assert host.features.rgb.dtype == np.uint8
    assert host.features.rgb.shape == (16, 16, *SIZE, 3)
    assert host.frames.pictures.shape == (16, 2, *SIZE, 3)
    assert host.features.ray is None


def test_pictures_are_stacked_and_forgotten_with_the_episode():
    rgb = np.arange(1, 6, dtype=np.uint8)[:, None, None, None, None] * np.ones((1, 2, 1, 1, 3))
    memory = frame_stack.start(with_network(frame_stack=3, image_size=(8, 8)).network, 2)
    memory = memory._replace(pictures=memory.pictures[:, :, :1, :1])
    seen = []
    for tick, picture in enumerate(rgb.astype(np.uint8)):
        row = actor_critic.dummy_features(2)._replace(rgb=jnp.asarray(picture), past=memory.past)
        seen.append(np.asarray(frame_stack.with_stack(row, memory).rgb)[:, 0, 0, ::3])
        memory = frame_stack.push(memory, row.rgb)
        memory = frame_stack.forget(memory, jnp.array([tick == 1, False]))
    # Lane 0 begins anew after two ticks, lane 1 goes on; the oldest picture comes first.
    expected = [[0, 0, 1], [0, 1, 2], [0, 0, 3], [0, 3, 4], [3, 4, 5]]
    np.testing.assert_array_equal([x[0] for x in seen], expected)
    expected = [[0, 0, 1], [0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]
    np.testing.assert_array_equal([x[1] for x in seen], expected)


@pytest.mark.slow
def test_lanes_without_a_decision_teach_nothing():
    batch, learner = roll(SHARED)
    nothing = np.zeros_like(batch.decision)
    carried = batch.carried._replace(is_open=nothing[0])
    none = batch._replace(decision=nothing, carried=carried)
    given = jax.tree.map(jnp.copy, ppo.TrainState(learner.params, learner.opt_state))
    masks = SPACE.arrays().masks
    state, metrics = ppo.update(SHARED.ppo, SHARED.network, given, none, masks, jax.random.key(0))
    assert_same_bits(state, ppo.TrainState(learner.params, learner.opt_state))
    assert metrics["decisions"] == 0.0 and all(np.isfinite(x) for x in metrics.values())


@pytest.mark.slow  # `checkpoint_test.py` resumes by default
@pytest.mark.parametrize("driver", ["host", "device"])
def test_a_resumed_run_remembers_the_same(driver, tmp_path):
    config, env = dataclasses.replace(SHARED, driver=driver), LATE
    learner = train(env, SPACE, config, init_learner(env, SPACE, config, 3), 2 * 256)
    checkpoint.save(tmp_path / "c", learner, env)
    restored = checkpoint.load(tmp_path / "c", env, SPACE, config)
    assert_same_bits(restored, learner)
    straight, resumed = (train(env, SPACE, config, x, 256) for x in (learner, restored))
    assert_same_bits(resumed, straight)


def test_a_skill_begins_with_no_memory_and_sees_every_tick_from_there_on():
    """The pictures in a chain are those of the observations since the skill was picked."""
    limit = 4  # ticks after which the rule picks the skill again
    params = actor_critic.init_params(SHARED.network, jax.random.key(3))
    goal = Goal("only", "milk_bucket", 1, (), limit, True)
    skill = Skill(goal, make_space(WALK), CONFIG.observation, params)
    chain = Chain((skill,), ("milk_bucket",), lambda *_: True)
    world = on_host.OnHost(Sides(horizon=99, wait=50))
    prepared = prepare(chain, SHARED, world.goal_names)
    obs = world.reset(0)
    now = chains.start(chain, start_lanes(prepared.whole.reward, obs, SHARED.network))
    pictures: list[np.ndarray] = []
    kinds = set()
    for index in range(12):
        result = chains.tick(world, prepared, now, obs, jax.random.key(0), index)
        lane = 0
        pictures = [obs.rgb[lane], *([] if result.began[lane] else pictures)]
        kinds.add(bool(result.act.decided[lane]))
        memory = result.after.lanes.frames
        assert int(memory.past[lane]) == min(len(pictures), 2)
        np.testing.assert_array_equal(memory.pictures[lane, -1], pictures[0])
        now, obs = result.after, result.step.obs
    assert kinds == {True, False}  # a macro ran in some ticks


def test_a_world_without_pictures_of_the_size_is_refused():
    with pytest.raises(ValueError, match=r"\(8, 12\), but the world gives no pictures.*image_size"):
        init_learner(Corridor(num_envs=16), SPACE, CONFIG, 0)
    with pytest.raises(ValueError, match=r"pictures of \(8, 8\)"):
        init_learner(Sides(size=(8, 8)), SPACE, CONFIG, 0)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"image_size": (64,)}, "network.image_size is .*height and width"),
        ({"image_size": (64, 30)}, "multiples of network.conv_patch = 4"),
        ({"image_size": (8, 8), "conv_channels": (8, 8, 8)}, "at least 16, which 3 layers"),
        ({"image_size": (), "frame_stack": 2}, "network.frame_stack is 2.*1 without pictures"),
        ({"conv_channels": ()}, "network.conv_channels"),
    ],
)
def test_a_network_that_cannot_be_is_refused(fields, words):
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(NETWORK, **fields)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"observation": ("compass",)}, "Pictures need both: rgb among the parts and a size"),
        ({"network": NetworkConfig()}, "Pictures need both"),
        ({"observation": ("rgb", "rays")}, "without rays, in whose place rgb is"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(fields, words):
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(CONFIG, **fields)


def test_an_interface_takes_parts_away_adds_none_and_keeps_the_picture():
    assert CONFIG.set_up(RLInterface()) == CONFIG
    assert CONFIG.set_up(RLInterface(observation=("rays", "gps"))).observation == ("rgb",)
    assert BLIND.set_up(RLInterface()).observation == OBSERVATION_PARTS
    assert "rgb" not in OBSERVATION_PARTS


def test_pictures_reach_the_policy_and_the_value():
    params = actor_critic.init_params(SHARED.network, jax.random.key(0))
    x = actor_critic.dummy_features(2, SHARED.network)
    x = x._replace(rgb=x.rgb.at[0, 0, 0, 8].set(255))  # one colour of a pixel, the latest picture
    logits, value = respond(SHARED.network, params, x)
    assert value[0] != value[1] and (logits.macro[0] != logits.macro[1]).all()
