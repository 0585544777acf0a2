"""Keys and mouse become action rows."""

import numpy as np
import pytest

from experiments.play.controls import DEGREES_PER_PIXEL, MAX_WAITING, Controls
from experiments.play.menu import Menu
from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID

NOOP = list(base.NOOP)
BIN = base.CAMERA_STEP / DEGREES_PER_PIXEL  # pixels


def row(controls: Controls, busy: bool = False) -> list[int]:
    action = controls.row(busy)
    assert action.dtype == np.int32 and action.shape == (8,)
    return action.tolist()


@pytest.mark.parametrize(
    ("held", "column", "value"),
    [
        (("forward",), base.MOVE, 1), (("back",), base.MOVE, 2),
        (("forward", "back"), base.MOVE, 0),
        (("left",), base.STRAFE, 1), (("right",), base.STRAFE, 2),
        (("jump",), base.JUMP, 1), (("sneak",), base.JUMP, 2), (("sprint",), base.JUMP, 3),
        (("jump", "sprint"), base.JUMP, 1),
        (("attack",), base.FUNCTION, base.FN_ATTACK), (("use",), base.FUNCTION, base.FN_USE),
    ],
)  # fmt: skip
def test_held_keys_act_every_tick_until_they_are_let_go(held, column, value):
    controls = Controls()
    for what in held:
        controls.press(what)
    for _ in range(3):
        assert row(controls)[column] == value
    for what in held:
        controls.release(what)
    assert row(controls) == NOOP


def test_a_tap_between_two_ticks_counts_once():
    controls = Controls()
    controls.press("attack")
    controls.release("attack")
    assert row(controls)[base.FUNCTION] == base.FN_ATTACK
    assert row(controls) == NOOP


def test_the_mouse_turns_by_whole_bins_and_keeps_the_rest():
    controls = Controls()
    turned = []
    for _ in range(5):
        controls.turn(0.4 * BIN, -0.7 * BIN)
        action = row(controls)
        turned.append((action[base.YAW] - 12, action[base.PITCH] - 12))
    assert [yaw for yaw, _ in turned] == [0, 0, 1, 0, 1]  # .4 .8 1.2 .6 1.0
    assert sum(pitch for _, pitch in turned) == -3 and turned[0] == (0, 0)


def test_a_large_movement_is_spread_over_ticks():
    controls = Controls()
    controls.turn(30.5 * BIN, 0)
    assert [row(controls)[base.YAW] for _ in range(4)] == [24, 24, 18, 12]


def test_slow_actions_wait_until_the_agent_is_free_and_go_before_the_mouse_buttons():
    controls = Controls()
    controls.press("attack")
    controls.ask(base.FN_CRAFT, craft=7)
    controls.ask(base.FN_EQUIP, slot=3)
    assert row(controls, busy=True) == NOOP
    first = row(controls)
    assert first[base.FUNCTION] == base.FN_CRAFT and first[base.CRAFT_ARG] == 7
    assert row(controls)[base.SLOT_ARG] == 3
    assert row(controls)[base.FUNCTION] == base.FN_ATTACK


def test_no_more_than_a_few_slow_actions_wait():
    controls = Controls()
    for _ in range(MAX_WAITING + 3):
        controls.ask(base.FN_DROP)
    asked = [row(controls)[base.FUNCTION] for _ in range(MAX_WAITING + 1)]
    assert asked == [base.FN_DROP] * MAX_WAITING + [base.FN_NONE]


def test_losing_the_keyboard_lets_everything_go():
    controls = Controls()
    controls.press("forward")
    controls.turn(5 * BIN, 0)
    controls.release_all()
    assert row(controls) == NOOP


def seen(**changes) -> base.Observation:
    """An observation of one lane with nothing in it but `changes`."""
    empty = {name: np.zeros((1, 36), np.int32) for name in base.Observation._fields}
    return base.Observation(**(empty | changes))


def test_the_menu_lists_what_the_mask_allows_and_what_is_carried():
    mask = np.zeros((1, 244), bool)
    mask[0, [CRAFT_NAMES.index(name) for name in ("stick", "wooden_pickaxe", "iron_ingot")]] = True
    names, quantities = np.zeros((2, 1, 36), np.int32)
    names[0, :2] = NAME_ID["planks"], NAME_ID["iron_axe"]
    quantities[0, :2] = 7, 1
    uses = np.zeros((1, 36), np.float32)
    uses[0, 1] = 200
    menu = Menu()
    kinds = np.eye(1, 36, dtype=np.int32) * 2
    menu.open(seen(mask_craft=mask, slot_name=names, slot_variant=kinds,
                   slot_quantity=quantities, slot_durability=uses))  # fmt: skip
    assert [entry.words for entry in menu.columns[0]] == [
        "iron_ingot  (furnace)", "stick  (by hand)", "wooden_pickaxe  (table)",
    ]  # fmt: skip
    assert [entry.words for entry in menu.columns[1]] == [
        " 1  planks:2 x7", " 2  iron_axe x1  200/250",
    ]  # fmt: skip
    menu.move("up")
    assert menu.chosen().craft == CRAFT_NAMES.index("wooden_pickaxe")
    menu.move("down")
    assert menu.chosen().words.startswith("iron_ingot")
    menu.move("right")
    menu.move("down")
    assert (menu.chosen().function, menu.chosen().slot) == (base.FN_EQUIP, 1)


def test_an_empty_menu_has_nothing_to_choose():
    menu = Menu()
    menu.open(seen(mask_craft=np.zeros((1, 244), bool)))
    menu.move("down")
    assert menu.chosen() is None
