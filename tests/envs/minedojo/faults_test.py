"""Workers that are killed, stall, break their frames or lose their game in silence."""

import dataclasses
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.envs.base import Step
from rlgpt_jax.envs.minedojo.failures import WorkerFailed
from rlgpt_jax.envs.minedojo.host import HostMineDojo
from rlgpt_jax.envs.minedojo.judging import Episode
from rlgpt_jax.envs.minedojo.lane import Phase
from rlgpt_jax.envs.tasks.tasks import Task
from tests.envs.minedojo import doubles
from tests.envs.minedojo.doubles import ATTACK, IDLE, LOG, NOOP


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def all_end(pids: list[int]) -> bool:
    """Whether processes that were killed are gone, which takes them a moment."""
    end = time.monotonic() + 10.0
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.01)
    return not any(map(is_alive, pids))


def pid_of(world: HostMineDojo, lane: int) -> int:
    return world.lanes[lane].link.process.pid


def assert_lost(step: Step, lane: int, others: bool = True) -> None:
    """The lane's episode is lost, that of the other lane is not."""
    for name, value in (("truncated", True), ("terminated", False)):
        assert getattr(step, name)[lane] == value, name
    assert step.info["lost"][lane] and not step.info["success"][lane] and step.reward[lane] == 0
    assert not step.info["busy"][lane]
    if others:
        assert not step.info["lost"][1 - lane] and not step.truncated[1 - lane]


def assert_goes_on(world: HostMineDojo) -> None:
    step = world.step(IDLE)
    assert not step.info["lost"].any() and not step.truncated.any()


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param("exit step 6", marks=pytest.mark.slow),
        "silent step 6",
        "garbage step 6",
        pytest.param("raise step 6", marks=pytest.mark.slow),
    ],
)
def test_an_episode_is_lost_with_its_worker_and_no_other(folder, fault):
    """A silent death is the client's: the last observation, done, and no error."""
    folder.fault(1, fault)  # a reset takes 2 steps of the client: one command, one no-op
    world = doubles.make(folder.path)
    world.reset(0)
    for row in (ATTACK, NOOP, NOOP):
        assert not world.step(np.stack([NOOP, row])).info["lost"].any()
    step = world.step(IDLE)
    assert_lost(step, 1)
    assert step.final_obs.slot_quantity[1, 0] == 1 and step.obs.slot_quantity[1, 0] == 0
    assert doubles.restarts(world) == 1
    assert_goes_on(world)
    world.close()


def test_a_worker_that_is_killed_in_a_tick_costs_its_episode_alone(folder):
    folder.fault(0, "stall step 4")
    world = doubles.make(folder.path)
    world.reset(0)
    world.step(np.stack([ATTACK, NOOP]))
    world.send(np.arange(2), IDLE)
    pid = pid_of(world, 0)
    lanes, step = world.receive()
    assert lanes.tolist() == [1] and not step.info["lost"].any()  # it does not wait for lane 0
    os.kill(pid, signal.SIGKILL)
    lanes, step = world.receive()
    assert lanes.tolist() == [0] and step.info["lost"].tolist() == [True]
    assert step.truncated.all() and not step.terminated.any()
    assert step.final_obs.slot_quantity[0, 0] == 1
    assert_goes_on(world)
    world.close()


def test_other_lanes_step_while_one_is_started_again(folder):
    folder.fault(0, "stall step 3")
    world = doubles.make(folder.path)
    world.reset(0)
    world.send(np.arange(2), IDLE)
    os.kill(pid_of(world, 0), signal.SIGKILL)
    seen = []
    while 0 not in seen:
        lanes, _ = world.receive()
        seen += lanes.tolist()
        world.send(lanes, IDLE[: len(lanes)])
    assert seen.count(1) > 1 and seen.count(0) == 1
    world.close()


def test_a_worker_that_is_killed_in_a_reset_loses_no_episode(folder):
    """The episode before had ended: it is told as it was."""
    folder.fault(0, "stall mission 2")
    world = doubles.make(folder.path, reset_every=1)
    world.reset(0)
    world.step(np.stack([ATTACK, NOOP]))
    world.send(np.arange(2), np.stack([ATTACK, NOOP]))  # the goal is 2 logs
    assert world.receive()[0].tolist() == [1]
    while world.lanes[0].phase is not Phase.RESETTING:
        world.send(np.array([1]), IDLE[:1])
        assert world.receive()[0].tolist() == [1]
    os.kill(pid_of(world, 0), signal.SIGKILL)
    lanes, step = world.receive()
    assert lanes.tolist() == [0] and step.info["success"].all() and step.terminated.all()
    assert not step.info["lost"].any() and step.reward.tolist() == [1.0]
    assert doubles.restarts(world) == 1
    world.close()


def test_a_worker_that_dies_while_its_agent_thinks_is_told_at_the_next_tick(folder):
    world = doubles.make(folder.path)
    world.reset(0)
    os.kill(pid_of(world, 0), signal.SIGKILL)
    while doubles.restarts(world) == 0:
        assert_lane_1_goes_on(world)
    step = world.step(IDLE)
    assert_lost(step, 0, others=False)
    assert_goes_on(world)
    world.close()


def assert_lane_1_goes_on(world: HostMineDojo) -> None:
    world.send(np.array([1]), IDLE[:1])
    assert world.receive()[0].tolist() == [1]


def test_a_stalled_worker_is_killed_at_the_time_out_with_all_it_started(folder):
    folder.fault(0, "stall step 4")
    world = doubles.make(folder.path, call_timeout=1.5)
    world.reset(0)
    pid = pid_of(world, 0)
    children = [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    assert children and all(map(is_alive, children))  # the game
    world.step(IDLE)
    start = time.monotonic()
    step = world.step(IDLE)
    assert_lost(step, 0)
    assert time.monotonic() - start >= 1.5
    assert all_end([pid, *children])
    world.close()


@pytest.mark.parametrize("where", ["import", "mission"])
def test_a_worker_that_dies_at_every_launch_ends_in_one_clear_error(folder, where):
    folder.fault(1, f"exit {where} 1", always=True)
    world = doubles.make(folder.path, max_restarts=1)
    with pytest.raises(WorkerFailed) as caught:
        world.reset(0)
    message = str(caught.value)
    for part in ("lane 1", "2 times in a row", "ended with code 3", "doctor",
                 "the double was told to exit", "max_restarts is 1"):  # fmt: skip
        assert part in message, part
    assert len(folder.heard(1, "fault exit")) == 2
    world.close()


def test_a_worker_that_dies_in_every_first_episode_ends_in_an_error_too(folder):
    """However many ticks it makes before: no episode would ever come to its end."""
    folder.fault(0, "exit step 40", always=True)
    world = doubles.make(folder.path, long(1000), num_envs=1, max_restarts=1)
    world.reset(0)
    with pytest.raises(WorkerFailed, match="2 times in a row"):
        for _ in range(100):
            world.step(IDLE[:1])
    world.close()


def test_a_worker_that_dies_between_episodes_that_end_is_started_again_for_ever(folder):
    folder.fault(0, "exit step 15", always=True)  # in the second episode
    world = doubles.make(folder.path, long(5), num_envs=1, max_restarts=1)
    world.reset(0)
    steps = [world.step(IDLE[:1]) for _ in range(25)]
    assert doubles.restarts(world) > 2
    assert sum(bool(step.truncated.all() and not step.info["lost"].any()) for step in steps) > 2
    world.close()


def long(horizon: int) -> Task:
    return dataclasses.replace(LOG, horizon=horizon)


def test_a_restart_is_told_with_what_the_game_has_said(folder, caplog, monkeypatch):
    for name in ("PYTHONUNBUFFERED", "MINEDOJO_DEBUG_LOG"):
        monkeypatch.delenv(name, raising=False)
    folder.fault(1, "exit step 6")
    world = doubles.make(folder.path)
    world.reset(0)
    while not doubles.restarts(world):
        world.step(IDLE)
    world.close()
    (told,) = caplog.messages
    for words in ("lane 1", "(in a tick)", "ended with code 3", "Restart 1, 1 of 3 in a row",
                  "CLIENT enter state: DORMANT", "the double was told to exit"):  # fmt: skip
        assert words in told, words


def test_no_process_is_left_after_close(folder):
    world = doubles.make(folder.path)
    world.reset(0)
    pids = [pid_of(world, lane) for lane in range(2)]
    children = [int(p) for pid in pids
                for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]  # fmt: skip
    folders = [world.lanes[lane].link.folder for lane in range(2)]
    assert len(children) == 2
    world.close()
    assert all_end(pids + children)
    assert not any(path.exists() for path in folders)


def test_logs_are_kept_where_that_is_asked_for_and_copies_of_the_game_are_not(folder, tmp_path):
    kept = tmp_path / "logs"
    world = doubles.make(folder.path, num_envs=1, log_folder=str(kept))
    world.reset(0)
    environment = Path(f"/proc/{pid_of(world, 0)}/environ").read_bytes().decode().split("\0")
    scratch = next(Path(row[len("TMPDIR=") :]) for row in environment if row.startswith("TMPDIR="))
    assert scratch.is_relative_to(kept) and scratch.is_dir()
    world.close()
    assert not scratch.exists()
    assert [path.name for path in kept.glob("worker0_*/*")] == ["worker.log"]


def test_the_log_of_a_worker_that_failed_is_kept_where_logs_are(folder, tmp_path, caplog):
    kept = tmp_path / "logs"
    folder.fault(0, "exit step 3")
    world = doubles.make(folder.path, num_envs=1, log_folder=str(kept))
    world.reset(0)
    world.step(IDLE[:1])
    world.close()
    logs = [path.read_text() for path in kept.glob("worker0_*/worker.log")]
    assert len(logs) == 2 and sum("the double was told to exit" in text for text in logs) == 1
    assert f"Its log is kept in {kept}" in caplog.text


def test_mistakes_of_the_bridge_are_not_blamed_on_the_worker(folder, monkeypatch):
    world = doubles.make(folder.path, num_envs=1)
    world.reset(0)

    def judge(*arguments: object) -> None:
        raise KeyError("a mistake")

    monkeypatch.setattr(Episode, "judge", judge)
    with pytest.raises(KeyError, match="a mistake"):
        world.step(IDLE[:1])
    assert doubles.restarts(world) == 0
    world.close()
