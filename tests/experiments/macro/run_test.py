"""Macros run in a world: numbers, a video, bad arguments, and a run with a library."""

import dataclasses
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import imageio.v2 as imageio
import numpy as np
import pytest

from experiments import flags
from experiments import run as main_run
from experiments.configs import base
from experiments.films import encoding
from experiments.macro import __main__ as command
from experiments.macro import film, run
from experiments.values import ConfigError
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.loop.library import store
from rlgpt_jax.loop.record import RunFolder
from tests.envs.voxel import worlds
from tests.macros.accept_test import WALK


@pytest.fixture(scope="module")
def world() -> HostVoxel:
    """Flat ground with a cow."""
    return worlds.with_a_cow()


MILK = """
def milk(obs):
    obs = yield from scan_for(obs, "cow")
    obs = yield from use_on(obs, "cow")
    if obs.count("bucket") == 0:
        x = 1 / (obs.count("bucket") * obs.life)
"""


def test_a_macro_runs_as_pure_code_with_numbers_and_a_video(
    tmp_path: Path, world: HostVoxel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(run, "make_world", lambda config, split, lanes: world)
    monkeypatch.setattr(film, "MAX_TICKS", 30)  # drawing is slow
    path, mp4, out = tmp_path / "milk.py", tmp_path / "milk.mp4", tmp_path / "milk.json"
    path.write_text(MILK)
    assert command.main([
        "run", str(path), "--task=harvest_milk", "--episodes=3", "--skills", "--tick-limit=60",
        f"--video={mp4}", f"--json={out}",
    ]) == 0  # fmt: skip
    found = json.loads(out.read_text())
    assert found["episodes"] == 3 and found["macro"] == "milk"
    assert found["successes"] == round(3 * found["success_rate"])
    assert sum(found["ends"].values()) == found["activations"] >= 3
    assert found["ends"]["trapped"] == sum(found["mistakes"].values())
    shown = capsys.readouterr().out
    assert f"{found['successes']} of 3" in shown and "Video" in shown
    with encoding.quiet_fork():
        reader: Any = imageio.get_reader(mp4)
        count = reader.count_frames()
        first, last = reader.get_data(0), reader.get_data(count - 1)
        reader.close()
    assert first.shape[1] == 832 and count > 20 and (first != last).any()


def test_the_same_seed_gives_the_same_numbers(
    tmp_path: Path, world: HostVoxel, monkeypatch: pytest.MonkeyPatch, walk: str
) -> None:
    monkeypatch.setattr(run, "make_world", lambda config, split, lanes: world)
    files = [tmp_path / f"{i}.json" for i in range(3)]
    argv = ["run", walk, "--task=harvest_milk", "--episodes=2"]
    for path, seed in zip(files, (5, 5, 6), strict=True):
        assert command.main([*argv, f"--seed={seed}", f"--json={path}"]) == 0
    first, second, other = (json.loads(path.read_text()) for path in files)
    assert first == second and first["seed"] != other["seed"]
    # An activation takes 6 ticks, of which craft takes 3.
    assert first["ends"]["returned"] == 2 * (first["ticks_of_episodes"]["greatest"] // 6)


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("--task=harvest_logg", "no such configuration or task. Did you mean harvest_log"),
        ("--episodes=0", "must be at least 1"),
        ("--tick-limit=0", "--tick-limit=0: must be in 1..72000"),
        ("--tick-limit=99999999999", "must be in 1..72000"),
        ("--seed=-1", "must be in 0.."),
        ("--video=a.gif", ".mp4"),
    ],
)
def test_bad_arguments_of_run_give_one_line(
    walk: str, flag: str, words: str, capsys: pytest.CaptureFixture
) -> None:
    assert command.main(["run", walk, "--task=harvest_log", flag]) == 2
    error = capsys.readouterr().err
    assert words in error and error.startswith("error: ") and error.count("\n") == 1


def test_two_films_are_one_as_long_as_the_longer() -> None:
    long, short = [np.full((2, 4, 3), i, np.uint8) for i in range(5)], [np.zeros((2, 4, 3))] * 2
    joined = film.above_each_other([long, short])
    assert len(joined) == 5 and joined[4].shape == (4, 4, 3) and joined[4][0, 0, 0] == 4


# --- a run with a library ------------------------------------------------------------
def config_with(folder: Path) -> base.Config:
    config = base.for_task("harvest_milk")
    macros = dataclasses.replace(config.macros, library=str(folder))
    return dataclasses.replace(config, macros=macros)


def test_a_run_reads_its_own_copy_of_the_library(tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    told: list[str] = []
    display: Any = SimpleNamespace(say=told.append)
    store.add(
        folder,
        [
            store.Entry("walk", WALK),
            store.Entry("rays", WALK.replace("def walk(obs):", "def rays(obs):\n    r = obs.rays")),
        ],
    )
    run_folder = RunFolder(tmp_path / "run")
    offer = main_run.take_library(config_with(folder), run_folder, display)
    assert [fate.name for fate in offer.macros] == ["walk"]
    assert any("left out" in line and "rays: refused at sensor" in line for line in told)
    shutil.rmtree(folder)
    assert main_run.take_library(config_with(folder), run_folder, display) == offer


def test_a_library_that_cannot_be_read_is_refused_before_jax_is_needed(tmp_path: Path) -> None:
    flag = f"--config.macros.library={tmp_path / 'absent'}"
    with pytest.raises(ConfigError, match="--config.macros.library: .*no such folder"):
        flags.parse(["--config=harvest_milk", f"--workdir={tmp_path / 'run'}", flag])
    with pytest.raises(ConfigError, match="macros.library names no folder"):
        flags.parse(["--config=harvest_milk", "--config.macros.offer=walk"])
