"""MineDojo's observation and action, and ours.

    read(header, arrays, ...)         a worker's answer -> `Seen`
    observation(seen, facts, biome)   one lane's arrays as the client gives them -> Observation
    client_action(action, last)       our action -> the client's, and its ticks

`seen` is {"group/key": array} of one lane, `facts` what a worker sends of the client's info.
What MineDojo does not tell is worked out from what it does:

- on_ground: a block that bears is under the feet's box, and the feet are on its top;
- in_water: the feet or the eyes are in water;
- sky_light: 15 under open sky, else the light level;
- damage: life lost since the last observation, or the damage of the info if that is known;
- damage_kind: from the flags of the info's damage source and from what is around.
"""

from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import RAY_RANGE, SLOW_TICKS, Observation
from rlgpt_jax.envs.minedojo import spelling
from rlgpt_jax.envs.minedojo.batch import resized
from rlgpt_jax.envs.minedojo.damage import EYES, FEET, Facts, damage_of
from rlgpt_jax.envs.minedojo.link import LinkClosed
from rlgpt_jax.envs.minedojo.request import Arrays, Header
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.terrain.biomes import BIOME_INDEX, BIOMES

_BIOME_OF_ID = {biome.biome_id: index for index, biome in enumerate(BIOMES)}
_WATER = (NAME_ID["water"], NAME_ID["flowing_water"])
_DAY = 24_000  # ticks
_NOON = 6000
_HALF_WIDTH = 0.3  # blocks, of a player
_REST = 1e-3  # blocks; feet may be a rounding error below a block's top
_EMPTY, _NOBODY = "air", "null"


class Seen(NamedTuple):
    """One observation of one lane, without a batch axis."""

    arrays: Arrays  # as the client gave it
    facts: Facts
    obs: Observation
    success: bool  # what MineDojo itself found; False after a reset


def read(
    header: Header,
    arrays: Arrays,
    task: Task,
    image_size: tuple[int, int] | None,
    before: Observation | None,
) -> Seen:
    """Reads the answer to a reset or a step.

    Args:
      header: of the frame, with the facts.
      arrays: of the frame, the client's observation.
      task: its biome stands for one that is not known.
      image_size: height and width of the picture; None where there is none.
      before: the last observation, None at the start of an episode.

    Raises:
      LinkClosed: it is not what a worker says; who sends such an answer is of no more use.
    """
    try:
        facts = _checked(dict(header["facts"]))
        obs = observation(arrays, facts, BIOME_INDEX[task.biome], before)
        if obs.rgb is not None and image_size is not None:
            obs = obs._replace(rgb=resized(obs.rgb, image_size))
        return Seen(arrays, facts, obs, bool(header.get("success")))
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise LinkClosed(f"its answer makes no sense: {type(error).__name__}: {error}") from error


def _checked(facts: Facts) -> Facts:
    """Facts whose numbers are numbers, so that judging them is safe."""
    deaths = facts.get("deaths")
    inventory = [(str(name), int(quantity)) for name, quantity in facts["inventory"]]
    return {**facts, "inventory": inventory, "deaths": None if deaths is None else int(deaths)}


def observation(seen: Arrays, facts: Facts, biome: int, before: Observation | None) -> Observation:
    """What one lane's agent sees; without a batch axis.

    Args:
      seen: the client's observation, names as strings.
      facts: of its info.
      biome: index into `BIOMES` that stands for a biome which is not among them.
      before: the last observation, None at the start of an episode.

    Raises:
      KeyError, ValueError: an entry is missing or has another shape than MineDojo's.
    """
    seen = cured(seen)
    number = lambda key: np.float32(seen[key].reshape(()))  # noqa: E731
    flag = lambda key: np.bool_(seen[key].reshape(()))  # noqa: E731
    slot_name = _item_ids(seen["inventory/name"])
    life = number("life_stats/life")
    voxels = spelling.ids_of(spelling.BLOCKS, seen["voxels/block_name"])
    position = seen["location_stats/pos"].astype(np.float32)
    light, open_sky = int(number("location_stats/light_level")), flag("location_stats/can_see_sky")
    damage, kind = damage_of(seen, facts, voxels, life, before)
    rgb = seen.get("rgb")
    return Observation(
        position=position,
        yaw=number("location_stats/yaw"),
        pitch=np.clip(number("location_stats/pitch"), np.float32(-90), np.float32(90)),
        on_ground=np.bool_(on_ground(position, seen["voxels/blocks_movement"])),
        in_water=np.isin(voxels[1, [FEET, EYES], 1], _WATER).any(),
        life=life,
        food=number("life_stats/food"),
        saturation=number("life_stats/saturation"),
        oxygen=np.maximum(number("life_stats/oxygen"), np.float32(0)),
        armor=number("life_stats/armor"),
        xp=number("life_stats/xp"),
        light_level=np.int32(light),
        sky_light=np.int32(15 if open_sky else light),
        can_see_sky=open_sky,
        damage=damage,
        damage_kind=kind,
        time_of_day=np.float32(int(facts.get("world_time", _NOON)) % _DAY),
        biome=np.int32(_BIOME_OF_ID.get(int(seen["location_stats/biome_id"]), biome)),
        voxels=voxels,
        ray_block=spelling.ids_of(spelling.BLOCKS, seen["rays/block_name"]),
        ray_block_distance=seen["rays/block_distance"],
        ray_entity=spelling.ids_of(spelling.ENTITIES, seen["rays/entity_name"]),
        ray_entity_distance=seen["rays/entity_distance"],
        slot_name=slot_name,
        slot_variant=seen["inventory/variant"].astype(np.int32),
        slot_quantity=seen["inventory/quantity"].astype(np.int32),
        slot_durability=np.maximum(seen["inventory/cur_durability"], 0).astype(np.float32),
        equipment=_item_ids(seen["equipment/name"]),
        near_table=flag("nearby_tools/table"),
        near_furnace=flag("nearby_tools/furnace"),
        mask_function=seen["masks/action_type"].astype(bool),
        mask_equip=seen["masks/equip"].astype(bool),
        mask_place=seen["masks/place"].astype(bool),
        mask_destroy=seen["masks/destroy"].astype(bool),
        mask_craft=seen["masks/craft_smelt"].astype(bool),
        rgb=None if rgb is None else np.ascontiguousarray(np.moveaxis(rgb, 0, -1)),
    )


def cured(seen: Arrays) -> Arrays:
    """The same without what the game tells otherwise than MineDojo says.

    Its yaw counts on beyond half a turn, the distance of a ray that meets nothing, or no mob,
    is not one, and rays of a view straight down are no numbers: then nothing is met.
    """
    lost = ~np.isfinite(seen["rays/block_distance"])
    names = {"rays/block_name": _EMPTY, "rays/entity_name": _NOBODY}
    seen = {**seen, **{key: np.where(lost, none, seen[key]) for key, none in names.items()}}
    yaw = (seen["location_stats/yaw"] + 180.0) % 360.0 - 180.0
    cut = lambda key: np.clip(seen[key], 0.0, RAY_RANGE).astype(np.float32)  # noqa: E731
    misses, is_alone = seen["rays/block_name"] == _EMPTY, seen["rays/entity_name"] == _NOBODY
    reach = np.where(misses, np.float32(RAY_RANGE), cut("rays/block_distance"))
    return {
        **seen,
        "location_stats/yaw": yaw.astype(np.float32),
        "rays/block_distance": reach,
        "rays/entity_distance": np.where(is_alone, reach, cut("rays/entity_distance")),
    }


def _item_ids(names: np.ndarray) -> np.ndarray:
    """int32[slots]; 0 where a slot is empty, and where its item is unknown."""
    ids = spelling.ids_of(spelling.ITEMS, names)
    return np.where(ids == spelling.AIR, 0, ids).astype(np.int32)


def on_ground(position: np.ndarray, bears: np.ndarray) -> bool:
    """Whether something bears the feet's box. `bears` bool[3, 3, 3] is that of the voxels."""
    x, y, z = position.astype(np.float64)
    height = y + _REST - np.floor(y + _REST)
    columns = np.ix_(_cells(x), _cells(z))
    stands_in = bears[:, FEET, :][columns].any()  # a slab, a chest: not a whole block
    stands_on = bears[:, FEET - 1, :][columns].any() and height < 2 * _REST
    return bool(stands_in or stands_on)


def _cells(at: float) -> list[int]:
    """Indices 0..2 of the columns that the box touches along one axis."""
    middle = np.floor(at)
    low, high = np.floor(at - _HALF_WIDTH), np.floor(at + _HALF_WIDTH)
    return [int(cell - middle) + 1 for cell in np.unique((low, middle, high))]


def client_action(action: np.ndarray, names: np.ndarray) -> tuple[list[int], int]:
    """Our action int[8] as the client takes it, and the ticks that the worker makes of it.

    The client raises an error where a slot that is named is empty; then nothing is asked for
    but the time passes all the same. Other slow functions take their ticks by themselves.

    Args:
      action: columns as in `envs.base`.
      names: of the 36 slots, as the client shows them.

    Raises:
      ValueError: a number out of its column's range.
    """
    row = [int(value) for value in action]
    if len(row) != len(base.ACTION_SIZES) or not all(
        0 <= value < size for value, size in zip(row, base.ACTION_SIZES)
    ):
        raise ValueError(f"an action is 8 numbers in 0 to {base.ACTION_SIZES} (without), got {row}")
    names_slot = row[base.FUNCTION] in (base.FN_EQUIP, base.FN_PLACE, base.FN_DESTROY)
    if names_slot and names[row[base.SLOT_ARG]] == _EMPTY:
        row[base.FUNCTION] = base.FN_NONE
        return row, SLOW_TICKS
    return row, 1
