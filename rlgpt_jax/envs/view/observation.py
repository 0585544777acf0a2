"""The full observation of MineDojo, as nested dicts of NumPy arrays.

    seen = look(Sight(obs, before, action, host, sea_level))
    seen["inventory"]["name"]     # int32[N, 36], ids of `envs.names`
    lane(seen, 0)["rays"]["block_distance"]  # float32[120]

Keys, shapes, dtypes and units are in `view.spec.SPEC`. Where the embedded world tells
more than the MineDojo client does: `damage_source` holds the truth (there it is always
zero). Weather and sleep do not exist here, so their entries are constant.
"""

from typing import Any

import numpy as np

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.view import items, surroundings
from rlgpt_jax.envs.view.sight import Sight as Sight
from rlgpt_jax.envs.view.spec import SPEC
from rlgpt_jax.envs.view.strings import spell

View = dict[str, Any]


def look(sight: Sight) -> View:
    """All groups but `rgb` of every lane.

    Returns:
      {group: {key: array [N, *shape]}} as in `view.spec.SPEC`.
    """
    return {
        "inventory": items.inventory(sight),
        "equipment": items.equipment(sight),
        "life_stats": life_stats(sight.obs),
        "location_stats": surroundings.location_stats(sight),
        "voxels": surroundings.voxels(sight),
        "rays": surroundings.rays(sight),
        "nearby_tools": {
            "table": sight.obs.near_table.copy(),
            "furnace": sight.obs.near_furnace.copy(),
        },
        "damage_source": surroundings.damage_source(sight),
        "masks": items.masks(sight),
        "delta_inv": items.delta_inv(sight),
    }


def life_stats(obs: Observation) -> dict[str, np.ndarray]:
    """Life, food, air and armour, float32[N, 1]; nobody sleeps in this world."""
    one = lambda value: np.asarray(value, np.float32)[:, None].copy()  # noqa: E731
    return {
        "life": one(np.maximum(obs.life, 0.0)),
        "food": one(obs.food),
        "saturation": one(obs.saturation),
        "oxygen": one(obs.oxygen),
        "armor": one(obs.armor),
        "xp": one(obs.xp),
        "is_sleeping": np.zeros(len(obs.life), bool),
    }


def with_names(seen: View) -> View:
    """The same with MineDojo's strings in the place of ids; arrays at the top (`rgb`) stay."""
    return {
        group: {
            key: spell(group, key, value) if SPEC[group][key].is_name else value
            for key, value in keys.items()
        }
        if isinstance(keys, dict)
        else keys
        for group, keys in seen.items()
    }


def lane(seen: View, index: int) -> View:
    """The observation of one lane, as copies without the axis N."""
    return {
        key: lane(value, index) if isinstance(value, dict) else np.array(value[index])
        for key, value in seen.items()
    }
