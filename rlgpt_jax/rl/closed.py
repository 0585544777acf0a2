"""Environment functions whose large constants are arguments.

A pure environment may hold tens of megabytes, such as the pool of worlds that resets
copy from. Traced as it is, they would become literals of the compiled program: slow to
compile and stored once per program.
"""

import dataclasses
import functools
from collections.abc import Callable, Hashable
from typing import Any, cast

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.base import Environment, Step


@dataclasses.dataclass(frozen=True, eq=False)
class Closed:
    """A traced function. Call it with its constants; it is hashable by identity, so it
    can be a static argument of a jitted function."""

    jaxpr: Any
    structure: Any  # of the result
    constants: list[jax.Array]

    def __call__(self, constants: list[jax.Array], *args: Any) -> Any:
        flat = jax.core.eval_jaxpr(self.jaxpr, constants, *jax.tree.leaves(args))
        return jax.tree.unflatten(self.structure, flat)


def close(function: Callable[..., Any], *args: Any) -> Closed:
    """Traces `function` for arguments like `args` (arrays or shapes)."""
    closed, shapes = jax.make_jaxpr(function, return_shape=True)(*args)
    constants = [jnp.asarray(x) for x in closed.consts]
    return Closed(closed.jaxpr, jax.tree.structure(shapes), constants)


def close_world(env: Environment) -> tuple[Closed, Closed]:
    """`reset(constants, key)` and `step(constants, state, action)` of an environment.

    Traced once per environment, so that jitted functions know them again.
    """
    return _close_world(cast(Hashable, env))


@functools.lru_cache(maxsize=8)
def _close_world(env: Any) -> tuple[Closed, Closed]:
    reset = close(env.reset, jax.random.key(0))
    state, _ = jax.eval_shape(env.reset, jax.random.key(0))
    action = jax.ShapeDtypeStruct((env.num_envs, 8), jnp.int32)
    return reset, close(_step_of(env), state, action)


def _step_of(env: Environment) -> Callable[[Any, jax.Array], tuple[Any, Step]]:
    """`env.step` with nothing in `info` but what the learner reads."""

    def step(state: Any, action: jax.Array) -> tuple[Any, Step]:
        state, result = env.step(state, action)
        info = {name: result.info[name] for name in ("success", "busy")}
        return state, result._replace(info=info)

    return step
