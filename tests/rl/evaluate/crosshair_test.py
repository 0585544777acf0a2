"""What the crosshair is on, and what use and attack are counted on."""

import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.mobs import mob_table
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.evaluate import crosshair
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.policy import Policy
from tests.rl.evaluate.evaluate_test import params
from tests.rl.scripted import Scripted, press
from tests.rl.small import CONFIG

USE, ATTACK = base.FN_USE, base.FN_ATTACK


def seen(*facts, **changes):
    return Scripted([facts]).observation(0, **changes)


def test_the_crosshair_is_on_what_its_ray_meets_first():
    obs = seen(("cow", 2.0), ("grass", 3.5), ("air", base.RAY_RANGE), ("sheep", 3.5))
    sight = crosshair.sight(obs)
    assert [sight.describe(lane) for lane in range(4)] == [
        "cow at 2.0 blocks, in reach", "grass at 3.5 blocks, in reach",
        "nothing within 32 blocks", "sheep at 3.5 blocks, out of reach",
    ]  # fmt: skip


def test_reach_is_the_world_s():
    assert crosshair.MOB_REACH == mob_table.MOB_REACH
    assert crosshair.BLOCK_REACH == mob_table.BLOCK_REACH


def test_a_turn_in_the_same_tick_comes_before_the_press():
    """The lane looks at grass; a cow is 30 degrees to the right of it, dirt 30 below."""
    obs = seen(("grass", 3.0))
    right = base.RAY_PITCHES.index(0.0) * 12 + base.RAY_YAWS.index(30.0)
    down = base.RAY_PITCHES.index(30.0) * 12 + base.RAY_YAWS.index(0.0)
    obs.ray_entity[0, right], obs.ray_entity_distance[0, right] = NAME_ID["cow"], 2.5
    obs.ray_block[0, down], obs.ray_block_distance[0, down] = NAME_ID["dirt"], 2.0
    words = {
        name: crosshair.aimed(obs, press(USE, **turn)[None]).describe(0)
        for name, turn in dict(
            none={}, right={"yaw": 14}, left={"yaw": 10}, down={"pitch": 14}, up={"pitch": 10}
        ).items()
    }
    assert words["none"] == "grass at 3.0 blocks, in reach"
    assert words["right"] == "cow at 2.5 blocks, in reach"
    assert words["left"] == "nothing within 32 blocks"
    assert words["down"] == "dirt at 2.0 blocks, in reach"
    assert words["up"] == "not seen (the view turned in this tick)"


def test_a_view_that_cannot_turn_further_stays():
    obs = seen(("grass", 1.7), pitch=90.0)
    assert crosshair.aimed(obs, press(ATTACK, pitch=14)[None]).word(0) == "grass"


def test_only_what_shows_in_a_picture_counts_as_seen():
    obs = seen(("grass", 3.0))
    beside, inside = base.RAY_YAWS.index(60.0), base.RAY_YAWS.index(40.0)
    cow = np.array([NAME_ID["cow"]])
    obs.ray_entity[0, beside], obs.ray_entity_distance[0, beside] = cow[0], 5.0
    assert crosshair.nearest(obs, cow)[0] == np.inf
    obs.ray_entity[0, inside], obs.ray_entity_distance[0, inside] = cow[0], 7.0
    assert crosshair.nearest(obs, cow)[0] == 7.0


def test_presses_are_counted_by_what_they_are_on():
    presses = crosshair.Presses()
    obs = seen(("cow", 2.0), ("grass", 3.5), ("grass", 3.0), ("cow", 2.0))
    action = np.stack([press(USE), press(ATTACK), press(ATTACK), press(USE)])
    presses.add(obs, action, np.array([True, True, True, False]))
    assert presses.to_json() == {"use": {"cow in reach": 1}, "attack": {"grass in reach": 2}}


def test_an_evaluation_counts_every_press_of_its_episodes_and_no_other():
    """Random play: the counts add up with the actions that were taken."""
    env = Scripted([[("grass", 3.0), ("cow", 2.0)]] * 30)
    taken = {"use": 0, "attack": 0}

    def count(world, labels, step):
        for label in labels:
            for key in taken:
                taken[key] += key in label

    report = evaluate(
        env, Policy(params(), empty_space(), CONFIG), 3, num_episodes=2, on_tick=count, task="t"
    )
    sums = {key: sum(counts.values()) for key, counts in report.presses.items()}
    assert sums == taken and min(sums.values()) > 5
    still = {key: set(counts) for key, counts in report.presses.items()}
    assert all({"grass in reach", "cow in reach"} <= places for places in still.values())


def test_the_blind_critic_does_not_read_them_unless_asked():
    env = Scripted([[("grass", 3.0)]] * 20)
    report = evaluate(env, Policy(params(), empty_space(), CONFIG), 3, num_episodes=1, task="t")
    assert "pressed" not in report.describe(facts=False)
    assert "attack was pressed" in report.describe()
    assert "on grass in reach" in report.describe()


def test_reports_of_earlier_versions_can_be_read():
    env = Scripted([[("grass", 3.0)]] * 5)
    saved = evaluate(
        env, Policy(params(), empty_space(), CONFIG), 3, num_episodes=1, task="t"
    ).to_json()
    del saved["presses"]
    assert EvalReport.from_json(saved).presses == {}
    with pytest.raises(ValueError, match="unknown"):
        EvalReport.from_json({**saved, "presse": {}})


def test_words_name_the_most_frequent_and_sum_the_rest():
    counts = {"attack": {"grass in reach": 81, "cow in reach": 6, "a": 5, "b": 4, "c": 3, "d": 1}}
    (words,) = crosshair.describe(counts)
    assert words.startswith("attack was pressed 100 times: 81% on grass in reach, 6% on cow")
    assert words.endswith("3% on c, 1% on other things.")
