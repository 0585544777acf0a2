"""The last lines of a run: where everything is, and the number that matters."""

import dataclasses
from pathlib import Path
from typing import Any

from rich.markup import escape

from experiments.configs.base import Config
from experiments.progress import Display
from experiments.report.html import duration
from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.loop.record import CODED_PARTS


@dataclasses.dataclass(frozen=True)
class Done:
    """What a finished run leaves."""

    result: dict[str, Any]
    report: Path
    videos: list[Path]


def tell(
    display: Display, done: Done, seconds: float, compile_seconds: float, config: Config
) -> None:
    r = done.result
    differ = r.get("prompts_differ")
    by = f"{len(r['sub_tasks'])} skills" if "sub_tasks" in r else f"iteration {r['best_iteration']}"
    if r.get("ends_with") == CODED_PARTS:
        by = f"code of iteration {r[CODED_PARTS]['iteration']} alone"
    display.say(f"\nReport: {escape(str(done.report))}")
    for path in done.videos:
        display.say(f"Video:  {escape(str(path))}")
    if differ is not None:
        colour = "yellow" if differ else "green"
        why = " (measured numbers, or what reports tell, differ)" if differ else ""
        display.say(
            f"[{colour}]{differ} of {r['prompts_replayed']} prompts differ from the recorded "
            f"ones[/{colour}]{why}."
        )
    if unanswered := r.get("prompts_unanswered"):
        display.say(f"[yellow]{unanswered} questions were not recorded[/yellow]: no answer.")
    if display.num_refusals:
        display.say(f"{display.num_refusals} versions of macros were refused.")
    display.say(f"Time: {duration(seconds)}, of it compiling {duration(compile_seconds)}.")
    tell_coded_parts(display, r)
    places = {"voxel": "the embedded world", "minedojo": "Minecraft through MineDojo"}
    task = config.task_record
    where = task.place if isinstance(task, ControlTask) else places[config.world]
    display.say(
        f"[bold green]Final success: {r['success_rate']:.1%}[/bold green] (95 % interval "
        f"{r['success_low']:.1%} to {r['success_high']:.1%}, {r['num_episodes']} held-out "
        f"episodes of {r['task']} in {where}, {by}, mode {r['mode']}, sight {r['sight']}, "
        f"seed {r['seed']})"
    )


def tell_coded_parts(display: Display, result: dict[str, Any]) -> None:
    """The control that every run with agents and learning ends with."""
    alone = result.get(CODED_PARTS)
    if alone and not alone["parts"]:
        display.say("Coded parts alone: no code was accepted.")
    elif alone:
        display.say(
            f"Coded parts alone ({', '.join(alone['parts'])}): {alone['success_rate']:.1%} "
            f"(95 % interval {alone['success_low']:.1%} to {alone['success_high']:.1%}) of "
            f"{alone['num_episodes']} episodes in the same worlds."
        )
    if result.get("ends_with") == CODED_PARTS:
        policy = result["policy"]["success_rate"]
        display.say(
            f"That is better in validation than any policy, so the run ends with it; the best "
            f"policy reaches {policy:.1%} here."
        )
