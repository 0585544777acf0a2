"""What a policy is trained on, as arrays: action space, parts of the observation, reward.

Everything that an RL interface may change from one iteration to the next is traced, so that
another interface is other data for the compiled rollout and update.
"""

from typing import Any, NamedTuple

import jax

from rlgpt_jax.rl import worlds
from rlgpt_jax.rl.actions import HybridSpace, SpaceArrays
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.worlds import PolicyWorld


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


def make_problem(config: RLConfig, goal_names: tuple[str, ...], space: HybridSpace) -> Problem:
    """The problem in a world that is about `goal_names`.

    Raises:
      ValueError: a name is unknown.
    """
    world = worlds.of(config.network)
    terms = world.reward_arrays(config, goal_names)
    return Problem(
        space.arrays(), world.parts(config), terms, world.targets(terms), config.ppo.gamma, world
    )


def host_problem(config: RLConfig, goal_names: tuple[str, ...], space: HybridSpace) -> Problem:
    """The same for the drivers on the host, where the programs stay with the interpreter."""
    problem = make_problem(config, goal_names, space)
    return jax.device_put(problem._replace(space=problem.space._replace(macros=None)))
