"""Worker processes: what they are given, what a launch that fails leaves, and how they end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rlgpt_jax.envs.minedojo import link as links
from rlgpt_jax.envs.minedojo.config import PYTHON_VARIABLE, MineDojoConfig
from rlgpt_jax.envs.minedojo.failures import WorkerFailed
from rlgpt_jax.envs.minedojo.launcher import Local
from rlgpt_jax.envs.minedojo.link import FOLDER_VARIABLE, LocalLink
from tests.envs.minedojo import doubles

# Stands for the interpreter: says that it runs, and takes its leave when it is asked to end.
PROGRAM = """#!/bin/sh
trap 'touch "$SIGNS/ended"; exit' TERM
sleep 600 &
touch "$SIGNS/runs"
wait
"""


def program(path: Path, text: str = PROGRAM) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def config(tmp_path: Path) -> MineDojoConfig:
    return MineDojoConfig(python=str(program(tmp_path / "python")))


def started(config: MineDojoConfig, signs: Path, **environment: str) -> tuple[Local, LocalLink]:
    """A worker that runs the program."""
    launcher = Local(config, {"SIGNS": str(signs), **environment})
    link = launcher.start(0)
    appears(signs / "runs")
    return launcher, link


def appears(path: Path) -> None:
    end = time.monotonic() + 30.0
    while not path.exists():
        assert time.monotonic() < end, f"no {path}"
        time.sleep(0.01)


def environment_of(link: LocalLink) -> dict[str, str]:
    """A new program has none for a moment after `Popen` has returned."""
    end = time.monotonic() + 60
    while not (read := Path(f"/proc/{link.process.pid}/environ").read_bytes()):
        assert time.monotonic() < end
    rows = read.decode().split("\0")
    return dict(row.split("=", 1) for row in rows if row)


# --- how it is started ---
def test_an_interpreter_and_a_log_folder_may_be_named_from_where_the_run_is(tmp_path, monkeypatch):
    """Workers run in folders of their own, where a relative path would lead elsewhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    os.symlink(sys.executable, "bin/python")
    world = doubles.make(tmp_path, num_envs=1, python="bin/python", log_folder="logs")
    assert world.reset(0).position.shape == (1, 3)
    found = world.lanes[0].link.folder
    assert found.is_absolute() and found.parent == tmp_path / "logs"
    world.close()
    assert [path.name for path in (tmp_path / "logs").glob("worker0_*/*")] == ["worker.log"]


def test_an_interpreter_is_a_file_and_its_path_is_absolute_but_not_that_of_a_link(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    os.symlink(sys.executable, "python")
    assert MineDojoConfig(python="python").interpreter() == tmp_path / "python"
    monkeypatch.setenv(PYTHON_VARIABLE, "python")
    assert MineDojoConfig().interpreter() == tmp_path / "python"
    with pytest.raises(ValueError, match="no interpreter at"):
        MineDojoConfig(python=str(tmp_path)).interpreter()  # a folder can be entered, not run


def test_a_worker_that_cannot_be_started_is_one_clear_error_and_leaves_nothing(tmp_path):
    python = program(tmp_path / "python", "#!/nowhere/interpreter\n")
    kept = tmp_path / "logs"
    config = MineDojoConfig(python=str(python), log_folder=str(kept))
    before = len(os.listdir("/proc/self/fd"))
    world = doubles.HostMineDojo(doubles.LOG, 1, config)
    with pytest.raises(WorkerFailed, match="lane 0 cannot be started: .*doctor"):
        world.reset(0)
    assert len(os.listdir("/proc/self/fd")) == before
    assert not list(kept.glob("worker0_*/tmp"))
    world.close()


def test_packages_of_the_learner_s_python_are_not_the_worker_s(config, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/learner")
    monkeypatch.setenv("PYTHONHOME", "/learner")
    launcher, link = started(config, tmp_path)
    found = environment_of(link)
    assert "PYTHONPATH" not in found and "PYTHONHOME" not in found
    assert found["PATH"] == os.environ["PATH"]
    launcher.close()
    launcher, link = started(config, tmp_path, PYTHONPATH="/asked/for")
    assert environment_of(link)["PYTHONPATH"] == "/asked/for"
    launcher.close()


@pytest.mark.parametrize(("headless", "told"), [(True, "1"), (False, "0")])
def test_the_game_has_the_display_of_the_settings_whatever_is_exported(
    tmp_path, monkeypatch, headless, told
):
    monkeypatch.setenv("MINEDOJO_HEADLESS", "0" if headless else "1")
    python = program(tmp_path / "python")
    launcher, link = started(MineDojoConfig(python=str(python), headless=headless), tmp_path)
    assert environment_of(link)["MINEDOJO_HEADLESS"] == told
    launcher.close()


# --- how it ends ---
def test_at_the_end_games_are_asked_to_end_before_they_are_killed(config, tmp_path):
    launcher, link = started(config, tmp_path)
    pids = links.marked(link.folder)
    assert len(pids) == 2  # the program and its `sleep`
    launcher.close()
    assert (tmp_path / "ended").exists() and not links.marked(link.folder)
    assert not link.folder.exists()


def test_who_does_not_end_when_asked_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(links, "GRACE_SECONDS", 0.2)
    deaf = "#!/bin/sh\ntrap '' TERM\ntouch $SIGNS/runs\nsleep 600\n"
    config = MineDojoConfig(python=str(program(tmp_path / "python", deaf)))
    launcher, link = started(config, tmp_path)
    launcher.close()
    assert not links.marked(link.folder) and link.process.returncode == -signal.SIGKILL


def test_a_process_that_comes_while_others_are_killed_is_killed_too(config, tmp_path, monkeypatch):
    launcher, link = started(config, tmp_path)
    late = subprocess.Popen(["sleep", "600"], env={**os.environ, FOLDER_VARIABLE: str(link.folder)})
    real, looks = links.marked, []

    def marked(*folders: Path) -> list[int]:
        looks.append(folders)
        return [pid for pid in real(*folders) if len(looks) > 1 or pid != late.pid]

    monkeypatch.setattr(links, "marked", marked)
    try:
        link.kill()
        assert late.wait(timeout=5.0) == -signal.SIGKILL
    finally:
        late.kill()
        launcher.close()
