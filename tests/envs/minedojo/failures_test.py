"""What is told of failures, and what is none."""

import time

import numpy as np
import pytest

from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.failures import LONGEST, Failures, WorkerFailed
from rlgpt_jax.envs.minedojo.lane import GRACE, Lane, Settings
from rlgpt_jax.envs.minedojo.making import game_of
from tests.envs.minedojo.doubles import LOG


def never() -> str:
    raise AssertionError("nobody wants to read it")


def test_a_restart_is_told_with_its_number_its_reason_and_the_end_of_the_log(caplog):
    failures = Failures(2, MineDojoConfig(max_restarts=3))
    for number in (1, 2):
        failures.add("its process ended", "in a tick", lambda: "the last words")
        told = caplog.messages[-1]
        for words in ("lane 2", "(in a tick)", "because its process ended", "the last words",
                      f"Restart {number}, {number} of 3 in a row"):  # fmt: skip
            assert words in told
    failures.end_row()
    failures.add("it stalled", "resetting", str)
    assert "Restart 3, 1 of 3 in a row" in caplog.messages[-1]
    assert failures.restarts == 3


def test_a_log_that_is_kept_is_named_and_not_asked_for_before_the_last_failure(caplog):
    failures = Failures(0, MineDojoConfig(max_restarts=1, log_folder="my_logs"))
    failures.add("it stalled", "making", never)
    assert "kept in my_logs" in caplog.text
    with pytest.raises(WorkerFailed, match="2 times in a row.*\nthe last words"):
        failures.add("it stalled", "making", lambda: "the last words")


def test_of_a_reason_as_long_as_a_game_s_log_the_end_is_told():
    failures = Failures(0, MineDojoConfig(max_restarts=0))
    why = "a line of the game\n" * 10_000 + "finished unexpectedly"
    with pytest.raises(WorkerFailed, match="finished unexpectedly") as caught:
        failures.add(why, "resetting", str)
    assert len(str(caught.value)) < 2 * LONGEST


class Waiting:
    """The way to a worker that never answers; at first no host has room for it."""

    has_room = is_killed = False

    def send(self, header, arrays=None):
        pass

    def last_words(self):
        return ""

    def kill(self):
        self.is_killed = True

    def waits_for_room(self):
        return not self.has_room


class Hosts:
    """A launcher without room."""

    def __init__(self):
        self.links = []

    def start(self, index):
        self.links.append(Waiting())
        return self.links[-1]


def test_a_worker_that_waits_for_room_is_waited_for_and_told_of(caplog):
    config = MineDojoConfig(max_restarts=1, launch_timeout=5.0)
    hosts = Hosts()
    lane = Lane(0, Settings(LOG, config, game_of(LOG, config), None, "train"), hosts)
    lane.begin(0)
    for _ in range(5):  # more time-outs than failures are allowed
        lane.deadline = -np.inf
        lane.expire()
        assert 0 < lane.deadline - time.monotonic() <= 5.0
    assert len(hosts.links) == 1 and lane.failures.restarts == 0 and not hosts.links[0].is_killed
    assert "no host has had room for the MineDojo worker of lane 0 for 5 s" in caplog.text

    hosts.links[0].has_room = True  # now it has a host, and is as slow as before
    lane.deadline = -np.inf
    lane.expire()
    assert 0 < lane.deadline - time.monotonic() <= GRACE and lane.failures.restarts == 0
    lane.deadline = -np.inf
    lane.expire()
    assert hosts.links[0].is_killed and len(hosts.links) == 2 and lane.failures.restarts == 1
