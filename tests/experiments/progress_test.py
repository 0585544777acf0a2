"""What a watcher of a run is told, with and without a terminal."""

import dataclasses
import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from experiments.progress import PLAIN_LINES, Display
from rlgpt_jax.agents import rl_setup
from rlgpt_jax.agents.llm.base import Completion
from rlgpt_jax.agents.prompt_state import Judgement, Plan, SubAction
from rlgpt_jax.loop import events
from rlgpt_jax.rl.evaluate.report import EvalReport, wilson
from rlgpt_jax.rl.interface import RLInterface


def report() -> EvalReport:
    low, high = wilson(131, 200)
    return EvalReport(
        "harvest_milk", "validation", 200, 131, 0.655, low, high, 1.0, 90.0, {}, {}, {}, {}, 0.0, 0
    )


def updated(update: int, success: float = 0.0) -> events.Updated:
    metrics = {"success_rate": success, "steps_per_second": 9876.0}
    return events.Updated(0, update, 100 * update, 100 * update, 10_000, metrics)


def told(*happened: Any, terminal: bool = False) -> str:
    out = io.StringIO()
    with Display(Console(file=out, force_terminal=terminal, width=150)) as display:
        for event in happened:
            display(event)
    return out.getvalue()


def test_the_file_that_is_waited_for_and_the_reason_of_a_refused_answer_are_told() -> None:
    out = io.StringIO()
    with Display(Console(file=out, width=150), Path("runs/mine/requests")) as display:
        display(events.Asked(("iter0/slow", "iter0/fast/rl")))
        display(events.AnswerRefused("iter0/slow", "There is no JSON block."))
    lines = out.getvalue().splitlines()
    assert "waiting for runs/mine/requests/iter0/slow.response.md" in lines[0]
    assert lines[1].endswith("fast/rl.response.md, the answer to rl.request.md beside it")
    assert lines[2].strip() == "iter0/slow cannot be used: There is no JSON block."


def test_training_is_told_in_a_few_plain_lines_without_a_terminal() -> None:
    words = told(
        events.Started("rl_gpt", 3, False),
        events.IterationStarted(0),
        *(updated(i, 0.25) for i in range(1, 101)),
    )
    lines = [line for line in words.splitlines() if "training" in line]
    assert len(lines) == PLAIN_LINES + 1
    assert "10,000/10,000 ticks, success 25%, 9,876 steps/s" in lines[-1]


def test_a_bar_shows_success_and_speed_on_a_terminal() -> None:
    words = told(events.IterationStarted(0), updated(50, 0.25), terminal=True)
    assert "5,000/10,000" in words and "success 25%, 9,876 steps/s" in words


def test_lost_episodes_are_told_where_there_are_any() -> None:
    update = updated(2)
    with_losses = dataclasses.replace(update, metrics={**update.metrics, "lost": 2.0})
    evaluated = events.Evaluated(0, dataclasses.replace(report(), lost=1))
    words = told(events.IterationStarted(0), with_losses, evaluated)
    assert "2 episodes lost with broken games in update 2" in words
    assert "1 episode lost with broken games and played again" in words
    assert "lost" not in told(events.IterationStarted(0), update, events.Evaluated(0, report()))


@pytest.mark.parametrize("terminal", [False, True])
def test_answers_refusals_verdicts_and_results_are_told(terminal: bool) -> None:
    words = told(
        events.Asked(("iter0/slow",)),
        events.Answered("iter0/slow", Completion("x" * 1234, "a-model", "replay", 0.0)),
        events.Answered(
            "iter0/fast/x/try1", Completion("", "nobody", "replay", 0.0, stop="missing")
        ),
        events.Planned(0, Plan((SubAction("find_cow", "macro", "go"),))),
        events.Refused(0, 0, "find_cow", "Line 3: [bold] is not known\nand more"),
        events.Judged(0, 1, {"find_cow": Judgement("revise", "turn")}),
        events.Evaluated(0, report()),
        terminal=terminal,
    )
    for expected in ("1,234 characters", "try1 was not recorded", "find_cow",
                     "[bold] is not known", "revise", "65.5%"):  # fmt: skip
        assert expected in words
    assert "and more" not in words


def test_a_plan_that_nobody_made_is_told() -> None:
    plan = Plan((SubAction("whole_task", "learn", "all"),))
    instead = "plan: whole_task learn (no answer could be used: this is done instead)"
    assert instead in told(events.Planned(0, dataclasses.replace(plan, note="Not JSON.")))
    assert instead not in told(events.Planned(0, plan))


def test_set_up_kept_code_and_a_solved_task_are_told() -> None:
    interface = RLInterface(ticks=300, note="The answers were [odd].")
    words = told(
        events.Kept(0, 1, "find_cow"),
        events.InterfaceSet(0, interface, rl_setup.describe(interface)),
        events.Solved(0),
    )
    for expected in ("find_cow: kept", "300", "(The answers were [odd].)", "nothing is left"):
        assert expected in words


def test_pending_questions_are_shown_until_they_are_answered() -> None:
    asked = events.Asked(("iter0/fast/a/try0", "iter0/fast/b/try0"))
    assert "2 answers pending" in told(asked, terminal=True)
    assert "1 answer pending" in told(events.Asked(asked.keys[:1]), terminal=True)


def test_frames_of_films_are_counted() -> None:
    out, plain = io.StringIO(), io.StringIO()
    with Display(Console(file=out, force_terminal=True, width=150)) as display:
        display.frames(Path("videos/iteration0"), 12, 130)
    for done in (0, 12):
        Display(Console(file=plain)).frames(Path("videos/iteration0"), done, 130)
    assert "drawing iteration0: frame 12 of 130" in out.getvalue()
    assert plain.getvalue().split("\n") == ["  drawing iteration0: 130 frames", ""]


def test_short_compiling_is_not_told_and_long_is() -> None:
    out = io.StringIO()
    display = Display(Console(file=out))
    display.compiled("copy", 0.1)
    display.compiled("advance", 12.34)
    assert out.getvalue().strip() == "compiled advance in 12.3 s"


@pytest.mark.parametrize("terminal", [False, True])
def test_a_terminal_obeys_no_words_of_a_model(terminal: bool) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e[red]a[/red]\\"
    words = told(events.Refused(0, 0, "walk", hostile), terminal=terminal)
    assert "]0;owned" in words and "[red]a[/red]" in words
    assert not {"\x07", "\x9b", "\u202e"} & set(words)
    assert "\x1b]0" not in words and "\x1b[2J" not in words


def test_a_line_of_millions_of_characters_is_cut_and_says_so() -> None:
    words = told(events.Refused(0, 0, "walk", "x" * 5_000_000))
    assert len(words) < 3_000 and "characters more; the run folder has them all" in words
