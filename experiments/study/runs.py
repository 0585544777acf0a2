"""The runs of a study: jobs of a sweep that are cells with seeds.

After a run, another process evaluates all of its iterations in held-out worlds.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiments import flags
from experiments.study import held_out
from experiments.study.cells import Cell, Overrides
from experiments.sweep.jobs import Job, Task


@dataclasses.dataclass(frozen=True)
class Run(Job):
    """One cell with one seed."""

    cell: Cell
    seed: int
    folder: Path
    evaluates = True

    @property
    def config(self) -> str:  # type: ignore[override]
        return self.cell.config

    @property
    def name(self) -> str:
        return f"{self.cell.name} seed {self.seed}"

    @property
    def is_done(self) -> bool:
        """Whether nothing is left: every iteration has its held-out evaluation too."""
        if not self.has_result:
            return False
        files = held_out.files_of(self.folder)
        return bool(files) and all(path.exists() for path in files)

    @property
    def follows(self) -> "Run | None":
        """The run that must be done before."""
        if self.cell.variant != "agents_setup":
            return None
        cell = Cell(self.cell.config, "rl_gpt")
        return Run(cell, self.seed, self.folder.with_name(_folder_name(cell, self.seed)))

    @property
    def overrides(self) -> Overrides:  # type: ignore[override]
        """Flags of the cell, and of the run that this one follows."""
        first = (("set_up", str(self.follows.folder)),) if self.follows else ()
        return (("seed", str(self.seed)), *self.cell.overrides, *first)

    def tasks(self, command: Sequence[str], threads: int) -> Iterator[Task]:
        yield from super().tasks(command, threads)
        held_out.copy_best(self.folder)
        if not self.is_done:
            evaluate = ("-m", "experiments.study", "held_out", str(self.folder))
            yield Task(evaluate, evaluate, self.folder, self.log, threads)


def plan_runs(out: Path, cells: Sequence[Cell], seeds: Sequence[int]) -> list[Run]:
    """All runs; the seeds of one cell are far apart, so that early tables are even."""
    return [
        Run(cell, seed, out.resolve() / "runs" / _folder_name(cell, seed))
        for seed in seeds
        for cell in cells
    ]


def _folder_name(cell: Cell, seed: int) -> str:
    return f"{flags.stem_of(cell.config)}-{cell.variant}-seed{seed}"
