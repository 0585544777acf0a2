"""What a configuration stands for: worlds, drivers, models."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from experiments import machine
from experiments.configs import base
from experiments.flags import Settings
from rlgpt_jax.agents.llm.base import Provider
from rlgpt_jax.agents.llm.connect import connect
from rlgpt_jax.agents.llm.file import FileProvider
from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.envs.tasks import Task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.eyes import KINDS as DEVICE_KINDS
from rlgpt_jax.envs.voxel.eyes import make_eyes
from rlgpt_jax.envs.voxel.host import KINDS as HOST_KINDS
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.pool import load_pool
from rlgpt_jax.envs.voxel.state import WorldPool
from rlgpt_jax.loop.tools import World
from rlgpt_jax.rl import devices
from rlgpt_jax.rl.macro_step import interpreter_for


def env_maker(
    config: base.Config, on_worlds: Callable[[str, int, int], None] = lambda *_: None
) -> Callable[..., World]:
    """Returns `make(split, num_envs, seed, task)`; worlds of one split share their pool.

    `task` is by default that of the configuration; another one must be of the same biome.
    """
    # These complain early.
    interpreter_for(config.macros.interpreter, uses_device(config))
    devices.num_groups(config.rl, devices.mesh_of(config.rl, uses_device(config)))
    senses = _checked_senses(config)
    task = config.task_record

    @functools.cache
    def pool(split: str) -> WorldPool:
        told = functools.partial(on_worlds, split)
        return load_pool(task.biome, split, config.world, machine.CACHE / "worlds", told)

    def make(split: str, num_envs: int, seed: int, other: Task | None = None) -> World:
        del seed  # the pool is fixed; episodes are seeded where they are reset
        given = other or task, config.world, num_envs, pool(split)
        if uses_device(config):
            return VoxelEnv(*given, **senses)
        return HostVoxel(VoxelEnv(*given), **senses)

    return make


def _checked_senses(config: base.Config) -> dict[str, Any]:
    """Arguments of worlds on the driver's side.

    Raises:
      ValueError: code that the driver does not have.
    """
    size = config.network.image_size
    chosen = {"renderer": config.senses.renderer, "raycaster": config.senses.raycaster}
    on_device = uses_device(config)
    driver, kinds = ("device", DEVICE_KINDS) if on_device else ("host", HOST_KINDS)
    for field, kind in chosen.items():
        if kind not in ("auto", *kinds):
            other = "host" if on_device else "device"
            raise ValueError(
                f"senses.{field} is {kind!r}, but the {driver} driver is in use, which has auto, "
                f"{' and '.join(k for k in kinds if k != 'auto')}. Take one of these, or set "
                f"driver to {other}."
            )
    if on_device:
        make_eyes(None, **chosen)  # complains if there is no GPU for a kernel
    return {"image_size": size, **chosen} if size else chosen


def uses_device(config: base.Config) -> bool:
    """Whether world and policy run in one scan: on a GPU by default."""
    if config.driver == "auto":
        return jax.default_backend() != "cpu"
    return config.driver == "device"


def make_provider(config: base.Config, settings: Settings) -> Provider | None:
    """The model, or what stands for it."""
    if not config.loop.asks:
        return None
    llm = config.llm
    if llm.provider == "replay":
        return Replay(base.CHECKOUT / llm.transcript, llm.replay == "strict")
    if llm.is_real:
        return connect(llm.endpoint(), llm.limits)
    return FileProvider(
        requests_folder(settings) or settings.workdir,
        timeout_seconds=None if llm.timeout_minutes is None else 60.0 * llm.timeout_minutes,
        model=llm.model,
    )


def requests_folder(settings: Settings) -> Path | None:
    """Where questions are written and answers are read; None in a replay."""
    llm = settings.config.llm
    if llm.provider != "file" or not settings.config.loop.asks:
        return None
    return Path(llm.folder) if llm.folder else settings.workdir / "requests"
