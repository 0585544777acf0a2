"""A world whose goal is on the left or on the right: nothing but a picture shows on which side."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation, Step
from tests.corridor import Corridor, CorridorState

LEFT, RIGHT = 1, 2  # of base.STRAFE


class SidesState(NamedTuple):
    """N episodes."""

    tick: jax.Array  # int32[N]
    seed: jax.Array  # uint32[N]  its lowest bits say where the goal is


@dataclasses.dataclass(frozen=True)
class Sides:
    """From tick `wait` on the first step to a side ends the episode: success on the goal's side.

    The goal is lit in the pictures of the first `shown` ticks. Steps before tick `wait` do
    nothing.
    """

    num_envs: int = 16
    wait: int = 0
    shown: int = 99
    horizon: int = 8
    size: tuple[int, int] = (8, 12)
    goal_names: tuple[str, ...] = ("cow",)
    default_params: tuple = ()

    def reset(self, params: tuple, key: jax.Array) -> tuple[SidesState, Observation]:
        seed = jax.random.bits(key, (self.num_envs,), jnp.uint32)
        state = SidesState(jnp.zeros(self.num_envs, jnp.int32), seed)
        return state, self.observe(state)

    def side(self, state: SidesState) -> jax.Array:
        """int32[N]: LEFT or RIGHT."""
        return 1 + ((state.seed >> 16) & 1).astype(jnp.int32)

    def step(self, params: tuple, state: SidesState, action: jax.Array) -> tuple[SidesState, Step]:
        strafe = action[:, base.STRAFE]
        acts = (state.tick >= self.wait) & (strafe != 0)
        success = acts & (strafe == self.side(state))
        after = state._replace(tick=state.tick + 1)
        truncated = ~acts & (after.tick >= self.horizon)
        done = acts | truncated
        seed = state.seed * jnp.uint32(1664525) + jnp.uint32(1013904223)
        new = SidesState(jnp.where(done, 0, after.tick), jnp.where(done, seed, state.seed))
        info = {"success": success, "busy": jnp.zeros(len(strafe), bool)}
        step = Step(
            self.observe(new),
            success.astype(jnp.float32),
            acts,
            truncated,
            self.observe(after),
            info,
        )
        return new, step

    def observe(self, state: SidesState) -> Observation:
        n, (height, width) = len(state.tick), self.size
        zeros = jnp.zeros(n, jnp.int32)
        plain = CorridorState(jnp.zeros(n), jnp.zeros(n), zeros, zeros, state.seed, zeros)
        lit = (jnp.arange(width) >= width // 2) == (self.side(state) == RIGHT)[:, None]
        lit &= (state.tick < self.shown)[:, None]
        rgb = jnp.broadcast_to(jnp.where(lit, 200, 60)[:, None, :, None], (n, height, width, 3))
        return Corridor(num_envs=n).observe(plain)._replace(rgb=rgb.astype(jnp.uint8))
