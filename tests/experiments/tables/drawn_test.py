"""The named tables, from run folders made by hand."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from experiments.films import encoding
from experiments.films.video import END_FRAMES
from experiments.study import intervals, strips
from experiments.study.cells import Cell, Skipped
from experiments.study.intervals import Count
from experiments.study.measured import Measured, measure
from experiments.study.page import Study, markdown, write
from experiments.study.runs import plan_runs
from experiments.study.table import Table
from experiments.tables import (
    ablations,
    compared,
    draws,
    frontier,
    main_table,
    names,
    paper,
    samples,
    tokens_table,
)
from experiments.tables.view import View
from tests.experiments import run_folder

HELD_OUT = {  # successes of 200 by seed and iteration
    "rl_gpt": ((20, 80, 160), (40, 90, 180)),
    "pure_rl": ((0, 0, 0), (0, 0, 2)),
    "second": ((20, 60, 60), (40, 60, 60)),
}


def view(tmp_path: Path, task: str = "harvest_log", *variants: str, final: int = 0) -> View:
    """Two seeds of each variant; all that is asked for besides was not recorded."""
    there = [Cell(task, variant) for variant in variants or HELD_OUT]
    runs = plan_runs(tmp_path, there, [0, 1])
    for run in runs:
        run_folder.make(run.folder)
        counts = HELD_OUT.get(run.cell.variant, HELD_OUT["rl_gpt"])[run.seed]
        run_folder.add_held_out(run.folder, counts, 0.05 * (1 + run.seed))
        rate = (counts[-1] + final) / 200
        report = {**run_folder.evaluation(2), "successes": counts[-1], "success_rate": rate}
        run_folder.write(run.folder / "final_eval.json", report)
    lost = [Skipped(Cell(task, v), "not recorded: nothing", "python") for v in ("without_sp",
            "one_agent", "third", "pixels")]  # fmt: skip
    return View((task,), tuple(there), measure(runs), tuple(lost))


def column(table: Table, number: int = 1) -> dict[str, str]:
    return {row[0]: row[number] for row in table.rows}


def by_name(table: Table) -> dict[str, dict[str, str]]:
    """Rows by their second cell, each by column."""
    return {row[1]: dict(zip(table.columns, row, strict=True)) for row in table.rows}


def test_the_ablation_takes_the_iterations_of_the_paper(tmp_path: Path) -> None:
    table = ablations.ablation(view(tmp_path))
    found = column(table)
    assert found["zero-shot (iteration 0)"].startswith("15.0 (")
    assert found["iteration 1"].startswith("42.5 (")
    assert found["last iteration"].startswith("85.0 (")
    assert found["pure RL, trained as zero-shot"].startswith("0.0 (")
    assert found["pure RL, trained as the last iteration"].startswith("0.5 (")
    assert found["last iteration without SP"] == "not recorded"
    assert found["pure code, last iteration"] == found["zero-shot, from nothing"] == "not run"
    assert {r["row"] for r in table.records} == {row for row, cell in found.items() if "(" in cell}


def test_pure_rl_stops_where_the_agents_stopped(tmp_path: Path) -> None:
    """A critic may end a run early; then the last iteration of pure RL had more training."""
    whole = view(tmp_path)
    (run,) = plan_runs(tmp_path / "short", [Cell("harvest_log", "rl_gpt")], [0])
    run_folder.make(run.folder, num_iterations=2)
    run_folder.add_held_out(run.folder, (20, 80))
    short = dataclasses.replace(whole, measured={**whole.measured, **measure([run])})
    found = column(ablations.ablation(short))
    assert found["last iteration"].startswith("40.0 (")
    assert found["pure RL, trained as the last iteration"].startswith("0.0 (")


def test_structures_that_were_not_recorded_are_listed_and_not_invented(tmp_path: Path) -> None:
    (table,) = compared.structure(view(tmp_path))
    found = by_name(table)
    assert list(found) == ["one agent", "slow + fast", "slow + fast + critic"]
    assert found["one agent"]["success"] == "not recorded"
    assert found["slow + fast"]["success"] == "not run"
    assert found["slow + fast + critic"]["success"].startswith("85.0 (")
    assert [r["value"] for r in table.records] == ["slow + fast + critic"]


def test_designs_have_the_share_of_dead_loops(tmp_path: Path) -> None:
    (table,) = compared.interface(view(tmp_path, "harvest_log", "rl_gpt", "action"))
    both, action = sorted(table.records, key=lambda r: r["value"], reverse=True)[:2]
    assert (both["value"], action["value"]) == ("both", "action space")
    assert both["dead_successes"] == 30 and both["dead_rate"] == 0.075  # 10 and 20 of 200
    assert both["dead_agents_low"] < 0.075 < both["dead_agents_high"]


def test_what_cannot_succeed_counts_as_zero_in_means_and_differences(tmp_path: Path) -> None:
    whole = view(tmp_path, "craft_stick_paper", "rl_gpt")
    asked = tuple(Cell("craft_stick_paper", v) for v in ("mineagent", "code_alone", "rl_gpt"))
    zero = Skipped(asked[0], "0, nothing crafts: words", is_zero=True)
    lost = Skipped(asked[1], "not recorded: nothing")
    shown = dataclasses.replace(whole, cells=asked, skipped=(zero, lost))
    success, over, *_ = main_table.tables(shown)
    (row, mean), (minus,) = success.rows, over.rows
    assert row[1:3] == ("0, nothing crafts", "not recorded")
    assert mean[1].startswith("0.0 (0.0 to ") and mean[2] == "–"
    assert minus[:4] == ("MineAgent", "1", "1", "1") and minus[4].startswith("+85.0 (+")
    none = dataclasses.replace(shown, measured={})
    assert none.counts("craft_stick_paper", "mineagent") is None


def test_the_first_table_sets_the_paper_beside_with_a_line_that_says_its_world(
    tmp_path: Path,
) -> None:
    task = f"{paper.INFERRED[1]}_paper"
    whole = view(tmp_path, task, "mineagent", "rl_gpt")
    success, over, steps, _ = main_table.tables(whole)
    assert success.columns[:3] == ("task", "MineAgent", "RL-GPT")
    assert success.columns[-1] == "RL-GPT (paper, MineDojo)"
    row, mean = success.rows
    assert row[0] == "harvest_milk_with_crafting_table_and_iron_ingot†"
    assert row[2].startswith("85.0 (") and row[-1] == "85.0"
    assert mean[0] == "mean" and mean[2].startswith("85.0 (")
    assert "MineDojo" in success.words and "not to be set against" in success.words
    theirs = [r for r in success.records if r.get("source") == "paper"]
    assert [r["rate"] for r in theirs] == [0.46, 0.83, 0.85]
    assert steps.rows[0][1:] == ("600k + –, 3 answers",) * 2
    assert over.rows[0][:4] == ("MineAgent", "1", "0", "0") and len(over.rows) == 1
    plain = main_table.tables(view(tmp_path / "log", "harvest_log", "rl_gpt"))[0]
    assert plain.columns == ("task", "RL-GPT") and "paper" not in plain.words


def test_a_difference_over_tasks_is_student_s_of_the_tasks() -> None:
    # 0.2, 0.5, 0.8: mean 0.5, standard deviation 0.3, t(2) = 4.3027; cut to what there can be.
    pairs = [([Count(k + 1000, 10_000)], [Count(1000, 10_000)]) for k in (2000, 5000, 8000)]
    found = intervals.difference_over_tasks(pairs)
    assert found[:3] == pytest.approx((0.5, 0.5 - 4.3027 * 0.3 / 3**0.5, 1.0), abs=1e-4)
    equal = [([Count(60, 100)] * 2, [Count(40, 100)])] * 4
    low, high = (intervals.these_agents(counts) for counts in equal[0])
    inner = ((high[1] - high[0]) ** 2 + (low[1] - low[0]) ** 2) ** 0.5 / 2 / 4**0.5
    found = intervals.difference_over_tasks(equal)
    assert found[:3] == pytest.approx((0.2, 0.2 - inner, 0.2 + inner))


def test_the_papers_numbers_are_those_of_its_ten_tasks() -> None:
    ours = [row["rl_gpt"] for row in paper.TABLE_1.values()]
    assert len(ours) == 10 and sum(ours) / 10 == pytest.approx(0.585)
    assert sum(row["plan4mc"] for row in paper.TABLE_1.values()) / 10 == pytest.approx(0.396)
    assert set(paper.INFERRED) < set(paper.TABLE_1)


def test_the_mean_over_tasks_has_an_interval_over_seeds() -> None:
    tasks = [[Count(20, 100), Count(40, 100)], [Count(80, 100), Count(80, 100)]]
    mean, (low, high) = intervals.over_tasks(tasks)
    assert mean == pytest.approx(0.55)
    assert (low, high) == (0.0, 1.0)  # 0.5 and 0.6: 12.7 standard errors of 0.05
    same = [[Count(50, 100)] * 3, [Count(50, 100)] * 3]
    mean, (low, high) = intervals.over_tasks(same)
    inner = intervals.these_agents(same[0])
    assert high - low == pytest.approx((inner[1] - inner[0]) / 2**0.5)
    # A task of one seed takes nothing from what the others' seeds say.
    mean, (low, high) = intervals.over_tasks([*tasks[:1], [Count(80, 100)]])
    assert mean == pytest.approx(0.55) and (low, high) == (0.0, 1.0)


def test_the_frontier_sets_rl_gpt_beside_code_by_sight(tmp_path: Path) -> None:
    whole = view(tmp_path, "harvest_milk", "code_alone", "rl_gpt")
    (table,) = frontier.frontier(whole)
    found = by_name(table)
    assert list(found) == ["rays", "blind_code", "pixels"]
    assert found["blind_code"]["RL-GPT minus code"].startswith("+0.0 (")
    assert found["pixels"]["code alone"].startswith("85.0 (")  # sees as little
    assert found["pixels"]["RL-GPT"] == "not recorded" and found["rays"]["verdict"] == "–"
    assert list(frontier.by_sight("harvest_milk_rays")) == ["rays"]
    assert list(frontier.by_sight("get_crafting_table_nearby_paper")) == ["blind_code"]
    three = frontier.by_sight("craft_stick_paper")  # of which two have been recorded
    assert [pair[1].name for pair in three.values()] == [
        "craft_stick_rays rl_gpt", "craft_stick_paper rl_gpt", "craft_stick_paper pixels"
    ]  # fmt: skip


def test_draws_tell_conversations_from_seeds(tmp_path: Path) -> None:
    (table,) = draws.draws(view(tmp_path, "harvest_milk", "rl_gpt", "second"))
    found = by_name(table)
    assert found["third"]["success"] == "not recorded"
    # means 0.85 and 0.30; seeds 0.80, 0.90 and 0.30, 0.30
    assert found["spread"]["success"] == "conversations 38.9, seeds 3.5"


def test_samples_are_the_steps_until_success_came(tmp_path: Path) -> None:
    (table,) = samples.samples(view(tmp_path, "harvest_milk", "rl_gpt"))
    (row,) = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert row["validation by iteration"] == "31.0 @ 200k → 48.0 @ 400k → 65.5 @ 600k"
    assert row["steps to 25%"].endswith("(2 of 2)") and row["steps to 75%"] == "never"


def test_tokens_are_those_of_recorded_conversations_code_alone_apart() -> None:
    tasks = ("harvest_milk_rays", "craft_wooden_shovel")
    (table,) = tokens_table.recorded(View(tasks, (), {}, ()))
    assert [row[0] for row in table.rows] == [
        "harvest_milk_rays", "harvest_milk_rays, code alone", "craft_wooden_shovel"
    ]  # fmt: skip
    assert [row[1] for row in table.rows] == ["19", "17", "not recorded"]
    assert len(table.columns) == 6 and table.rows[0][2].startswith("~")


def test_models_are_columns_with_the_names_that_runs_told(tmp_path: Path) -> None:
    (table,) = compared.models(view(tmp_path, "harvest_milk", "rl_gpt", "openai:gpt"))
    assert table.columns == ("configuration", "a-model", "a-model")
    assert "dead loops 7.5" in table.rows[0][1]


def test_a_page_names_worlds_commands_and_what_was_left_out(tmp_path: Path) -> None:
    whole = view(tmp_path, "harvest_log", "rl_gpt")
    measured: dict[Cell, Measured] = dict(whole.measured)
    tables = tuple(compared.structure(whole))
    study = Study("structure", "Words.", "voxel", "python x", (0, 1), whole.cells, tables, measured,
                  whole.skipped, curves=False)  # fmt: skip
    paths = write(tmp_path / "out", study)
    text = (tmp_path / "out/table.md").read_text()
    assert "harvest_log without_sp: not recorded: nothing. To record it: `python`" in text
    assert "2 of 2 runs done" in text and "Where every number comes from" in text
    assert "draws of one model family, a-model." in text
    for suffix in ("md", "tex", "csv"):
        one = (tmp_path / f"out/tables/structure.{suffix}").read_text()
        assert ("embedded world" in one) or (suffix == "csv" and ",voxel" in one)
    assert tmp_path / "out/structure_points.svg" in paths
    there = dataclasses.replace(study, world="minedojo")
    assert "through MineDojo" in markdown(there) and "embedded" not in markdown(there)


def test_latex_escapes_what_would_end_it() -> None:
    table = Table("t", "50 % of a_b", "x & y → z", ("a", "b"), (("~1", "–"),), ())
    text = table.latex()
    assert r"\caption{50 \% of a\_b. x \& y $\to$ z}" in text
    assert r"\textasciitilde{}1 & -- \\" in text and r"\begin{tabular}{ll}" in text


def test_every_named_table_can_be_drawn_from_nothing() -> None:
    for name, named in names.NAMED.items():
        view_ = View(names.QUICK, tuple(named.cells(names.QUICK, ())), {}, ())
        assert all(isinstance(table, Table) for table in named.tables(view_)), name


def test_films_of_iterations_become_one_picture_of_their_moments(tmp_path: Path) -> None:
    run = plan_runs(tmp_path, [Cell("harvest_log", "rl_gpt")], [0])[0]
    assert strips.write(tmp_path, [run]) == []  # was not filmed
    shades = (0, 60, 120, 180, 240)
    for place in (10, 2):  # the tenth is after the second
        frames = [np.full((48, 96, 3), shade, np.uint8) for shade in shades for _ in range(4)]
        frames += [frames[-1]] * END_FRAMES
        name = "success" if place == 2 else "failure"
        encoding.write(frames, run.folder / "videos" / f"iteration{place}", name, gif=False)
    (path,) = strips.write(tmp_path, [run])
    picture = np.asarray(Image.open(path).convert("RGB"))
    assert path.name == "harvest_log-rl_gpt-seed0.png"
    height = strips.WIDTH // 2 + strips.LINE + strips.GAP
    assert picture.shape == (2 * height, 5 * (strips.WIDTH + strips.GAP) + strips.GAP, 3)
    middles = picture[height - 100 :: height, strips.WIDTH // 2 :: strips.WIDTH + strips.GAP, 0]
    np.testing.assert_allclose(middles, [shades, shades], atol=6)
