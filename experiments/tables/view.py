"""What a named table is drawn from."""

import dataclasses
from collections.abc import Mapping

from experiments.study.cells import Cell, Skipped
from experiments.study.measured import Measured
from experiments.study.table import NONE


@dataclasses.dataclass(frozen=True)
class View:
    """The cells of a table, as far as they are measured."""

    tasks: tuple[str, ...]  # names of configurations, in the order of rows
    cells: tuple[Cell, ...]  # all that the table asks for
    measured: Mapping[Cell, Measured]
    skipped: tuple[Skipped, ...]

    def of(self, config: str, variant: str) -> Measured | None:
        return self.measured.get(Cell(config, variant))

    def lack(self, config: str, variant: str) -> str:
        """Why there is no number."""
        reasons = {skipped.cell: skipped.reason for skipped in self.skipped}
        reason = reasons.get(Cell(config, variant))
        return "not run" if reason is None else reason.partition(":")[0][:40] or NONE

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.variant for cell in self.cells))
