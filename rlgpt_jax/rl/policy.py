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
class PolicyArrays:
    """A policy in a world, as arrays: all that stays the same in a rollout. The sizes of networks
    are part of the compiled program."""

    network: NetworkConfig = struct.field(pytree_node=False)
    params: actor_critic.Params
    problem: Problem


def device_arrays(policy: Policy, goal_names: tuple[str, ...]) -> PolicyArrays:
    """Arrays of a policy in a world that is about `goal_names`, with the programs of its macros.

    Raises:
      ValueError: a name is unknown.
    """
    problem = make_problem(policy.config, goal_names, policy.space)
    return PolicyArrays(policy.config.network, policy.params, problem)


def host_arrays(policy: Policy, goal_names: tuple[str, ...]) -> PolicyArrays:
    """The same without the programs, which stay with the interpreter on the host."""
    problem = host_problem(policy.config, goal_names, policy.space)
    return PolicyArrays(policy.config.network, policy.params, problem)
