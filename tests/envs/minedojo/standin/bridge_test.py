"""The bench of the bridge: its constant game is an observation, and its rows are told."""

import os

import numpy as np
import pytest

from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.host import HostMineDojo
from tests.doubles.minecraft import bridge


@pytest.mark.slow
def test_the_bridge_alone_is_measured_and_the_client_is_named_where_it_is_not_there():
    *rows, missing = bridge.measure(None, [1], 0.2)
    assert [row.name.rpartition(": ")[2] for row in rows] == ["frames", "step with picture", "step"]
    for row in rows:
        assert 0 < row.numbers["ms_median"] <= row.numbers["ms_90_percent"]
        assert row.numbers["cpu_ms"] > 0
    assert "--python=" in missing and "experiments.minedojo setup" in missing


def test_the_constant_game_shows_what_it_was_asked_for_and_walking_takes_one_tick_each():
    with bridge.trivial_python() as python:
        world = HostMineDojo(bridge.TASK, 1, MineDojoConfig(python=python), image_size=(40, 64))
        try:
            obs = world.reset(0)
            (pid,) = bridge.pids_of(world)
            assert bridge.cpu_seconds([pid], with_own=False) > 0
            step = world.step(bridge.walking(np.random.default_rng(0), 1))
        finally:
            world.close()
    assert obs.rgb.shape == (1, 40, 64, 3) and obs.life[0] == 20
    assert not step.info["busy"].any() and not step.info["lost"].any()
    assert not os.path.exists(python)
