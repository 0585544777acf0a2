"""Several devices: lanes in equal parts along a mesh of one axis, all else on every device.

A phase of training is one program. Within it a device sees its own lanes alone, as if there
were no others (`jax.shard_map`); what passes between devices is written in `groups.py`.

After `jax.distributed.initialize` the devices of all hosts are meant. Every host then runs the
same calls with the same values, and holds its own lanes alone.
"""

import functools
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec, Sharding

from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.rollout.one_tick import NO_TICKS, Batch

Tree = TypeVar("Tree")
LANES = "lanes"  # the axis of the mesh
WHOLE = PartitionSpec()
BY_LANE = PartitionSpec(LANES)  # [N, ...]
BY_TICK_AND_LANE = PartitionSpec(None, LANES)  # [T, N, ...]


def uses_device(driver: str, on_host: bool) -> bool:
    """Whether world and policy run in one scan on the device, or in a Python loop on the host.

    Args:
      driver: "device", "host", or "auto", which is "device" where that is no CPU.
      on_host: whether the worlds keep their state on the host, where "auto" leaves them.
    """
    if driver == "auto":
        return not on_host and jax.default_backend() != "cpu"
    return driver == "device"


def mesh_of(config: RLConfig, on_device: bool) -> Mesh | None:
    """The devices that share the lanes; None for one device.

    Args:
      on_device: whether the device driver is in use; the host driver has one device.

    Raises:
      ValueError: there are not so many, or the lanes cannot be dealt to them.
    """
    num = num_devices(config, on_device, jax.device_count(), jax.default_backend())
    hosts = jax.process_count()
    if num % hosts:
        raise ValueError(
            f"devices is {config.devices}, of which {num} can be used by {hosts} hosts. Each host "
            f"needs as many: set driver to device, and devices to a multiple of {hosts} that "
            "divides ppo.num_envs."
        )
    return _mesh(num) if num > 1 else None


@functools.cache
def _mesh(num: int) -> Mesh:
    """As many devices of every host, host by host."""
    each = num // jax.process_count()
    chosen = [d for i in range(jax.process_count()) for d in jax.local_devices(i)[:each]]
    return Mesh(np.array(chosen), (LANES,))


def num_devices(config: RLConfig, on_device: bool, available: int, backend: str) -> int:
    """How many devices to use of those that are `available`.

    "auto" is one with the host driver and on CPU, and otherwise as many as can share the lanes,
    or the groups of lanes if `ppo.groups` says how many there are.
    """
    given, groups, lanes = config.devices, config.ppo.groups, config.ppo.num_envs
    if isinstance(given, str):
        if not on_device or backend == "cpu":
            return 1
        can_share = (
            n
            for n in range(1, available + 1)
            if (groups or lanes) % n == 0 and lanes % (groups or n) == 0
        )
        return max(can_share, default=1)
    if given > 1 and not on_device:
        raise ValueError(
            f"devices is {given}, but the host driver is in use, which has one. Set driver to "
            "device, or devices to auto."
        )
    if given > available:
        raise ValueError(
            f"devices is {given}, but JAX has {available} of kind {backend}. Set devices to "
            f"auto or to at most {available}."
        )
    dealt, field = (groups, "ppo.groups") if groups else (lanes, "ppo.num_envs")
    if dealt % given:
        raise ValueError(f"{field} is {dealt}; it must be a multiple of devices = {given}.")
    return given


def num_groups(config: RLConfig, mesh: Mesh | None) -> int:
    """Groups of lanes that the update deals apart: by default one per device.

    Raises:
      ValueError: the groups cannot have the same number of lanes.
    """
    ppo = config.ppo
    groups = ppo.groups or (mesh.size if mesh else 1)
    if ppo.num_envs % groups:
        raise ValueError(
            f"ppo.num_envs={ppo.num_envs} in {groups} groups (ppo.groups, or one per device): each "
            f"group deals its own lanes. Set ppo.num_envs to a multiple of {groups}."
        )
    return groups


def batch_specs() -> Any:
    """A `Batch` that says where the lanes are in each field."""
    specs: list[Any] = [BY_LANE if name in NO_TICKS else BY_TICK_AND_LANE for name in Batch._fields]
    return Batch(*specs)


def placed(tree: Tree, sharding: Sharding, **how: Any) -> Tree:
    """`jax.device_put`, which of values that every host has takes its parts without asking."""
    if jax.process_count() == 1:
        return jax.device_put(tree, sharding, **how)

    def put(x: Any) -> jax.Array:
        if isinstance(x, jax.Array) and not x.is_fully_addressable:
            return jax.jit(jnp.copy, out_shardings=sharding)(x)
        if jax.dtypes.issubdtype(getattr(x, "dtype", None), jax.dtypes.prng_key):
            return jax.random.wrap_key_data(put(jax.random.key_data(x)))
        array = np.asarray(x)
        return jax.make_array_from_callback(array.shape, sharding, lambda part: array[part])

    return jax.tree.map(put, tree)


def gathered(tree: Tree) -> Tree:
    """The whole of arrays that lie on several hosts, on each of them as NumPy's."""
    if jax.process_count() == 1:
        return tree
    from jax.experimental.multihost_utils import process_allgather

    def whole_of(x: Any) -> Any:
        is_here = not isinstance(x, jax.Array) or x.is_fully_addressable
        return x if is_here else process_allgather(x, tiled=True)

    return jax.tree.map(whole_of, tree)


def typed(x: Any) -> Any:
    """The same with a strong type, as it comes out of a rollout, which a weak one (that of a
    number in the source) would have compiled twice."""
    return jnp.asarray(x, x.dtype) if getattr(x, "weak_type", False) else x


def copied(mesh: Mesh | None, tree: Tree, spec: PartitionSpec) -> Tree:
    """Copies that may be given away: spread over a mesh, or on the default device."""
    tree = jax.tree.map(lambda x: jnp.array(typed(x), copy=True), tree)
    return tree if mesh is None else placed(tree, NamedSharding(mesh, spec))


def taken_over(mesh: Mesh | None, worlds: Tree) -> Tree:
    """Arrays [N, ...] that may be given away, and copies of those that may not.

    Two fields of a state may be one array, and an array may be memory of NumPy.
    """
    if mesh is not None and not _is_spread(mesh, worlds):
        return placed(worlds, NamedSharding(mesh, BY_LANE), may_alias=False)
    seen: set[int] = set()

    def own(x: Any) -> jax.Array:
        if isinstance(x, jax.Array) and not x.weak_type and _address(x) not in seen:
            seen.add(_address(x))
            return x
        return jnp.array(typed(x), copy=True)

    return jax.tree.map(own, worlds)


def _is_spread(mesh: Mesh, tree: Any) -> bool:
    wanted = NamedSharding(mesh, BY_LANE)
    # An empty array (the stages of a task that has none) has nothing to spread.
    return all(
        isinstance(x, jax.Array) and (not x.size or x.sharding.is_equivalent_to(wanted, x.ndim))
        for x in jax.tree.leaves(tree)
    )


def _address(x: jax.Array) -> int:
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        x = jax.random.key_data(x)
    return x.addressable_data(0).unsafe_buffer_pointer()
