"""A policy: as it was trained, and as a compiled rollout takes it.

What it is trained on are arrays too: action space, parts of the observation, reward. Everything
that an RL interface may change from one iteration to the next is traced, so that another
interface is other data for the compiled rollout and update.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
from flax import struct

from rlgpt_jax.rl import worlds
from rlgpt_jax.rl.actions import HybridSpace, SpaceArrays
from rlgpt_jax.rl.config import NetworkConfig, RLConfig
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.worlds import PolicyWorld


@dataclasses.dataclass(frozen=True)
class Policy:
    """A trained policy and what it was trained with."""

    params: actor_critic.Params
    space: HybridSpace
    config: RLConfig


class Problem(NamedTuple):
    """Arguments of `one_tick.decide` and `one_tick.end_tick` that stay the same in a rollout."""

    space: SpaceArrays
    # bool[9]  the parts of `interface.OBSERVATION_PARTS` that the networks see; None with a spec
    parts: Any
    reward: Any  # `RewardArrays` or `ProgressArrays`
    # int32[K], [N, K] where lanes have their own: ids of what `world.follow` looks for; None with a
    # spec
    targets: Any
    gamma: float  # discount per tick
    world: PolicyWorld


@struct.dataclass
class PolicyArrays:
    """A policy in a world, as arrays: all that stays the same in a rollout. The sizes of networks
    are part of the compiled program."""

    network: NetworkConfig = struct.field(pytree_node=False)
    params: actor_critic.Params
    problem: Problem


def problem_of(
    config: RLConfig, goal_names: tuple[str, ...], space: HybridSpace, on_device: bool = False
) -> Problem:
    """The problem in a world that is about `goal_names`. For the drivers on the host it has no
    programs, which stay with the interpreter.

    Raises:
      ValueError: a name is unknown.
    """
    world, arrays = worlds.of(config.network), space.arrays()
    terms = world.reward_arrays(config, goal_names)
    problem = Problem(
        arrays if on_device else arrays._replace(macros=None), world.parts(config), terms,
        world.targets(terms), config.ppo.gamma, world,
    )  # fmt: skip
    return problem if on_device else jax.device_put(problem)


def arrays_of(policy: Policy, goal_names: tuple[str, ...], on_device: bool = False) -> PolicyArrays:
    """A policy in a world that is about `goal_names`, as `problem_of`."""
    problem = problem_of(policy.config, goal_names, policy.space, on_device)
    return PolicyArrays(policy.config.network, policy.params, problem)
