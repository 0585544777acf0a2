"""Looks over a run folder before a run goes on, so that a damaged file costs its own step alone.

A file that cannot be read is set aside under another name, and its step is done again as if it
had not been there: with the same bits. Checkpoints fall back to the one before
(`checkpoints.mend`), rows of metrics to those that the newest checkpoint holds.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rlgpt_jax.agents.llm import exchange
from rlgpt_jax.agents.llm.disk import set_aside, write_atomically
from rlgpt_jax.loop import cases, checkpoints
from rlgpt_jax.loop.record import RunFolder, read_rows
from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.chain.evaluate import ChainReport
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.evaluate.trial_report import TrialReport


def look_over(folder: RunFolder, asks_again: bool) -> list[str]:
    """Mends what is left of a run.

    Args:
      asks_again: whether a question whose answer cannot be read may be asked once more, as of
        a replay, which is free and gives the same answer. If not, reading the transcript ends
        with what to do.

    Returns:
      Lines for people: what was damaged, what became of it, what is done again.
    """
    words = []
    for root in (folder.root, *sorted(folder.root.glob("tasks/*"))):
        words += _checkpoints(root) + _skills(root)
        files = (*root.glob("*.json"), *root.glob("iterations/**/*.json"))
        words += [_anew(path) for path in files if not _can_be_read(path)]
        for file in checkpoints.ROWS:
            words += _rows(RunFolder(root), file)
    if asks_again and folder.transcript.exists() and (bad := exchange.mend(folder.transcript)):
        words.append(f"{folder.transcript}: {bad} lines could not be read; they are asked again.")
    return words


def _checkpoints(root: Path) -> list[str]:
    words: list[str] = []
    for folder in sorted(root.glob("checkpoints/*")):
        said, has_lost = checkpoints.mend(folder)
        words += [" ".join(said)] * bool(said)
        # Else that iteration would pass for finished, with networks from before its end.
        for report in ("eval.json", "coded_parts_eval.json") if has_lost else ():
            path = root / "iterations" / folder.name / report
            if path.exists():
                set_aside(path)
    return words


def _skills(root: Path) -> list[str]:
    """A skill is made again from the run of its sub-task."""
    folders = [p for p in sorted(root.glob("skills/*")) if p.is_dir() and "." not in p.name]
    return [_anew(path) for path in folders if not _is_whole_skill(path)]


def _is_whole_skill(path: Path) -> bool:
    networks = path / "networks"
    return _can_be_read(path / "skill.json") and (
        not networks.exists() or checkpoint.is_whole(networks)
    )


def _anew(path: Path) -> str:
    return f"{path} is damaged and is now {set_aside(path).name}; it is made anew."


def _can_be_read(path: Path) -> bool:
    try:
        value = json.loads(path.read_bytes())
        for name, check in CHECKS.items():
            if path.name.endswith(name):
                check(value)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
    return True


def _rows(folder: RunFolder, file: str) -> list[str]:
    """What was in a CSV file at the newest checkpoint must still be there."""
    path, kept = folder.path(file), checkpoints.rows_until(folder, file)
    try:
        updates = [int(row["update"]) for row in read_rows(path)]
        if not kept or (updates and path.read_bytes().startswith(kept)):
            return []
    except (ValueError, KeyError, TypeError):
        pass
    aside = f" and is now {set_aside(path).name}" if path.exists() else ""
    if kept:
        write_atomically(path, kept)
    rows = max(kept.count(b"\n") - 1, 0)
    return [f"{path} is damaged{aside}; {rows} rows are taken from the last checkpoint."]


def _evaluation(value: Any) -> None:
    (ChainReport if "sub_tasks" in value else EvalReport).from_json(value)


# What a file must hold, by the end of its name: raises if it does not.
CHECKS: dict[str, Callable[[Any], Any]] = {
    "eval.json": _evaluation,
    ".trial.json": lambda value: TrialReport.from_json(value["report"]),
    cases.FILE: EvalReport.from_json,
    "timing.json": lambda value: sum(value.values(), 0.0),
    "clock.json": lambda value: value["seconds"] + 0.0,
    "version.json": lambda value: value["resumed"].index,
    "compile.json": lambda value: value.index,
    "config.json": lambda value: value["config"]["seed"],
    "result.json": lambda value: value["seed"],
    "skill.json": lambda value: value["version"],
    "frames.json": lambda value: [entry["pictures"] for entry in value["episodes"]],
}
