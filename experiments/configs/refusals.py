"""What does not go together in a configuration: each is refused with what to set instead."""

import dataclasses
from typing import TYPE_CHECKING

from rlgpt_jax.agents.llm.base import Usage
from rlgpt_jax.agents.llm.budget import Quote, known_price
from rlgpt_jax.envs.tasks import own_task
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.rl.config import PPOConfig
from rlgpt_jax.rl.reward.clip.sizes import PUBLISHED

if TYPE_CHECKING:
    from experiments.configs.base import Config


def check(config: "Config") -> None:
    """Refuses all that is below, each with a `ValueError`."""
    check_task(config)
    check_world(config.voxel)
    check_prices(config)
    if config.world == "minedojo":
        check_minedojo(config)
    check_clip(config)
    check_imitation(config)
    check_baselines(config)
    if not config.is_minecraft:
        check_spec_world(config)


def check_task(config: "Config") -> None:
    """Refuses a task that there is not, or that this world cannot hold."""
    if not config.is_minecraft:
        _ = config.task_record
        return
    task = get_task(config.task)
    if not isinstance(config.task, str):
        own_task.check(task)
    num_mobs = len(task.mobs) + task.wild + task.hostile
    if config.world == "voxel" and num_mobs > config.voxel.max_mobs:
        raise ValueError(
            f"task {task.name} has {num_mobs} mobs (own, wild and hostile), voxel.max_mobs="
            f"{config.voxel.max_mobs}. Raise that, or have fewer."
        )


def check_prices(config: "Config") -> None:
    """Refuses a limit in US dollars where nobody knows what the models cost."""
    llm = config.llm
    if config.budget.max_usd is None or not config.loop.asks or llm.provider == "replay":
        return
    for model in filter(None, (llm.model, llm.critic_model)):
        known_price(Quote(llm.provider, model), Usage(1, 1))


def check_spec_world(config: "Config") -> None:
    """Refuses what worlds that are not Minecraft do not have."""
    if config.workers < 1:
        raise ValueError(f"workers={config.workers} must be at least 1.")
    wrong = {
        "driver=device": config.driver == "device", "loop.planner": config.loop.planner,
        "reward.clip": config.reward.clip, "macros.library": config.macros.library,
        "macros.save": config.macros.save, "sight=pixels": config.sight == "pixels",
    }  # fmt: skip
    if found := [name for name, is_set in wrong.items() if is_set]:
        raise ValueError(
            f"{', '.join(found)}: only for Minecraft, and world is {config.world}. Leave it out."
        )


def check_minedojo(config: "Config") -> None:
    """Refuses what worlds on the host, that cannot be played again, do not have."""
    if config.driver == "device":
        raise ValueError(
            'driver is "device", but world=minedojo keeps its worlds on the host. Set driver to '
            "host or auto."
        )
    if config.critic.vision != "off":
        raise ValueError(
            f"critic.vision={config.critic.vision!r} shows episodes that are played again from "
            "their actions, which Minecraft cannot. Set critic.vision to off with "
            "world=minedojo."
        )


def minedojo_lanes(config: "Config") -> PPOConfig:
    """PPO with a lane per worker, and as many ticks per update.

    Raises:
      ValueError: the workers cannot share them.
    """
    ppo, workers = config.ppo, config.minedojo.workers
    ticks = ppo.num_envs * ppo.unroll_length
    if ticks % workers:
        raise ValueError(
            f"minedojo.workers={workers} cannot share the {ticks} ticks of an update "
            f"(ppo.num_envs={ppo.num_envs} times ppo.unroll_length={ppo.unroll_length}). Choose "
            "a number of workers that divides them, or set "
            f"ppo.num_envs={workers} and ppo.unroll_length={ticks // workers}."
        )
    return dataclasses.replace(ppo, num_envs=workers, unroll_length=ticks // workers)


def check_clip(config: "Config") -> None:
    """Refuses a CLIP reward without its files, its pictures or the driver that computes it."""
    if not config.reward.clip:
        return
    config.mineclip.check_complete()
    seen = config.network.image_size
    if seen and tuple(seen) != PUBLISHED.image_size:
        height, width = PUBLISHED.image_size
        raise ValueError(
            f"reward.clip needs pictures of {height} x {width} pixels, and network.image_size is "
            f"{seen[0]} x {seen[1]}: a world shows one size. Set it to {height},{width}, or to "
            "nothing and let the policy see rays."
        )
    if config.driver == "device":
        raise ValueError(
            "reward.clip is computed by the host driver, and driver is 'device'. Set it to host "
            "or auto."
        )


def check_imitation(config: "Config") -> None:
    """Refuses self-imitation where actions change their meaning, or lanes step on their own."""
    every, mode = config.ppo.imitation_every, config.loop.mode
    if every and mode != "pure_rl":
        raise ValueError(
            f"ppo.imitation_every={every} is for loop.mode=pure_rl; in mode {mode} agents change "
            "what actions do, and stored ones would mean something else."
        )
    if every and config.world == "minedojo":
        raise ValueError(
            f"ppo.imitation_every={every}: self-imitation does not know lanes that step on their "
            "own, as those of world=minedojo do. Set it to 0."
        )


def check_baselines(config: "Config") -> None:
    """Refuses what agents' set-ups, Plan4MC's search and automatic crafting do not go with."""
    loop = config.loop
    if config.set_up and config.loop.mode != "pure_rl":
        raise ValueError(
            f"set_up={config.set_up} is for loop.mode=pure_rl; in mode {config.loop.mode} agents "
            "set up the training, or nothing is trained."
        )
    if loop.planner and config.set_up:
        raise ValueError("set_up is for one task, and loop.planner=true splits it. Leave one out.")
    wrong = {
        f"loop.mode={loop.mode}": loop.mode != "pure_rl",
        "loop.planner": loop.planner,
        f"world={config.world}": config.world != "voxel",
        "driver=device": config.driver == "device",
    }
    if config.autocraft and (found := [name for name, is_set in wrong.items() if is_set]):
        raise ValueError(
            "autocraft is for PPO alone (loop.mode=pure_rl) in the embedded world on the host; "
            f"leave out {', '.join(found)}."
        )


def check_world(world: WorldParams) -> None:
    """Refuses sizes that no terrain fits into."""
    for name in ("size_x", "size_z"):
        if getattr(world, name) < 32:
            raise ValueError(f"voxel.{name}={getattr(world, name)} must be at least 32 blocks.")
    if not 8 <= world.sea_level <= world.size_y - 24:
        raise ValueError(
            f"voxel.sea_level={world.sea_level} needs 8 layers below it and 24 above: with "
            f"voxel.size_y={world.size_y} choose 8..{world.size_y - 24}."
        )
    for name in ("max_mobs", "max_items", "max_stations", "num_worlds"):
        if getattr(world, name) < 1:
            raise ValueError(f"voxel.{name}={getattr(world, name)} must be at least 1.")
