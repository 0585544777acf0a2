"""What a policy remembers of where its rays last met a target."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments import flags
from rlgpt_jax.agents import policy_words
from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.senses.rays import ray_directions
from rlgpt_jax.loop import tools
from rlgpt_jax.rl import devices
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.networks import target_memory as t
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.rollout import on_host
from rlgpt_jax.rl.rollout.rollout_device import on_devices, rollout_device
from rlgpt_jax.rl.rollout.rollout_host import rollout_host
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor
from tests.rl.small import CONFIG

COW = jnp.array([NAME_ID["cow"], -1])
SPACE = dataclasses.replace(empty_space(), primitives=("forward", "turn_left", "turn_right"))
KNOWN, IN_SIGHT, FRESH, COS, SIN, CLOSE, FLAT, HIGHER = range(t.SIZE)


def observe(yaw: float, pitch: float = 0.0, **met: float) -> base.Observation:
    """At (5, 64, 7); `ray7=3.0` is a cow 3 blocks away on ray 7."""
    _, obs = Corridor(num_envs=1).reset((), jax.random.key(0))
    name = jnp.full((1, base.NUM_RAYS), NAME_ID["none"])
    blocks = jnp.full((1, base.NUM_RAYS), base.RAY_RANGE)
    for ray, distance in met.items():
        name = name.at[0, int(ray[3:])].set(NAME_ID["cow"])
        blocks = blocks.at[0, int(ray[3:])].set(distance)
    return obs._replace(
        position=jnp.array([[5.0, 64.0, 7.0]]), yaw=jnp.array([yaw]), pitch=jnp.array([pitch]),
        ray_entity=name, ray_entity_distance=blocks,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ray", "yaw", "pitch"), [(0, 0.0, 0.0), (77, 130.0, 20.0), (119, -60, 85)]
)
def test_the_place_is_where_the_ray_ended(ray: int, yaw: float, pitch: float) -> None:
    obs = observe(yaw, pitch, **{f"ray{ray}": 6.0})
    way = ray_directions(obs.yaw, obs.pitch)[0, ray]
    np.testing.assert_allclose(t.start(obs, COW)[0, 3:6], obs.position[0] + 6.0 * way, atol=1e-5)


def test_the_nearest_of_several_counts() -> None:
    both, near = observe(0.0, ray3=9.0, ray50=4.0), observe(0.0, ray50=4.0)
    np.testing.assert_array_equal(t.start(both, COW), t.start(near, COW))


def test_nothing_is_told_before_the_first_sighting() -> None:
    place = t.start(observe(0.0), COW)
    assert not np.any(t.features(t.follow(place, observe(40.0), COW), observe(40.0)))


def test_what_is_out_of_sight_is_told_as_seen_from_where_the_view_is_now() -> None:
    ahead = observe(0.0, **{f"ray{base.CENTRE_RAY}": 4.0})
    place = t.start(ahead, COW)
    first = t.features(place, ahead)[0]
    np.testing.assert_allclose(first, [1, 1, 1, 1, 0, 0.2, 4 / 32, 0], atol=1e-3)
    turned = observe(90.0)  # yaw grows to the right: the cow is now on the left
    for _ in range(50):
        place = t.follow(place, turned, COW)
    now = t.features(place, turned)[0]
    np.testing.assert_allclose(now, [1, 0, np.exp(-0.5), 0, -1, 0.2, 4 / 32, 0], atol=1e-3)


def rolled(driver: str) -> tuple[object, Corridor]:
    config = dataclasses.replace(
        CONFIG, driver=driver, ppo=dataclasses.replace(CONFIG.ppo, unroll_length=64)
    )
    env = Corridor(num_envs=16)
    learner = init_learner(env, SPACE, config, 0)
    policy = Policy(learner.params, SPACE, config)
    if driver == "device":
        held = devices.taken_over(None, learner.rollout)
        return rollout_device(on_devices(env, None), policy, held, jax.random.key(1))[1], env
    world = on_host.as_host(env, learner.rollout.env_state)
    return rollout_host(world, policy, learner.rollout, jax.random.key(1))[1], env


def test_lanes_remember_through_their_episodes_and_both_drivers_the_same() -> None:
    batch, env = rolled("host")
    compass, gps = np.asarray(batch.features.compass), np.asarray(batch.features.gps)
    done = np.asarray(batch.terminated | batch.truncated)
    target = np.asarray(batch.features.target, np.float32)
    for lane in range(env.num_envs):
        begins, at, first = True, np.zeros(2), 0.0
        for tick in range(len(done)):
            (cos, sin), gone = compass[tick, lane, :2], gps[tick, lane, 2] * 50.0
            told = target[tick, lane]
            if begins:
                first = env.length + 1.0 - told[FLAT] * base.RAY_RANGE  # where it began
            z = first + gone
            sees = cos > np.cos(np.pi / 4)
            if sees:  # here the cow is straight ahead whatever the view
                at = np.array([0.0, z]) + (env.length + 1.0 - z) * np.array([-sin, cos])
            way = at - [0.0, z]
            turn = np.arctan2(-way[0], way[1]) - np.arctan2(sin, cos)
            wanted = [1, sees, np.cos(turn), np.sin(turn), np.hypot(*way) / base.RAY_RANGE]
            np.testing.assert_allclose(told[[KNOWN, IN_SIGHT, COS, SIN, FLAT]], wanted, atol=4e-3)
            begins = done[tick, lane]
    assert not target[..., IN_SIGHT].all()
    assert np.asarray(batch.truncated)[:-1].any()
    other, _ = rolled("device")
    np.testing.assert_array_equal(batch.features.target, other.features.target)


def test_it_is_part_of_the_rays_and_learning_takes_it() -> None:
    config = dataclasses.replace(CONFIG, observation=("compass",))
    env = Corridor(num_envs=16)
    learner = init_learner(env, SPACE, config, 0)
    world = on_host.as_host(env, learner.rollout.env_state)
    policy = Policy(learner.params, SPACE, config)
    batch = rollout_host(world, policy, learner.rollout, jax.random.key(1))[1]
    assert not np.any(batch.features.target)
    config = dataclasses.replace(config, observation=("rays",))
    after = train(env, SPACE, config, init_learner(env, SPACE, config, 0), 16 * 16)
    before = learner.params.actor["params"]["features"]["target"]
    assert any(map(np.any, jax.tree.leaves(jax.tree.map(
        lambda a, b: np.asarray(a) - np.asarray(b), before,
        after.params.actor["params"]["features"]["target"],
    ))))  # fmt: skip


def test_agents_are_told_if_the_policy_has_rays() -> None:
    def told(name: str, *changes: tuple[str, str]) -> str:
        config = flags.resolve(name, None, False, changes)
        return policy_words.memory(tools.given(config.task_record, config.rl))

    remembered = "No picture, it remembers where its rays last met a target of its reward"
    assert told("harvest_milk") == remembered
    assert told("harvest_milk", ("network.target_memory", "false")) == "No picture, no memory"
    assert told("harvest_milk_pixels") == "No memory"
