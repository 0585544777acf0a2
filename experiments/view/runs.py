"""Finds run folders and reads what a list and a live page tell of them."""

import dataclasses
import hashlib
import os
import re
import socket
import time
from pathlib import Path
from typing import Any

from experiments.config_tree import leaves
from experiments.report.load import numbered
from rlgpt_jax.loop.record import CODED_PARTS, read_json, read_rows

MAX_DEPTH = 6
# Folders of a run that hold no runs.
INNER = {"checkpoints", "iterations", "tensorboard", "videos", "requests", "library", "tasks"}
RECENT = 60.0  # seconds: a run of another machine that has written since is going on
RUNNING, FINISHED, STOPPED = "running", "finished", "stopped"
COLUMNS = ("iteration", "update", "ticks", "success_rate", "episode_return", "entropy")


@dataclasses.dataclass(frozen=True)
class Found:
    """One run folder."""

    key: str  # in addresses: a hash, so that no address is a path
    name: str  # its path below the served folder
    folder: Path


def find(root: Path) -> dict[str, Found]:
    """All runs below a folder, by key. Links are not followed."""
    found = {}
    for folder, inner, files in os.walk(root):
        path = Path(folder)
        name = path.relative_to(root)
        if "config.json" in files:
            words = name.as_posix() if name.parts else root.resolve().name
            key = hashlib.sha256(words.encode(errors="surrogateescape")).hexdigest()[:16]
            found[key] = Found(key, words, path)
            inner[:] = sorted(set(inner) - INNER)
        inner[:] = sorted(inner) if len(name.parts) < MAX_DEPTH else []
    return found


def status(folder: Path) -> str:
    """Whether a process holds the folder, or it has a result."""
    if _is_held(folder):
        return RUNNING
    return FINISHED if (folder / "result.json").exists() else STOPPED


def _is_held(folder: Path) -> bool:
    """By the words in its lock, which is not touched: a new start must find it free."""
    lock = folder / "lock"
    told = re.match(r"process (\d+) on (.*)", lock.read_text()) if lock.is_file() else None
    if told is None:
        return False
    if told[2] != socket.gethostname():
        clock = folder / "clock.json"
        return clock.exists() and time.time() - clock.stat().st_mtime < RECENT
    try:
        command = Path(f"/proc/{told[1]}/cmdline").read_bytes()
    except OSError:
        return False
    return b"experiments" in command or b"rlgpt" in command  # numbers are given out again


def summary(run: Found) -> dict[str, Any]:
    """What a list tells of a run."""
    saved = read_json(run.folder / "config.json")
    config, result = saved.get("config", saved), read_json(run.folder / "result.json") or {}
    loop = config.get("loop", {})
    return {
        "key": run.key, "name": run.name,
        "mode": loop.get("mode", ""), "sight": config.get("sight", ""),
        "seed": config.get("seed", 0), "smoke": bool(saved.get("smoke")),
        "started": (read_json(run.folder / "version.json") or {}).get("started", ""),
        "wall": (read_json(run.folder / "clock.json") or {}).get("seconds"),
        "success": _rates(result), "code": _rates(result.get(CODED_PARTS, {})),
        **progress(run.folder, loop),
    }  # fmt: skip


def _rates(report: dict[str, Any]) -> list[float] | None:
    """Success, and its interval."""
    if "success_rate" not in report:
        return None
    return [report[f"success_{name}"] for name in ("rate", "low", "high")]


def progress(folder: Path, loop: dict[str, Any]) -> dict[str, Any]:
    """How far a run is: the iteration, its phase, ticks of training."""
    here = _newest_sub_task(folder) or folder
    rows = read_rows(here / "metrics.csv")
    last = rows[-1] if rows else {}
    iteration = max((int(path.name) for path in numbered(here / "iterations")), default=0)
    per, num = loop.get("ticks_per_iteration", 0), loop.get("num_iterations", 1)
    ticks, trained = int(float(last.get("ticks", 0))), int(float(last.get("iteration", -1)))
    phase = state = status(folder)
    if state == RUNNING:
        is_over = (folder / "result.json").exists()
        phase = "drawing videos" if is_over else _phase(here, iteration, trained)
    task = f"sub-task {here.name}, " if here != folder else ""
    return {
        "status": state, "phase": task + phase, "iteration": iteration,
        "ticks": ticks, "target": per * num * (loop.get("mode") != "pure_code"),
    }  # fmt: skip


def _newest_sub_task(folder: Path) -> Path | None:
    """Of a long task, the sub-task that was begun last."""
    begun = [path.parent for path in folder.glob("tasks/*/task.json")]
    return max(begun, key=lambda path: (path / "task.json").stat().st_mtime, default=None)


def _phase(folder: Path, iteration: int, trained: int) -> str:
    """What goes on, by the files that are there already."""
    here = folder / "iterations" / str(iteration)
    if (here / "eval.json").exists():
        return "next iteration" if (here / "critique.json").exists() else "code alone and critic"
    if trained == iteration:
        return "training and evaluation"
    return "coding and trials" if (here / "plan.json").exists() else "planning"


def live(run: Found, start: int = 0) -> dict[str, Any]:
    """What a page of a run that goes on asks for again and again.

    Args:
      start: rows of metrics that the page has already.
    """
    here = _newest_sub_task(run.folder) or run.folder
    rows = read_rows(here / "metrics.csv")
    speeds = {row["update"]: row.get("steps_per_second") for row in read_rows(here / "timing.csv")}
    shown = [
        {**{name: _number(row.get(name)) for name in COLUMNS},
         "steps_per_second": _number(speeds.get(row["update"]))}
        for row in rows[start:]
    ]  # fmt: skip
    return {**summary(run), "rows": shown, "evaluations": evaluations(here)}


def evaluations(folder: Path) -> list[dict[str, Any]]:
    """Validation success of every finished iteration, with that of its code alone."""
    found = []
    for path in numbered(folder / "iterations"):
        if report := read_json(path / "eval.json"):
            alone = read_json(path / "coded_parts_eval.json") or {}
            found.append({"iteration": int(path.name), "success": _rates(report),
                          "code": _rates(alone), "episodes": report["num_episodes"]})  # fmt: skip
    return found


def _number(words: str | None) -> float | None:
    return float(words) if words else None


def settings(run: Found) -> dict[str, Any]:
    """All single values of a run's configuration, by dotted path."""
    saved = read_json(run.folder / "config.json")
    return leaves(saved.get("config", saved))
