"""The runs of a study: jobs of a sweep that are cells with seeds.

After a run, another process evaluates all of its iterations in held-out worlds.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiments.study import finished, held_out
from experiments.study.cells import SET_UPS, Cell, Overrides
from experiments.sweep.jobs import Job, Task


@dataclasses.dataclass(frozen=True)
class Run(Job):
    """One cell with one seed."""

    cell: Cell
    seed: int
    folder: Path
    set_up: Path | None = None  # for one of `SET_UPS`: a kept record, in the place of a run
    keep: Path | None = None  # where its record is kept once it is done
    films: bool = True  # whether it draws them, unless a flag for all says otherwise
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
        if self.cell.variant not in SET_UPS or self.set_up:
            return None
        cell = Cell(self.cell.config, "rl_gpt")
        return Run(cell, self.seed, self.folder.with_name(folder_name(cell, self.seed)))

    @property
    def overrides(self) -> Overrides:  # type: ignore[override]
        """Flags of the cell, and of the run that this one follows."""
        of = self.set_up or (self.follows.folder if self.follows else None)
        first = (("set_up", str(of)),) if of else ()
        films = () if self.films else (("films", "false"),)
        return (("seed", str(self.seed)), *self.cell.overrides, *films, *first)

    def tasks(self, command: Sequence[str], threads: int) -> Iterator[Task]:
        yield from super().tasks(command, threads)
        held_out.copy_best(self.folder)
        if not self.is_done:
            evaluate = ("-m", "experiments.study", "held_out", str(self.folder))
            yield Task(evaluate, evaluate, self.folder, self.log, threads)
        self.keep_record()

    def keep_record(self) -> None:
        """Keeps what a finished run says, if that is asked for."""
        if self.keep and self.is_done:
            finished.write(self.keep, finished.record_of(self.cell, self.seed, self.folder))


def plan_runs(out: Path, cells: Sequence[Cell], seeds: Sequence[int]) -> list[Run]:
    """All runs, with folders in `out`; seeds of a cell are far apart: early tables are even."""
    return [
        Run(cell, seed, out.resolve() / folder_name(cell, seed)) for seed in seeds for cell in cells
    ]


def folder_name(cell: Cell, seed: int) -> str:
    return f"{cell.file_name}-seed{seed}"
