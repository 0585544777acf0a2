"""The worlds of the device driver: on one device whole, on several in parts."""

import functools
from typing import Any, NamedTuple

import jax
from jax.sharding import Mesh, NamedSharding

from rlgpt_jax.envs.base import Environment, Observation
from rlgpt_jax.rl.devices import BY_LANE, typed, whole


class DeviceWorlds(NamedTuple):
    """A pure environment whose parameters are where its lanes are."""

    env: Environment
    params: Any  # on every device of the mesh
    mesh: Mesh | None

    def start(self, seed: int) -> tuple[Any, Observation]:
        """`env.reset`, the same numbers, where every device of the mesh makes its own lanes.

        Raises:
          ValueError: not every array of a world has the lanes as its first axis.
        """
        env, params, mesh = self
        assert mesh is not None
        key = jax.random.key(seed)
        made = jax.eval_shape(env.reset, params, key)
        for path, x in jax.tree_util.tree_leaves_with_path(made):
            if x.shape[:1] != (env.num_envs,):
                raise ValueError(
                    f"with num_envs={env.num_envs}, reset{jax.tree_util.keystr(path)} has the "
                    f"shape {x.shape}. With several devices all arrays of an environment must "
                    "have the lanes as their first axis."
                )
        return _reset(env, mesh, params, key)


def on_devices(env: Environment, mesh: Mesh | None) -> DeviceWorlds:
    """The worlds with the parameters that they have by default."""
    params = env.default_params
    return DeviceWorlds(env, params if mesh is None else whole(mesh, params), mesh)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _reset(env: Environment, mesh: Mesh, params: Any, key: jax.Array) -> tuple[Any, Observation]:
    made = jax.tree.map(typed, env.reset(params, key))
    return jax.lax.with_sharding_constraint(made, NamedSharding(mesh, BY_LANE))
