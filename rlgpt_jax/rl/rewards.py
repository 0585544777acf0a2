"""The reward PPO learns from: success, step cost, distance to the goal, items.

All terms come from the shared observation, so that they mean the same in every world.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.features import count_items


class RewardMemory(NamedTuple):
    """What the reward must remember of an episode."""

    nearest: jax.Array  # float32[N]  least distance of a goal seen so far; inf if none
    items: jax.Array  # float32[N, I]  counts of the rewarded items one tick ago


def goal_ids(goal_names: tuple[str, ...]) -> tuple[int, ...]:
    """Name ids, hashable so that they can be a static argument of jitted functions.

    Raises:
      ValueError: if a name is unknown.
    """
    unknown = [name for name in goal_names if name not in NAME_ID]
    if unknown:
        raise ValueError(
            f"goal_names holds {unknown}, which are not in envs.names.NAMES. "
            "Use names of blocks or mobs."
        )
    return tuple(NAME_ID[name] for name in goal_names)


def nearest_goal(obs: Observation, ids: tuple[int, ...]) -> jax.Array:
    """float32[N]: distance in blocks of the nearest ray that meets a goal, inf if none."""
    if len(ids) == 0:
        return jnp.full(obs.yaw.shape, jnp.inf)

    def least(names, distances):
        hit = jnp.any(names[:, :, None] == jnp.asarray(ids, jnp.int32), axis=-1)
        return jnp.min(jnp.where(hit, distances, jnp.inf), axis=1)

    return jnp.minimum(
        least(obs.ray_block, obs.ray_block_distance),
        least(obs.ray_entity, obs.ray_entity_distance),
    )


def _item_ids(config: RewardConfig) -> np.ndarray:
    return np.array([NAME_ID[name] for name, _ in config.items], np.int32)


def start(config: RewardConfig, goals: tuple[int, ...], obs: Observation) -> RewardMemory:
    """Memory at the first observation of an episode."""
    return RewardMemory(nearest_goal(obs, goals), count_items(obs, _item_ids(config)))


def score(
    config: RewardConfig, goals: tuple[int, ...], memory: RewardMemory, step: Step
) -> tuple[jax.Array, RewardMemory]:
    """Reward of one tick, float32[N], and the memory for the next one.

    The distance term is max(0, nearest before - nearest now), where "before" is the
    minimum over the episode. The first sighting gives 0. (The released code computes
    this term, but overwrites it before PPO sees it, and counts a first sighting from 0.)
    """
    obs = step.final_obs
    now = nearest_goal(obs, goals)
    seen_before = jnp.isfinite(memory.nearest)
    closer = jnp.where(seen_before, jnp.maximum(memory.nearest - now, 0.0), 0.0)
    items = count_items(obs, _item_ids(config))
    item_rewards = jnp.asarray([r for _, r in config.items], jnp.float32)
    gained = jnp.maximum(items - memory.items, 0.0)
    reward = (
        config.success * step.info["success"].astype(jnp.float32)
        - config.step_cost
        + config.distance * closer
        + config.environment * step.reward
        + gained @ item_rewards
    )
    after = RewardMemory(jnp.minimum(memory.nearest, now), items)
    return reward, _restart(after, start(config, goals, step.obs), step)


def _restart(after: RewardMemory, fresh: RewardMemory, step: Step) -> RewardMemory:
    """Lanes whose episode ended begin anew."""
    done = jnp.asarray(step.terminated | step.truncated)
    return RewardMemory(
        jnp.where(done, fresh.nearest, after.nearest),
        jnp.where(done[:, None], fresh.items, after.items),
    )
