"""MineDojo's `inventory`, `equipment`, `masks` and `delta_inv`."""

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID, NAMES
from rlgpt_jax.envs.view.sight import Sight
from rlgpt_jax.envs.view.spec import NUM_DECREASED, NUM_FUNCTIONS, NUM_INCREASED
from rlgpt_jax.envs.voxel.rules.items.item_table import NAME_OF_ITEM, VARIANT_OF_ITEM
from rlgpt_jax.envs.voxel.rules.player import tools

AIR = NAME_ID["air"]
Group = dict[str, np.ndarray]
# MineDojo lists what changed in the order of the names.
_ALPHABETICAL = np.argsort(np.array(NAMES), kind="stable")
_CRAFTED = np.array([NAME_ID[name] for name in CRAFT_NAMES], np.int32)
_TAKES_ARGUMENT = (base.FN_CRAFT, base.FN_EQUIP, base.FN_PLACE, base.FN_DESTROY)


def _stacks(name: np.ndarray, variant: np.ndarray, quantity: np.ndarray, left: np.ndarray) -> Group:
    """The five arrays of a row of slots; `left` is float32, uses left of what wears."""
    full = tools.DURABILITY[name]
    wears = full > 0
    return {
        "name": np.where(name > 0, name, AIR).astype(np.int32),
        "variant": variant.astype(np.int64),
        "quantity": quantity.astype(np.float32),
        "cur_durability": np.where(wears, left, -1).astype(np.float32),
        "max_durability": np.where(wears, full, -1).astype(np.float32),
    }


def inventory(sight: Sight) -> Group:
    """[N, 36]; empty slots are "air"."""
    obs = sight.obs
    return _stacks(obs.slot_name, obs.slot_variant, obs.slot_quantity, obs.slot_durability)


def equipment(sight: Sight) -> Group:
    """[N, 6]: main hand, feet, legs, chest, head, off hand."""
    worn, spent = sight.lanes.field("armor.item"), sight.lanes.field("armor.damage")
    name, variant = NAME_OF_ITEM[worn], VARIANT_OF_ITEM[worn]
    obs = sight.obs
    join = lambda hand, armor: np.concatenate([hand[:, :1], armor], 1)  # noqa: E731
    return _stacks(
        join(obs.slot_name, name),
        join(obs.slot_variant, variant),
        join(obs.slot_quantity, (worn > 0).astype(np.int32)),
        join(obs.slot_durability, tools.DURABILITY[name] - spent),
    )


def masks(sight: Sight) -> Group:
    """What could do something: functions [N, 8], slots [N, 36], products [N, 244].

    As in MineDojo, nothing can be dropped from an empty hand, and crafting asks for one
    empty slot.
    """
    obs = sight.obs
    function = obs.mask_function.copy()
    function[:, base.FN_DROP] = obs.slot_name[:, 0] > 0
    function[:, base.FN_CRAFT] &= (obs.slot_name == 0).any(1)
    argument = np.zeros((len(function), NUM_FUNCTIONS, 1), bool)
    argument[:, _TAKES_ARGUMENT] = True
    return {
        "action_type": function,
        "action_arg": argument,
        "equip": obs.mask_equip.copy(),
        "place": obs.mask_place.copy(),
        "destroy": obs.mask_destroy.copy(),
        "craft_smelt": obs.mask_craft.copy(),
    }


def _counts(obs: base.Observation) -> np.ndarray:
    """int64[N, names]: pieces of each name, all variants together."""
    num_lanes = len(obs.slot_name)
    counts = np.zeros((num_lanes, len(NAMES)), np.int64)
    lane = np.arange(num_lanes)[:, None]
    np.add.at(counts, (lane, obs.slot_name), obs.slot_quantity)
    counts[:, 0] = 0
    return counts


def _first(change: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The first `number` names, in alphabetical order, of which `change` is positive."""
    name = np.full((len(change), number), AIR, np.int32)
    quantity = np.zeros((len(change), number), np.float32)
    ordered = change[:, _ALPHABETICAL]
    for lane in np.flatnonzero((change > 0).any(1)):
        found = np.flatnonzero(ordered[lane] > 0)[:number]
        name[lane, : len(found)] = _ALPHABETICAL[found]
        quantity[lane, : len(found)] = ordered[lane, found]
    return name, quantity


def delta_inv(sight: Sight) -> Group:
    """What the last action added to the inventory and took from it.

    A change is "by craft" where the action was to craft, its mask allowed it and the
    product is what came; all that left the inventory in that tick then went into it.
    """
    change = _counts(sight.obs) - _counts(sight.before)
    product = sight.action[:, base.CRAFT_ARG]
    lane = np.arange(len(change))
    crafted = sight.action[:, base.FUNCTION] == base.FN_CRAFT
    crafted &= sight.before.mask_craft[lane, product]
    crafted &= change[lane, _CRAFTED[product]] > 0
    group: Group = {}
    for key, sign, number in (("inc", 1, NUM_INCREASED), ("dec", -1, NUM_DECREASED)):
        name, quantity = _first(sign * change, number)
        for cause, here in (("craft", crafted), ("other", ~crafted)):
            group[f"{key}_name_by_{cause}"] = np.where(here[:, None], name, AIR).astype(np.int32)
            group[f"{key}_quantity_by_{cause}"] = quantity * here[:, None]
    return group
