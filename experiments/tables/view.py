"""What a named table is drawn from."""

import dataclasses
from collections.abc import Mapping

from experiments.study.cells import Cell, Skipped
from experiments.study.intervals import Count, counts_of
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

    def counts(self, config: str, variant: str) -> list[Count] | None:
        """Held out, by seed; of what cannot succeed 0 of as many episodes as `rl_gpt` had."""
        if m := self.of(config, variant):
            return counts_of(m.final)
        ours, cell = self.of(config, "rl_gpt"), Cell(config, variant)
        if not ours or not any(s.is_zero and s.cell == cell for s in self.skipped):
            return None
        return [count._replace(successes=0, by_world={}) for count in counts_of(ours.final)]

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.variant for cell in self.cells))
