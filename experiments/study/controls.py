"""RL-GPT beside its controls: each half alone, and what else could have made the difference."""

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.study import intervals
from experiments.study.cells import VARIANTS, WORDS, Cell
from experiments.study.intervals import counts_of, difference
from experiments.study.measured import Measured, Report
from experiments.study.table import NONE, Table, rate_cell, rate_record, to

TABLE_WORDS = (
    "Held-out success, percent, of what did best in validation (of `rl_gpt` and `cold` an "
    "iteration's policy, or its code alone where that was better), with 95 % intervals "
    "over seeds; the last columns are `rl_gpt` minus the row, percentage points, paired by seed "
    "where both have the same ones, and so the same held-out episodes. PPO has as many training "
    "steps as an ordinary run may have; steps of macros that were tried come on top of those of "
    "`rl_gpt`. `its code`: the best coded parts of `rl_gpt` alone, in the same worlds; `its "
    "policy`: its best policy, where a seed ended with code. The set-up of `agents_setup` is that "
    "of `rl_gpt`'s best iteration with the same seed, without macros and with every primitive; "
    "`without_macros` has its primitives alone, and so nothing but macros less."
)
COLUMNS = (
    "configuration", "sight", "variant", "what plays", "seeds", "training steps", "trial steps",
    "success", "these agents 95 %", "rl_gpt minus it", "verdict",
)  # fmt: skip


def controls(measured: Mapping[Cell, Measured]) -> Table:
    """Rows of every configuration whose `rl_gpt` was measured."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for cell, own in measured.items():
        if cell.variant != "rl_gpt" or own.is_chain:
            continue
        ours = counts_of(own.final)
        for variant, m, reports in _entries(cell.config, measured):
            theirs, is_code = counts_of(reports), "code" in variant
            records.append({
                "config": cell.config, "variant": variant, "sight": own.sight,
                "seeds": list(m.seeds), **rate_record(theirs),
            })  # fmt: skip
            against = NONE, NONE
            if variant != "rl_gpt":
                minus = difference(ours, theirs, paired=m.seeds == own.seeds)
                against = str(minus), minus.verdict
                records[-1] |= {"minus": minus.size, "minus_low": minus.low,
                                "minus_high": minus.high, "verdict": minus.verdict}  # fmt: skip
            rows.append((
                cell.config, m.sight, variant, WORDS[variant],
                str(len(m.seeds)), "0" if is_code else f"{m.ticks[-1]:,}",
                NONE if m.trial_ticks is None else f"{m.trial_ticks:,}", rate_cell(theirs),
                to(intervals.these_agents(theirs)), *against,
            ))  # fmt: skip
    return Table("controls", "Controls", TABLE_WORDS, COLUMNS, rows, records)


def _entries(
    config: str, measured: Mapping[Cell, Measured]
) -> list[tuple[str, Measured, Sequence[Report]]]:
    """(variant, its runs, one report per seed) of what was measured."""
    own = measured[Cell(config, "rl_gpt")]
    found = {v: m for v in VARIANTS if (m := measured.get(Cell(config, v)))}
    parts = (("its code", own.coded_parts), ("its policy", own.policy))
    whole = [(variant, m, m.final) for variant, m in found.items()]
    return [*whole, *((name, own, reports) for name, reports in parts if reports)]
