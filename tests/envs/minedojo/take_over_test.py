"""A world goes on with the games of another one."""

import dataclasses

import numpy as np
import pytest

from rlgpt_jax.envs.minedojo.host import HostMineDojo
from rlgpt_jax.envs.minedojo.making import world_seed
from tests.envs.minedojo import doubles
from tests.envs.minedojo.doubles import ATTACK, IDLE, LOG, NOOP
from tests.envs.minedojo.faults_test import all_end, pid_of


def beside(world: HostMineDojo, **changes: object) -> HostMineDojo:
    """Another world on the same launcher; `changes` are fields of its settings."""
    settings = world.lanes[0]._set._replace(**changes)  # type: ignore[arg-type]
    return HostMineDojo(
        settings.task, world.num_envs, settings.config, world.lanes[0]._launcher,
        settings.image_size, settings.split,
    )  # fmt: skip


def test_another_split_is_built_in_the_games_that_run_and_pictures_are_its_own(folder):
    train = doubles.make(folder.path)
    assert train.reset(3).rgb is None
    train.step(np.stack([ATTACK, NOOP]))
    train.send(np.arange(2), IDLE)  # the answers belong to nobody
    pids = [pid_of(train, lane) for lane in (0, 1)]
    judge = beside(train, split="eval", image_size=(2, 2))
    judge.take_over(train)
    obs = judge.reset(5)
    assert obs.rgb.shape == (2, 2, 2, 3) and obs.slot_quantity[0, 0] == 0
    assert [pid_of(judge, lane) for lane in (0, 1)] == pids and doubles.restarts(judge) == 0
    for lane in (0, 1):
        first, last = folder.heard(lane, "mission")
        assert f"seed={world_seed(3, 'train', lane, 0)} new=True" in first
        assert f"seed={world_seed(5, 'eval', lane, 0)} new=True" in last
    assert not judge.step(IDLE).info["lost"].any()
    judge.close()
    assert all_end(pids)


@pytest.mark.parametrize(
    "changes",
    [{"task": dataclasses.replace(LOG, goal_quantity=3)},
     {"config": dataclasses.replace(doubles.CONFIG, reset_every=3)}],
)  # fmt: skip
def test_games_of_another_task_or_of_other_settings_are_ended(folder, changes):
    train = doubles.make(folder.path)
    train.reset(0)
    pids = [pid_of(train, lane) for lane in (0, 1)]
    other = beside(train, **changes)
    other.take_over(train)
    assert all_end(pids)
    other.reset(0)
    assert not {pid_of(other, lane) for lane in (0, 1)} & set(pids)
    other.close()
