"""A comparison groups runs by all but the seed, and tells what differs."""

import json
import sys
from pathlib import Path

import pytest

from experiments.compare import __main__ as command
from experiments.compare.groups import group
from experiments.study import pooled
from rlgpt_jax.rl.evaluate.report import wilson
from tests.experiments import run_folder


def make(folder: Path, seed: int, mode: str, successes: int, **fields) -> Path:
    """A finished run; `fields` go over its configuration."""
    run_folder.make(folder)
    saved = json.loads((folder / "config.json").read_text())
    saved["config"] |= {"seed": seed, "loop": {"mode": mode}, **fields}
    run_folder.write(folder / "config.json", saved)
    report = {**run_folder.evaluation(2), "successes": successes}
    run_folder.write(folder / "final_eval.json", report)
    return folder


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Three seeds with the agents, three with other code, fewer successes and fewer ticks."""
    good = [make(tmp_path / f"a{s}", s, "rl_gpt", 150 + s) for s in range(3)]
    bad = [make(tmp_path / f"b{s}", s, "pure_rl", 50 + s) for s in range(3)]
    for folder in bad:
        run_folder.write(folder / "iterations/2/macros/find_cow/try0.py", "def find_cow(obs): 1")
        rows = (folder / "metrics.csv").read_text().splitlines()
        run_folder.write(folder / "metrics.csv", "\n".join(rows[:60]) + "\n")
    return [*good, *bad]


def test_runs_that_differ_in_their_seed_are_one_group(folders: list[Path]) -> None:
    first, second = group([*folders, folders[0]])
    assert (first.label, second.label) == ("loop.mode=rl_gpt", "loop.mode=pure_rl")
    assert len(first.runs) == 3  # a folder that is given twice counts once


def test_groups_that_differ_in_much_have_the_names_of_their_configurations(tmp_path: Path) -> None:
    ppo = {"num_envs": 3, "learning_rate": 1, "target_kl": 2, "epochs": 5}
    runs = [make(tmp_path / "a", 0, "rl_gpt", 9), make(tmp_path / "b", 0, "rl_gpt", 9, ppo=ppo)]
    assert [one.label for one in group(runs)] == ["harvest_milk 1", "harvest_milk 2"]
    paths = [f"/home/me/rlgpt_jax/studies/tables/runs/rl_gpt-seed{i}" for i in (0, 1)]
    alike = [make(tmp_path / f"c{i}", i, "pure_rl", 9, set_up=paths[i]) for i in (0, 1)]
    assert [one.label for one in group(alike)] == ["harvest_milk 1", "harvest_milk 2"]
    changed = json.loads((runs[1] / "config.json").read_text())
    changed["config"]["task"] = "harvest_wool"
    run_folder.write(runs[1] / "config.json", changed)
    found = [(one.variant, one.label) for one in group(runs)]
    assert found == [
        ("harvest_milk", "harvest_milk: harvest_milk"),
        ("harvest_milk", "harvest_wool: harvest_milk"),
    ]


def test_a_page_has_intervals_curves_settings_and_code(
    folders: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    pytest.importorskip("rliable")
    monkeypatch.setattr(pooled, "REPS", 100)
    (folders[-1] / "result.json").unlink()  # this one was killed
    folders = [*folders, make(tmp_path / "b3", 3, "pure_rl", 53)]
    out = tmp_path / "out"
    assert command.main([*map(str, folders), f"--out={out}"]) == 0
    text = (out / "compare.md").read_text()
    assert text.splitlines()[0] == "# Runs compared" and "loop.mode | rl_gpt | pure_rl" in text
    row = next(
        line for line in text.splitlines() if line.startswith("| harvest_milk | loop.mode=p")
    )
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    assert cells[2] == "0, 1, 3" and cells[4] == "25.7"
    assert cells[7].startswith("25.7 (") and cells[8].startswith("-49.8 (")
    assert cells[8].endswith("worse") and cells[9].startswith("0.0 (")
    assert "+def find_cow(obs): 1" in text
    assert f"Not finished, so not in the table: {folders[5]}" in capsys.readouterr().out
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert "loop.mode=pure_rl" in (out / "curves.svg").read_text()


def test_a_smoke_run_is_marked_and_the_interval_of_its_report_stands_beside(
    tmp_path: Path, capsys
) -> None:
    folder = make(tmp_path / "a", 0, "pure_rl", 2)
    saved = json.loads((folder / "config.json").read_text())
    run_folder.write(folder / "config.json", {**saved, "smoke": True})
    low, high = wilson(2, 8)
    report = {"num_episodes": 8, "success_low": low, "success_high": high}
    worlds = {"by_world": {"0": [2, 2], "1": [0, 2], "2": [0, 2], "3": [0, 2]}}
    saved = json.loads((folder / "final_eval.json").read_text())
    run_folder.write(folder / "final_eval.json", {**saved, **report, **worlds})
    out = tmp_path / "out"
    assert command.main([str(folder), f"--out={out}"]) == 0
    for told in (capsys.readouterr().out, (out / "compare.md").read_text()):
        assert f"Smoke runs, whose numbers mean nothing: {folder}" in told
        assert "| harvest_milk (smoke run) |" in told and "(in its report 7.1 to 59.1)" in told


def test_numbers_of_a_simulator_say_what_it_stands_for(tmp_path: Path, capsys) -> None:
    folder = make(tmp_path / "a", 0, "rl_gpt", 2, world="control", task="assembly")
    assert command.main([str(folder), f"--out={tmp_path / 'out'}"]) == 0
    for told in (capsys.readouterr().out, (tmp_path / "out/compare.md").read_text()):
        assert "assembly is measured in Meta-World, in place of furniture assembly" in told


def test_without_rliable_a_line_says_so(
    folders: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setitem(sys.modules, "rliable", None)
    assert command.main([str(folders[0]), str(folders[3]), f"--out={tmp_path / 'o'}"]) == 0
    assert "No IQM: that needs rliable" in capsys.readouterr().out


def test_a_folder_without_a_run_is_one_line(tmp_path: Path, capsys) -> None:
    assert command.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path} holds no config.json")
    assert command.main(["--out=x"]) == 2
