"""PPO alone with what agents have set of the training."""

import dataclasses
from pathlib import Path

import pytest

from experiments import flags, set_up
from experiments.values import ConfigError
from rlgpt_jax.loop.record import RunFolder, write_json
from rlgpt_jax.rl.interface import DEFAULT, RewardTerms, RLInterface, TrainingTask

ASKED = RLInterface(
    task=TrainingTask(horizon=50, start_items=(("bucket", 1),)), primitives=("forward", "use"),
    observation=("compass", "rays"), macros=("walk",), ticks=1000, stop_at_success=0.9,
    network="fresh",
    reward=RewardTerms(step_cost=0.1, items=(("milk_bucket", 2.0),)), reasoning="As planned.",
)  # fmt: skip
PURE = "--config.loop.mode=pure_rl"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    write_json(tmp_path / "run/result.json", {"best_iteration": 1})
    write_json(tmp_path / "run/iterations/1/interface.json", dataclasses.asdict(ASKED))
    return tmp_path / "run"


def test_it_is_the_best_iteration_s_with_primitives_for_macros_and_ticks_of_its_own(
    run: Path,
) -> None:
    expected = dataclasses.replace(
        ASKED, macros=None, primitives=None, ticks=None, stop_at_success=None, network=None
    )
    assert set_up.read(run) == expected
    theirs = dataclasses.replace(expected, primitives=ASKED.primitives)
    assert set_up.read(run, primitives=True) == theirs


def test_a_run_keeps_what_it_took(run: Path, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "mine")
    assert set_up.take("", folder) == DEFAULT and not folder.path(set_up.COPY).exists()
    taken = set_up.take(str(run), folder)
    (run / "result.json").unlink()
    assert set_up.take(str(run), folder) == taken and taken.observation == ("compass", "rays")


def test_a_run_may_take_their_primitives_too(run: Path, tmp_path: Path) -> None:
    argv = [PURE, "--config=harvest_milk", f"--config.set_up={run}"]
    config = flags.parse([*argv, "--config.set_up_primitives=true"]).config
    folder = RunFolder(tmp_path / "mine")
    taken = set_up.take(config.set_up, folder, config.set_up_primitives)
    assert taken.primitives == ASKED.primitives and taken.macros is None
    assert set_up.take(str(run), folder) == taken  # resumed: as it was taken
    with pytest.raises(ConfigError, match="give --config.set_up=RUN too"):
        flags.parse([PURE, "--config=harvest_milk", "--config.set_up_primitives=true"])


def test_it_is_for_ppo_alone_and_for_finished_runs(run: Path) -> None:
    argv = ["--config=harvest_milk", f"--config.set_up={run}"]
    assert flags.parse([*argv, PURE]).config.set_up == str(run)
    with pytest.raises(ConfigError, match="is for loop.mode=pure_rl"):
        flags.parse(argv)
    write_json(run / "iterations/1/interface.json", {"ticks": 3, "other": 1})
    with pytest.raises(ConfigError, match="need the folder of a finished run with agents"):
        flags.parse([*argv, PURE])
    with pytest.raises(ConfigError, match="need the folder of a finished run"):
        flags.parse(["--config=harvest_milk", PURE, "--config.set_up=nowhere"])


def test_it_is_of_the_same_task_and_sight(run: Path) -> None:
    write_json(run / "config.json", {"config": {"task": "harvest_milk", "sight": "rays"}})
    argv = [PURE, f"--config.set_up={run}"]
    assert flags.parse(["--config=harvest_milk", "--config.sight=rays", *argv])
    for name, other in (("harvest_milk", "sight=rays"), ("harvest_log", "task=harvest_milk")):
        with pytest.raises(ConfigError, match=f"that run has .*{other}.*of the same"):
            flags.parse([f"--config={name}", *argv])
