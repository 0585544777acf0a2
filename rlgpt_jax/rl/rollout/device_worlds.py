"""The worlds of the device driver: on one device whole, on several in parts.

A device's part is the same environment with fewer lanes. That works for environments that
read `num_envs` when they are traced and whose lanes do not see each other.
"""

import copy
import dataclasses
import functools
from collections.abc import Hashable
from typing import Any, cast

import jax
from jax.sharding import Mesh, NamedSharding

from rlgpt_jax.envs.base import Environment, Observation
from rlgpt_jax.rl.devices import BY_LANE, typed, whole
from rlgpt_jax.rl.rollout.closed import Closed, close_world


def step_of(env: Environment, mesh: Mesh | None) -> Closed:
    """`step(constants, state, action)` for the lanes of one device."""
    return close_world(env)[1] if mesh is None else _parts(cast(Hashable, env), mesh)[1]


def start(env: Environment, mesh: Mesh, seed: int) -> tuple[Any, Observation]:
    """`env.reset`, the same numbers, where every device makes its own lanes."""
    reset, _ = _parts(cast(Hashable, env), mesh)
    return _reset(reset, mesh, reset.constants, jax.random.key(seed))


@functools.partial(jax.jit, static_argnums=(0, 1))
def _reset(reset: Closed, mesh: Mesh, constants: list[jax.Array], key: jax.Array) -> Any:
    made = jax.tree.map(typed, reset(constants, key))
    return jax.lax.with_sharding_constraint(made, NamedSharding(mesh, BY_LANE))


@functools.lru_cache(maxsize=2)
def _parts(env: Any, mesh: Mesh) -> tuple[Closed, Closed]:
    """`reset` of all lanes and `step` of a device's, their constants on every device."""
    reset, _ = close_world(env)
    _, step = close_world(_part(env, env.num_envs // mesh.size))
    spread: dict[int, jax.Array] = {}  # both have the pool of worlds, which is there once

    def on_mesh(closed: Closed) -> Closed:
        for x in closed.constants:
            spread.setdefault(id(x), whole(mesh, x))
        return dataclasses.replace(closed, constants=[spread[id(x)] for x in closed.constants])

    return on_mesh(reset), on_mesh(step)


@functools.lru_cache(maxsize=2)
def _part(env: Any, num_lanes: int) -> Any:
    """The environment with fewer lanes.

    Raises:
      ValueError: not every array of a world has the lanes as its first axis.
    """
    part = copy.copy(env)
    object.__setattr__(part, "num_envs", num_lanes)  # environments may be frozen
    made = jax.eval_shape(part.reset, jax.random.key(0))
    for path, x in jax.tree_util.tree_leaves_with_path(made):
        if x.shape[:1] != (num_lanes,):
            raise ValueError(
                f"with num_envs={num_lanes}, reset{jax.tree_util.keystr(path)} has the shape "
                f"{x.shape}. With several devices an environment must take num_envs from its "
                "field, and all its arrays must have the lanes as their first axis."
            )
    return part
