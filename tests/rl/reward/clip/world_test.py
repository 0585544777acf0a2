"""Worlds that tell the CLIP reward, and what training makes of it."""

import dataclasses
import functools
from typing import Any

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.base import Step
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.reward.clip.model import apply
from rlgpt_jax.rl.reward.clip.reward import ClipReward, Scorer
from rlgpt_jax.rl.reward.clip.world import AsyncClipWorld, ClipWorld, with_clip
from rlgpt_jax.rl.rollout import on_host
from rlgpt_jax.rl.rollout.rollout_host import rollout_host
from rlgpt_jax.rl.train import init_learner
from tests import sides
from tests.envs.voxel import worlds
from tests.rl.reward.clip import small
from tests.rl.small import CONFIG

NOOPS = np.tile(np.array([0, 0, 0, 12, 12, 0, 0, 0], np.int32), (2, 1))
TEXTS = np.random.default_rng(1).normal(size=(4, 16)).astype(np.float32)


@functools.cache
def scorer() -> Scorer:
    """Made in the tests and not at import, where every worker would compile it."""
    return Scorer(small.weights(), TEXTS, block=4)


def wrapped(**changes: Any) -> ClipWorld:
    return with_clip(small.Film(**changes), scorer(), window=4, every=1)


def test_every_tick_tells_the_reward_of_its_pictures() -> None:
    world, plain = wrapped(), small.Film()
    reward = ClipReward(scorer(), 2, window=4)
    reward.begin(np.arange(2), plain.reset(5).rgb)
    world.reset(5)
    ended = 0
    for _ in range(9):
        step, same = world.step(NOOPS), plain.step(NOOPS)
        expected = reward.step(np.arange(2), same.final_obs.rgb, same.truncated, same.obs.rgb)
        np.testing.assert_array_equal(step.info["clip"], expected)
        np.testing.assert_array_equal(step.final_obs.rgb, same.final_obs.rgb)
        assert step.info["clip"].dtype == np.float32 and {"success", "busy"} < set(step.info)
        ended += step.truncated.sum()
    assert ended == 5 and (world.num_envs, world.goal_names) == (2, ("cow",))


def test_a_lost_tick_earns_nothing() -> None:
    world = wrapped()
    world.reset(0)
    world._env.lost = np.array([False, False])
    earned = [world.step(NOOPS).info["clip"] for _ in range(2)]
    assert np.max(earned) > 0
    lane = int(np.argmax(np.max(earned, axis=0)))
    world = wrapped()
    world.reset(0)
    world._env.lost = np.arange(2) == lane
    assert all(world.step(NOOPS).info["clip"][lane] == 0 for _ in range(2))


def test_a_world_without_pictures_or_with_others_is_refused_before_it_steps() -> None:
    for size, words in ((None, "shows no pictures"), ((24, 16), "shows pictures of 24 x 16")):
        film = small.Film()
        film.image_size = size  # type: ignore[assignment]
        with pytest.raises(ValueError, match=f"{words}, and the CLIP reward needs 16 x 24.*"):
            with_clip(film, scorer(), 4, 1)
    dark = sides.Sides(num_envs=2)  # which says only with its observation what it shows
    with pytest.raises(ValueError, match=r"image_size=\(16, 24\), or set reward.clip to 0"):
        with_clip(on_host.as_host(dark), scorer(), 4, 1).reset(0)


def test_a_saved_world_goes_on_with_the_same_rewards() -> None:
    world = wrapped()
    world.reset(1)
    world.step(NOOPS)
    saved = world.save()
    other = wrapped()
    obs = other.load(saved)
    same = small.Film()
    np.testing.assert_array_equal(obs.rgb, same.load(saved["world"]).rgb)
    np.testing.assert_array_equal(other.save()["clip"]["ring"], saved["clip"]["ring"])


class Apart(small.Film):
    """The same films, whose lanes answer one after the other."""

    def start(self, seed: int) -> None:
        self._first = self.reset(seed)
        self._answers: list[tuple[int, Step]] = []
        zeros = np.zeros(2, np.float32)
        info = {"success": zeros > 0, "busy": zeros > 0}
        whole = Step(self._first, zeros, zeros > 0, zeros > 0, self._first, info)
        self._queue(whole)

    def _queue(self, whole: Step) -> None:
        for lane in (1, 0):
            rows = np.array([lane])
            part = [x._replace(rgb=x.rgb[rows]) if hasattr(x, "rgb") else x[rows]
                    for x in whole[:5]]  # fmt: skip
            info = {name: x[rows] for name, x in whole.info.items()}
            self._answers.append((lane, Step(*part, info)))

    def send(self, lanes: np.ndarray, action: np.ndarray) -> None:
        if lanes[0] == 0:  # lane 1 was sent first: both go on
            self._queue(self.step(NOOPS))

    def receive(self) -> tuple[np.ndarray, Step]:
        lane, step = self._answers.pop(0)
        return np.array([lane]), step


def test_lanes_that_step_on_their_own_earn_the_same() -> None:
    world, apart = wrapped(), with_clip(Apart(), scorer(), 4, 1)
    assert isinstance(apart, AsyncClipWorld) and not isinstance(world, AsyncClipWorld)
    assert hasattr(apart, "send") and not hasattr(world, "send")
    world.reset(3)
    apart.start(3)
    for _ in range(2):
        lanes, step = apart.receive()
        assert step.info["clip"] == 0.0
    for _ in range(8):
        expected = world.step(NOOPS).info["clip"]
        for lane in (1, 0):
            apart.send(np.array([lane]), NOOPS[:1])
        for _ in range(2):
            lanes, step = apart.receive()
            np.testing.assert_allclose(step.info["clip"], expected[lanes], atol=1e-4)
    # Episodes begin anew where such a world is loaded, and rings with them.
    again = with_clip(Apart(), scorer(), 4, 1)
    obs, fresh = again.load(apart.save()), ClipReward(scorer(), 2, window=4)
    fresh.begin(np.arange(2), obs.rgb)
    np.testing.assert_array_equal(again._reward.save()["ring"], fresh.save()["ring"])


@pytest.mark.slow
def test_the_small_voxel_worlds_pictures_are_rewarded() -> None:
    env = VoxelEnv(get_task("harvest_milk"), worlds.PARAMS, worlds.LANES, worlds.pool())
    weights = small.weights(small.RUNNABLE)
    scorer = Scorer(weights, TEXTS, block=2)
    world = with_clip(HostVoxel(env, image_size=(160, 256)), scorer, 16, 1)
    turn = np.tile(np.array([0, 0, 0, 12, 14, 0, 0, 0], np.int32), (worlds.LANES, 1))
    reward = ClipReward(scorer, worlds.LANES, window=16)
    reward.begin(np.arange(2), world.reset(0).rgb)
    told = []
    for _ in range(3):
        step = world.step(turn)
        rgb = step.final_obs.rgb
        assert rgb.shape == (2, 160, 256, 3) and rgb.std() > 5
        told.append(step.info["clip"])
        np.testing.assert_array_equal(
            told[-1], reward.step(np.arange(2), rgb, step.truncated, step.obs.rgb)
        )
    assert len(np.unique(told)) > 2
    assert world.image_size == (160, 256)  # what only this world has is still to be had


@pytest.mark.slow  # `bridge_test.py` pays a rollout
def test_training_is_paid_by_the_weight_of_the_term() -> None:
    terms: dict[str, Any] = dict(success=0.0, step_cost=0.0, distance=0.0)
    ppo = dataclasses.replace(CONFIG.ppo, num_envs=2, unroll_length=8, num_minibatches=1)
    space = empty_space()
    dark = sides.Sides(num_envs=2, size=(16, 24), wait=99, horizon=5)
    shown = np.asarray(dark.reset((), jax.random.key(0))[1].rgb)
    videos = np.repeat(scorer().frames(shown)[:, None], 4, axis=1)
    texts = TEXTS.copy()
    weights = small.weights()
    texts[0] = apply(weights.sizes, weights.params, "temporal", videos)[0]  # what it looks like
    liked = Scorer(weights, texts, block=4)

    def earned(weight: float) -> tuple[np.ndarray, np.ndarray]:
        """Rewards [T, N] of a rollout, and what the world told of its pictures."""
        reward = RewardConfig(**terms, clip=weight)
        config = dataclasses.replace(CONFIG, ppo=ppo, driver="host", reward=reward)
        world: Any = with_clip(on_host.as_host(dark), liked, 4, 1)
        told, step = [], world.step
        world.step = lambda action: told.append(step(action)) or told[-1]
        learner = init_learner(world, space, config, seed=0)
        policy = Policy(learner.params, space, config)
        _, batch, _ = rollout_host(world, policy, learner.rollout, jax.random.key(0))
        return np.asarray(batch.reward), np.array([x.info["clip"] for x in told])

    reward, told = earned(2.0)
    assert len(np.unique(told)) > 4 and told.max() > 0.1
    np.testing.assert_allclose(reward, 2.0 * told, rtol=1e-6)
    assert np.all(earned(0.0)[0] == 0.0)


SAVED = {"world": {"ticks": np.zeros(2, int), "seed": np.array(5)}}


@pytest.mark.parametrize("begin", [lambda x: x.reset(5), lambda x: x.load(SAVED)])
def test_what_was_started_and_not_received_does_not_cost_the_next_episode_its_reward(
    begin: Any,
) -> None:
    def earned(world: Any) -> list[float]:
        begin(world)
        world._env._answers = []  # a world forgets them
        for lane in (1, 0):
            world.send(np.array([lane]), NOOPS[:1])
        return [float(world.receive()[1].info["clip"][0]) for _ in range(2)]

    started, fresh = (with_clip(Apart(), scorer(), 4, 1) for _ in range(2))
    started.start(7)  # type: ignore[attr-defined]
    expected = earned(fresh)
    assert max(expected) > 0 and earned(started) == expected
