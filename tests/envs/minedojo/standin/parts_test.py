"""Frames, missions and action lines, read without a world."""

import socket

import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID
from tests.doubles.minecraft import frames
from tests.doubles.minecraft.controls import Turn, read_turn, to_action
from tests.doubles.minecraft.frames import ProtocolError
from tests.doubles.minecraft.mission import Ray, Stack, read_mission
from tests.envs.minedojo.standin.client import SIZE, lidar_xml, mission_xml

# As the client writes them, in its order; "none" and 0 are most of them.
IDLE = [
    "camera 0.0 0.0", "smeltNearby none", "craft none", "craftNearby none", "forward 0",
    "back 0", "left 0", "right 0", "jump 0", "sneak 0", "sprint 0", "use 0", "attack 0",
    "drop 0", "equip none", "place none",
]  # fmt: skip


def turn(*lines: str, held: frozenset[str] = frozenset()) -> Turn:
    """The reading of lines that must all be understood."""
    read, refused = read_turn("\n".join(lines), held)
    assert not refused
    return read


def action(*lines: str, slots: tuple[str, ...] = ()) -> list[int]:
    names = np.array([NAME_ID[name] for name in slots] + [0] * (36 - len(slots)))
    return to_action(turn(*lines), names).tolist()


def changed(*lines: str) -> list[str]:
    """The idle lines with some of them replaced."""
    verbs = {line.split()[0]: line for line in lines}
    return [verbs.get(line.split()[0], line) for line in IDLE]


def test_a_message_is_its_length_and_its_bytes():
    one, other = socket.socketpair()
    with one, other:
        frames.send(one, b"<Peek/>", b"")
        assert other.recv(100) == b"\0\0\0\x07<Peek/>\0\0\0\0"
        other.sendall(b"\0\0\0\x03ab")
        other.sendall(b"c")
        assert frames.receive(one) == b"abc"
        other.sendall(b"\0\0\0\x03a")
        other.shutdown(socket.SHUT_WR)
        with pytest.raises(ProtocolError, match="3 bytes"):
            frames.receive(one)


def test_the_end_between_messages_is_no_error_and_length_is_limited():
    one, other = socket.socketpair()
    with one:
        with other:
            other.sendall(b"\xff\xff\xff\xff")
            with pytest.raises(ProtocolError, match="4294967295"):
                frames.receive(one)
        assert frames.receive(one) is None


def test_an_end_within_the_length_of_a_message_is_an_error():
    one, other = socket.socketpair()
    with one:
        with other:
            other.sendall(b"\0\0\x07")
        with pytest.raises(ProtocolError, match="in the length of a message"):
            frames.receive(one)


def test_a_step_has_its_lines_between_the_tags():
    assert frames.commands_of(b"<StepClient0>use 1\njump 0</StepClient0 >") == "use 1\njump 0"
    assert frames.commands_of(b"<StepClient2></StepClient2 >") == ""
    for bad in (b"<StepClient0>use 1", b"<StepClient0>\xff</StepClient0 >", b"<Peek/>"):
        with pytest.raises(ProtocolError):
            frames.commands_of(bad)


def test_a_mission_tells_size_land_start_and_senses():
    mission = read_mission(
        mission_xml(
            inventory='<InventoryObject slot="40" type="shield" metadata="0" quantity="1"/>',
            world='<BiomeGenerator forceReset="true" seed="seven" biome="4"/>',
            start='<StartingHealth maxHealth="20" health="7.5"/><StartingFood food="9"/>'
            '<Placement x="1.5" y="20" z="-3.5" yaw="90" pitch="10"/>',
            handlers=lidar_xml((0.5, -0.25, 12.0), (0.0, 0.0, 32.0)),
            time="<StartTime>18000</StartTime>",
        )
    )
    assert mission.image_size == SIZE
    assert mission.inventory == (Stack(40, "shield", 0, 1),)
    assert (mission.biome, mission.world_seed, mission.force_reset) == (4, "seven", True)
    assert (mission.life, mission.food, mission.start_time) == (7.5, 9.0, 18_000)
    assert mission.placement == (1.5, 20.0, -3.5, 90.0, 10.0)
    assert mission.rays == (Ray(0.5, -0.25, 12.0), Ray(0.0, 0.0, 32.0))
    assert mission.grid == ((-1, 1), (-1, 1), (-1, 1)) and mission.time_passes
    assert mission.break_speed == 1.0


def test_a_mission_of_the_default_world_asks_for_no_land():
    world = '<DefaultWorldGenerator forceReset="false" seed="" generatorOptions="{}"/>'
    mission = read_mission(mission_xml(world=world))
    assert mission.biome is None and not mission.force_reset and mission.rays is None


@pytest.mark.parametrize(
    "text, words",
    [
        (b"<MissionInit", "no XML"),
        (b"<Mission/>", "not a MissionInit"),
        (b"<MissionInit/>", "Height"),
        (mission_xml().replace(b"<Height>12", b"<Height>-1"), "-1"),
        (mission_xml().replace(b'slot="0"', b'slot="41"'), "slot 41"),
        (mission_xml().replace(b'max x="1"', b'max x="9999"'), "cells"),
        (mission_xml().replace(b'quantity="1"', b'quantity="99999999999"'), "of bucket 0"),
        (mission_xml(start='<StartingHealth health="nan"/>'), "the number nan"),
        (mission_xml(time="<StartTime>inf</StartTime>"), "the number inf"),
    ],
)
def test_a_bad_mission_is_refused_with_the_reason(text, words):
    with pytest.raises(ProtocolError, match=words):
        read_mission(text)


def test_idle_lines_are_the_world_s_no_op():
    assert action(*IDLE) == list(base.NOOP)


@pytest.mark.parametrize(
    "line, column, value",
    [
        ("forward 1", base.MOVE, 1), ("back 1", base.MOVE, 2), ("left 1", base.STRAFE, 1),
        ("right 1", base.STRAFE, 2), ("jump 1", base.JUMP, 1), ("sneak 1", base.JUMP, 2),
        ("sprint 1", base.JUMP, 3), ("use 1", base.FUNCTION, base.FN_USE),
        ("attack 1", base.FUNCTION, base.FN_ATTACK), ("drop 1", base.FUNCTION, base.FN_DROP),
        ("camera 45.0 0.0", base.PITCH, 15), ("camera 0.0 -180.0", base.YAW, 0),
        ("camera 7.5 0.0", base.PITCH, 12),
    ],
)  # fmt: skip
def test_a_key_is_one_entry_of_the_action(line, column, value):
    expected = list(base.NOOP)
    expected[column] = value
    assert action(*changed(line)) == expected


def test_opposite_keys_cancel():
    assert action(*changed("forward 1", "back 1", "left 1", "right 1")) == list(base.NOOP)


@pytest.mark.parametrize("verb, product, station", [
    ("craft", "planks", 0), ("craftNearby", "wooden_pickaxe", 1), ("smeltNearby", "iron_ingot", 2),
])  # fmt: skip
def test_a_product_is_the_craft_argument_of_its_station(verb, product, station):
    row = action(*changed(f"{verb} {product}"))
    assert row[base.FUNCTION] == base.FN_CRAFT
    assert CRAFT_NAMES[row[base.CRAFT_ARG]] == product
    assert np.searchsorted([54, 224], row[base.CRAFT_ARG], side="right") == station


def test_equip_and_place_take_the_first_slot_with_the_name():
    slots = ("log", "dirt", "dirt")
    assert action("equip dirt", slots=slots)[base.SLOT_ARG] == 1
    assert action("place dirt", slots=slots)[base.FUNCTION] == base.FN_PLACE
    assert action("equip stone", slots=slots) == list(base.NOOP)


def test_a_key_stays_down_until_a_line_lifts_it():
    held = turn("forward 1").keys
    assert turn("camera 0 0", held=held).keys == {"forward"}
    assert turn("forward 0", held=held).keys == frozenset()


def test_what_is_no_command_is_told_and_the_rest_is_done():
    wrong = ["hotbar.3 1", "craft unobtainium", "camera a b", "camera nan 0", "camera 0 inf"]
    read, refused = read_turn("\n".join([*wrong, "use 1"]), frozenset())
    assert refused == wrong
    assert read.keys == {"use"}
