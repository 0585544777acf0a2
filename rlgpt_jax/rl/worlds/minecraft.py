"""What a policy sees, does and is rewarded for in Minecraft and in worlds like it.

The primitives are the released code's heads [12, 3]. Head 0: nothing; forward, back;
left, right; jump, sneak, sprint; look up, down, left, right by the turn of the space. Head 1:
nothing, use, attack. Sprint sets column 2 alone, as in the released code, and therefore
does not move by itself.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.rl import primitives
from rlgpt_jax.rl.actions import HybridAction, SpaceArrays
from rlgpt_jax.rl.config import NetworkConfig, RLConfig
from rlgpt_jax.rl.interface import OBSERVATION_PARTS, TURN
from rlgpt_jax.rl.networks import features, target_memory
from rlgpt_jax.rl.networks.features import Features
from rlgpt_jax.rl.networks.fusion import Fusion
from rlgpt_jax.rl.reward import rewards

# (column, value) that a choice of head 0 adds to an action that is otherwise NOOP; of the camera's
# columns the sign of the turn.
HEAD0 = (
    (base.MOVE, 0), (base.MOVE, 1), (base.MOVE, 2), (base.STRAFE, 1), (base.STRAFE, 2),
    (base.JUMP, 1), (base.JUMP, 2), (base.JUMP, 3),
    (base.PITCH, -1), (base.PITCH, 1), (base.YAW, -1), (base.YAW, 1),
)  # fmt: skip
HEAD1 = (0, base.FN_USE, base.FN_ATTACK)
HEAD0_ROWS = np.zeros((len(HEAD0), len(base.NOOP)), np.int32)  # what a choice adds to NOOP
HEAD0_ROWS[np.arange(len(HEAD0)), [column for column, _ in HEAD0]] = [by for _, by in HEAD0]
_TURNED = np.isin(np.arange(len(base.NOOP)), (base.PITCH, base.YAW))


def decode(
    primitive: jax.Array | np.ndarray, turn: jax.Array | int = int(TURN // base.CAMERA_STEP)
) -> jax.Array:
    """int32[..., 2] choices of the heads -> int32[..., 8] action of the world.

    Args:
      turn: int32[], steps of the camera that a choice turns by.
    """
    added = jnp.asarray(HEAD0_ROWS)[primitive[..., 0]]
    action = jnp.asarray(base.NOOP, jnp.int32) + added * jnp.where(_TURNED, turn, 1)
    return action.at[..., base.FUNCTION].set(jnp.asarray(HEAD1, jnp.int32)[primitive[..., 1]])


class Seen(NamedTuple):
    """What features of N observations are made from."""

    obs: Any  # Observation or Sensed
    previous: jax.Array  # int32[N]  ids of the previous actions
    start: jax.Array  # float32[N, P]  `place` of the episode's first observation


@jax.tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Minecraft:
    """Observations and actions of `envs.base`."""

    remembers: bool  # where a target was last seen, see `NetworkConfig`
    primitives = primitives.MINECRAFT
    fusion = Fusion
    rewards = rewards  # `start` and `score`: memory at the start of an episode, reward of a tick

    def parts(self, config: RLConfig) -> Any:
        """bool[9]: which of `OBSERVATION_PARTS` are left."""
        return np.array([part in config.observation for part in OBSERVATION_PARTS])

    def features(self, seen: Seen, parts: Any, picture: bool) -> Features:
        """One row per lane. `parts` None leaves out nothing."""
        made = features.make_features(seen.obs, seen.previous, seen.start, picture)
        return made if parts is None else features.keep_parts(made, parts)

    def zero_features(self, num: int, network: NetworkConfig) -> Features:
        """As the networks are given them."""
        return features.zero_features(num, network)

    def place(self, obs: Any, targets: Any) -> jax.Array:
        """float32[N, P]: what features are relative to, at the start of an episode; `targets` as of
        `Problem`."""
        if self.remembers:
            return target_memory.start(obs, targets)
        return jnp.asarray(obs.position, jnp.float32)

    def follow(self, place: jax.Array, obs: Any, targets: Any) -> jax.Array:
        """The same a tick later in the episode."""
        return target_memory.follow(place, obs, targets) if self.remembers else place

    def no_action(self, num: int) -> HybridAction:
        """Zeros of the right shapes and dtypes, for `num` lanes."""
        zeros = jnp.zeros((num, len(self.primitives.heads)), jnp.int32)
        return HybridAction(zeros, zeros[:, 0])

    def decode(self, primitive: jax.Array, space: SpaceArrays) -> jax.Array:
        """Actions [N, columns] of what heads or Gaussians have chosen."""
        return decode(primitive, space.turn)

    def action_id(self, action: jax.Array, slot: jax.Array) -> jax.Array:
        """int32[N]: under which an action is seen as the previous one in the next tick."""
        return features.action_id(action, slot)

    def reward_arrays(self, config: RLConfig, goal_names: tuple[str, ...]) -> rewards.RewardArrays:
        """The terms in a world that is about `goal_names`.

        Raises:
          ValueError: a name is unknown.
        """
        return rewards.make_arrays(config.reward, goal_names)

    def targets(self, terms: Any) -> Any:
        """int32[K]: ids of what the reward is about."""
        return terms.targets
