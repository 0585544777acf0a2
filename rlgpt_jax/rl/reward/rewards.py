"""The reward PPO learns from: success, step cost, distance to the goal, items, exploration, CLIP.

All terms come from the shared observation, so that they mean the same in every world; that of
CLIP from its pictures, by a model of its own (`clip`).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.interface import CELL, MAX_ITEMS, MAX_TARGETS
from rlgpt_jax.rl.networks import target_memory
from rlgpt_jax.rl.networks.features import count_items
from rlgpt_jax.rl.networks.frame_stack import choose

GRID = 32  # cells of exploration in x and in z, then they repeat: every 128 blocks


class RewardArrays(NamedTuple):
    """A `RewardConfig` as arrays, so that other terms compile nothing."""

    success: Any  # float32[]
    step_cost: Any  # float32[]
    distance: Any  # float32[]
    exploration: Any  # float32[]
    environment: Any  # float32[]
    clip: Any  # float32[]
    targets: Any  # int32[>= MAX_TARGETS]  name ids, then -1
    items: Any  # int32[>= MAX_ITEMS]  name ids, then -1
    item_rewards: Any  # float32, like `items`


class RewardMemory(NamedTuple):
    """What the reward must remember of an episode."""

    nearest: jax.Array  # float32[N]  least distance of a goal seen so far; inf if none
    items: jax.Array  # float32[N, I]  counts of the rewarded items one tick ago
    visited: jax.Array  # uint32[N, 32]  row x, bit z: cells that the episode has been in


def padded_ids(names: Sequence[str], least: int) -> np.ndarray:
    """int32[max(least, number of names)]: name ids, then -1, which is nothing's id.

    Raises:
      ValueError: if a name is unknown.
    """
    unknown = [name for name in names if name not in NAME_ID]
    if unknown:
        raise ValueError(
            f"goal_names holds {unknown}, which are not in envs.names.NAMES. "
            "Use names of blocks or mobs."
        )
    ids = [NAME_ID[name] for name in names]
    return np.array(ids + [-1] * (least - len(ids)), np.int32)


def make_arrays(config: RewardConfig, goal_names: tuple[str, ...]) -> RewardArrays:
    """The terms in a world that is about `goal_names`, unless the configuration has targets."""
    items = padded_ids([name for name, _ in config.items], MAX_ITEMS)
    rewards = np.zeros(items.shape, np.float32)
    rewards[: len(config.items)] = [reward for _, reward in config.items]
    weights = RewardArrays._fields[:6]
    return RewardArrays(
        **{name: np.float32(getattr(config, name)) for name in weights},
        targets=padded_ids(config.targets or goal_names, MAX_TARGETS),
        items=items,
        item_rewards=rewards,
    )


def _here(obs: Observation) -> jax.Array:
    """uint32[N, GRID]: the one bit of the cell that the agent is in."""
    cell = jnp.floor(obs.position / CELL).astype(jnp.int32) % GRID
    bit = jnp.uint32(1) << cell[:, 2].astype(jnp.uint32)
    return jnp.where(jnp.arange(GRID) == cell[:, 0, None], bit[:, None], jnp.uint32(0))


def start(terms: RewardArrays, obs: Observation) -> RewardMemory:
    """Memory at the first observation of an episode."""
    nearest = jnp.min(target_memory.distances(obs, terms.targets), axis=1)
    return RewardMemory(nearest, count_items(obs, terms.items), _here(obs))


def score(terms: RewardArrays, memory: RewardMemory, step: Step) -> tuple[jax.Array, RewardMemory]:
    """Reward of one tick, float32[N], and the memory for the next one.

    The distance term is max(0, nearest before - nearest now), where "before" is the
    minimum over the episode. The first sighting gives 0. (The released code computes
    this term, but overwrites it before PPO sees it, and counts a first sighting from 0.)
    """
    obs = step.final_obs
    now = start(terms, obs)
    seen_before = jnp.isfinite(memory.nearest)
    closer = jnp.where(seen_before, jnp.maximum(memory.nearest - now.nearest, 0.0), 0.0)
    gained = jnp.maximum(now.items - memory.items, 0.0)
    new_cell = jnp.any(now.visited & ~memory.visited, axis=1)
    reward = (
        terms.success * step.info["success"].astype(jnp.float32)
        - terms.step_cost
        + terms.distance * closer
        + terms.exploration * new_cell
        + terms.environment * step.reward
        + gained @ terms.item_rewards
    )
    if "clip" in step.info:  # of worlds that tell it: `clip.world`
        reward = reward + terms.clip * step.info["clip"]
    after = RewardMemory(
        jnp.minimum(memory.nearest, now.nearest), now.items, memory.visited | now.visited
    )
    done = jnp.asarray(step.terminated | step.truncated)  # these lanes begin anew
    return reward, choose(done, start(terms, step.obs), after)
