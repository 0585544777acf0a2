"""Runs that differ in nothing but their seed, and what groups of them differ in."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.config_tree import different, leaves
from experiments.report.load import Run, load_run

FEW = 3  # fields that a label names
LONG = 40  # characters of a value in a label


@dataclasses.dataclass(frozen=True)
class Group:
    """One configuration with its runs."""

    variant: str  # what it is called among those of its task
    label: str  # among all
    task: str
    config: Mapping[str, Any]  # dotted path -> value, without the seed
    runs: tuple[Run, ...]


def group(folders: Sequence[Path]) -> list[Group]:
    """Groups in the order in which they were first met."""
    found: dict[str, list[Run]] = {}
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        run = load_run(folder)
        key = json.dumps(settings(run), sort_keys=True, default=str)
        found.setdefault(key, []).append(run)
    by_task: dict[str, list[list[Run]]] = {}
    for same in found.values():
        by_task.setdefault(_task(same[0]), []).append(same)
    groups = {}
    for task, runs in by_task.items():
        configs = [settings(same[0]) for same in runs]
        labels = _labels([same[0].name for same in runs], configs)
        for same, label, config in zip(runs, labels, configs, strict=True):
            variant = label + " (smoke run)" * any(run.smoke for run in same)
            whole = f"{task}: {variant}" if len(by_task) > 1 else variant
            groups[same[0].folder] = Group(variant, whole, task, config, tuple(same))
    return [groups[same[0].folder] for same in found.values()]


def seed_of(run: Run) -> int:
    return int(run.config.get("seed", 0))


def _task(run: Run) -> str:
    task = run.config.get("task", "")
    return task["name"] if isinstance(task, dict) else str(task)


def settings(run: Run) -> dict[str, Any]:
    """All but the seed, by dotted path; of a run of an earlier version, the fields that it had."""
    return {path: value for path, value in leaves(run.config).items() if path != "seed"}


def _labels(names: Sequence[str], configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """What groups are called: the fields in which they differ where these are few and tell them
    apart, else names."""
    fields = different(configs)
    told = [", ".join(f"{path}={str(config.get(path, '–'))[:LONG]}" for path in fields)
            for config in configs]  # fmt: skip
    if 0 < len(fields) <= FEW and len(set(told)) == len(told):
        return told
    return [
        name if names.count(name) == 1 else f"{name} {1 + names[:i].count(name)}"
        for i, name in enumerate(names)
    ]
