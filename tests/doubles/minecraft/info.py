"""The JSON that the mod sends with every picture: what is true of one lane, in its words.

Keys and their meaning are those of MineDojo 0.1's mod (`JSONWorldDataHelper.java`,
`ObservationFrom*Implementation.java`), with what is odd about them:
  - `damage_source` is nested, and its amount is called `damage_amout`
  - the yaw counts on beyond 180 degrees
  - the distance of a ray that meets nothing is no distance: the mod takes the ray's way for
    a place and measures from the eye to there
"""

import itertools
from typing import Any

import numpy as np

from rlgpt_jax.envs.names import NAME_ID, NAMES
from rlgpt_jax.envs.view import items, surroundings
from rlgpt_jax.envs.view.observation import life_stats
from rlgpt_jax.envs.view.sight import Sight
from rlgpt_jax.envs.view.strings import spell
from rlgpt_jax.envs.voxel.state import WorldState
from rlgpt_jax.envs.voxel.terrain.worldgen import BIOMES
from tests.doubles.minecraft import lidar
from tests.doubles.minecraft.mission import Limits, Ray

Json = dict[str, Any]
_VOXEL_KEYS = (
    "block_name", "block_meta", "is_collidable", "is_tool_not_required", "blocks_movement",
    "is_liquid", "is_solid", "can_burn", "blocks_light", "cos_look_vec_angle",
)  # fmt: skip
_RAY_KEYS = (
    "block_name", "block_distance", "block_meta", "harvest_level", "is_tool_not_required",
    "blocks_movement", "is_liquid", "is_solid", "can_burn", "entity_name", "entity_distance",
    "ray_pitch", "ray_yaw", "traced_block_x", "traced_block_y", "traced_block_z",
)  # fmt: skip
_STACK_KEYS = ("name", "variant", "quantity", "max_durability", "cur_durability")
_NO_MOB = NAME_ID["none"]


def body(sight: Sight, yaw: float, died: bool) -> Json:
    """Life, place, land, light and harm.

    Args:
      sight: one lane.
      yaw: degrees, counted on.
      died: whether the player died in the last tick.
    """
    obs = sight.obs
    life, where = life_stats(obs), surroundings.location_stats(sight)
    one = lambda value: np.asarray(value).reshape(-1)[0].item()  # noqa: E731
    x, y, z = (float(value) for value in obs.position[0])
    return {
        "life": one(life["life"]), "armor": int(one(life["armor"])), "score": 0,
        "food": int(one(life["food"])), "saturation": one(life["saturation"]),
        "xp": int(one(life["xp"])), "air": int(one(life["oxygen"])), "is_alive": True,
        "is_sleeping": False, "name": "Player",
        "xpos": x, "ypos": y, "zpos": z, "pitch": float(obs.pitch[0]), "yaw": yaw,
        "biome_name": BIOMES[int(obs.biome[0])].name.replace("_", " ").title(),
        "biome_id": int(one(where["biome_id"])),
        "biome_temperature": one(where["temperature"]),
        "biome_rainfall": one(where["rainfall"]),
        "sea_level": int(one(where["sea_level"])),
        "light_level": int(one(where["light_level"])),
        "is_raining": False, "can_see_sky": one(where["can_see_sky"]),
        "sun_brightness": one(where["sun_brightness"]),
        "sky_light_level": one(where["sky_light_level"]),
        "is_dead": False, "living_death_event_fired": died,
        "nearby_crafting_table": one(obs.near_table), "nearby_furnace": one(obs.near_furnace),
        "damage_source": _damage(sight),
    }  # fmt: skip


def _damage(sight: Sight) -> Json:
    harm = surroundings.damage_source(sight)
    told = {key: value.reshape(-1)[0].item() for key, value in harm.items()}
    told["damage_amout"] = told.pop("damage_amount")
    return told


def inventory(sight: Sight) -> Json:
    """The 41 places: hotbar, bag, feet, legs, chest, head, off hand."""
    bag, worn = items.inventory(sight), items.equipment(sight)
    rows = []
    for group, first in ((bag, 0), (worn, 1)):
        columns = [group[key][0, first:].tolist() for key in _STACK_KEYS]
        rows += [dict(zip(_STACK_KEYS, row)) for row in zip(*columns)]
    for index, row in enumerate(rows):
        row |= {"name": NAMES[row["name"]] or "air", "index": index, "inventory": "inventory"}
        row |= {key: int(row[key]) for key in ("quantity", "max_durability", "cur_durability")}
    return {
        "inventory": rows,
        "inventories_available": [{"name": "inventory", "size": len(rows)}],
        "current_item_index": 0,
    }


def grid(sight: Sight, limits: Limits) -> Json:
    """The blocks around the feet, ten values each; x runs fastest, then y, then z."""
    x, y, z = (range(low, high + 1) for low, high in limits)
    around = np.array([(i, j, k) for k, j, i in itertools.product(z, y, x)])
    return {"voxels": _flat("voxels", surroundings.voxels_at(sight, around), _VOXEL_KEYS)}


def rays(sight: Sight, state: WorldState, asked: tuple[Ray, ...], axes: str) -> Json:
    """The lidar, sixteen values a ray."""
    if axes == "view" and lidar.is_usual(asked):
        group = surroundings.rays(sight)
    else:
        group = lidar.cast(state, sight, asked, axes)
    missed = group["block_name"] == lidar.AIR
    if missed.any():
        alone = missed & (group["entity_name"] == _NO_MOB)
        odd = _odd_distance(sight, asked, axes)
        group["block_distance"] = np.where(missed, odd, group["block_distance"])
        group["entity_distance"] = np.where(alone, odd, group["entity_distance"])
    for key in ("traced_block_x", "traced_block_y", "traced_block_z"):
        group[key] = group[key].astype(np.int64)
    return {"rays": _flat("rays", group, _RAY_KEYS)}


def _odd_distance(sight: Sight, asked: tuple[Ray, ...], axes: str) -> np.ndarray:
    """float32[1, R]: what the mod tells of a ray that meets nothing."""
    obs = sight.obs
    way = lidar.directions(asked, float(obs.yaw[0]), float(obs.pitch[0]), axes)
    way = way * np.array([[ray.distance] for ray in asked])
    return np.linalg.norm(way - surroundings.eye_of(sight), axis=-1)[None].astype(np.float32)


def _flat(group: str, columns: surroundings.Group, keys: tuple[str, ...]) -> list[Any]:
    """The values of all keys of one thing after the other."""
    told = []
    for key in keys:
        value = columns[key][0]
        if key == "entity_name":
            told.append([_class_of(name) for name in value.tolist()])
        elif key == "block_name":
            told.append(spell(group, key, value).tolist())
        else:
            told.append(value.tolist())
    return [value for row in zip(*told) for value in row]


def _class_of(name: int) -> str:
    """A mob's name as the game's own, such as EntityCow."""
    return "null" if name == _NO_MOB else f"Entity{NAMES[name].title().replace('_', '')}"
