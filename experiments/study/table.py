"""From run folders to one table: success pooled over episodes, and over seeds.

Two intervals are given, since they answer different questions. Wilson's pools the
episodes of all seeds: how sure are we of these trained agents. The bootstrap resamples
seeds: how sure are we of the method; with three seeds it is a rough one.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.study.runs import Run
from rlgpt_jax.rl.report import wilson

NUM_RESAMPLES = 10_000


def collect(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """One record per task and mode that has finished runs."""
    cells = list(dict.fromkeys((run.task, run.mode) for run in runs))
    records = []
    for task, mode in cells:
        done = [r for r in runs if (r.task, r.mode) == (task, mode) and r.is_done]
        if done:
            records.append(_record(task, mode, done))
    return records


def _record(task: str, mode: str, runs: Sequence[Run]) -> dict[str, Any]:
    results = [json.loads((run.folder / "result.json").read_text()) for run in runs]
    reports = [evaluations(run) for run in runs]
    final = [json.loads((run.folder / "final_eval.json").read_text()) for run in runs]
    return {
        "task": task,
        "mode": mode,
        "seeds": [run.seed for run in runs],
        "ticks": max(result["ticks"] for result in results),
        "final": pooled(final),
        "validation_by_iteration": [pooled(list(c)) for c in zip(*reports, strict=False)],
        "best_iteration": [result["best_iteration"] for result in results],
        "wall_seconds": [sum(r.get("wall_seconds", {}).values()) for r in results],
    }


def evaluations(run: Run) -> list[dict[str, Any]]:
    """The validation of every iteration, in order."""
    paths = sorted(run.folder.glob("iterations/*/eval.json"), key=lambda p: int(p.parent.name))
    return [json.loads(path.read_text()) for path in paths]


def pooled(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Success over all episodes of all seeds, with both intervals."""
    successes = sum(report["successes"] for report in reports)
    episodes = sum(report["num_episodes"] for report in reports)
    rates = [report["success_rate"] for report in reports]
    return {
        "rate": successes / episodes,
        "wilson": wilson(successes, episodes),
        "bootstrap": bootstrap(rates),
        "by_seed": rates,
        "episodes": episodes,
    }


def bootstrap(rates: Sequence[float]) -> tuple[float, float]:
    """95 % percentile interval of the mean over resampled seeds."""
    rng = np.random.default_rng(0)
    values = np.asarray(rates)
    means = values[rng.integers(0, len(values), (NUM_RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def markdown(study: Sequence[dict[str, Any]]) -> str:
    """The table for a README; all numbers are of the embedded world."""
    head = (
        "Held-out success in the embedded world (not Minecraft itself), percent, of the "
        "iteration that did best on other worlds (validation).\n\n"
        "| task | mode | seeds | training steps | success | Wilson 95 % | over seeds 95 % "
        "| by seed | validation by iteration |\n|---|---|---|---|---|---|---|---|---|\n"
    )
    return head + "".join(_line(record) for record in study)


def _line(record: dict[str, Any]) -> str:
    final = record["final"]
    cells = (
        record["task"],
        record["mode"],
        str(len(record["seeds"])),
        f"{record['ticks']:,}",
        f"{100 * final['rate']:.1f}",
        _range(final["wilson"]),
        _range(final["bootstrap"]) if len(record["seeds"]) > 1 else "one seed",
        ", ".join(f"{100 * rate:.1f}" for rate in final["by_seed"]),
        " → ".join(f"{100 * r['rate']:.1f}" for r in record["validation_by_iteration"]),
    )
    return "| " + " | ".join(cells) + " |\n"


def _range(pair: Sequence[float]) -> str:
    return f"{100 * pair[0]:.1f} to {100 * pair[1]:.1f}"


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")
