"""Processes of runs that are killed, told to end, or meet in one folder."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import ROOT
from tests.faults.conftest import Ledger, lost_in
from tests.faults.small_run import command, run_here

pytestmark = pytest.mark.faults

NUM_KILLS = 20
LONGEST = 900.0  # seconds; machines may be busy


@contextlib.contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process in a group of its own, gone at the end. Its SIGHUP is not `nohup`'s."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    process = subprocess.Popen(
        arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for(folder: Path, pattern: str, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + LONGEST
    while not list(folder.glob(pattern)):
        assert process.poll() is None and time.monotonic() < end, pattern
        time.sleep(0.02)


def test_kills_at_random_moments_leave_the_same_bits(
    flags, whole: Path, tmp_path: Path, ledger: Ledger
) -> None:
    """A run is killed and resumed until it has ended, and then another one, 20 times in all."""
    moments, number, kills = random.Random(0), 0, 0
    seconds = 0.0  # of a start that was not killed
    while kills < NUM_KILLS:
        number, folder = number + 1, tmp_path / f"run{number}"
        words, ended = "", False
        while not ended:
            is_new = not (folder / "config.json").exists()
            began = time.monotonic()
            with started(*command(folder, *(flags if is_new else ("--resume",)))) as process:
                try:
                    limit = moments.uniform(0.2, 1.0) * seconds if kills < NUM_KILLS else LONGEST
                    words += process.communicate(timeout=limit or LONGEST)[0]
                    ended = True
                    assert process.returncode == 0, words
                    seconds = seconds or time.monotonic() - began
                except subprocess.TimeoutExpired:
                    ledger.begin("kill -9 at a random moment")
                    os.killpg(process.pid, signal.SIGKILL)
                    words, kills = words + process.communicate()[0], kills + 1
                    ledger.end(words)
        assert lost_in(folder, whole) == 0


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("SIGTERM", "config.json"),  # while its first programs are compiled
        ("SIGTERM", "checkpoints/0/latest.json"), ("SIGHUP", "checkpoints/1/latest.json"),
    ],
)  # fmt: skip
def test_a_run_that_is_told_to_end_saves_and_says_how_to_go_on(
    name: str, moment: str, flags, whole: Path, tmp_path: Path, ledger: Ledger
) -> None:
    ledger.begin("SIGTERM or SIGHUP")
    folder = tmp_path / "run"
    with started(*command(folder, *flags)) as process:
        wait_for(folder, moment, process)
        began = time.monotonic()
        process.send_signal(getattr(signal, name))
        words = process.communicate(timeout=60)[0]
        assert time.monotonic() - began < 30
        assert process.returncode == 1 and name in words
    assert f"Go on with: python -m experiments.main --workdir={folder} --resume" in words
    code, more = run_here(folder, "--resume")
    assert code == 0, more
    ledger.end(words + more, lost_in(folder, whole))


@pytest.mark.parametrize("seconds", [0.5, 1.0, 2.0, 4.0, 8.0])
def test_ctrl_c_while_modules_are_imported_is_no_traceback(
    seconds: float, flags, tmp_path: Path, ledger: Ledger
) -> None:
    ledger.begin("Ctrl-C while starting")
    arguments = [sys.executable, "-m", "experiments.main", f"--workdir={tmp_path}/run", *flags]
    with started(*arguments) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        words = process.communicate(timeout=LONGEST)[0]
        assert process.returncode != 0
    ledger.end(words)


def test_a_second_process_says_who_has_the_folder(copy: Path, whole: Path, ledger: Ledger) -> None:
    """And nobody has it after kill -9."""
    (copy / "final_eval.json").unlink()
    hold = (
        "import sys, time\nfrom pathlib import Path\nfrom rlgpt_jax.loop.record import held\n"
        "with held(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(1e6)\n"
    )
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    with started(sys.executable, "-c", hold, str(copy)) as process:
        assert process.stdout and process.stdout.readline() == "held\n"
        ledger.begin("second process in the folder")
        code, words = run_here(copy, "--resume")
        assert code == 2 and f"is in use by process {process.pid} on" in words
        changed = [path.name for path, data in before.items() if path.read_bytes() != data]
        ledger.end(words, lost=len(set(changed) - {"lock"}))
        ledger.begin("second process in the folder")
        process.kill()
        process.wait()
        code, words = run_here(copy, "--resume")
        assert code == 0, words
        ledger.end(words, lost_in(copy, whole))
