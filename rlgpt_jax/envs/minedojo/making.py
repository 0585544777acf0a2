"""Rows of the task table as requests for `minedojo.make` and resets, and seeds of its worlds."""

import hashlib
from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs.base import RAY_PITCHES, RAY_RANGE, RAY_YAWS
from rlgpt_jax.envs.minedojo import request
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.tasks.tasks import Task

SPLITS = ("train", "eval", "validation")  # as those of the embedded world's pools
START_TIME = 6000  # ticks: noon, as in the embedded world
# MineDojo's ids of rows that bear another name here. Its own tasks name no biome and no limit;
# those of the row are added.
PROGRAMMATIC = {
    "harvest_milk": "harvest_milk_with_empty_bucket_and_cow",
    "harvest_wool": "harvest_wool_with_shears_and_sheep",
    "harvest_log": "harvest_1_log_forest",
    **{
        f"harvest_{quantity}_{item}": f"harvest_{quantity}_{item}"
        for quantity in (1, 8)
        for item in ("log", "wool", "beef", "mutton", "cobblestone", "coal", "iron_ore", "diamond")
    },
}
HARVEST, OPEN_ENDED = "harvest", "open-ended"
_VOXELS = {"xmin": -1, "ymin": -1, "zmin": -1, "xmax": 1, "ymax": 1, "zmax": 1}
# Ray index = pitch index * 12 + yaw index; MineDojo counts in radians, up and to the left.
LIDAR = [
    [float(-np.deg2rad(pitch)), float(-np.deg2rad(yaw)), RAY_RANGE]
    for pitch in RAY_PITCHES
    for yaw in RAY_YAWS
]


class Game(NamedTuple):
    """What a worker is told to make, and to say at resets."""

    task_id: str
    kwargs: dict[str, Any]
    mobs: tuple[str, ...] = ()  # that the client does not spawn, to be summoned after any reset
    mob_range: tuple[int, int] = (0, 0)  # +- blocks in x and z


def game_of(task: Task, config: MineDojoConfig) -> Game:
    """How MineDojo makes a row of the table.

    A task with an id of MineDojo's is made by it; one whose goal is an item by "harvest"; one
    whose goal harvesting cannot tell (a station placed, stages) by "open-ended".
    """
    # Worker and client let these take the place of what the row of an id of MineDojo's says:
    # nothing in the inventory and no mobs are said too, since a run may change its task.
    kwargs: dict[str, Any] = {
        "image_size": list(config.image_size),
        # A world that is new in each episode needs no quick resets.
        "fast_reset": config.reset_every > 1,
        "specified_biome": task.biome,
        "break_speed_multiplier": task.break_speed,
        "initial_weather": "clear",
        "use_voxel": True,
        "voxel_size": _VOXELS,
        "use_lidar": True,
        "lidar_rays": LIDAR,
        "initial_inventory": [
            {"slot": slot, "name": name, "variant": 0, "quantity": quantity}
            for slot, (name, quantity) in enumerate(task.start_items)
        ],
    }
    if task.nearby or task.stages:
        kwargs["generate_world_type"] = "specified_biome"
        return Game(OPEN_ENDED, kwargs, task.mobs, task.mob_range)
    kwargs |= {
        "initial_mobs": list(task.mobs),
        "target_names": task.goal_item,
        "target_quantities": task.goal_quantity,
        "reward_weights": 1,
    }
    if task.mobs:
        x, z = task.mob_range
        kwargs |= {
            "initial_mob_spawn_range_low": [-x, 1, -z],
            "initial_mob_spawn_range_high": [x, 1, z],
        }
    return Game(PROGRAMMATIC.get(task.name, HARVEST), kwargs)


def make_request(game: Game, config: MineDojoConfig, lane: int, number: int) -> dict[str, Any]:
    """What a lane's new worker is asked to make; `number` is a `world_seed`."""
    return {
        "op": request.MAKE,
        "task_id": game.task_id,
        "kwargs": {**game.kwargs, "seed": number % 2**31, "world_seed": str(number)},
        "port": int(config.port) + lane if config.port else 0,
        "quick_copy": config.quick_copy,
        # The client itself gives a game up after 240 s, whatever is set here.
        "patience": max(config.launch_timeout, config.call_timeout),
    }


def reset_request(game: Game, rebuild: bool, number: int, rgb: bool) -> dict[str, Any]:
    """A new episode, in a new world or in the one that is there, with pictures or without."""
    return {
        "op": request.RESET,
        "rebuild": rebuild,
        "world_seed": str(number),
        "seed": number % 2**31,
        "rgb": rgb,
        # The client moves the player at a quick reset, and leaves mobs and drops where they are.
        "before": ["/kill @e[type=!player]"],
        "after": [*_summons(game, number), f"/time set {START_TIME}"],
    }


def _summons(game: Game, number: int) -> tuple[str, ...]:
    """Commands for the mobs that MineDojo does not spawn, somewhere in their range."""
    rng = np.random.default_rng(number)
    reach = np.array(game.mob_range)
    places = [rng.integers(-reach, reach, endpoint=True) for _ in game.mobs]
    return tuple(f"/summon {mob} ~{x} ~1 ~{z}" for mob, (x, z) in zip(game.mobs, places))


def world_seed(seed: int, split: str, lane: int, number: int) -> int:
    """The seed of the `number`-th world or episode of a lane, 0 to 2**63 - 1.

    The two lowest bits are the split and the others a hash, so that no world of one split is
    one of another.

    Raises:
      ValueError: unknown split.
    """
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}. Try: {', '.join(SPLITS)}.")
    digest = hashlib.blake2b(f"{seed}/{split}/{lane}/{number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1 & ~3 | SPLITS.index(split)
