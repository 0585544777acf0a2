"""What commands and action lines do to the world."""

import numpy as np
import pytest

from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE
from tests.doubles.minecraft.game import Game
from tests.doubles.minecraft.mission import Stack
from tests.envs.minedojo.standin.serving import BUCKET, GROUND, begin, told

pytestmark = pytest.mark.slow  # a double, with a world of its own to compile


def held(info: dict) -> dict[str, int]:
    """Pieces by name of all that is carried or worn."""
    counts: dict[str, int] = {}
    for row in info["inventory"]:
        counts[row["name"]] = counts.get(row["name"], 0) + row["quantity"]
    return {name: count for name, count in counts.items() if count}


def do(game: Game, *lines: str) -> dict:
    """One step; everything in it must be understood."""
    game.step("\n".join(lines))
    assert not game.refused
    return told(game)


def test_a_summoned_cow_is_milked(shared):
    begin(shared, BUCKET)
    do(shared, "chat /summon cow ~0 ~1 ~2")
    info = do(shared, "camera 15.0 0.0", "use 1")
    assert held(info) == {"milk_bucket": 1}


def test_a_mob_of_another_game_is_refused(shared):
    begin(shared)
    shared.step("chat /summon ender_dragon ~ ~1 ~")
    assert "ender_dragon" in shared.refused[0] and "cow" in shared.refused[0]


@pytest.mark.parametrize("place, index", [
    ("slot.weapon.mainhand", 0), ("slot.hotbar.3", 3), ("slot.inventory.2", 11),
    ("slot.armor.feet", 36), ("slot.armor.head", 39), ("slot.weapon.offhand", 40),
])  # fmt: skip
def test_replaceitem_puts_and_takes_in_every_place(shared, place, index):
    begin(shared)
    row = do(shared, f"chat /replaceitem entity @p {place} minecraft:log 7 2")["inventory"][index]
    assert (row["name"], row["variant"]) == ("log", 2)
    assert row["quantity"] == (7 if index < 36 else 1)  # this world wears single things
    assert held(do(shared, f"chat /replaceitem entity @p {place} minecraft:air 1 0")) == {}


def test_kill_drops_what_is_carried_and_the_next_tick_is_a_new_life(shared):
    begin(shared, BUCKET, Stack(5, "dirt", 0, 12))
    do(shared, "chat /tp 20.5 ~ ~")
    info = do(shared, "chat /kill")
    assert info["life"] == 0.0 and info["living_death_event_fired"] and held(info) == {}
    assert info["stat"]["deaths"] == 1
    assert sorted(shared.host.field("items.quantity")[0])[-2:] == [1, 12]
    info = do(shared)
    assert info["life"] == 20.0 and not info["living_death_event_fired"]
    do(shared, "chat /kill @e[type=item]")
    assert not shared.host.field("items.id").any()


def test_kill_takes_mobs_of_a_type(shared):
    begin(shared)
    for mob in ("cow", "cow", "pig"):
        do(shared, f"chat /summon {mob} ~3 ~1 ~3")
    do(shared, "chat /kill @e[type=cow]")
    assert (shared.host.field("mobs.kind") > 0).sum() == 1
    info = do(shared, "chat /kill @e[type=!player]")
    assert not shared.host.field("mobs.kind").any() and info["life"] == 20.0


def test_kill_of_everything_takes_mobs_the_player_and_what_lay_about(shared):
    begin(shared, BUCKET)
    do(shared, "chat /tp 20.5 ~ ~")
    do(shared, "chat /kill")  # the bucket lies there now
    do(shared, "chat /summon cow ~3 ~1 ~3")
    assert shared.host.field("items.id").any() and shared.host.field("mobs.kind").any()
    assert do(shared, "chat /kill @e")["life"] == 0.0
    assert not shared.host.field("items.id").any() and not shared.host.field("mobs.kind").any()


def test_tp_goes_to_places_and_by_ways(shared):
    begin(shared)
    info = do(shared, "chat /tp 3 20.25 -5.5 45 30")
    assert (info["xpos"], info["zpos"], info["yaw"], info["pitch"]) == (3.5, -5.5, 45.0, 30.0)
    assert 20.0 < info["ypos"] < 20.25  # it falls
    info = do(shared, "chat /tp ~1 ~ ~-2")
    assert (info["xpos"], info["zpos"]) == pytest.approx((4.5, -7.5), abs=1e-3)


def test_spreadplayers_lands_on_the_ground_within_its_range(shared):
    begin(shared)
    places = []
    for _ in range(6):
        before = told(shared)
        info = do(shared, "chat /spreadplayers ~ ~ 0 200 false @p")
        assert info["ypos"] == pytest.approx(GROUND, abs=0.1)
        places.append((info["xpos"] - before["xpos"], info["zpos"] - before["zpos"]))
    # Farther than ten periods the same place is taken again nearer to the middle.
    assert 20 < np.abs(places).max() <= 320 + 200 and len(set(places)) == 6


def test_time_is_set_and_runs(shared):
    begin(shared, start_time=18_000)
    assert told(shared)["sun_brightness"] == 0.0
    do(shared, "chat /time set 6000")
    info = do(shared)
    assert info["world_time"] == 6002 and info["sun_brightness"] == 1.0
    begin(shared, start_time=6000, time_passes=False)
    do(shared)
    assert do(shared)["world_time"] == 6000


def test_other_commands_work_or_say_what_is_wrong(shared):
    begin(shared, BUCKET)
    do(shared, "chat /weather clear")
    assert held(do(shared, "chat /give @p minecraft:wool 3 14")) == {"bucket": 1, "wool": 3}
    assert held(do(shared, "chat /clear")) == {}
    for bad, words in (
        ("/gamemode 1", "gamemode"), ("/tp 1 2", "three"), ("/give @p minecraft:adamant", "adam"),
        ("/setblock ~ ~ ~ unobtainium", "unob"), ("/replaceitem entity @p slot.hotbar.9 a", "slot"),
        ("/time set noon", "noon"), ("/summon", "read"), ("", "without a command"),
        ("/give @p wool 99999999999", "99999999999 of wool"), ("/give @p minecraft:cow", "no item"),
        ("/give @p iron_axe 1 99999999999", "of iron_axe"), ("/time add 99999999999", "read"),
        ("/summon cow ~ inf ~", "outside"), ("/tp ~ nan ~", "outside"),
        ("/spreadplayers ~ ~ 0 inf", "outside"),
    ):  # fmt: skip
        shared.step(f"chat {bad}")
        assert words in shared.refused[0], bad


def test_actions_act(shared):
    begin(shared, Stack(0, "log", 0, 2), Stack(4, "dirt", 0, 3))
    start = told(shared)
    for _ in range(5):
        info = do(shared, "forward 1")
    assert info["zpos"] > start["zpos"] + 0.5
    assert held(do(shared, "forward 0", "craft planks")) == {"log": 1, "dirt": 3, "planks": 4}
    # The game does not wait after a craft, though the embedded world alone does.
    assert do(shared, "equip dirt")["inventory"][0]["name"] == "dirt"
    assert held(do(shared, "camera 60.0 0.0", "place dirt"))["dirt"] == 2
    assert held(do(shared, "drop 1", "equip none", "place none"))["dirt"] == 1
    assert held(do(shared, "drop 0"))["dirt"] == 1


def test_a_world_is_kept_where_no_reset_is_forced(shared):
    begin(shared, world_seed="seven")
    do(shared, "chat /setblock ~ ~ ~2 stone")
    again = begin(shared, BUCKET, world_seed="seven", force_reset=False)
    assert held(again) == {"bucket": 1}
    assert shared.host.bytes_at(np.array([[[8, GROUND, 10]]]))[0, 0] < AIR_CODE
    begin(shared, world_seed="seven")
    assert shared.host.bytes_at(np.array([[[8, GROUND, 10]]]))[0, 0] >= AIR_CODE
