"""The update of several groups of lanes, on one device or several: one program.

Its result depends on the number of groups and not on the devices, but for the order in which
sums are taken.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import Mesh

from rlgpt_jax.rl.actions import Masks
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RLConfig
from rlgpt_jax.rl.devices import LANES, WHOLE, batch_specs, num_groups
from rlgpt_jax.rl.ppo import ppo
from rlgpt_jax.rl.ppo.groups import Groups
from rlgpt_jax.rl.ppo.optimizer import TrainState
from rlgpt_jax.rl.rollout.one_tick import Batch

GROUPS = "groups"  # the axis along which a device maps over its groups


Update = Callable[[TrainState, Batch, Masks, jax.Array], tuple[TrainState, dict[str, jax.Array]]]


def update_of(config: RLConfig, mesh: Mesh | None) -> Update:
    """The update that the configuration asks for.

    Raises:
      ValueError: its groups do not fit its lanes.
    """
    groups = num_groups(config, mesh)
    if groups == 1:
        return functools.partial(ppo.update, config.ppo, config.network)
    return functools.partial(update, config.ppo, config.network, groups, mesh)


@functools.partial(
    jax.jit, static_argnames=("config", "network", "num_groups", "mesh"), donate_argnames="state"
)
def update(
    config: PPOConfig,
    network: NetworkConfig,
    num_groups: int,
    mesh: Mesh | None,
    state: TrainState,
    batch: Batch,
    masks: Masks,
    key: jax.Array,
) -> tuple[TrainState, dict[str, jax.Array]]:
    """`ppo.update` in which groups of lanes, in their order, are dealt apart.

    Args:
      num_groups: more than one, a multiple of the devices.
      mesh: the devices along which the lanes lie; None for one.
      batch: [T, N].
    """
    devices = 1 if mesh is None else mesh.size
    axes = (GROUPS,) if mesh is None else (LANES, GROUPS)
    one_group = functools.partial(ppo.update_group, config, network, Groups(num_groups, axes))

    def on_device(state, batch, masks, key):
        batch, where = _split(batch, num_groups // devices)
        return jax.vmap(
            one_group, in_axes=(None, where, None, None), out_axes=None, axis_name=GROUPS
        )(state, batch, masks, key)

    if mesh is None:
        return on_device(state, batch, masks, key)
    spread = jax.shard_map(
        on_device, mesh=mesh, in_specs=(WHOLE, batch_specs(), WHOLE, WHOLE),
        out_specs=WHOLE, check_vma=False,
    )  # fmt: skip
    return spread(state, batch, masks, key)


def _split(batch: Batch, num: int) -> tuple[Batch, Any]:
    """The lanes of every array as [num, lanes / num], and the axis of `num` of each."""
    axes: list[Any] = [tuple(spec).index(LANES) for spec in batch_specs()]

    def split(at: int, tree: Any) -> Any:
        return jax.tree.map(lambda x: x.reshape(*x.shape[:at], num, -1, *x.shape[at + 1 :]), tree)

    return Batch(*map(split, axes, batch)), Batch(*axes)
