"""How much memory lanes take, from the shapes of their arrays, before anything is compiled.

What XLA needs besides for one tick or one minibatch is estimated; `SHARE` leaves room for that.
"""

import dataclasses
import functools
import math
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from rlgpt_jax.rl import devices, index_range, worlds
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.config import NetworkConfig, RLConfig
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Policy, arrays_of
from rlgpt_jax.rl.rollout import on_host, one_tick
from rlgpt_jax.rl.rollout.macro_step import init_macros
from rlgpt_jax.rl.rollout.on_host import World
from rlgpt_jax.rl.rollout.open_decisions import none_open

SHARE = 0.9  # of the memory that is there may be asked for
GB = 1e9
# Bytes of a row of a batch besides what the policy saw and did: reward, flags, value of the last
# observation, episode; and in the update advantage, target, order and places.
_ROW, _ROW_IN_UPDATE = 21, 40
# Observations of a lane that exist at once: the tick's, the last one of an episode, the next one,
# and what they are made from.
_OBSERVATIONS = 5
_PARAMETERS = 4  # copies: parameters, two moments, gradient


class DoesNotFit(ValueError):
    """Lanes that the memory cannot hold."""


@dataclasses.dataclass(frozen=True)
class Memory:
    """Bytes on one device."""

    fixed: dict[str, float]  # at any number of lanes
    per_lane: dict[str, float]
    largest: dict[str, int]  # elements per lane of the largest arrays

    @property
    def lane(self) -> float:
        return sum(self.per_lane.values())

    def total(self, lanes: int) -> float:
        """For so many lanes on one device."""
        return sum(self.fixed.values()) + lanes * self.lane

    def lanes_in(self, budget: float) -> int:
        """How many lanes fit into so many bytes of one device."""
        return max(0, int((budget - sum(self.fixed.values())) / self.lane))


def measure(env: World, space: HybridSpace, config: RLConfig, on_device: bool) -> Memory | None:
    """What training takes; None for a world on the host whose sizes are not known.

    Args:
      on_device: whether the device driver is in use.
    """
    pure: Any = getattr(env, "env", None) if on_host.is_host(env) else env
    if pure is None or config.spec is not None:
        return None
    data = _bytes(pure.default_params)
    shapes = (pure, data, space.uses_macros, config.ppo, config.network)
    key = (*shapes, on_device, on_host.is_host(env))
    if key not in _measured:
        _measured[key] = _measure(pure, env, space, config, on_device)
    return _measured[key]


_measured: dict[Hashable, Memory] = {}  # by what says the shapes


def _measure(
    pure: Any, env: World, space: HybridSpace, config: RLConfig, on_device: bool
) -> Memory:
    num, network = env.num_envs, config.network
    key = jax.random.key(0)
    state, obs = jax.eval_shape(pure.reset, pure.default_params, key)
    if network.image_size and obs.rgb is None:  # drawn on the host
        obs = obs._replace(rgb=jax.ShapeDtypeStruct((num, *network.image_size, 3), jnp.uint8))
    terms = worlds.of(network).reward_arrays(config, env.goal_names)
    lanes = jax.eval_shape(functools.partial(one_tick.start_lanes, network=network), terms, obs)
    carried = jax.eval_shape(functools.partial(none_open, network), lanes, obs)
    macros = jax.eval_shape(lambda: init_macros(space, num))
    params = jax.eval_shape(functools.partial(actor_critic.init_params, network), key)
    actor = arrays_of(Policy(params, space, config), env.goal_names, on_device=True)
    seen = jax.eval_shape(one_tick.decide, actor, lanes, obs, key, jnp.int32(0))
    row = _bytes((seen.features, seen.action, seen.log_prob, seen.value)) / num + _ROW
    ticks = config.ppo.unroll_length
    in_minibatch = ticks / config.ppo.num_minibatches
    # On the host a batch is a list of rows and then their stack; a world that is wrapped is not
    # written in place.
    copies = 1 if on_device or on_host.is_host(env) else 2
    batches = 1 if on_device else 2
    return Memory(
        fixed={
            "pool of worlds": _bytes(pure.default_params),
            "networks": _PARAMETERS * _bytes(params),
        },
        per_lane={
            "world": copies * _bytes(state) / num,
            "observation": _OBSERVATIONS * _bytes(obs) / num,
            "lane and macros": 2 * _bytes((lanes, carried, macros)) / num,
            "batch": batches * ticks * row,
            "update": ticks * (row + _ROW_IN_UPDATE)  # with the carried decisions, a second batch
            + in_minibatch * (row + _activations(network, params)),
        },
        largest={
            "worlds": max(x.size for x in jax.tree.leaves(state)) // num,
            "batch": ticks * max(x.size for x in jax.tree.leaves(seen.features)) // num,
        },
    )


def _bytes(tree: Any) -> int:
    return sum(math.prod(x.shape) * x.dtype.itemsize for x in jax.tree.leaves(tree))


def _activations(network: NetworkConfig, params: actor_critic.Params) -> float:
    """Bytes that the backward pass keeps of one row."""
    rows = 64
    x = jax.eval_shape(lambda: actor_critic.dummy_features(rows, network))

    def backward(params: actor_critic.Params, x: Any) -> Any:
        forward = lambda params: actor_critic.logits_and_values(network, params, x)  # noqa: E731
        return jax.vjp(forward, params)[1]

    return (_bytes(jax.eval_shape(backward, params, x)) - _bytes(params)) / rows


def check(env: World, space: HybridSpace, config: RLConfig, on_device: bool) -> None:
    """Refuses lanes that do not fit or cannot be indexed, before anything is compiled.

    Raises:
      DoesNotFit: with the largest number of lanes that does.
    """
    mesh = devices.mesh_of(config, on_device)
    num_devices = mesh.size if mesh else 1
    found = measure(env, space, config, on_device)
    if found is None:
        return
    budget, where = available(on_device, num_devices)
    lanes = env.num_envs // num_devices
    if found.total(lanes) <= SHARE * budget:
        for what, per_lane in found.largest.items():
            index_range.check(what, per_lane, lanes)
        return
    most = fitting(config, found.lanes_in(SHARE * budget) * num_devices, num_devices)
    parts = {**found.per_lane, **found.fixed}
    largest = max(parts, key=lambda name: parts[name] * (lanes if name in found.per_lane else 1))
    advice = f"Set ppo.num_envs to at most {most:,}" if most else "Take a larger machine"
    raise DoesNotFit(
        f"ppo.num_envs={env.num_envs:,} needs {found.total(lanes) / GB:.2f} GB on "
        f"{'each of ' + str(num_devices) + ' devices' if num_devices > 1 else 'one device'}, of "
        f"which {SHARE:.0%} of {budget / GB:.2f} GB may be used ({where}). A lane takes "
        f"{found.lane / 1e6:.3f} MB, most goes to: {largest}. {advice}, or lower "
        "ppo.unroll_length, voxel.size_x, size_z or size_y, or use more devices."
    )


def fitting(config: RLConfig, most: int, num_devices: int) -> int:
    """The largest number of lanes up to `most` that the configuration can deal; 0 for none."""
    step = config.ppo.groups or num_devices
    return most // step * step


def available(on_device: bool, num_devices: int) -> tuple[float, str]:
    """Bytes that one device may have, and whose they are."""
    device = jax.local_devices()[0]
    stats = device.memory_stats() if on_device else None
    if stats and "bytes_limit" in stats:
        return float(stats["bytes_limit"]), f"what JAX has of {device.device_kind}"
    return _host_memory() / num_devices, "free memory of the machine"


def _host_memory() -> float:
    """Bytes that are free, for this process's control group if that has less."""
    free = math.inf
    try:
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free = 1024.0 * int(lines["MemAvailable"].split()[0])
        group = Path("/sys/fs/cgroup")
        limit = int((group / "memory.max").read_text())
        free = min(free, limit - int((group / "memory.current").read_text()))
    except (OSError, ValueError, KeyError):  # no such files, or "max"
        pass
    return free
