"""Joins the parts of a report to one file that needs nothing beside it."""

import os
from pathlib import Path

from experiments.report import appendix, html, iterations, summary
from experiments.report.html import tag, text
from experiments.report.load import Run, load_run
from rlgpt_jax.envs.tasks import TASKS

STYLE = Path(__file__).with_name("style.css")


def write_report(folder: Path) -> Path:
    """Builds `report.html` of a run folder. Returns its path."""
    path = folder / "report.html"
    part = path.with_suffix(".html.part")
    part.write_text(render(load_run(folder)), encoding="utf-8")
    os.replace(part, path)
    return path


def render(run: Run) -> str:
    """The page as text."""
    task = TASKS.get(run.config.get("task", ""))
    body = summary.success(run) + summary.videos(run) + summary.curves(run)
    body += iterations.iterations(run) + appendix.settings(run) + appendix.transcript(run)
    top = summary.head(run, task.words if task else run.config.get("task", "")) + _nav(run, body)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(run.name)} · RL-GPT run report</title>"
        f"<style>{STYLE.read_text()}</style></head><body>"
        f'<header class="top"><div>{top}</div></header>'
        f"<main>{body}{_footer(run)}</main></body></html>\n"
    )


def _nav(run: Run, body: str) -> str:
    """Links to the parts that this run has."""
    parts = [("success", "Success"), ("videos", "Videos"), ("curves", "Learning curves")]
    parts += [(f"iteration-{it.index}", f"Iteration {it.index}") for it in run.iterations]
    parts += [("settings", "Settings"), ("transcript", "Transcript")]
    links = [
        tag("a", text(words), href=f"#{anchor}")
        for anchor, words in parts
        if f'id="{anchor}"' in body
    ]
    return tag("nav", "".join(links), aria_label="Parts of this report")


def _footer(run: Run) -> str:
    seconds = run.version.get("started", "")
    words = f"Made from the run folder {run.folder.name}"
    if seconds:
        words += f", started {seconds}"
    command = f"python -m experiments.report {run.folder}"
    return tag("footer", html.paragraphs(words + ".") + tag("code", text(command)))
