"""What finished runs say, as plain numbers: the source of all tables and figures."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.study.cells import Cell
from experiments.study.finished import Record, record_of, report_of
from experiments.study.runs import Run
from experiments.study.table import NONE

Report = dict[str, Any]  # an EvalReport as JSON


@dataclasses.dataclass(frozen=True)
class Measured:
    """All seeds of one cell that are done."""

    cell: Cell
    task: str
    seeds: tuple[int, ...]
    records: tuple[Record, ...]  # [seed]
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

    @property
    def tokens(self) -> int | None:
        """That the agents took, read and written; mean over seeds, None if not told."""
        cells = [record["result"].get("tokens") for record in self.records]
        if None in cells:
            return None
        each = [sum(c["input_tokens"] + c["output_tokens"] for c in found) for found in cells]
        return round(sum(each) / len(each))


def measure(runs: Sequence[Run]) -> dict[Cell, Measured]:
    """One record per cell that has finished runs."""
    return gathered({r: record_of(r.cell, r.seed, r.folder) for r in runs if r.is_done})


def gathered(found: Mapping[Run, Record]) -> dict[Cell, Measured]:
    """The same of records that are there, seeds in the order of the runs."""
    by_cell: dict[Cell, list[Record]] = {}
    for run, record in found.items():
        by_cell.setdefault(run.cell, []).append(record)
    return {cell: measured_of(cell, records) for cell, records in by_cell.items()}


def measured_of(cell: Cell, records: Sequence[Record]) -> Measured:
    """All seeds of a cell."""
    results = [record["result"] for record in records]
    trials = [result.get("trial_ticks") for result in results]
    ticks = zip(*(record["ticks"] for record in records), strict=False)
    is_chain = all(result.get("planner") for result in results)
    alone, policy = ([r[name] for r in records] for name in ("coded_parts", "policy"))
    final = _reports([record["final"] for record in records])
    return Measured(
        cell=cell,
        task=final[0]["task"],
        seeds=tuple(record["seed"] for record in records),
        records=tuple(records),
        held_out=_by_iteration([record["held_out"] for record in records]),
        validation=_by_iteration([record["validation"] for record in records]),
        final=final,
        best=tuple(result.get("best_iteration", 0) for result in results),
        sight=", ".join(dict.fromkeys(result.get("sight", NONE) for result in results)),
        coded_parts=_reports(alone) if None not in alone else (),
        policy=_reports([p or r["final"] for p, r in zip(policy, records)]) if any(policy) else (),
        trial_ticks=round(sum(trials) / len(trials)) if None not in trials else None,
        ticks=tuple(round(sum(t) / len(t)) for t in ticks),
        wall_seconds=tuple(sum(r.get("wall_seconds", {}).values()) for r in results),
        sub_tasks=tuple(tuple(r["sub_tasks"]) for r in results) if is_chain else (),
    )


def _reports(shorts: Sequence[Mapping[str, Any]]) -> tuple[Report, ...]:
    return tuple(map(report_of, shorts))


def _by_iteration(by_seed: Sequence[Sequence[Report]]) -> tuple[tuple[Report, ...], ...]:
    """Iterations that every seed has."""
    return tuple(_reports(row) for row in zip(*by_seed, strict=False))
