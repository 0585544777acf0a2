"""What takes too long is ended, and what has only waited for us is not."""

import time

import numpy as np
import pytest

from rlgpt_jax.envs.minedojo import lane, link
from tests.envs.minedojo import doubles
from tests.envs.minedojo.doubles import ATTACK, NOOP


@pytest.mark.parametrize(
    ("where", "phase"), [("import", "launching"), ("make", "making"), ("mission", "resetting")]
)
def test_whatever_of_a_launch_stalls_is_ended_by_its_time_out(
    folder, monkeypatch, caplog, where, phase
):
    monkeypatch.setattr(lane, "GRACE", 0.1)
    folder.fault(0, f"stall {where} 1")
    world = doubles.make(folder.path, num_envs=1, launch_timeout=3.0)
    assert world.reset(0).position.shape == (1, 3)
    assert f"no answer in time while it was {phase}" in caplog.text
    assert doubles.restarts(world) == 1 and not world.step(NOOP[None]).info["lost"].any()
    world.close()


def test_a_quick_reset_that_stalls_is_ended_by_the_time_out_of_calls(folder, monkeypatch, caplog):
    monkeypatch.setattr(lane, "GRACE", 0.1)
    folder.fault(0, "stall step 5")  # the first of the reset: 2 in the one before, 2 to the goal
    world = doubles.make(folder.path, num_envs=1, call_timeout=1.5)
    world.reset(0)
    world.step(ATTACK[None])
    step = world.step(ATTACK[None])
    assert (
        "no answer in time while it was resetting" in caplog.text and doubles.restarts(world) == 1
    )
    assert step.terminated.all() and step.info["success"].all() and not step.info["lost"].any()
    world.close()


@pytest.mark.parametrize(
    ("pipe", "grace"),
    [(link.PIPE, 0.0), (4096, lane.GRACE)],  # bytes: all of a picture, and a small part of it
)
def test_an_answer_that_waited_for_a_busy_learner_is_heard(folder, monkeypatch, pipe, grace):
    monkeypatch.setattr(link, "PIPE", pipe)
    monkeypatch.setattr(lane, "GRACE", grace)
    size = (160, 256)
    world = doubles.make(folder.path, num_envs=1, image_size=size, draws=size, call_timeout=1.0)
    world.reset(0)
    world.send(np.arange(1), ATTACK[None])
    time.sleep(1.5)  # an update, for instance
    _, step = world.receive()
    assert doubles.restarts(world) == 0 and step.reward.tolist() == [1.0]
    world.close()
