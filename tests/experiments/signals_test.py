"""Signals to a small program that holds `Stop`; `tests/faults` sends them to runs."""

import signal
import subprocess
import sys
import time

import pytest

from experiments import flags, run, signals
from rlgpt_jax.files import CHECKOUT

PROGRAM = """
import sys, time
from experiments import signals
signals.SOFT, signals.HARD = 0.3, 0.6
try:
    with signals.Stop("Go on with: it") as stop:
        print("ready", flush=True)
        for _ in range(1000):
            {work}
except signals.Stopped as error:
    print(f"saved, {{error}}", flush=True)
"""
# A signal that was ignored when the tests began (nohup) is ignored by what they start.
HEARS = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
IGNORES = HEARS.replace("SIG_DFL", "SIG_IGN")
END = "saved, told to end by SIGTERM\n"
EVENTS = "time.sleep(0.01); stop.raise_if_told()"
WAITING = "time.sleep(5)"
# One call that no handler comes into, and that lets other threads run, as a compiler does.
DEAF = "import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"


def told(work: str, name: str, before: str = HEARS) -> tuple[str, float]:
    program = before + PROGRAM.format(work=work)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        began = time.monotonic()
        process.send_signal(getattr(signal, name))
        return process.communicate(timeout=60)[0], time.monotonic() - began


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_run_ends_at_its_next_event(name):
    assert told(EVENTS, name)[0] == f"saved, told to end by {name}\n"


def test_a_run_that_waits_is_ended_where_it_is():
    words, seconds = told(WAITING, "SIGTERM")
    assert words == END and seconds < 4


def test_an_end_that_a_callback_swallows_is_heard_at_the_next_event():
    work = "ctypes.CFUNCTYPE(None)(lambda: time.sleep(5))(); stop.raise_if_told()"
    assert told(work, "SIGTERM", HEARS + "import ctypes\n")[0] == END


def test_what_fails_because_an_end_was_swallowed_is_that_end(tmp_path, monkeypatch, capsys):
    def broken(settings, display, compiles, stop):
        stop.swallowed = KeyboardInterrupt()
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr(run, "go", broken)
    settings = flags.parse(["--config=harvest_milk", f"--workdir={tmp_path}"])
    assert run.run(settings, signals.Stop("")) == 1
    words = capsys.readouterr().out
    assert "Stopped: told to end from the keyboard" in words and "Go on with" in words


def test_a_process_that_hears_nothing_still_says_how_to_go_on():
    words, _ = told(DEAF, "SIGTERM")
    assert words == "\nStopped by SIGTERM. Go on with: it\n"


@pytest.mark.parametrize(("code", "more"), [(1, ""), (0, "torn down\n"), (2, "torn down\n")])
def test_a_stopped_run_leaves_without_a_teardown(code: int, more: str):
    program = (
        "import atexit, sys\nfrom experiments import main\n"
        "atexit.register(print, 'torn down')\n"
        f"main.main = lambda argv: print('words') or {code}\n"
        "sys.exit(main.command())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, f"words\n{more}", "")


def test_what_ignores_a_lost_terminal_goes_on():
    finished = EVENTS.replace("0.01", "0.0001")
    assert told(finished, "SIGHUP", IGNORES)[0] == ""
