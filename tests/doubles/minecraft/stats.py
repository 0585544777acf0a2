"""Minecraft's statistics, under the names that the client reads them by.

The names are Minecraft 1.11's own, in snake case. What is counted here: time, ways, jumps,
life lost, deaths, kills, and the use of what is in the hand. All others are 0.
"""

from typing import Any

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import DAMAGE_KINDS
from rlgpt_jax.envs.names import MOBS, NAMES, load
from rlgpt_jax.envs.voxel.rules.items.item_table import NAME_OF_ITEM, parse
from tests.doubles.minecraft.controls import Turn

_ACHIEVEMENTS = (
    "acquire_iron bake_cake blaze_rod bookcase breed_cow build_better_pickaxe build_furnace "
    "build_hoe build_pickaxe build_sword build_work_bench cook_fish diamonds diamonds_to_you "
    "enchantments explore_all_biomes fly_pig full_beacon ghast kill_cow kill_enemy kill_wither "
    "make_bread mine_wood on_a_rail open_inventory overkill overpowered portal potion "
    "snipe_skeleton spawn_wither the_end the_end2"
)
_GENERAL = (
    "animals_bred armor_cleaned aviate_one_cm banner_cleaned beacon_interaction boat_one_cm "
    "brewingstand_interaction cake_slices_eaten cauldron_filled cauldron_used chest_opened "
    "climb_one_cm crafting_table_interaction crouch_one_cm damage_dealt damage_taken deaths "
    "dispenser_inspected dive_one_cm dropper_inspected enderchest_opened fall_one_cm "
    "fish_caught flower_potted fly_one_cm furnace_interaction hopper_inspected horse_one_cm "
    "item_enchanted items_dropped jump leave_game minecart_one_cm mob_kills noteblock_played "
    "noteblock_tuned pig_one_cm play_one_minute player_kills record_played "
    "shulker_box_opened sleep_in_bed sneak_time sprint_one_cm swim_one_cm talked_to_villager "
    "time_since_death traded_with_villager trapped_chest_triggered walk_one_cm"
)
_MOBS = (
    "bat blaze cave_spider chicken cow creeper donkey elder_guardian enderman endermite "
    "evocation_illager ghast guardian horse husk lava_slime llama mule mushroom_cow ozelot pig "
    "pig_zombie polar_bear rabbit sheep shulker silverfish skeleton skeleton_horse slime "
    "spider squid stray vex villager vindication_illager witch wither_skeleton wolf zombie "
    "zombie_horse zombie_villager"
)


def _items_by_use() -> dict[str, list[str]]:
    """The items that each kind of statistic is kept for."""
    items = load("items")["items"]
    made = {parse(row["out"])[0] for row in load("recipes")["recipes"]}
    made |= {parse(product)[0] for product, *_ in load("smelting")["recipes"].values()}
    blocks = load("blocks_all")["blocks"]
    return {
        "use_item": list(items), "drop": list(items), "pickup": list(items),
        "craft_item": sorted(made),
        "mine_block": [block for block in blocks if block in items],
        "break_item": [name for name, row in items.items() if row.get("durability")],
    }  # fmt: skip


def blank() -> dict[str, Any]:
    """{"achievement": {...}, "stat": {...}}, all zeros."""
    stat: dict[str, Any] = dict.fromkeys(_GENERAL.split(), 0)
    stat |= {key: dict.fromkeys(_MOBS.split(), 0) for key in ("kill_entity", "entity_killed_by")}
    for key, names in _items_by_use().items():
        stat[key] = {"minecraft": dict.fromkeys(names, 0)}
    return {"achievement": dict.fromkeys(_ACHIEVEMENTS.split(), 0), "stat": stat}


class Before(dict[str, np.ndarray]):
    """Fields of the world before a tick, that its meaning is read from."""

    FIELDS = (
        "player.position", "player.on_ground", "player.in_water", "player.life", "player.xp",
        "player.eating", "mobs.kind", "mobs.life",
        "inventory.item", "inventory.quantity", "inventory.damage",
    )  # fmt: skip


class Stats:
    """The counters of one player in one world."""

    def __init__(self) -> None:
        self.tree = blank()

    def count(
        self, before: Before, after: Before, turn: Turn, action: np.ndarray, damage: np.ndarray
    ) -> None:
        """Adds what happened in a tick.

        Args:
          before: fields of one lane.
          after: the same after the tick.
          turn: what was asked for.
          action: int32[8], what was done.
          damage: float[1] life lost, int[1] its kind.
        """
        stat = self.tree["stat"]
        for clock in ("play_one_minute", "time_since_death"):
            stat[clock] += 1
        self._count_way(before, after, turn)
        amount, kind = float(damage[0]), int(damage[1])
        stat["damage_taken"] += round(10 * amount)
        if before["player.life"][0] > 0 >= after["player.life"][0]:
            self.die(by_mob=kind == DAMAGE_KINDS.index("mob"))
        if (
            after["player.xp"][0] > before["player.xp"][0]
        ):  # of a mob that the player has killed, or of ore
            # One that despawns keeps its life.
            died = (after["mobs.kind"][0] == 0) & (after["mobs.life"][0] <= 0)
            for mob in filter(None, before["mobs.kind"][0][died]):
                stat["mob_kills"] += 1
                stat["kill_entity"][MOBS[mob]] += 1
        self._count_use(before, after, action)

    def die(self, by_mob: bool = False) -> None:
        """A death."""
        stat = self.tree["stat"]
        stat["deaths"] += 1
        stat["time_since_death"] = 0
        if by_mob:
            stat["entity_killed_by"]["zombie"] += 1

    def _count_way(self, before: Before, after: Before, turn: Turn) -> None:
        stat, way = self.tree["stat"], after["player.position"][0] - before["player.position"][0]
        flat = round(100 * float(np.hypot(way[0], way[2])))
        if after["player.in_water"][0]:
            stat["swim_one_cm"] += flat
        elif after["player.on_ground"][0]:
            kind = next((k for k in ("sneak", "sprint") if k in turn.keys), "walk")
            stat[{"sneak": "crouch"}.get(kind, kind) + "_one_cm"] += flat
        if before["player.on_ground"][0] and not after["player.on_ground"][0] and way[1] > 0:
            stat["jump"] += 1

    def _count_use(self, before: Before, after: Before, action: np.ndarray) -> None:
        """A tool that wears, a block put down, food eaten."""
        item = int(before["inventory.item"][0, 0])
        function = int(action[base.FUNCTION])
        worn = after["inventory.damage"][0, 0] > before["inventory.damage"][0, 0]
        less = after["inventory.quantity"][0] < before["inventory.quantity"][0]
        if function == base.FN_PLACE:
            item, less = int(before["inventory.item"][0, action[base.SLOT_ARG]]), less.any()
        else:
            ate = bool(before["player.eating"][0]) and not after["player.eating"][0]
            less = less[0] and (function == base.FN_USE or ate)
        used = self.tree["stat"]["use_item"]["minecraft"]
        name = NAMES[NAME_OF_ITEM[item]]
        if item and (worn or less) and name in used:
            used[name] += 1
