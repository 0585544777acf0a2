"""From a run folder to entries of a library: code that was in use, and its record.

A record's row is what the evaluation of one iteration in the validation worlds, and the
trial of that code, say about one macro.
"""

import ast
import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rlgpt_jax.loop.config import SENSORS
from rlgpt_jax.loop.library import store
from rlgpt_jax.loop.library.store import Entry, LibraryError
from rlgpt_jax.loop.record import CODED_PARTS, read_json, read_text

COPY = "library"  # where a run keeps its copy of the library it was given


def entries_of(run: Path, iterations: Sequence[int] | None = None) -> list[Entry]:
    """Macros in use at the end of the run's iterations, after those of its library that
    were in use or that they call. The same code in several iterations comes several times.

    Args:
      iterations: None takes all that are finished.

    Raises:
      LibraryError: no run folder, or files of it that cannot be used.
    """
    about = _about(run)
    finished = sorted(int(p.parent.name) for p in run.glob("iterations/*/eval.json"))
    if iterations is not None and set(iterations) - set(finished):
        raise LibraryError(f"{run}: finished iterations are {finished}, not {list(iterations)}")
    known = {e.name: e for e in store.load(run / COPY)} if (run / COPY).is_dir() else {}
    planned: list[Entry] = []
    used: list[Entry] = []  # of the run's library
    instructions: dict[str, str] = {}
    for number in finished:
        folder = run / "iterations" / str(number)
        report = read_json(folder / "eval.json")
        plan = read_json(folder / "plan.json") or {"sub_actions": []}
        instructions |= {
            s["name"]: s["instruction"] for s in plan["sub_actions"] if s["instruction"] != "keep"
        }
        if iterations is not None and number not in iterations:
            continue
        here = about | {"iteration": number}
        for fate in read_json(folder / "fates.json") or ():
            if not fate["used"]:
                continue
            name = fate["name"]
            planned.append(Entry(
                name=name,
                source=_text(folder / "macros" / name / f"{fate['used']}.py"),
                task=about["task"],
                sensors=about["sensors"],
                kind=fate["planned"],
                instruction=instructions.get(name, ""),
                record=(_row(here | {"role": "plan"}, name, report, _trial(folder, fate)),),
            ))  # fmt: skip
        for name in sorted(known.keys() & report["macro_ends"].keys()):
            row = _row(here | {"role": "library"}, name, report, None)
            used.append(dataclasses.replace(known[name], record=(row,)))
    names = {e.name for e in used} | _called([*used, *planned], known)
    return [*_in_order(names, known), *used, *planned]


def best_iteration(run: Path) -> int:
    """The iteration that the run is quoted by: that of its policy, or of its code alone."""
    result = read_json(run / "result.json")
    if result is None:
        raise LibraryError(f"{run}: holds no result.json: the run is not finished")
    if "sub_tasks" in result:
        raise LibraryError(f"{run}: a long task, whose code stays in its folder skills")
    if result.get("ends_with") == CODED_PARTS:
        return int(result[CODED_PARTS]["iteration"])
    return int(result["best_iteration"])


def _about(run: Path) -> dict[str, Any]:
    settings = read_json(run / "config.json")
    if settings is None:
        raise LibraryError(f"{run}: holds no config.json, so no run")
    config = settings["config"]
    if "sight" not in config:
        raise LibraryError(f"{run}: made by another version: its config.json has no sight")
    version = read_json(run / "version.json") or {}
    return {
        "run": run.resolve().name,
        "started": version.get("started", ""),
        "task": config["task"] if isinstance(config["task"], str) else config["task"]["name"],
        "mode": config.get("loop", {}).get("mode", ""),
        "seed": config.get("seed", 0),
        "sensors": SENSORS[config["sight"]],
    }


def _row(
    about: dict[str, Any], name: str, report: dict[str, Any], trial: dict[str, Any] | None
) -> dict[str, Any]:
    """One row of a record: plain data. Its role is that of the plan, or of the library's offer."""
    ends = report["macro_ends"].get(name, {})
    return {
        **about,
        "activations": sum(ends.values()),
        "ends": ends,
        "ticks": report["action_ticks"].get(name, 0),
        "evaluation": {
            key: report[key]
            for key in ("split", "num_episodes", "successes", "success_rate", "success_low",
                        "success_high")
        },
        "trial": trial,
    }  # fmt: skip


def _trial(folder: Path, fate: dict[str, Any]) -> dict[str, Any] | None:
    saved = read_json(folder / "macros" / fate["name"] / f"{fate['used']}.trial.json")
    if saved is None:
        return None
    report = saved["report"]
    return {key: report[key] for key in ("num_episodes", "successes", "ends", "mean_ticks")}


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise LibraryError(f"{path}: {error.strerror}") from None


def calls(entry: Entry, names: Iterable[str]) -> set[str]:
    """Which of these names a macro's code has, its own left out."""
    found = {n.id for n in ast.walk(ast.parse(entry.source)) if isinstance(n, ast.Name)}
    return (found & set(names)) - {entry.name}


def _called(entries: Sequence[Entry], known: dict[str, Entry]) -> set[str]:
    """Functions of the library that entries call, and those that these call."""
    found: set[str] = set()
    todo = list(entries)
    while todo:
        new = calls(todo.pop(), known) - found
        found |= new
        todo += [known[name] for name in new]
    return found


def _in_order(names: set[str], known: dict[str, Entry]) -> list[Entry]:
    """What is called before what calls it."""
    made: dict[str, Entry] = {}

    def visit(name: str) -> None:
        if name in made:
            return
        made[name] = known[name]
        for called in sorted(calls(known[name], known)):
            visit(called)
        made[name] = made.pop(name)  # to the end

    for name in sorted(names):
        visit(name)
    return list(made.values())
