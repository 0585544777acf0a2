"""The CLIP reward of Minecraft: workers that run for real and play a double of the game client."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.reward.clip.model import apply
from rlgpt_jax.rl.reward.clip.reward import Scorer
from rlgpt_jax.rl.reward.clip.world import AsyncClipWorld, with_clip
from rlgpt_jax.rl.rollout.rollout_async import AsyncRollout
from rlgpt_jax.rl.train import init_learner
from tests.envs.minedojo import doubles
from tests.rl.reward.clip import small
from tests.rl.small import CONFIG

LANES, TICKS, WINDOW = 2, 8, 4
SIZE = (16, 24)
PPO = dataclasses.replace(CONFIG.ppo, num_envs=LANES, unroll_length=TICKS, num_minibatches=1)
REWARD = RewardConfig(success=0.0, step_cost=0.0, distance=0.0, clip=2.0)


def scorer_of(grey: int) -> Scorer:
    """Rewards pictures the more, the nearer they are to one of that grey."""
    weights = small.weights()
    texts = np.random.default_rng(1).normal(size=(4, 16)).astype(np.float32)
    scorer = Scorer(weights, texts, block=LANES)
    frame = scorer.frames(np.full((1, *SIZE, 3), grey, np.uint8))
    video = apply(weights.sizes, weights.params, "temporal", np.repeat(frame[None], WINDOW, axis=1))
    texts[0] = video[0]
    return Scorer(weights, texts, block=LANES)


def test_a_rollout_through_the_bridge_is_paid_by_the_term(tmp_path: Path) -> None:
    """The double's pictures are grey, and another grey in each tick."""
    world: Any = with_clip(doubles.make(tmp_path, image_size=SIZE), scorer_of(100), WINDOW, 1)
    assert isinstance(world, AsyncClipWorld)
    config = dataclasses.replace(CONFIG, ppo=PPO, reward=REWARD, driver="host")
    space = empty_space()
    learner = init_learner(world, space, config, seed=0)
    told: dict[int, list[float]] = {lane: [] for lane in range(LANES)}
    receive = world.receive

    def hearing() -> Any:
        lanes, step = receive()
        for lane, clip in zip(lanes.tolist(), step.info["clip"]):
            told[lane].append(float(clip))
        return lanes, step

    world.receive = hearing
    rollout = AsyncRollout(world, space, config, learner.key, 0, learner.rollout)
    while not rollout.is_whole:
        rollout.step(learner.params)
    paid = np.asarray(rollout.batch(learner.params)[0].reward)
    world.close()
    assert paid.shape == (TICKS, LANES)
    # A column is a piece of one lane; a fast lane may have given both.
    pieces = [
        2.0 * np.array(row[at : at + TICKS], np.float32)
        for row in told.values() for at in range(0, len(row) - TICKS + 1, TICKS)
    ]  # fmt: skip
    for column in paid.T:
        assert any(np.allclose(column, piece, rtol=1e-6) for piece in pieces)
    assert len(np.unique(paid)) > 2 and paid.max() > 0
