"""Before and after: what changed between the evaluations of two iterations, in words."""

from collections.abc import Sequence

from rlgpt_jax.rl.evaluate.report import EpisodeEnd, EvalReport

MAX_ACTIONS = 8  # that are told of
MAX_CASES = 4  # that are named of each kind


def compare(before: EvalReport | None, after: EvalReport) -> str:
    """Facts side by side, no judgement; "" if there is no iteration before."""
    if before is None:
        return ""
    overlap = before.success_low <= after.success_high and after.success_low <= before.success_high
    lines = [
        f"Success: {_rate(before)} before, {_rate(after)} now; the intervals "
        f"{'overlap' if overlap else 'do not overlap'}.",
        f"Ticks per episode: {before.mean_ticks:.0f} before, {after.mean_ticks:.0f} now.",
        ""
        if after.facts
        else f"Dead loops: {before.dead_loop_rate:.0%} of the episodes before, "
        f"{after.dead_loop_rate:.0%} now.",
        _actions(before, after),
    ]
    return "\n".join(line for line in lines if line)


def compare_cases(before: EvalReport, after: EvalReport) -> str:
    """The same episodes under two programs, case by case; "" where none are known to be the same.

    Episodes are the same if their numbers and starts are.
    """
    olds = {(e.number, e.start): e for e in before.episodes}
    pairs = [(olds[key], e) for e in after.episodes if (key := (e.number, e.start)) in olds]
    if not pairs:
        return ""
    counts = {(a, b): [new for old, new in pairs if (old.success, new.success) == (a, b)]
              for a in (True, False) for b in (True, False)}  # fmt: skip
    broken, unsolved = counts[True, False], counts[False, False]
    lines = [
        f"Of the same {len(pairs)} episodes, case by case: {len(counts[True, True])} solved in "
        f"both, {len(counts[False, True])} newly solved, {len(broken)} newly broken, "
        f"{len(unsolved)} failed in both.",
        _named("Newly broken", broken, after.goal_names),
        _named("Failed in both", unsolved, after.goal_names),
    ]
    return "\n".join(line for line in lines if line)


def _named(head: str, cases: Sequence[EpisodeEnd], goal_names: Sequence[str]) -> str:
    told = "; ".join(e.describe(goal_names) for e in cases[:MAX_CASES])
    more = f"; and {len(cases) - MAX_CASES} more" * (len(cases) > MAX_CASES)
    return f"{head}: {told}{more}." * bool(cases)


def _rate(report: EvalReport) -> str:
    return (
        f"{report.successes} of {report.num_episodes} ({report.success_rate:.0%}, 95 % interval "
        f"{report.success_low:.0%} to {report.success_high:.0%})"
    )


def _actions(before: EvalReport, after: EvalReport) -> str:
    """Shares of ticks: first the macros of either, then the primitives that changed most."""
    macros = sorted({*before.macro_ends, *after.macro_ends})
    names = {*before.action_ticks, *after.action_ticks} - set(macros)
    change = {name: abs(_share(after, name) - _share(before, name)) for name in names}
    others = sorted(names, key=lambda name: (-change[name], name))
    told = [*macros, *others[: max(MAX_ACTIONS - len(macros), 0)]]
    parts = [f"{name} {_use(before, name)} -> {_use(after, name)}" for name in told]
    if not parts:
        return ""
    return f"Use, in share of ticks (times chosen), before -> now: {'; '.join(parts)}."


def _share(report: EvalReport, name: str) -> float:
    return report.action_ticks.get(name, 0) / max(sum(report.action_ticks.values()), 1)


def _use(report: EvalReport, name: str) -> str:
    known = name in report.macro_ends or name in report.action_ticks
    if not known:
        return "none"
    return f"{_share(report, name):.0%} ({report.action_counts.get(name, 0)})"
