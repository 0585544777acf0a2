"""The part of a report that sets the result beside its controls, and says how to repeat it."""

from experiments.report import html
from experiments.report.html import tag, text
from experiments.report.load import Run
from rlgpt_jax.loop.record import CODED_PARTS

WORDS = (
    "What code and learning bring is told by runs without one of them. Code alone is measured in "
    "every run that has both; the others are runs of their own, with the same worlds and ticks."
)
NOT_YET = "not measured yet"
NOT_RECORDED = "The command was not written down by the version that made this run."


def controls(run: Run) -> str:
    """Result and controls in one table, and the command that repeats the run."""
    inner = ""
    if not run.task_plan and run.config.get("loop", {}).get("mode") == "rl_gpt":
        rows = [*_measured(run), *_others(run)]
        inner = tag("p", text(WORDS)) + html.table(("Run", "Held-out success (95 %)", "How"), rows)
    if run.is_sub_task:
        return inner and html.section("controls", "Controls", html.card(inner))
    inner += tag("h3", "The same run again") + _command(run)
    title = "Controls and repeating" if run.config else "Repeating"
    return html.section("controls", title, html.card(inner))


def _measured(run: Run) -> list[list[str]]:
    result = run.result or {}
    policy = result.get("policy") or run.final
    alone = result.get(CODED_PARTS) or run.coded_parts
    rows = [["RL-GPT: code and policy", html.rate(policy, none=NOT_YET), "best policy of this run"]]
    if alone and not alone.get("parts", True):
        return [*rows, ["Code alone", "–", "no code was accepted"]]
    parts = ", ".join((alone or {}).get("parts", ()))
    how = text(f"its coded parts: {parts}" if parts else "")
    return [*rows, ["Code alone", html.rate(alone, none=NOT_YET), how]]


def _others(run: Run) -> list[list[str]]:
    """Controls that are runs of their own, with their commands."""
    if not run.command:
        return []
    command = f"{run.command} --config.loop.mode=pure_rl"
    found = {
        "PPO alone": command,
        "PPO alone, with the agents' set-up": f"{command} --config.set_up={run.folder}",
    }
    return [[text(name), "not in this run", tag("code", text(c))] for name, c in found.items()]


def _command(run: Run) -> str:
    if not run.command:
        return tag("p", NOT_RECORDED, class_="quiet")
    words = ""
    if commit := run.version.get("commit"):
        changed = run.version.get("changed_files")
        words = f"With the code of commit {commit[:12]}"
        words += f", with {changed} changed file{'s' * (changed != 1)}." if changed else "."
    words = tag("p", text(words), class_="quiet") if words else ""
    return tag("pre", text(run.command), class_="code words", tabindex="0") + words
