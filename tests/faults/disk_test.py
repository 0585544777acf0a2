"""A disk that is full while a file is written: one line, and all that was there before stays."""

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.films import encoding
from experiments.report import page
from rlgpt_jax.agents.llm import disk
from rlgpt_jax.loop import learning, metrics
from rlgpt_jax.rl import checkpoint
from tests.faults.conftest import Ledger, lost_in
from tests.faults.small_run import run_here

pytestmark = pytest.mark.faults


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A tmpfs of 64 MB."""
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(path)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    yield path
    subprocess.run(["umount", "-l", path], check=True)


def fill(folder: Path, left: int) -> None:
    """Takes the room of a disk but for `left` bytes."""
    ballast = max(0, shutil.disk_usage(folder).free - left)
    descriptor = os.open(folder / "ballast", os.O_CREAT | os.O_WRONLY)
    os.posix_fallocate(descriptor, 0, max(1, ballast))
    os.close(descriptor)


# What writes, the call at which the disk is full, and the bytes that it has left then.
STEPS = {
    "checkpoint, first": (checkpoint, "save", 1, 50_000),
    "checkpoint, a later one": (checkpoint, "save", 6, 500_000),
    "checkpoint, no room at all": (checkpoint, "save", 6, 0),
    "transcript": (disk, "append", 4, 0),
    "transcript, later": (disk, "append", 8, 0),
    "csv": (metrics, "append", 5, 0),
    "evaluation": (learning, "write_json", 1, 0),
    "video": (encoding, "write", 1, 4096),
    "report": (page, "write_atomically", 1, 4096),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_full_disk_is_one_line_and_the_run_goes_on_when_there_is_room(
    step: str, small_disk: Path, flags, whole: Path, monkeypatch, capfd, ledger: Ledger
) -> None:
    module, name, at, left = STEPS[step]
    real, calls = getattr(module, name), []

    def filling(*args, **options):
        calls.append(name)
        if len(calls) == at:
            fill(small_disk, left)
        return real(*args, **options)

    ledger.begin("full disk")
    folder = small_disk / "run"
    with monkeypatch.context() as patch:
        patch.setattr(module, name, filling)
        code, words = run_here(folder, *flags)
    words += "".join(capfd.readouterr())
    assert code == 1, words
    stopped = [line for line in words.splitlines() if line.startswith("Stopped:")]
    assert len(stopped) == 1 and os.strerror(errno.ENOSPC) in stopped[0], words
    assert " MB" in stopped[0] and "Make room on the disk" in stopped[0]
    assert f"Go on with: python -m experiments.main --workdir={folder} --resume" in words
    (small_disk / "ballast").unlink()
    code, more = run_here(folder, "--resume")
    assert code == 0, more
    ledger.end(words + more, lost_in(folder, whole))
    assert not list(folder.rglob("*.part*")) and not list(folder.rglob("part.*"))


def test_orbax_itself_out_of_room_is_one_line(
    small_disk: Path, flags, whole: Path, monkeypatch, ledger: Ledger
) -> None:
    """Somebody else takes the room after it was asked for."""
    ledger.begin("full disk")
    noise = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: noise.append(f"Traceback {told}"))
    folder, real = small_disk / "run", disk.check_room

    def taken(path, num_bytes):
        real(path, num_bytes)
        fill(small_disk, 20_000)

    with monkeypatch.context() as patch:
        patch.setattr(disk, "check_room", taken)
        code, words = run_here(folder, *flags)
    assert code == 1 and "the checkpoint was not written" in words
    time.sleep(0.5)  # of threads that end later
    words += "".join(noise)
    (small_disk / "ballast").unlink()
    code, more = run_here(folder, "--resume")
    assert code == 0, more
    ledger.end(words + more, lost_in(folder, whole))
