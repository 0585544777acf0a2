"""What a configuration stands for: worlds, drivers, models, budgets."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments import machine
from experiments.configs import base
from experiments.configs.llm import CRITICS
from experiments.flags import Settings
from experiments.mineclip.reward_term import Clip, make_clip
from experiments.values import ConfigError, refusing
from rlgpt_jax import files
from rlgpt_jax.agents.llm.base import Provider
from rlgpt_jax.agents.llm.budget import Budget, Clock, Quote
from rlgpt_jax.agents.llm.connect import connect
from rlgpt_jax.agents.llm.file import FileProvider
from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.envs.base import HostEnvironment
from rlgpt_jax.envs.control import making
from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.minedojo.host import HostMineDojo, make_launcher
from rlgpt_jax.envs.minedojo.turns import OnTurn, Turns
from rlgpt_jax.envs.plan import skill_graph
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.state import WorldPool
from rlgpt_jax.envs.voxel.terrain.pool import load_pool
from rlgpt_jax.loop.baselines import crafting
from rlgpt_jax.loop.baselines.autocraft import Autocraft
from rlgpt_jax.loop.tools import EVAL, World
from rlgpt_jax.rl import devices, lane_memory

ROW = 100  # bytes of a tick in a batch, at the least


def env_maker(
    config: base.Config, on_worlds: Callable[[str, int, int], None] = lambda *_: None
) -> Callable[..., World]:
    """Returns `make(split, num_envs, seed, task)`; worlds of one split and biome share their pool.

    `task` is by default that of the configuration.
    """
    senses = _checked_senses(config)
    task = config.task_record
    clip = make_clip(config)
    if isinstance(task, ControlTask):
        return _control_maker(config, task)
    if config.world == "minedojo":
        return _minedojo_maker(config, senses, clip)

    @functools.cache
    def pool(split: str, biome: str) -> WorldPool:
        told = functools.partial(on_worlds, split)
        # Held-out worlds are part of the sample: runs of other seeds have others.
        number = config.seed if split == EVAL else 0
        return load_pool(biome, split, config.voxel, machine.CACHE / "worlds", told, number)

    def make(split: str, num_envs: int, seed: int, other: Task | None = None) -> World:
        del seed  # a run has one pool per split and biome; episodes are seeded at their reset
        wanted = other or task
        given = wanted, config.voxel, num_envs, pool(split, wanted.biome)
        if uses_device(config):
            return VoxelEnv(*given, **senses)
        rewarded = clip if clip and clip.is_for(split, num_envs) else None
        size = {"image_size": rewarded.size} if rewarded else {}
        world: HostEnvironment = HostVoxel(VoxelEnv(*given), **{**senses, **size})
        world = Autocraft(world, wanted) if config.autocraft else world
        return rewarded.around(world) if rewarded else world

    return make


def check_machine(config: base.Config) -> None:
    """Refuses devices that are not there, worlds that cannot fit and tasks that basic skills do not
    solve, before anything is made.

    Raises:
      ConfigError: with what there is.
    """
    with refusing(ValueError):
        on_device = uses_device(config)
        mesh = devices.mesh_of(config.rl, on_device)
        devices.num_groups(config.rl, mesh)
        _checked_senses(config)
        if config.autocraft:
            crafting.names_of(config.minecraft_task)
        if config.loop.planner and not config.loop.asks:
            skill_graph.skills_of(config.minecraft_task)
    if config.world != "voxel":
        return
    voxel, ppo, num = config.voxel, config.ppo, mesh.size if mesh else 1
    blocks = voxel.size_x * voxel.size_y * voxel.size_z
    # The least that there must be: a byte per block of a lane, two per block of the pool, a batch.
    lanes = ppo.num_envs / num * (blocks + ROW * ppo.unroll_length)
    least = lanes + 2 * blocks * voxel.num_worlds
    free, where = lane_memory.available(on_device, num)
    if least > free:
        raise ConfigError(
            f"ppo.num_envs={ppo.num_envs:,} lanes of voxel.size_x * size_y * size_z = {blocks:,} "
            f"blocks and ppo.unroll_length={ppo.unroll_length:,} ticks, with voxel.num_worlds="
            f"{voxel.num_worlds:,}, need more than {least / 1e9:,.1f} GB, and there are "
            f"{free / 1e9:,.1f} GB ({where}). Lower them."
        )


def _control_maker(config: base.Config, task: ControlTask) -> Callable[..., World]:
    """`env_maker` of simulators: lanes are shared out to processes, and no world is kept that
    nobody has asked for."""

    def make(split: str, num_envs: int, seed: int, other: ControlTask | None = None) -> World:
        del seed  # a world is built from the seed of its reset
        workers = min(config.workers, num_envs)
        return making.make(other or task, num_envs, workers, split=split)

    return make


def _minedojo_maker(
    config: base.Config, senses: dict[str, Any], clip: Clip | None
) -> Callable[..., World]:
    """`env_maker` of real Minecraft: lanes are workers, and one world at a time has them.

    A world of more lanes than workers has as many as there are workers; who asks for episodes
    plays them in turns. Held-out worlds show pictures in any case, for the videos.
    """
    turns, launcher = Turns(), make_launcher(config.minedojo)
    size = senses.get("image_size")

    @functools.cache
    def world(split: str, lanes: int, task: Task, reward: Clip | None) -> World:
        seen = size or (config.minedojo.image_size if split == EVAL else None)
        seen = reward.size if reward else seen
        make = functools.partial(
            HostMineDojo, task, lanes, config.minedojo, launcher, image_size=seen, split=split
        )
        made = OnTurn(make, turns)
        return reward.around(made) if reward else made

    def make(split: str, num_envs: int, seed: int, other: Task | None = None) -> World:
        del seed  # a world is built from the seed of its reset
        lanes = min(num_envs, config.minedojo.workers)
        reward = clip if clip and clip.is_for(split, num_envs) else None
        return world(split, lanes, other or config.task_record, reward)

    return make


def _checked_senses(config: base.Config) -> dict[str, Any]:
    """Arguments of worlds on the driver's side.

    Raises:
      ValueError: code that the driver does not have.
    """
    size, chosen = config.network.image_size, vars(config.senses)
    pictures = {"image_size": size} if size else {}
    if not uses_device(config):
        return pictures | chosen
    for field, kind in chosen.items():
        if kind == "numba":
            raise ValueError(
                f"senses.{field} is 'numba', but the device driver is in use, which has auto and "
                "jax. Take one of these, or set driver to host."
            )
    return pictures


def uses_device(config: base.Config) -> bool:
    """Whether world and policy run in one scan: on a GPU by default, but for Minecraft."""
    keeps_state = config.world != "voxel" or bool(config.reward.clip) or config.autocraft
    return devices.uses_device(config.driver, keeps_state)


def make_provider(config: base.Config, settings: Settings) -> Provider | None:
    """The model, or what stands for it."""
    if not config.loop.asks:
        return None
    llm = config.llm
    if llm.provider == "replay":
        return Replay(files.CHECKOUT / llm.transcript, llm.replay == "strict")
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


def make_budget(config: base.Config, folder: Path) -> Budget:
    """Limits, who is asked, and a clock that goes on where the last start of the run left it."""
    llm = config.llm

    def quote(agent: str) -> Quote:
        model = llm.critic_model if agent in CRITICS else ""
        return Quote(llm.provider, model or llm.model, llm.max_output_tokens)

    return Budget(config.budget, quote, folder, Clock(folder / "clock.json"))
