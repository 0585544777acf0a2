"""Faults of what a run depends on: its numbers, its service, its game."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest
import tenacity

from rlgpt_jax.agents.llm import calls
from rlgpt_jax.agents.llm.base import ProviderError
from rlgpt_jax.agents.llm.calls import Limits
from rlgpt_jax.agents.llm.connect import connect
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.loop import two_loop
from rlgpt_jax.rl import train
from tests.agents.llm.whole_run_test import Listening, conversation
from tests.doubles.services import WIRES
from tests.doubles.services.server import Peer
from tests.doubles.services.wire import Answer
from tests.experiments.minedojo.run_test import DOUBLE, RUN
from tests.faults import ROOT
from tests.faults.conftest import Ledger, lost_in
from tests.faults.small_run import run_here
from tests.loop.script import CONFIG, tools

pytestmark = pytest.mark.faults

HOUR = 3600.0


@pytest.mark.parametrize("update", [1, 4, 7])
def test_a_loss_that_is_not_finite_ends_with_its_cause_and_spoils_no_checkpoint(
    update: int, flags, whole: Path, tmp_path: Path, monkeypatch, ledger: Ledger
) -> None:
    ledger.begin("loss that is not finite")
    real = train.outcome.check_finite

    def spoilt(metrics, num_updates):
        real(metrics | ({"loss": np.nan} if num_updates == update else {}), num_updates)

    with monkeypatch.context() as patch:
        patch.setattr(train.outcome, "check_finite", spoilt)
        code, words = run_here(tmp_path / "run", *flags)
    assert code == 1 and f"update {update} gave {{'loss': nan}}" in words
    assert "Go on with: " in words
    code, more = run_here(tmp_path / "run", "--resume")
    assert code == 0, more
    ledger.end(words + more, lost_in(tmp_path / "run", whole))


class Clock:
    """Time that passes only while somebody waits; the service is back after an hour of it."""

    def __init__(self, peer: Peer):
        self.now, self._peer, self._lock = 0.0, peer, threading.Lock()
        self.is_down = True

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        with self._lock:
            self.now += seconds
            if self.is_down and self.now >= HOUR:
                self.is_down = False
                self._peer.open()

    def patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = self

        class Event(threading.Event):
            def wait(self, timeout: float | None = None) -> bool:
                clock.wait(timeout or 0.0)
                return self.is_set()

        slow = types.SimpleNamespace(**vars(time) | {"monotonic": clock.monotonic})
        named = dict(
            time=slow, threading=types.SimpleNamespace(**vars(threading) | {"Event": Event})
        )
        for name, module in named.items():
            monkeypatch.setattr(calls, name, module)
        monkeypatch.setattr(tenacity, "time", slow)


@pytest.mark.parametrize("patience", ["of an hour", "usual"])
def test_an_hour_without_the_service_costs_no_answer(
    patience: str, tmp_path: Path, monkeypatch, ledger: Ledger
) -> None:
    ledger.begin("API down for an hour")
    listening = Listening()
    two_loop.run(CONFIG, tools(tmp_path / "whole", listening))
    limits = (
        Limits(deadline_seconds=2 * HOUR, max_retries=10_000) if "hour" in patience else Limits()
    )
    answer = lambda seen: Answer(listening.answers[seen.prompt])  # noqa: E731
    with Peer(WIRES["anthropic"], answer) as peer:
        endpoint = Endpoint("anthropic", "model-a", peer.key, "K", peer.url)
        peer.close()
        clock = Clock(peer)
        clock.patch(monkeypatch)
        stops = []
        for _ in range(1000):
            try:
                two_loop.run(CONFIG, tools(tmp_path / "run", connect(endpoint, limits)))
                break
            except ProviderError as error:
                stops.append(str(error))
        assert not clock.is_down and peer.answered_twice == 0
        assert bool(stops) == (patience == "usual") and all("\n" not in words for words in stops)
        twice = len(peer.seen) - len(listening.answers)
    mine, theirs = conversation(tmp_path / "run"), conversation(tmp_path / "whole")
    ledger.end(lost=len(theirs) - sum(mine.get(key) == theirs[key] for key in theirs) + twice)


def test_a_minedojo_worker_that_is_killed_costs_its_episode_alone(
    tmp_path: Path, ledger: Ledger
) -> None:
    """The game is a double; the worker, its process and the run are real."""
    ledger.begin("MineDojo worker killed")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{DOUBLE}:{ROOT}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    folder = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.main", *RUN, f"--workdir={folder}",
         f"--config.minedojo.python={python}"],
        cwd=ROOT, env={**os.environ, "DOUBLE_FOLDER": str(tmp_path)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    end = time.monotonic() + 900
    while not (folder / "metrics.csv").exists() and time.monotonic() < end:
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    words = process.communicate(timeout=900)[0]
    assert process.returncode == 0, words
    result = json.loads((folder / "result.json").read_text())
    rows = (folder / "metrics.csv").read_text().splitlines()
    ledger.end(words, lost=(result["ticks"] != 256) + (len(rows) != 1 + 4))


def workers_of(pid: int) -> list[int]:
    """Processes of a run that play."""
    found = subprocess.run(
        ["pgrep", "-P", str(pid), "-f", "worker"], capture_output=True, text=True
    )
    play = [int(word) for word in found.stdout.split()]
    assert play, "no worker runs"
    return play
