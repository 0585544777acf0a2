"""Joins the parts of a report to one file of a bounded size; large videos are files beside it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.config_tree import from_dict
from experiments.configs import worlds
from experiments.report import (
    appendix,
    controls,
    html,
    iterations,
    limits,
    sub_tasks,
    success,
    summary,
    tokens,
)
from experiments.report.changes import section as changes
from experiments.report.films import videos
from experiments.report.html import tag, text
from experiments.report.load import Run, load_run, load_sub_tasks
from rlgpt_jax.agents.llm.disk import write_atomically
from rlgpt_jax.envs.tasks import own_task
from rlgpt_jax.envs.tasks.tasks import TASKS, Task

STYLE, SCRIPT = (Path(__file__).with_name(name) for name in ("style.css", "script.js"))
# The parts of a page in order; one that a run does not have gives "".
PARTS: tuple[Callable[[Run], str], ...] = (
    sub_tasks.sub_tasks, success.success, videos.videos, controls.controls, changes.changes,
    iterations.iterations, summary.curves, tokens.tokens, appendix.settings, appendix.transcript,
)  # fmt: skip


def write_report(folder: Path) -> Path:
    """Builds `report.html` of a run folder, and one per sub-task. Returns its path."""
    run = load_run(folder)
    for sub_task in load_sub_tasks(run):
        _write(sub_task)
    return _write(run)


def _write(run: Run) -> Path:
    path = run.folder / "report.html"
    write_atomically(path, render(run))
    return path


def render(run: Run) -> str:
    """The page as text, of at most `limits.PAGE_BYTES` where shorter texts achieve that."""
    page = ""
    for limit in limits.choices(run):
        page = _render(limits.of_run(run, limit))
        if len(page.encode()) <= limits.PAGE_BYTES:
            break
    return page


def _render(run: Run) -> str:
    body = "".join(part(run) for part in PARTS)
    own = worlds.of_run(run.config)
    words = own.words if own else _task_words(run.config.get("task", ""))
    top = summary.head(run, words) + _nav(run, body)
    return html.document(
        f"{run.name} · RL-GPT run report", f"<style>{STYLE.read_text()}</style>", top,
        body + _footer(run), f"<script>{SCRIPT.read_text()}</script>",
    )  # fmt: skip


def _task_words(task: str | dict[str, Any]) -> str:
    """What the agents were told, of a name or of a task of the user's own."""
    if isinstance(task, str):
        return TASKS[task].words if task in TASKS else task
    return own_task.complete(from_dict(Task, task)).words


def _nav(run: Run, body: str) -> str:
    """Links to the parts that this run has."""
    parts = [("success", "Success"), ("videos", "Videos"), ("controls", "Controls")]
    parts += [("changes", "What changed")]
    parts += [(f"iteration-{it.index}", f"Iteration {it.index}") for it in run.iterations]
    parts += [("curves", "Learning curves"), ("tokens", "Tokens"), ("settings", "Settings")]
    parts += [("transcript", "Transcript")]
    links = [tag("a", text(words), href=f"#{anchor}") for anchor, words in parts
             if f'id="{anchor}"' in body]  # fmt: skip
    return tag("nav", "".join(links), aria_label="Parts of this report")


def _footer(run: Run) -> str:
    words = f"Made from the run folder {run.folder.name}"
    if started := run.version.get("started"):
        words += f", started {started}"
    command = f"python -m experiments.report {run.folder}"
    return tag("footer", html.paragraphs(words + ".") + tag("code", text(command)))
