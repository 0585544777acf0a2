"""A pure environment behind the interface of a host environment."""

import functools
from typing import Any, TypeGuard, cast

import jax
import numpy as np

from rlgpt_jax.envs.base import AsyncEnvironment, Environment, HostEnvironment, Observation, Step

World = Environment | HostEnvironment


# Nothing is donated: an observation may share buffers with the state it was made from.
@functools.partial(jax.jit, static_argnums=0)
def _reset(env: Environment, params: Any, key: jax.Array) -> tuple[Any, Observation]:
    return env.reset(params, key)


@functools.partial(jax.jit, static_argnums=0)
def _step(env: Environment, params: Any, state: Any, action: jax.Array) -> tuple[Any, Step]:
    return env.step(params, state, action)


def is_key(x: Any) -> bool:
    return isinstance(x, jax.Array) and jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key)


class OnHost:
    """Holds the state of a pure environment and steps it; arrays come out as NumPy."""

    def __init__(self, env: Environment, state: Any = None):
        self.env = env
        self._params = env.default_params
        self.state = state
        self.num_envs = env.num_envs
        self.goal_names = env.goal_names
        self._obs: Any = None

    def reset(self, seed: int) -> Observation:
        self.state, obs = _reset(self.env, self._params, jax.random.key(seed))
        self._obs = jax.device_get(obs)
        return self._obs

    def step(self, action: np.ndarray) -> Step:
        action = np.asarray(action, np.int32)
        self.state, step = _step(self.env, self._params, self.state, action)
        step = jax.device_get(step)
        self._obs = step.obs
        return step

    def save(self) -> Any:
        return {"state": self.state, "obs": self._obs}  # nothing is written in place

    def load(self, saved: Any) -> Observation:
        self.state, self._obs = saved["state"], saved["obs"]
        return self._obs


def is_host(env: World) -> TypeGuard[HostEnvironment]:
    """True for an environment that keeps its own state."""
    return hasattr(env, "save")


def is_async(env: World) -> TypeGuard[AsyncEnvironment]:
    """True for a host environment whose lanes step on their own."""
    return hasattr(env, "send") and hasattr(env, "receive")


def as_host(env: World, state: Any = None) -> HostEnvironment:
    """The environment itself if it is a host environment, else a wrapper around it.

    Args:
      state: of a pure environment, to go on from; None before the first reset.
    """
    return env if is_host(env) else OnHost(cast(Environment, env), state)


def state_of(world: HostEnvironment) -> Any:
    """The state of a wrapped pure environment; None if the world keeps its own."""
    return world.state if isinstance(world, OnHost) else None
