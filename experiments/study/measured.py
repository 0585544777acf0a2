"""What finished runs say, as plain numbers: the source of all tables and figures."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.study import held_out
from experiments.study.cells import Cell
from experiments.study.runs import Run
from experiments.study.table import NONE
from rlgpt_jax.loop.record import CODED_PARTS, read_rows

Report = dict[str, Any]  # an EvalReport as JSON


@dataclasses.dataclass(frozen=True)
class Measured:
    """All seeds of one cell that are done."""

    cell: Cell
    task: str
    seeds: tuple[int, ...]
    folders: tuple[Path, ...]
    held_out: tuple[tuple[Report, ...], ...]  # [iteration][seed]
    validation: tuple[tuple[Report, ...], ...]  # [iteration][seed]
    final: tuple[Report, ...]  # [seed], of what did best in validation, a policy or code alone
    best: tuple[int, ...]  # [seed], that iteration
    sight: str  # what macros and policy saw; of runs of earlier versions "–"
    ticks: tuple[int, ...]  # [iteration], trained up to its end; mean over seeds
    wall_seconds: tuple[float, ...]  # [seed]
    coded_parts: tuple[Report, ...] = ()  # [seed], the best code alone; () if a seed has none
    policy: tuple[Report, ...] = ()  # [seed], the best policy, where a seed ended with code alone
    trial_ticks: int | None = None  # of macros that were tried; mean over seeds, None if not told
    # [seed][sub-task] of a long task that a planner has split, in result.json's form: such a
    # run has one held-out evaluation, of the whole chain. () for all others.
    sub_tasks: tuple[tuple[dict[str, Any], ...], ...] = ()

    @property
    def num_iterations(self) -> int:
        return len(self.held_out)

    @property
    def is_chain(self) -> bool:
        return bool(self.sub_tasks)

    @property
    def last(self) -> tuple[Report, ...]:
        return self.held_out[-1]


def measure(runs: Sequence[Run]) -> dict[Cell, Measured]:
    """One record per cell that has finished runs."""
    found: dict[Cell, Measured] = {}
    for cell in dict.fromkeys(run.cell for run in runs):
        done = [run for run in runs if run.cell == cell and run.is_done]
        if done:
            found[cell] = measured_of(cell, done)
    return found


def measured_of(cell: Cell, runs: Sequence[Run]) -> Measured:
    """The record of runs that have a result; held-out evaluations of iterations may be missing."""
    results = [_json(run.folder / "result.json") for run in runs]
    played = [held_out.files_of(run.folder) for run in runs]
    held = [[_json(path) for path in paths if path.exists()] for paths in played]
    validation = [[_json(_validation(path)) for path in paths] for paths in played]
    policy = tuple(_json(run.folder / "final_eval.json") for run in runs)
    final = tuple(_json(_final(run.folder, r)) for run, r in zip(runs, results, strict=True))
    alone = [run.folder / "coded_parts_eval.json" for run in runs]
    trials = [result.get("trial_ticks") for result in results]
    chains = all(result.get("planner") for result in results)
    ticks = [
        [result["ticks"]] if chains else ticks_of(run.folder, len(reports))
        for run, reports, result in zip(runs, validation, results, strict=True)
    ]
    return Measured(
        cell=cell,
        task=final[0]["task"],
        seeds=tuple(run.seed for run in runs),
        folders=tuple(run.folder for run in runs),
        held_out=_by_iteration(held) if list(map(len, held)) == list(map(len, played)) else (),
        validation=_by_iteration(validation),
        final=final,
        best=tuple(result.get("best_iteration", 0) for result in results),
        sight=", ".join(dict.fromkeys(result.get("sight", NONE) for result in results)),
        coded_parts=tuple(map(_json, alone)) if all(p.exists() for p in alone) else (),
        policy=policy if policy != final else (),
        trial_ticks=round(sum(trials) / len(trials)) if None not in trials else None,
        ticks=tuple(round(sum(t) / len(t)) for t in zip(*ticks, strict=False)),
        wall_seconds=tuple(sum(r.get("wall_seconds", {}).values()) for r in results),
        sub_tasks=tuple(tuple(r["sub_tasks"]) for r in results) if chains else (),
    )


def _final(folder: Path, result: dict[str, Any]) -> Path:
    """The held-out evaluation of what a run ended with."""
    ends_with_code = result.get("ends_with") == CODED_PARTS
    return folder / ("coded_parts_eval.json" if ends_with_code else "final_eval.json")


def _validation(path: Path) -> Path:
    """The validation that belongs to a held-out evaluation."""
    chain = path.name == "final_eval.json"
    return path.with_name("validation_eval.json" if chain else "eval.json")


def _by_iteration(by_seed: Sequence[Sequence[Report]]) -> tuple[tuple[Report, ...], ...]:
    """Iterations that every seed has."""
    return tuple(tuple(row) for row in zip(*by_seed, strict=False))


def ticks_of(folder: Path, num_iterations: int) -> list[int]:
    """Ticks that the run had trained when each iteration ended."""
    ends = [0] * num_iterations
    for row in read_rows(folder / "metrics.csv"):
        number = int(float(row["iteration"]))
        if number < num_iterations:
            ends[number] = int(float(row["ticks"]))
    for i in range(1, num_iterations):
        ends[i] = max(ends[i], ends[i - 1])
    return ends


def _json(path: Path) -> Any:
    return json.loads(path.read_text())
