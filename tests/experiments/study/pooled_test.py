"""Tasks pooled: the numbers are rliable's, and what is missing is said in a line."""

import sys
from pathlib import Path

import numpy as np
import pytest

from experiments.study import pooled
from experiments.study.cells import Cell
from experiments.study.measured import Measured, measure
from experiments.study.runs import Run, plan_runs
from experiments.tables.names import CONTROLS
from tests.experiments import run_folder

TASKS = ("harvest_milk", "harvest_log")
SUCCESSES = {  # of 200, [task][seed]
    "rl_gpt": ((150, 160, 170), (190, 198, 200)),
    "cold": ((140, 150, 180), (198, 170, 200)),
    "pure_rl": ((100, 110, 90), (0, 0, 2)),
    "its code": ((9, 9, 9), (180, 190, 199)),
}


def recorded(folder: Path, seeds: tuple[int, ...] = (0, 1, 2)) -> list[Run]:
    """Finished runs of RL-GPT and two controls; the others were not run."""
    named = [Cell(task, variant) for task in TASKS for variant in list(SUCCESSES)[:3]]
    runs = plan_runs(folder, named, seeds)
    for run in runs:
        task = run.cell.config
        run_folder.make(run.folder)
        run_folder.add_held_out(run.folder, (0, 0, 0))
        for file, variant in (("final", run.cell.variant), ("coded_parts", "its code")):
            count = SUCCESSES[variant][TASKS.index(task)][run.seed]
            report = {**run_folder.evaluation(2), "task": task, "successes": count}
            run_folder.write(run.folder / f"{file}_eval.json", report)
    return runs


def scores(variant: str) -> np.ndarray:
    return np.array(SUCCESSES[variant]).T / 200


@pytest.fixture
def measured(tmp_path: Path) -> dict[Cell, Measured]:
    return measure(recorded(tmp_path))


def test_the_numbers_are_those_of_rliable(
    measured: dict[Cell, Measured], monkeypatch: pytest.MonkeyPatch
) -> None:
    library, metrics = (pytest.importorskip(f"rliable.{name}") for name in ("library", "metrics"))
    monkeypatch.setattr(pooled, "REPS", 100)
    table = pooled.pooled(measured, CONTROLS)
    found = {record["variant"]: record for record in table.records}
    assert list(found) == ["rl_gpt", "cold", "pure_rl", "its code"]
    for variant, record in found.items():
        assert record["iqm"] == metrics.aggregate_iqm(scores(variant))
        assert (record["tasks"], record["seeds"]) == (2, 3)
    # By hand: the middle four of six; of 9 pairs of seeds 5.5 and 5 are won, ties as halves.
    assert found["rl_gpt"]["iqm"] == pytest.approx((0.80 + 0.85 + 0.95 + 0.99) / 4)
    assert found["cold"]["above"] == pytest.approx((5.5 / 9 + 5 / 9) / 2)
    assert found["pure_rl"]["above"] == 1.0
    np.random.seed(0)  # noqa: NPY002
    pair = {"": [scores("rl_gpt"), scores("cold")]}
    _, bounds = library.get_interval_estimates(pair, metrics.probability_of_improvement, reps=100)
    cold = found["cold"]
    assert (cold["above_low"], cold["above_high"]) == tuple(np.ravel(bounds[""]))
    assert cold["above_low"] < cold["above"] < cold["above_high"]
    np.random.seed(0)  # noqa: NPY002
    _, bounds = library.get_interval_estimates(
        {"": scores("pure_rl")}, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=100
    )
    pure = found["pure_rl"]
    assert (pure["iqm_low"], pure["iqm_high"]) == tuple(np.ravel(bounds[""]))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert row["IQM"] == "89.8" and row["rl_gpt above it"] == "–"
    assert "harvest_milk, harvest_log pooled" in table.words


def test_what_is_missing_is_said_in_a_line_each(tmp_path: Path) -> None:
    pytest.importorskip("rliable")
    runs = recorded(tmp_path)
    lines = pooled.missing(measure(runs), CONTROLS)
    assert [line.partition(" ")[0] for line in lines] == [
        "agents_setup", "without_macros", "code_alone"
    ]  # fmt: skip
    assert "there are 0 (harvest_milk 0, harvest_log 0)" in lines[0]
    own = [run for run in runs if run.cell.config == "harvest_milk"]
    (line,) = pooled.missing(measure(own), CONTROLS)
    assert "at least 2 is needed, and harvest_milk was measured" in line
    assert pooled.pooled(measure(own), CONTROLS).rows == ()
    others_first = sorted(CONTROLS)
    (line,) = pooled.missing(measure([run for run in runs if run != own[0]]), others_first)
    assert line.startswith("rl_gpt is not pooled") and "there are 2 (" in line
    assert "harvest_milk 2" in line and "harvest_log 3" in line


def test_without_the_extra_a_line_says_what_to_install(
    measured: dict[Cell, Measured], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rliable", None)  # what an import then finds missing
    (line,) = pooled.missing(measured, CONTROLS)
    assert "pip install -e '.[analysis]'" in line
    assert pooled.pooled(measured, CONTROLS).rows == ()
