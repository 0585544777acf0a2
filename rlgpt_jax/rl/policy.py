"""A policy: as it was trained, and as a compiled rollout takes it."""

import dataclasses

from flax import struct

from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.config import NetworkConfig, RLConfig
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.problem import Problem, host_problem, make_problem


@dataclasses.dataclass(frozen=True)
class Policy:
    """A trained policy and what it was trained with."""

    params: actor_critic.Params
    space: HybridSpace
    config: RLConfig


@struct.dataclass
class Actor:
    """All that stays the same in a rollout; sizes of networks are part of the compiled program."""

    network: NetworkConfig = struct.field(pytree_node=False)
    params: actor_critic.Params
    problem: Problem


def device_actor(policy: Policy, goal_names: tuple[str, ...]) -> Actor:
    """The actor in a world that is about `goal_names`, with its programs.

    Raises:
      ValueError: a name is unknown.
    """
    problem = make_problem(policy.config, goal_names, policy.space)
    return Actor(policy.config.network, policy.params, problem)


def host_actor(policy: Policy, goal_names: tuple[str, ...]) -> Actor:
    """The same without the programs, which stay with the interpreter on the host."""
    problem = host_problem(policy.config, goal_names, policy.space)
    return Actor(policy.config.network, policy.params, problem)
