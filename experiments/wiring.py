"""What a configuration stands for: worlds, drivers, models."""

import functools
from collections.abc import Callable
from pathlib import Path

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
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.pool import load_pool
from rlgpt_jax.envs.voxel.state import WorldPool
from rlgpt_jax.loop.tools import World
from rlgpt_jax.rl.macro_step import interpreter_for


def env_maker(
    config: base.Config, on_worlds: Callable[[str, int, int], None] = lambda *_: None
) -> Callable[..., World]:
    """Returns `make(split, num_envs, seed, task)`; worlds of one split share their pool.

    `task` is by default that of the configuration; another one must be of the same biome.
    """
    interpreter_for(config.macros.interpreter, uses_device(config))  # complains early
    task = config.task_record

    @functools.cache
    def pool(split: str) -> WorldPool:
        told = functools.partial(on_worlds, split)
        return load_pool(task.biome, split, config.world, machine.CACHE / "worlds", told)

    def make(split: str, num_envs: int, seed: int, other: Task | None = None) -> World:
        del seed  # the pool is fixed; episodes are seeded where they are reset
        env = VoxelEnv(other or task, config.world, num_envs, pool(split))
        return env if uses_device(config) else HostVoxel(env)

    return make


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
