"""The bridge itself: episodes, rewards, resets and seeds, with workers that run for real."""

import dataclasses
import re

import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.host import HostMineDojo
from rlgpt_jax.envs.minedojo.making import world_seed
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.tasks.tasks import get_task
from tests.envs.minedojo import doubles
from tests.envs.minedojo.doubles import ATTACK, IDLE, LOG, NOOP, PLANKS, SNEAK, action


def both(row: np.ndarray) -> np.ndarray:
    return np.stack([row, row])


def test_a_slow_action_is_paid_in_full_and_then_keeps_its_lane_busy(folder):
    """The double gives the planks in the first of three ticks and would pay for the last."""
    task = dataclasses.replace(LOG, goal_item="planks", goal_quantity=9)
    world = doubles.make(folder.path, task)
    world.reset(0)
    world.step(both(ATTACK))
    steps = [world.step(np.stack([PLANKS, ATTACK])) for _ in range(3)]
    assert [float(step.reward[0]) for step in steps] == [4.0, 0.0, 0.0]
    assert [bool(step.info["busy"][0]) for step in steps] == [True, True, False]
    assert not any(step.info["busy"][1] for step in steps)
    # Planks were made once: the client did not hear the two ticks.
    assert steps[2].obs.slot_quantity[0, 0] == 4
    world.close()


def test_an_empty_slot_is_not_asked_for_and_takes_its_ticks(folder):
    world = doubles.make(folder.path)
    before = world.reset(0)
    steps = [world.step(both(action(FUNCTION=base.FN_PLACE, SLOT_ARG=7, MOVE=1)))]
    steps += [world.step(IDLE), world.step(IDLE)]
    assert [step.info["busy"].all() for step in steps] == [True, True, False]
    moved = steps[0].obs.position - before.position
    np.testing.assert_allclose(moved[:, 2], 0.2, atol=1e-5)  # the rest of the action is done
    world.close()


def test_life_and_time_end_episodes_though_the_client_never_does(folder):
    world = doubles.make(folder.path)
    world.reset(0)
    step = world.step(np.stack([SNEAK, NOOP]))
    assert step.obs.damage.tolist() == [10.0, 0.0]
    assert base.DAMAGE_KINDS[step.obs.damage_kind[0]] == "in_fire"
    step = world.step(np.stack([SNEAK, NOOP]))
    assert step.terminated.tolist() == [True, False] and not step.info["success"].any()
    assert step.final_obs.life.tolist() == [0.0, 20.0] and step.obs.life.tolist() == [20.0, 20.0]
    for _ in range(LOG.horizon - 3):
        assert not world.step(IDLE).truncated.any()
    step = world.step(IDLE)
    assert step.truncated.tolist() == [False, True] and not step.terminated.any()
    assert not step.info["lost"].any()
    world.close()


def test_idle_ticks_of_a_slow_action_count_for_the_time_limit(folder):
    world = doubles.make(folder.path, dataclasses.replace(LOG, horizon=2))
    world.reset(0)
    drop = action(FUNCTION=base.FN_DROP)
    assert not world.step(both(drop)).truncated.any()
    step = world.step(both(drop))
    assert step.truncated.all() and not step.info["busy"].any()
    world.close()


def test_a_world_is_used_for_some_episodes_and_then_built_anew(folder):
    """The double's tree stays felled through quick resets."""
    task = dataclasses.replace(LOG, goal_quantity=1, start_items=(("stick", 3),))
    world = doubles.make(folder.path, task, num_envs=1, reset_every=3)
    world.reset(0)
    for _ in range(6):
        step = world.step(ATTACK[None])
        assert step.terminated.all() and step.reward.tolist() == [1.0]
        assert step.obs.slot_name[0, 0] == NAME_ID["stick"] and step.obs.slot_quantity[0, 0] == 3
        assert step.obs.time_of_day[0] == step.final_obs.time_of_day[0] - 1  # noon again
    missions = folder.heard(0, "mission")
    assert len(missions) == 3 and all("new=True" in line for line in missions)
    seeds = {line.split()[1] for line in missions}
    assert len(seeds) == 3
    quick = folder.heard(0, "chat /kill @e[type=!player]")
    assert len(quick) == 4  # mobs of the episode before, at each quick reset
    world.close()


def test_mobs_and_biome_of_the_task_are_those_of_the_game(folder):
    task = dataclasses.replace(get_task("harvest_milk"), name="milk_of_my_own")
    world = doubles.make(folder.path, task, num_envs=1)
    obs = world.reset(0)
    assert obs.slot_name[0, 0] == NAME_ID["bucket"]
    assert folder.heard(0, "mission")[0].endswith("plains")
    summons = folder.heard(0, "chat /summon cow")
    assert len(summons) == 1
    x, z = map(int, re.fullmatch(r".*~(-?\d+) ~1 ~(-?\d+)", summons[0]).groups())
    assert abs(x) <= 10 and abs(z) <= 10
    world.close()


def test_stages_are_paid_once_each(folder):
    task = dataclasses.replace(
        get_task("obtain_diamond"), stages=("log", "planks"), horizon=50, mobs=("pig",)
    )
    world = doubles.make(folder.path, task, num_envs=1)
    world.reset(0)
    assert len(folder.heard(0, "chat /summon pig")) == 1  # the bridge's own: MineDojo spawns none
    rewards = [float(world.step(row[None]).reward[0]) for row in (ATTACK, ATTACK, PLANKS, NOOP)]
    assert rewards == [1.0, 0.0, 1.0, 0.0]
    world.close()


def test_mobs_of_the_bridge_s_own_stand_elsewhere_in_every_episode_and_lane(folder):
    task = dataclasses.replace(
        get_task("obtain_diamond"), stages=("log",), horizon=1, mobs=("pig",), mob_range=(40, 30)
    )
    world = doubles.make(folder.path, task)
    world.reset(0)
    world.step(IDLE)
    world.step(IDLE)
    told = [line for lane in (0, 1) for line in folder.heard(lane, "chat /summon pig")]
    assert len(told) == 6 and len(set(told)) > 4
    for line in told:
        x, z = map(int, re.fullmatch(r".*~(-?\d+) ~1 ~(-?\d+)", line).groups())
        assert abs(x) <= 40 and abs(z) <= 30
    world.reset(0)
    assert folder.heard(0, "chat /summon pig")[0] == folder.heard(0, "chat /summon pig")[3]
    world.close()


def test_a_task_that_starts_with_nothing_does_so_though_minedojo_s_row_gives_something(folder):
    task = dataclasses.replace(get_task("harvest_milk"), start_items=(), mobs=())
    world = doubles.make(folder.path, task, num_envs=1)
    assert world.reset(0).slot_name[0, 0] == 0
    assert not folder.heard(0, "chat /summon")
    world.close()
    world = doubles.make(folder.path, get_task("harvest_milk"), num_envs=1)
    assert world.reset(0).slot_name[0, 0] == NAME_ID["bucket"]
    assert len(folder.heard(0, "chat /summon cow")) == 1
    world.close()


def test_equal_seeds_build_equal_worlds_and_splits_share_none(folder):
    world = doubles.make(folder.path)
    for seed in (3, 3, 4):
        world.reset(seed)
    first, second, third = folder.heard(0, "mission")
    assert first == second != third
    assert set(folder.heard(1, "mission")).isdisjoint([first, third])
    seeds = {world_seed(3, split, 0, n) for split in ("train", "eval", "validation")
             for n in range(50)}  # fmt: skip
    assert len(seeds) == 150 and all(0 <= seed < 2**63 for seed in seeds)
    assert {seed & 3 for seed in seeds} == {0, 1, 2}
    world.close()


def test_saved_seeds_go_on_with_new_worlds(folder):
    world = doubles.make(folder.path)
    world.reset(3)
    saved = world.save()
    obs = world.load(saved)
    assert obs.position.shape == (2, 3)
    assert len(set(folder.heard(0, "mission"))) == 2
    assert not world.step(IDLE).truncated.any()
    with pytest.raises(ValueError, match="3 lanes, this world has 2"):
        world.load({**saved, "drawn": np.zeros(3, np.int64)})
    world.close()


def test_lanes_answer_on_their_own(folder):
    folder.fault(0, "stall step 3")
    world = doubles.make(folder.path)
    world.start(0)
    seen = []
    while len(seen) < 2:
        lanes, step = world.receive()
        assert step.obs.position.shape == (len(lanes), 3) and not step.reward.any()
        assert not step.truncated.any() and not step.info["lost"].any()
        seen += lanes.tolist()
    assert sorted(seen) == [0, 1]
    world.send(np.array([0]), IDLE[:1])
    world.send(np.array([1]), ATTACK[None])
    lanes, step = world.receive()
    assert lanes.tolist() == [1] and step.reward.tolist() == [1.0]
    with pytest.raises(RuntimeError, match="lane 0 is in a tick"):
        world.send(np.array([0]), IDLE[:1])
    world.close()


def test_ticks_are_started_in_all_lanes_or_in_none(folder):
    world = doubles.make(folder.path)
    world.reset(0)
    with pytest.raises(ValueError, match="an action is 8 numbers"):
        world.send(np.arange(2), np.stack([ATTACK, action(MOVE=3)]))
    assert world.step(both(ATTACK)).reward.tolist() == [1.0, 1.0]  # neither had begun
    world.send(np.array([1]), IDLE[:1])
    with pytest.raises(RuntimeError, match="lane 1 is in a tick"):
        world.send(np.arange(2), IDLE)
    assert world.receive()[0].tolist() == [1]
    world.close()


def test_the_client_waits_as_long_as_the_longer_of_both_time_outs(folder):
    world = doubles.make(folder.path, num_envs=1, launch_timeout=300.0, call_timeout=500.0)
    world.reset(0)
    assert folder.heard(0, "patience") == ["patience 500"]
    world.close()


def test_misuse_is_told(folder):
    world = doubles.make(folder.path)
    with pytest.raises(RuntimeError, match="call start"):
        world.receive()
    with pytest.raises(RuntimeError, match="start it"):
        world.send(np.array([0]), IDLE[:1])
    with pytest.raises(ValueError, match=r"action int32\[K, 8\]"):
        world.send(np.array([0]), NOOP)
    for lanes in ([0, 0], [0, 2], [-1, 0]):
        with pytest.raises(ValueError, match="each may be named once, and there are 0 to 1"):
            world.send(np.array(lanes), IDLE)
    world.reset(0)
    with pytest.raises(ValueError, match="an action is 8 numbers"):
        world.step(both(action(MOVE=3)))
    world.close()
    with pytest.raises(ValueError, match="split"):
        HostMineDojo(LOG, 1, doubles.CONFIG, split="test")


def test_pictures_come_upright_and_in_the_size_that_is_asked_for(folder):
    """The double draws 4 by 6 pixels of 100 channel + 10 row + column."""
    for size in ((4, 6), (2, 3)):
        world = doubles.make(folder.path, num_envs=1, image_size=size)
        obs = world.reset(0)
        world.close()
        row, column, channel = np.ogrid[: size[0], : size[1], :3]
        if size == (4, 6):
            drawn = 100 * channel + 10 * row + column
        else:  # a mean of four, 5.5 more than the first, which is rounded to even
            drawn = 100 * channel + 20 * row + 2 * column + 6
        assert obs.rgb.dtype == np.uint8
        np.testing.assert_array_equal(obs.rgb[0], drawn)


def test_settings_are_checked_and_named():
    for changes, words in (
        ({"launcher": "slurm"}, "minedojo.launcher"), ({"workers": 0}, "minedojo.workers"),
        ({"call_timeout": 0.0}, "minedojo.call_timeout"), ({"port": "many"}, "minedojo.port"),
        ({"port": "65535"}, "minedojo.port"), ({"port": "0"}, "minedojo.port"),
        ({"image_size": (0, 4)}, "minedojo.image_size"),
        ({"max_restarts": -1}, "minedojo.max_restarts"),
        ({"launcher": "ray", "port": "9100"}, "minedojo.launcher=local"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            MineDojoConfig(**changes)
    with pytest.raises(ValueError, match="setup"):
        HostMineDojo(LOG, 1, MineDojoConfig(python="/nowhere/python"))
