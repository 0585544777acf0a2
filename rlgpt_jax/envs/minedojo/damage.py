"""How much life was lost, and to what: the client's observation always tells of none.

The truth is in its info, in flags. Which of `base.DAMAGE_KINDS` it was follows from them and
from what is around.
"""

from typing import Any

import numpy as np

from rlgpt_jax.envs.base import DAMAGE_KINDS, Observation
from rlgpt_jax.envs.minedojo.request import Arrays
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.view.spec import SPEC

Facts = dict[str, Any]  # what a worker sends of the client's info
FEET, EYES = 1, 2  # layers of the 3x3x3 voxels
# Of the mobs in rays, as the client calls them: those that may attack.
_HOSTILE = (
    "blaze", "cavespider", "creeper", "elderguardian", "enderman", "endermite", "evoker", "ghast",
    "guardian", "husk", "magmacube", "pigzombie", "shulker", "silverfish", "skeleton", "slime",
    "spider", "stray", "vex", "vindicator", "witch", "witherskeleton", "zombie", "zombievillager",
)  # fmt: skip
_LAVA = (NAME_ID["lava"], NAME_ID["flowing_lava"])


def damage_source(seen: Arrays, facts: Facts) -> dict[str, Any]:
    """The truth about the last damage: the client shows zeros and has it in its info."""
    told = dict(facts.get("damage_source") or {})
    if "damage_amout" in told:  # the game's own spelling
        told.setdefault("damage_amount", told.pop("damage_amout"))
    shown = {key: seen[f"damage_source/{key}"] for key in SPEC["damage_source"]
             if f"damage_source/{key}" in seen}  # fmt: skip
    return {**shown, **told}


def damage_of(
    seen: Arrays, facts: Facts, voxels: np.ndarray, life: np.float32, before: Observation | None
) -> tuple[np.float32, np.int32]:
    """Life lost since `before`, and an index into `DAMAGE_KINDS`."""
    source = damage_source(seen, facts)
    told = float(np.max(source.get("damage_amount", 0.0)))
    lost = max(0.0, float(before.life - life)) if before is not None else 0.0
    amount = lost or told
    kind = _damage_kind(source, told, seen, voxels) if amount > 0 else "none"
    return np.float32(amount), np.int32(DAMAGE_KINDS.index(kind))


def _damage_kind(source: dict[str, Any], told: float, seen: Arrays, voxels: np.ndarray) -> str:
    is_set = lambda key: bool(np.any(source.get(key, False)))  # noqa: E731
    pierces = is_set("is_unblockable")
    if is_set("damage_distance") or is_set("is_projectile") or is_set("is_explosion"):
        return "mob"
    if is_set("is_fire_damage"):
        in_lava = np.isin(voxels[:, FEET:, :], _LAVA).any()
        return "lava" if in_lava else "on_fire" if pierces else "in_fire"
    if not pierces and told > 0:
        return "cactus"
    if not pierces:
        # Lost in a tick of a slow action before the last, of which alone the client tells.
        return "mob" if np.isin(seen["rays/entity_name"], _HOSTILE).any() else "none"
    if seen["location_stats/pos"][1] < 0:
        return "out_of_world"
    if seen["life_stats/oxygen"].max() <= 0:
        return "drown"
    if seen["life_stats/food"].max() <= 0:
        return "starve"
    return "in_wall" if seen["voxels/is_solid"][1, EYES, 1] else "fall"
