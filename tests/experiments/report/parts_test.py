"""The parts of a report: success with held-out values, plan, set-up of training, critic."""

import dataclasses
import re
from pathlib import Path

import pytest

from experiments.report import success
from experiments.report.iteration import critic, interface, plan
from experiments.report.load import Run, load_run
from experiments.report.page import render
from rlgpt_jax.rl.interface import DEFAULT, RewardTerms, TrainingTask
from tests.experiments import run_folder
from tests.experiments.report.report_test import checked, words


def rows(run: Run) -> list[str]:
    return re.findall(r"<tr>.*?</tr>", success.success(run))[1:]


def test_before_the_study_only_the_best_iteration_has_a_held_out_value(folder: Path) -> None:
    run = load_run(folder)
    assert [success.held_out(run, it) is not None for it in run.iterations] == [False, False, True]
    assert sum("held-out" in row for row in rows(run)[:-1]) == 1 and ">code<" in rows(run)[-1]
    assert "measured after the run" not in words(success.success(run))


def test_after_it_every_iteration_has_one_beside_its_validation(folder: Path) -> None:
    run_folder.add_held_out(folder, (20, 60))
    run = load_run(folder)
    shown = [words(row) for row in rows(run)][:-1]  # the last is of code alone
    assert [("held-out" in row) for row in shown] == [False, True] * 3
    assert "10.0 %" in shown[1] and "30.0 %" in shown[3] and "best" in shown[4]
    assert "measured after the run" in words(success.success(run))
    chart = success.success(run)
    assert chart.count('class="point validation"') == chart.count('class="point held-out"') == 3


def test_the_chart_marks_intervals_and_tells_them_in_words(folder: Path) -> None:
    page = success.success(load_run(folder))
    assert "iteration 1, validation: 48.0\u00a0% (41.1–54.9), 96 of 200 episodes" in page
    assert page.count("<polyline") == 1  # one held-out point makes no line


@pytest.mark.parametrize(
    ("world", "told"),
    [("voxel", "the embedded ones"), ({"size": 96}, "the embedded ones"), ("minedojo", "client")],
)
def test_the_page_says_whose_worlds_they_were(folder: Path, world: object, told: str) -> None:
    """Runs of older versions have parameters of the embedded world in that field."""
    run = load_run(folder)
    run = dataclasses.replace(run, config={**run.config, "world": world})
    page = words(success.success(run))
    assert told in page and ("embedded" in page) == (world != "minedojo")


def test_lost_episodes_are_told_where_there_are_any(folder: Path) -> None:
    page = words(render(load_run(folder)))
    assert "Lost in" not in page and " lost)" not in page
    run_folder.write(folder / "iterations/1/eval.json", {**run_folder.evaluation(1), "lost": 7})
    first, *rows = (folder / "metrics.csv").read_text().splitlines()
    told = [f"{row},{2 * (i < 3)}" for i, row in enumerate(rows)]
    run_folder.write(folder / "metrics.csv", "\n".join([f"{first},lost", *told]) + "\n")
    page = words(render(load_run(folder)))
    assert "96 / 200 (and 7 lost)" in page
    assert "Lost in training 6 episodes, with their games" in page


def test_the_plan_is_a_list_with_what_became_of_each_part(folder: Path) -> None:
    first, second, third = load_run(folder).iterations
    told = words(plan.plan_of(first))
    assert "find_cow macro accepted, version 2, 1 refused critic wanted more" in told
    assert "milk_cow macro accepted trial good" in told
    assert "approach_cow learn left to PPO" in told
    assert re.search(r"used [\d.]+ times an episode, 34% of the ticks Walk in a widening", told)
    assert "earlier code kept" in words(plan.plan_of(third))
    assert plan.plan_of(second).count("<li>") == 3


def test_a_macro_that_was_never_used_is_told(folder: Path) -> None:
    evaluation = {"macro_ends": {"walk": {"returned": 0}}, "action_counts": {}, "action_ticks": {}}
    assert plan.used(evaluation, "walk") == "never used"
    assert plan.used(evaluation, "other") == ""


def test_long_instructions_open_on_a_click(folder: Path) -> None:
    run = load_run(folder)
    it = run.iterations[0]
    long = {**it.plan["sub_actions"][0], "instruction": "Walk on and on. " * 40}
    changed = dataclasses.replace(it, plan={"sub_actions": [long]})
    page = plan.plan_of(changed)
    assert "<details><summary>Whole instruction</summary>" in page and " …</p>" in page


def test_the_set_up_of_training_is_told_in_words(folder: Path) -> None:
    chosen = dataclasses.replace(
        DEFAULT, task=TrainingTask(horizon=300), reward=RewardTerms(distance=2.0, targets=("cow",)),
        reasoning="Cows are far away.",
    )  # fmt: skip
    saved = dataclasses.asdict(chosen)
    told = words(interface.interface_of(saved))
    assert "Set-up of the training" in told and "Cows are far away." in told
    assert "300" in told and "cow" in told
    assert interface.interface_of(None) == ""


def test_a_set_up_of_another_version_is_shown_as_it_is() -> None:
    told = words(interface.interface_of({"colour": "red", "note": "no answer", "reward": None}))
    assert 'colour: "red"' in told and "no answer" in told and "reward" not in told


def test_the_critic_speaks_to_each_agent(folder: Path) -> None:
    told = words(critic.words_of({
        "failure": "It runs past.", "advice": "Stop earlier.", "to_rl": "Train longer.",
        "solved": True, "reasoning": "I saw it.",
        "sub_actions": [{"name": "run", "verdict": "revise", "reason": "Too long.",
                         "to_fast": "Ten ticks."}],
    }))  # fmt: skip
    for expected in ("It runs past.", "Stop earlier.", "Train longer.", "solved", "I saw it.",
                     "revise", "Too long.", "To the coder: Ten ticks."):  # fmt: skip
        assert expected in told
    assert critic.words_of(None) == ""


def test_a_page_with_all_parts_is_well_formed(folder: Path) -> None:
    run_folder.add_held_out(folder, (20, 60, 131))
    run_folder.write(folder / "iterations/0/interface.json", dataclasses.asdict(DEFAULT))
    page = render(load_run(folder))
    checked(page)
    assert page.index("Set-up of the training") > page.index('id="iteration-0"')
