"""What the prompts say about the system is compared with the system."""

import dataclasses

import numpy as np
import pytest

from rlgpt_jax.agents import parse, policy_words, prompts
from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.rules.items import items
from rlgpt_jax.envs.voxel.rules.mobs import mob_table
from rlgpt_jax.loop import two_loop
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, Program
from rlgpt_jax.rl import actions
from rlgpt_jax.rl.interface import TURNS, Given
from rlgpt_jax.rl.worlds.minecraft import decode
from tests.agents import states


def text(file: str) -> str:
    return (prompts.FOLDER / f"{file}.txt").read_text()


def test_the_policys_rays_and_heads_are_as_told():
    assert (min(base.RAY_YAWS), max(base.RAY_YAWS), len(base.RAY_YAWS)) == (-50, 60, 12)
    assert (min(base.RAY_PITCHES), max(base.RAY_PITCHES), len(base.RAY_PITCHES)) == (-24, 30, 10)
    rays = policy_words.sees(Given())
    for words in (
        "12 yaw angles from 50 degrees left to 60 right",
        "10 pitch angles from 24 degrees up to 30 down",
        f"up to {base.RAY_RANGE:.0f} blocks",
    ):
        assert words in rays
    for head in actions.PRIMITIVE_HEADS:
        assert f"one of {head} (" in text("shared")


def test_the_policy_turns_by_as_much_as_told():
    words = policy_words.turn(Given(), may_choose=True)
    assert words == "30 degrees, or by 15 where the set-up of its training says so"
    for degrees in TURNS:
        turn = dataclasses.replace(actions.empty_space(), turn=degrees).arrays().turn
        rows = np.asarray(decode(np.array([[c, 0] for c in range(8, 12)]), turn))
        steps = rows[:, (base.PITCH, base.YAW)] - base.CAMERA_CENTRE
        assert set(np.abs(steps).max(axis=1) * base.CAMERA_STEP) == {degrees}
    assert base.CAMERA_STEP == 15.0 and "multiples of 15 degrees" in text("shared")


def test_reach_and_sizes_are_as_told():
    size = {mob: mob_table.MOB_SIZE[MOBS.index(mob)] for mob in ("cow", "sheep")}
    for words in (
        f"mobs within {mob_table.MOB_REACH:g} blocks of the eye",
        f"blocks within {mob_table.BLOCK_REACH:g}.",
        f"eye is {mob_table.EYE_HEIGHT:.2f} blocks above the feet",
        f"A cow is {size['cow'][0]:.1f} wide and {size['cow'][1]:.1f} high",
        f"a sheep {size['sheep'][0]:.1f} wide and {size['sheep'][1]:.1f} high",
        "drop and destroy take 3 ticks",
    ):
        assert words in text("shared") + text("advice")
    assert base.SLOW_TICKS == 3
    assert items.PICKUP_AGE == 10 and "half a second after they fell" in text("shared")


def test_the_example_of_the_fast_agent_is_a_macro():
    source = parse.fenced(text("fast").split("## Example")[1], ("python",))
    assert isinstance(parse_macro(source, "step_aside", "paper"), Program)


def test_every_coded_part_of_a_plan_has_a_slot_and_the_levels_agree():
    assert states.SETTING.max_coded == MAX_MACROS
    offered = dataclasses.replace(states.SETTING, offered=(("climb", "Goes up."),))
    assert offered.max_coded == MAX_MACROS - 1
    names = set(two_loop.reserved(None))
    assert {"forward", "use", "attack", "turn", "look_up", "nothing"} <= names


@pytest.mark.parametrize("task", ["milk", "wool"])
def test_the_example_of_the_slow_agent_gives_no_task_away(task):
    names = ("slow.example", "slow.example_reward")
    example = "".join(states.PROMPTS.fill(name) for name in names)
    assert task not in example and "cow" not in example and "log" not in example
