"""Macros in the world: what they do changes what they see, for each interpreter alike."""

import dataclasses
import functools
import random

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, RETURNED, TRAPPED, MacroSet, link
from rlgpt_jax.macros.vm.device import interpret_jax
from rlgpt_jax.macros.vm.host import interpret_host
from tests.envs.voxel.worlds import HOST_LANES, HOST_PARAMS, pool
from tests.macros import worlds
from tests.macros.interpreters_test import ANSWERS, answer_source
from tests.macros.programs import random_program

LANES, HORIZON = HOST_LANES, 23  # episodes end while macros run
tick_in_jax = jax.jit(interpret_jax.tick)


@functools.cache
def world() -> HostVoxel:
    """Flat ground with a cow; compiled once for all tests."""
    task = dataclasses.replace(get_task("harvest_milk"), horizon=HORIZON)
    return HostVoxel(VoxelEnv(task, HOST_PARAMS, LANES, pool(HOST_PARAMS)))


def play(macro_set: MacroSet, interpreter: str, seed: int, ticks: int) -> dict[str, np.ndarray]:
    """Runs macros in the world. Returns what was done, ended and seen: [T, N, ...]."""
    rng = np.random.default_rng(seed)
    env = world()
    obs = env.reset(seed)
    machine = interpret_host if interpreter == "host" else interpret_jax
    tick = interpret_host.tick if interpreter == "host" else tick_in_jax
    state = machine.init_state(LANES)
    rows: dict[str, list[np.ndarray]] = {}
    for _ in range(ticks):
        view = sensors.pack_view(obs)
        chosen = rng.integers(0, MAX_MACROS + 1, LANES).astype(np.int32)
        state, out = tick(macro_set, state, view, chosen, np.zeros(LANES, bool), 200)
        out = jax.tree.map(np.asarray, out)
        step = env.step(out.action)
        done = step.terminated | step.truncated
        state = machine.cut(state, done)
        obs = step.obs
        for name, value in {**out._asdict(), "view": view, "done": done}.items():
            rows.setdefault(name, []).append(np.array(value))
    return {name: np.stack(values) for name, values in rows.items()}


def assert_alike(macro_set: MacroSet, seed: int, ticks: int) -> dict[str, np.ndarray]:
    host = play(macro_set, "host", seed, ticks)
    device = play(macro_set, "jax", seed, ticks)
    for name, values in host.items():
        np.testing.assert_array_equal(values, device[name], err_msg=name)
    return host


def random_set(rng: random.Random) -> MacroSet:
    return link([worlds.program(random_program(rng)) for _ in range(MAX_MACROS)])


def test_random_programs_play_alike_over_the_end_of_episodes():
    seen = assert_alike(random_set(random.Random(0)), 0, 2 * HORIZON + 4)
    felt = np.ptp(seen["view"][:HORIZON, :, :5], axis=0).max(axis=1)
    assert seen["done"][HORIZON - 1].all()
    assert seen["decided"][HORIZON].all()  # nothing goes on into the next episode
    assert np.mean(felt > 0.1) > 0.2  # the loop is closed: what was done is seen


def test_a_model_s_answers_play_alike_and_without_a_mistake():
    macro_set = link([worlds.program(answer_source(path)) for path in ANSWERS][:MAX_MACROS])
    seen = assert_alike(macro_set, 5, 2 * HORIZON)
    assert (seen["ended"] == RETURNED).any()
    assert not (seen["ended"] == TRAPPED).any()


@pytest.mark.slow
def test_many_random_programs_play_alike():
    rng = random.Random(1)
    for seed in range(40):
        assert_alike(random_set(rng), 100 + seed, 2 * HORIZON)
