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


@dataclasses.dataclass(frozen=True)
class Closed:
    """A traced function. Call it with its constants; two are equal if they were traced
    together, whatever their constants, and serve as a static argument of jitted functions."""

    jaxpr: Any
    structure: Any  # of the result
    constants: list[jax.Array] = dataclasses.field(compare=False)

    def __call__(self, constants: list[jax.Array], *args: Any) -> Any:
        own = len(self.jaxpr.constvars)
        leaves = (*constants[own:], *jax.tree.leaves(args))
        flat = jax.core.eval_jaxpr(self.jaxpr, constants[:own], *leaves)
        return jax.tree.unflatten(self.structure, flat)

    def with_data(self, data: Any) -> "Closed":
        """The same function of other data, see `close`."""
        own = self.constants[: len(self.jaxpr.constvars)]
        return dataclasses.replace(self, constants=own + _arrays(data))


def close(function: Callable[..., Any], *args: Any, data: Any = None) -> Closed:
    """Traces `function` for arguments like `args` (arrays or shapes).

    Args:
      data: arrays that are constants for who calls it, but not for the program; given as a
        first argument, if there are any.
    """
    first = () if data is None else (data,)
    closed, shapes = jax.make_jaxpr(function, return_shape=True)(*first, *args)
    constants = [jnp.asarray(x) for x in closed.consts] + _arrays(data)
    return Closed(closed.jaxpr, jax.tree.structure(shapes), constants)


def _arrays(data: Any) -> list[jax.Array]:
    return [jnp.asarray(x) for x in jax.tree.leaves(data)]


def close_world(env: Environment) -> tuple[Closed, Closed]:
    """`reset(constants, key)` and `step(constants, state, action)` of an environment.

    Traced once per environment, so that jitted functions know them again. Environments
    with a `program` (hashable), their `arrays` and `bound(arrays)` are traced once for all
    that have the same program.
    """
    return _close_world(cast(Hashable, env))


@functools.lru_cache(maxsize=8)
def _close_world(env: Any) -> tuple[Closed, Closed]:
    reset, step = _trace(_Program(env))
    arrays = getattr(env, "arrays", None)
    return reset.with_data(arrays), step.with_data(arrays)


class _Program:
    """An environment as the key of its traced functions."""

    def __init__(self, env: Any):
        self.env = env
        self.key = getattr(env, "program", env)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Program) and self.key == other.key


@functools.lru_cache(maxsize=8)
def _trace(program: _Program) -> tuple[Closed, Closed]:
    env = program.env
    state, _ = jax.eval_shape(env.reset, jax.random.key(0))
    key, action = jax.random.key(0), jax.ShapeDtypeStruct((env.num_envs, 8), jnp.int32)
    if not hasattr(env, "program"):
        return close(env.reset, key), close(_step_of(env), state, action)
    reset = close(lambda arrays, key: env.bound(arrays).reset(key), key, data=env.arrays)
    step = close(
        lambda arrays, state, action: _step_of(env.bound(arrays))(state, action),
        state, action, data=env.arrays,
    )  # fmt: skip
    return reset, step


def _step_of(env: Environment) -> Callable[[Any, jax.Array], tuple[Any, Step]]:
    """`env.step` with nothing in `info` but what the learner reads."""

    def step(state: Any, action: jax.Array) -> tuple[Any, Step]:
        state, result = env.step(state, action)
        info = {name: result.info[name] for name in ("success", "busy")}
        return state, result._replace(info=info)

    return step
