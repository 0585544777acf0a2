"""Lanes in worker processes: episodes, saving, and what a worker that dies costs."""

import dataclasses
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from rlgpt_jax.envs.control import rendering
from rlgpt_jax.envs.control.host import HostControl
from rlgpt_jax.envs.control.making import make
from rlgpt_jax.envs.control.packages import MissingPackage, check
from rlgpt_jax.envs.control.rendering import CannotDraw
from rlgpt_jax.envs.control.table import TASKS
from rlgpt_jax.envs.minedojo.failures import WorkerFailed
from tests.envs.control.tiny import DIE, GO, HANG, RAISE, SPEC, tiny_task

SUM, SEED, PID = range(3)


@contextmanager
def tiny(num_envs: int = 4, workers: int = 2, image_size=None, **task) -> Iterator[HostControl]:
    world = make(tiny_task(**task), num_envs, workers, image_size)
    try:
        yield world
    finally:
        world.close()


def pids_of(world: HostControl) -> list[int]:
    """The workers' processes now."""
    return [worker.process.pid for worker in world._workers]


def rows(*pairs: tuple[int, float]) -> np.ndarray:
    return np.array(pairs, np.float32)


def everyone(by: float, lanes: int = 4) -> np.ndarray:
    return rows(*[(GO, by)] * lanes)


def test_lanes_are_shared_among_workers_and_have_seeds_of_their_own() -> None:
    with tiny(num_envs=5, workers=2) as world:
        obs = world.reset(0)
        assert obs.rgb is None and obs.fields.dtype == np.float32
        assert len(set(obs.fields[:, PID])) == 2 and len(set(obs.fields[:, SEED])) == 5
        again = world.reset(0)
        assert np.array_equal(obs.fields, again.fields)
        assert not np.array_equal(world.reset(1).fields[:, SEED], obs.fields[:, SEED])


def test_a_pool_is_the_class_that_its_task_names() -> None:
    task = dataclasses.replace(tiny_task(kind="Pool"), is_pool=True)
    assert make(task, 3, 2).given == (task, 3, 2, None, "train")


def test_an_episode_ends_by_success_or_time_and_its_last_observation_is_kept() -> None:
    with tiny() as world:
        first = world.reset(0).fields
        for _ in range(5):
            step = world.step(rows((GO, 1), (GO, 1), (GO, 0), (GO, 0)))
        assert step.info["success"].tolist() == [True, True, False, False]
        assert step.terminated.tolist() == [True, True, False, False]
        assert step.reward.tolist() == [1, 1, 0, 0] and not step.truncated.any()
        assert step.final_obs.fields[:, SUM].tolist() == [5, 5, 0, 0]
        assert step.obs.fields[:, SUM].tolist() == [0, 0, 0, 0]
        new = step.obs.fields[:, SEED] != first[:, SEED]
        assert new.tolist() == [True, True, False, False]
        for _ in range(3):
            step = world.step(everyone(0.5))
        assert step.truncated.tolist() == [False, False, True, True]
        assert step.final_obs.fields[:, SUM].tolist() == [1.5] * 4
        assert not (step.info["lost"].any() or step.info["busy"].any() or step.reward.any())


def test_arguments_are_bounded_and_no_action_that_is_none_is_taken() -> None:
    with tiny() as world:
        with pytest.raises(RuntimeError, match="call reset"):
            world.step(everyone(0))
        world.reset(0)
        fields = world.step(rows((GO, 9), (GO, -9), (GO, np.nan), (GO, 0.25))).obs.fields
        assert fields[:, SUM].tolist() == [1, -1, 0, 0.25]
        with pytest.raises(ValueError, match=r"float32\[4, 2\]"):
            world.step(everyone(0, lanes=3))
        with pytest.raises(ValueError, match="there are 4"):
            world.step(rows((7, 0), (0, 0), (0, 0), (0, 0)))


def test_what_is_saved_goes_on_alike() -> None:
    rng = np.random.default_rng(0)
    actions = np.stack([np.zeros((30, 4)), rng.uniform(-1, 1, (30, 4)) + 0.4], axis=-1)
    with tiny() as world:
        world.reset(3)
        for action in actions[:11]:
            world.step(action)
        saved = world.save()
        went = [world.step(action) for action in actions[11:]]
    with tiny(workers=1) as other:
        before = other.load(saved)
        assert np.array_equal(before.fields[:, SUM], saved["fields"][:, SUM])
        for action, step in zip(actions[11:], went):
            same = other.step(action)
            assert np.array_equal(same.obs.fields[:, :PID], step.obs.fields[:, :PID])
            assert np.array_equal(same.final_obs.fields[:, SUM], step.final_obs.fields[:, SUM])
            assert np.array_equal(same.truncated, step.truncated)
    with tiny(num_envs=2) as fewer, pytest.raises(ValueError, match="saved with 4 lanes"):
        fewer.load(saved)


@pytest.mark.parametrize("way", [DIE, RAISE, HANG])
def test_a_worker_that_fails_costs_its_episodes_only(
    way: int, caplog: pytest.LogCaptureFixture
) -> None:
    with tiny(patience=1.0) as world:
        world.reset(0)
        before = world.step(everyone(1)).obs.fields
        step = world.step(rows((GO, 1), (GO, 1), (way, 0), (GO, 1)))
        assert step.info["lost"].tolist() == [False, False, True, True]
        assert step.truncated.tolist() == [False, False, True, True]
        assert not (step.terminated.any() or step.info["success"].any() or step.reward.any())
        assert np.array_equal(step.final_obs.fields[2:], before[2:])
        assert step.obs.fields[:, SUM].tolist() == [2, 2, 0, 0]
        assert (step.obs.fields[2:, SEED] != before[2:, SEED]).all()
        assert caplog.text.count("Restart 1 of 3 in a row") == len(caplog.records) == 1
        step = world.step(everyone(1))
        assert step.obs.fields[:, SUM].tolist() == [3, 3, 1, 1] and not step.info["lost"].any()


def test_of_workers_that_hang_together_each_is_told_with_its_patience(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with tiny(patience=0.5) as world:
        world.reset(0)
        assert world.step(rows(*[(HANG, 0)] * 4)).info["lost"].all()
    assert caplog.text.count("it has not answered in 1 s") == len(caplog.records) == 2


def test_a_worker_that_is_killed_between_steps_is_replaced() -> None:
    with tiny() as world:
        world.reset(0)
        os.kill(pids_of(world)[0], signal.SIGKILL)
        step = world.step(everyone(1))
        assert step.info["lost"].tolist() == [True, True, False, False]
        os.kill(pids_of(world)[1], signal.SIGKILL)
        saved = world.save()
        step = world.step(everyone(1))
        assert step.info["lost"].tolist() == [False, False, True, True]
        assert step.obs.fields[:, SUM].tolist() == [1, 1, 1, 1] and step.truncated.tolist()[3]
        world.load(saved)
        assert world.step(everyone(1)).info["lost"].tolist() == [False, False, True, True]
        assert not world.step(everyone(1)).info["lost"].any()


def test_a_worker_that_always_fails_ends_the_run_with_its_reason() -> None:
    told = r"4 times in a row.*no model file"
    with tiny(kind="Broken") as world, pytest.raises(WorkerFailed, match=told):
        world.reset(0)


def test_a_simulator_that_does_not_fit_its_spec_ends_the_run_with_words() -> None:
    spec = dataclasses.replace(SPEC, fields=SPEC.fields[:2])
    world = make(dataclasses.replace(tiny_task(), spec=spec), 2)
    with pytest.raises(WorkerFailed, match=r"tiny tells numbers of shape \(3,\), .* 2 fields"):
        world.reset(0)
    world.close()


def ended(pids: list[int]) -> bool:
    """Whether they are gone within some seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(os.path.exists(f"/proc/{pid}") for pid in pids):
        time.sleep(0.05)
    return not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def test_workers_end_when_their_world_is_closed() -> None:
    with tiny() as world:
        pids = pids_of(world)
    assert ended(pids)


def test_workers_end_with_their_parent_though_they_hang() -> None:
    text = (
        "import sys; from tests.envs.control import workers_test as t\n"
        "world = t.make(t.tiny_task(), 2, 2); world.reset(0)\n"
        "world._workers[0].ask('step', t.rows((t.HANG, 0)), [0], None)\n"
        "print(*t.pids_of(world), flush=True); sys.stdin.read()"
    )
    path = {"PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
    parent = subprocess.Popen(
        [sys.executable, "-c", text], env=os.environ | path, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with parent:
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        parent.kill()
    assert len(pids) == 2 and ended(pids)


def test_pictures_are_drawn_when_asked_for() -> None:
    with tiny(image_size=(4, 6)) as world:
        assert world.reset(0).rgb.shape == (4, 4, 6, 3)
        for _ in range(5):
            step = world.step(rows((GO, 1), (GO, 0), (GO, 0.5), (GO, 0)))
        assert step.obs.rgb[:, 0, 0, 0].tolist() == [0, 0, 2, 0]
        assert step.final_obs.rgb[:, 0, 0, 0].tolist() == [5, 0, 2, 0]
        assert world.render([2, 0], (2, 3))[:, 0, 0, 0].tolist() == [2, 0]


def test_who_cannot_draw_says_so_and_goes_on() -> None:
    with tiny(draws=False) as world:
        world.reset(0)
        with pytest.raises(CannotDraw, match="no pictures here"):
            world.render([0])
        assert not world.step(everyone(1)).info["lost"].any()


def test_the_backend_is_what_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = {"egl": ("libnowhere.so.1",), "osmesa": ("libnowhere.so.2", "libc.so.6")}
    monkeypatch.setattr(rendering, "LIBRARIES", libraries)
    for given, chosen in ((None, "osmesa"), ("egl", "egl")):
        monkeypatch.delenv("MUJOCO_GL", raising=False)
        if given is not None:
            monkeypatch.setenv("MUJOCO_GL", given)
        rendering.choose_backend()
        assert os.environ["MUJOCO_GL"] == chosen
    monkeypatch.delenv("MUJOCO_GL")
    libraries.pop("osmesa")
    rendering.choose_backend()
    assert os.environ["MUJOCO_GL"] == "disable"


def test_missing_packages_and_bad_numbers_are_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(MissingPackage, match=r"w needs nowhere, no\.where\.$"):
        check("w", ["numpy", "nowhere", "no.where"])  # no extra of ours brings them
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    told = r"w needs ompl, nowhere. Install with: pip install -e '.\[control\]'$"
    with pytest.raises(MissingPackage, match=told):
        check("w", ["ompl", "nowhere"])
    with pytest.raises(ValueError, match="num_envs=0"):
        make(tiny_task(), 0)
    with pytest.raises(ValueError, match="split"):
        make(tiny_task(), 1, split="test")
    assert {module for task in TASKS.values() for module in task.packages} >= {"metaworld", "ompl"}
