"""What a policy sees, does and is rewarded for in a world with a `WorldSpec`."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.macros.limits import MAX_ARGUMENTS
from rlgpt_jax.rl import primitives
from rlgpt_jax.rl.actions import HybridAction, SpaceArrays
from rlgpt_jax.rl.config import NetworkConfig, RLConfig
from rlgpt_jax.rl.networks.features import FieldFeatures
from rlgpt_jax.rl.networks.fusion import FieldFusion
from rlgpt_jax.rl.primitives import Primitives
from rlgpt_jax.rl.reward import progress
from rlgpt_jax.rl.squashed import between
from rlgpt_jax.rl.worlds.minecraft import Seen

MOST = 5.0  # to which fields are clipped that lie outside of their range, which is -1..1


@jax.tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Specified:
    """As `Minecraft`; the docstrings there say what the methods are."""

    spec: WorldSpec
    fusion = FieldFusion
    rewards = progress

    @property
    def primitives(self) -> Primitives:
        return primitives.of_spec(self.spec)

    def parts(self, config: RLConfig) -> None:
        return None

    def features(self, seen: Seen, parts: None, picture: bool) -> FieldFeatures:
        low, high = np.array([(f.low, f.high) for f in self.spec.fields], np.float32).T
        scaled = 2.0 * (seen.obs.fields - low) / np.where(high > low, high - low, 1.0) - 1.0
        return FieldFeatures(
            fields=jnp.clip(jnp.asarray(scaled, jnp.float32), -MOST, MOST),
            previous=seen.previous.astype(jnp.uint8),
            rgb=jnp.asarray(seen.obs.rgb) if picture else None,
        )

    def zero_features(self, num: int, network: NetworkConfig) -> FieldFeatures:
        size, byte = network.image_size, jnp.uint8
        return FieldFeatures(
            fields=jnp.zeros((num, len(self.spec.fields))),
            previous=jnp.zeros(num, byte),
            rgb=jnp.zeros((num, *size, 3 * network.frame_stack), byte) if size else None,
        )

    def place(self, obs: Any, targets: Any) -> jax.Array:
        return jnp.zeros((len(obs.fields), 0))

    def follow(self, place: jax.Array, obs: Any, targets: Any) -> jax.Array:
        return place

    def no_action(self, num: int) -> HybridAction:
        ours = self.primitives
        choices = jnp.zeros((num, len(ours.heads)), jnp.int32)
        primitive = jnp.zeros((num, len(ours.arguments))) if ours.arguments else choices
        return HybridAction(primitive, jnp.zeros(num, jnp.int32), jnp.zeros((num, MAX_ARGUMENTS)))

    def decode(self, primitive: jax.Array, space: SpaceArrays) -> jax.Array:
        """float32[N, columns], in the units of the spec."""
        spec, ours = self.spec, self.primitives
        names = [a.name for a in spec.actions]
        if ours.heads:
            index = np.array([names.index(name) for name in ours.heads[0]], np.float32)
            row = jnp.asarray(index)[primitive[..., :1]]
        else:
            low, high = np.array([(a.low, a.high) for a in ours.arguments], np.float32).T
            idle = np.array([a.resting for a in ours.arguments], np.float32)
            numbers = jnp.where(
                jnp.asarray(space.masks.primitive), between(primitive, low, high), idle
            )
            which = jnp.full((*primitive.shape[:-1], 1), np.float32(names.index(ours.name)))
            row = jnp.concatenate([which, numbers], -1)
        rest = jnp.zeros((*row.shape[:-1], spec.columns - row.shape[-1]))
        return jnp.concatenate([row, rest], -1)

    def action_id(self, action: jax.Array, slot: jax.Array) -> jax.Array:
        """The index of the action, then one id per macro slot."""
        choice = action[:, 0].astype(jnp.int32)
        return jnp.where(slot > 0, len(self.spec.actions) - 1 + slot, choice)

    def reward_arrays(
        self, config: RLConfig, goal_names: tuple[str, ...]
    ) -> progress.ProgressArrays:
        return progress.make_arrays(config.reward, self.spec)

    def targets(self, terms: Any) -> None:
        return None
