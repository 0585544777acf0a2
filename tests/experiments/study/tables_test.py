"""The numbers of the tables, from run folders made by hand."""

import csv
import dataclasses
import io
import json
from pathlib import Path

import pytest

from experiments.study import page
from experiments.study.cells import Cell
from experiments.study.controls import controls
from experiments.study.figure import _colours, curves_figure
from experiments.study.finished import curve_of, ticks_of
from experiments.study.intervals import counts_of, difference
from experiments.study.iterations import against_pure_rl, iterations
from experiments.study.measured import Measured, measure
from experiments.study.overview import overview
from experiments.study.runs import plan_runs
from experiments.study.table import Table
from tests.experiments import run_folder

LOG, PURE, COLD = (Cell("harvest_log", v) for v in ("rl_gpt", "pure_rl", "cold"))
HELD_OUT = {  # successes of 200 by seed and iteration
    LOG: ((20, 80, 160), (40, 90, 180)),
    PURE: ((0, 0, 0), (0, 0, 2)),
    COLD: ((100, 60, 100), (100, 80, 100)),
}


@pytest.fixture
def measured(tmp_path: Path) -> dict[Cell, Measured]:
    runs = plan_runs(tmp_path, list(HELD_OUT), [0, 1])
    for run in runs:
        run_folder.make(run.folder)
        run_folder.add_held_out(run.folder, HELD_OUT[run.cell][run.seed], 0.05 * (1 + run.seed))
    return measure(runs)


def rows(table: Table) -> dict[str, dict[str, str]]:
    """Rows by their first two cells, each by column."""
    return {f"{row[0]} {row[1]}": dict(zip(table.columns, row, strict=True)) for row in table.rows}


def test_what_is_measured_is_sorted_by_iteration_and_seed(measured: dict[Cell, Measured]) -> None:
    m = measured[LOG]
    assert m.seeds == (0, 1) and m.best == (2, 2) and m.task == "harvest_milk"
    assert [[r["successes"] for r in reports] for reports in m.held_out] == [
        [20, 40], [80, 90], [160, 180]
    ]  # fmt: skip
    assert all(r["split"] == "eval" for r in m.last)
    assert [r["successes"] for r in m.validation[0]] == [62, 62]


def test_ticks_are_those_at_the_end_of_each_iteration(tmp_path: Path) -> None:
    text = "iteration,update,ticks\n0,1,100\n0,2,200\n1,3,300\n"
    run_folder.write(tmp_path / "metrics.csv", text)
    assert ticks_of(tmp_path, 3) == [200, 300, 300]
    assert ticks_of(tmp_path / "none", 2) == [0, 0]


def test_a_figure_is_drawn_also_where_no_training_episode_has_ended(
    measured: dict[Cell, Measured], tmp_path: Path
) -> None:
    text = "iteration,update,ticks,success_rate\n0,1,100,\n1,2,200,\n"
    runs = plan_runs(tmp_path, [COLD], [0, 1])
    run_folder.write(runs[0].folder / "metrics.csv", text)
    assert curve_of(runs[0].folder) == [[], []]
    png, svg = curves_figure(tmp_path / "out", [measure(runs)[COLD], measured[LOG]])
    assert png.read_bytes().startswith(b"\x89PNG") and "cold" in svg.read_text()


def test_a_variant_has_its_own_colour_in_every_panel(measured: dict[Cell, Measured]) -> None:
    named = ("mineagent", "mineagent_autocraft", "code_alone", "rl_gpt", "agents_setup")
    cells = [Cell("harvest_log", v) for v in named] + [Cell("harvest_milk", v) for v in named[2:]]
    colours = _colours([dataclasses.replace(measured[LOG], cell=cell) for cell in cells])
    assert list(colours) == list(named) and len(set(colours.values())) == len(named)


def test_the_table_of_iterations_tells_iteration_from_training(
    measured: dict[Cell, Measured],
) -> None:
    table = iterations(measured.values())
    found = rows(table)
    log, pure, cold = (found[f"harvest_log {v}"] for v in ("rl_gpt", "pure_rl", "cold"))
    assert log["iteration 0"].startswith("15.0 (") and log["iteration 2"].startswith("85.0 (")
    assert log["last minus first"].startswith("+70.0 (+")
    assert (log["what changes"], log["verdict"]) == ("plans, code and training", "rises")
    assert (pure["what changes"], pure["verdict"]) == ("training alone", "cannot be told")
    assert (cold["what changes"], cold["verdict"]) == ("plans and code alone", "cannot be told")
    assert log["ticks trained"] == "200k → 400k → 600k"
    assert cold["ticks trained"] == "200k, 200k, 200k"
    assert "trained longer" in table.words and "cold" in table.words


def test_the_difference_has_the_interval_of_its_record(measured: dict[Cell, Measured]) -> None:
    records = [r for r in iterations(measured.values()).records if r["variant"] == "rl_gpt"]
    assert [r["iteration"] for r in records] == [0, 1, 2]
    assert [r["rate"] for r in records] == [0.15, 0.425, 0.85]
    last = records[-1]
    assert last["minus_first"] == pytest.approx(0.7)
    assert 0.6 < last["minus_first_low"] < 0.7 < last["minus_first_high"] < 0.8
    assert last["by_seed"] == [0.8, 0.9] and last["episodes"] == 400


def test_rl_gpt_stands_beside_each_of_its_controls(
    measured: dict[Cell, Measured], tmp_path: Path
) -> None:
    own = plan_runs(tmp_path / "code", [Cell("harvest_log", "pure_code")], [0, 1])
    for run in own:
        run_folder.make(run.folder, num_iterations=1)
        run_folder.add_held_out(run.folder, (62,))
    runs = plan_runs(tmp_path, list(HELD_OUT), [0, 1])
    for path in [run.folder / "result.json" for run in runs if run.cell == LOG]:
        result = json.loads(path.read_text())
        run_folder.write(path, {**result, "sight": "rays", "trial_ticks": 7000})
    table = controls({**measure(runs), **measure(own)})
    found = {row[2]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert list(found) == ["rl_gpt", "cold", "pure_rl", "pure_code", "its code"]
    assert found["rl_gpt"]["success"].startswith("65.5 (") and found["rl_gpt"]["sight"] == "rays"
    assert found["rl_gpt"]["trial steps"] == "7,000" and found["rl_gpt"]["verdict"] == "–"
    assert found["its code"]["success"].startswith("4.5 (")
    assert found["its code"]["rl_gpt minus it"].startswith("+61.0 (+")
    assert found["its code"]["verdict"] == found["pure_code"]["verdict"] == "better"
    assert found["cold"]["verdict"] == "cannot be told"
    assert found["pure_code"]["training steps"] == "0"
    assert table.records[-1]["minus"] == pytest.approx(0.61)


def test_agents_are_set_against_training_alone(measured: dict[Cell, Measured]) -> None:
    found = rows(against_pure_rl(measured))
    assert list(found) == [f"harvest_log {i}" for i in range(3)]
    assert found["harvest_log 2"]["difference"] == "+84.5"
    assert found["harvest_log 2"]["verdict"] == "better"


def test_a_control_of_the_same_seeds_is_paired_by_seed(measured: dict[Cell, Measured]) -> None:
    ours, theirs = (counts_of(measured[cell].last) for cell in (LOG, PURE))
    told, apart = (difference(ours, theirs, paired) for paired in (True, False))
    last = against_pure_rl(measured).records[-1]
    assert (last["low"], last["high"]) == (told.low, told.high) != (apart.low, apart.high)
    assert told.high == 1.0  # two seeds tell little, but no difference is larger


def test_the_overview_is_of_the_chosen_iteration(measured: dict[Cell, Measured]) -> None:
    found = rows(overview(measured.values()))
    row = found["harvest_log rl_gpt"]
    assert row["success"] == "65.5" and row["validation by iteration"] == "31.0 → 48.0 → 65.5"
    assert row["training steps"] == "600,030"


def test_a_csv_holds_every_record_with_all_digits(measured: dict[Cell, Measured]) -> None:
    table = iterations(measured.values())
    lines = list(csv.DictReader(io.StringIO(table.csv())))
    assert len(lines) == len(table.records) == 9
    assert float(lines[0]["rate"]) == table.records[0]["rate"]
    assert lines[0]["minus_first"] == "" and lines[0]["by_seed"] == "0.1 0.2"


def test_words_of_models_do_not_break_a_table() -> None:
    table = Table("t", "T", "w", ("a",), (("x | y\nz",),), ())
    assert "| x \\| y z |" in table.markdown()


def test_a_long_task_is_told_by_its_sub_tasks_and_has_no_iterations(tmp_path: Path) -> None:
    runs = plan_runs(tmp_path, [Cell("craft_wooden_pickaxe", "rl_gpt")], [0, 1])
    for run, successes in zip(runs, (50, 70), strict=True):
        rate = successes / 200
        whole = {**run_folder.evaluation(0), "successes": successes, "success_rate": rate}
        parts = [
            {"name": "log", "solve": "learn", "in_chain": {"reached": 180},
             "alone": {"success_rate": 0.95, "num_episodes": 200}},
            {"name": "pickaxe", "solve": "code", "in_chain": {"reached": successes},
             "alone": {"success_rate": 0.5, "num_episodes": 200}},
            {"name": "find", "solve": "loop", "in_chain": {"reached": 200}, "alone": None},
        ]  # fmt: skip
        run_folder.write(run.folder / "config.json", {"name": "x", "config": {}})
        run_folder.write(run.folder / "final_eval.json", whole)
        run_folder.write(run.folder / "validation_eval.json", whole)
        result = {"planner": True, "ticks": 900, "sub_tasks": parts, "wall_seconds": {"train": 5.0}}
        run_folder.write(run.folder / "result.json", result)
        assert run.is_done
    found = measure(runs)
    tables = {t.name: t for t in page.free_tables(found) if t.rows}
    rows_of = {row[2]: row for row in tables["chains"].rows}
    assert rows_of["whole task"][5].startswith("30.0 (")
    assert rows_of["log"][4].startswith("95.0 (") and rows_of["log"][5].startswith("90.0 (")
    assert rows_of["find"][4] == "–" and rows_of["find"][5].startswith("100.0 (")
    assert rows_of["pickaxe"][3] == "code" and "iterations" not in tables
