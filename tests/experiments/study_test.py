"""A study skips what is done, resumes what was killed, and pools what it finds."""

import json
from pathlib import Path

import pytest

from experiments.study import __main__ as command
from experiments.study.figure import write_figure
from experiments.study.runs import Run, plan_runs, run_all
from experiments.study.table import bootstrap, collect, markdown, pooled
from experiments.values import ConfigError
from tests.experiments import run_folder


def finished(out: Path, mode: str, seed: int) -> None:
    folder = run_folder.make(out / "runs" / f"harvest_milk-{mode}-seed{seed}")
    result = json.loads((folder / "result.json").read_text())
    run_folder.write(folder / "result.json", {**result, "ticks": 600_030})


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    for seed in (0, 1):
        finished(tmp_path, "rl_gpt", seed)
    return plan_runs(tmp_path, ["harvest_milk"], ["rl_gpt", "pure_rl"], [0, 1])


def test_episodes_of_all_seeds_are_pooled(runs: list[Run]) -> None:
    (record,) = collect(runs)
    assert record["mode"] == "rl_gpt" and record["seeds"] == [0, 1]
    assert record["final"]["rate"] == pytest.approx(262 / 400)
    low, high = record["final"]["wilson"]
    assert low < 262 / 400 < high and high - low < 0.1
    assert [round(p["rate"], 3) for p in record["validation_by_iteration"]] == [0.31, 0.48, 0.655]
    assert "| harvest_milk | rl_gpt | 2 | 600,030 | 65.5 |" in markdown([record])


def test_the_bootstrap_spans_the_seeds_and_is_a_point_when_they_agree() -> None:
    assert bootstrap([0.5, 0.5, 0.5]) == (0.5, 0.5)
    low, high = bootstrap([0.2, 0.5, 0.8])
    assert 0.19 < low < 0.5 < high < 0.81


def test_pooling_weighs_episodes_not_seeds() -> None:
    reports = [dict(successes=1, num_episodes=2, success_rate=0.5),
               dict(successes=6, num_episodes=6, success_rate=1.0)]
    assert pooled(reports)["rate"] == 7 / 8


def test_done_runs_are_skipped_and_killed_ones_resumed(
    runs: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(
        "experiments.study.runs._run", lambda run, extra, jobs: started.append(run.name) or False
    )
    failed = run_all(runs, [], 2, lambda run, words: None)
    assert sorted(started) == [f"harvest_milk pure_rl seed {seed}" for seed in (0, 1)]
    assert [run.mode for run in failed] == ["pure_rl", "pure_rl"]
    fresh = Run("harvest_milk", "pure_rl", 0, tmp_path / "none")
    assert "--config.loop.mode=pure_rl" in fresh.command(["--smoke"])
    assert fresh.command(["--smoke"])[-1] == "--smoke"
    assert runs[0].command(["--smoke"])[-1] == "--resume"


def test_a_figure_is_drawn_from_what_is_done(runs: list[Run], tmp_path: Path) -> None:
    write_figure(tmp_path / "curves.png", runs)
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    write_figure(tmp_path / "none.png", [run for run in runs if not run.is_done])
    assert not (tmp_path / "none.png").exists()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--tasks=harvest_mlk"], "Did you mean harvest_milk"),
        (["--modes=pure_lr"], "Did you mean pure_rl"),
        (["--seeds=a"], "need whole numbers"),
        (["--tasks=harvest_milk", "--modes=pure_rl", "--config.ppo.num_env=3"], "num_envs"),
    ],
)
def test_mistakes_are_found_before_any_run(argv: list[str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        command.parse(argv)
