"""Why a key differs between a world seen directly and through MineDojo's client, and the cure."""

import numpy as np

from rlgpt_jax.envs.base import RAY_RANGE

_MISS = "of a ray that meets nothing the mod tells the length of (ray - eye), our view the ray's"
_ZERO = "the client reads another place of the JSON and tells 0; info['damage_source'] is true"

KNOWN = {
    "rays/block_distance": _MISS,
    "rays/entity_distance": _MISS,
    "location_stats/yaw": "the game counts yaw on, our view wraps it to [-180, 180)",
    "masks/craft_smelt": "the client takes the names of the first recipe alone: no kinds of "
    "wood, no other recipes, no fuel; our view tells what the world can make",
    "reward": "of a slow action the client tells the last tick's alone; the sum is ours",
    **{f"damage_source/{key}": _ZERO for key in (
        "damage_amount", "damage_distance", "damage_pitch", "damage_yaw", "hunger_damage",
        "is_fire_damage", "is_unblockable")},
}  # fmt: skip


def cured(theirs: dict[str, np.ndarray], harm: list[dict]) -> dict[str, np.ndarray]:
    """What a bridge makes of the client's arrays [steps, ...], by key, where it can.

    Args:
      theirs: through MineDojo.
      harm: info["damage_source"] of each step.
    """
    missed = theirs["rays/block_name"] == "air"
    alone = missed & (theirs["rays/entity_name"] == "null")
    result = dict(theirs)
    for key, where in (("block_distance", missed), ("entity_distance", alone)):
        told = theirs[f"rays/{key}"]
        result[f"rays/{key}"] = np.where(where, np.float32(RAY_RANGE), told)
    yaw = theirs["location_stats/yaw"]
    result["location_stats/yaw"] = (yaw + np.float32(180)) % np.float32(360) - np.float32(180)
    for key in [key for key in theirs if key.startswith("damage_source/")]:
        name = key.partition("/")[2].replace("damage_amount", "damage_amout")
        told = np.array([row[name] for row in harm])
        result[key] = told.astype(theirs[key].dtype).reshape(theirs[key].shape)
    return result
