"""The folder of a study or of a named table: its page, its tables in three forms, its figures."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.study import chains, controls, figure, intervals, iterations, overview
from experiments.study.cells import Cell, Skipped
from experiments.study.measured import Measured
from experiments.study.runs import Run
from experiments.study.table import Table
from experiments.sweep import jobs
from experiments.sweep.jobs import Failure
from rlgpt_jax.loop.record import write_json

INTERVALS = (
    "Intervals are 95 %. `rl_gpt` replays one recorded conversation per configuration in every "
    "seed, so the spread over conversations is not in them."
)
WORLDS = {
    "voxel": "Measured in the embedded world, not in Minecraft: it cannot be set against results "
    "there.",
    "minedojo": "Measured in Minecraft itself, through MineDojo.",
    "control": "Measured in the simulators of docs/control.md, none of them the paper's; assembly "
    "and peg insertion are of Meta-World.",
}


def world_words(world: str) -> str:
    """Which world numbers come from, told beside every one."""
    return WORLDS.get(world, f"Measured in the world {world}.")


def free_tables(measured: Mapping[Cell, Measured]) -> list[Table]:
    """The tables of a free choice of configurations and variants."""
    found = measured.values()
    return [
        overview.overview(found), iterations.iterations(found),
        iterations.against_pure_rl(measured), controls.controls(measured), chains.chains(found),
    ]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Study:
    """All that is written down."""

    name: str
    words: str  # what it asks
    world: str
    command: str
    seeds: tuple[int, ...]
    cells: tuple[Cell, ...]  # that can be run
    tables: tuple[Table, ...]
    measured: Mapping[Cell, Measured]
    skipped: tuple[Skipped, ...] = ()
    failed: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()  # named one by one in study.json
    extra: tuple[str, ...] = ()  # flags that every run was given
    curves: bool = True  # whether learning curves are drawn too


def write(out: Path, study: Study) -> list[Path]:
    """Writes table.md, study.json, every table that has rows, figures."""
    out.mkdir(parents=True, exist_ok=True)
    told = [_told(made, study.world) for made in (*study.tables, sources(study.measured))]
    study = dataclasses.replace(study, tables=tuple(made for made in told if made.rows))
    paths = [path for made in study.tables for path in made.write(out / "tables")]
    (out / "table.md").write_text(markdown(study), encoding="utf-8")
    write_json(out / "study.json", to_json(study))
    for made in study.tables:
        paths += figure.points_figure(out / f"{made.name}_points", made)
    if study.curves:
        plain = [m for m in study.measured.values() if not m.is_chain]
        paths += figure.iterations_figure(out, plain) + figure.curves_figure(out, plain)
    return [out / "table.md", out / "study.json", *paths]


def publish(out: Path, study: Study) -> None:
    """Writes all, and tells the tables."""
    paths = write(out, study)
    for made in study.tables:
        if made.rows:
            print(_told(made, study.world).markdown())
    print(f"Written: {', '.join(str(path.relative_to(out)) for path in paths)} in {out}")


def _told(table: Table, world: str) -> Table:
    """The table with the world that it is of, in words and in every record of ours."""
    records = tuple(r if "source" in r else {**r, "world": world} for r in table.records)
    return dataclasses.replace(table, records=records, source=world_words(world))


def markdown(study: Study) -> str:
    said = " ".join([world_words(study.world), INTERVALS, *_models(study.measured)])
    head = f"# {study.name}\n\n{study.words}\n\n{said}\n"
    parts = [head, *(made.markdown() for made in study.tables), _about(study)]
    if study.skipped:
        lines = "".join(f"- {s.cell.name}: {_why(s)}\n" for s in study.skipped)
        parts.append(f"## Not measured\n\n{lines}")
    if study.failed:
        lines = "".join(f"- {f.job.name}: {f.reason} ({f.job.log.name})\n" for f in study.failed)
        parts.append(f"## Failed\n\n{lines}")
    return "\n".join(parts)


def _models(measured: Mapping[Cell, Measured]) -> list[str]:
    """Whose answers agents gave, if any did."""
    found = {name for m in measured.values() for record in m.records for name in record["models"]}
    names = sorted(found - {""})
    one = "one model family, " * (len(names) == 1)
    return [f"Agents' answers are draws of {one}{', '.join(names)}."] * bool(names)


def _why(skipped: Skipped) -> str:
    return skipped.reason + (f". To record it: `{skipped.command}`" if skipped.command else "")


def _about(study: Study) -> str:
    """How to repeat it."""
    done = sum(len(m.seeds) for m in study.measured.values())
    episodes = sorted({r["num_episodes"] for m in study.measured.values() for r in m.final})
    lines = [
        f"- `{study.command}`",
        f"- {done} of {len(study.cells) * len(study.seeds)} runs done; seeds "
        f"{', '.join(map(str, study.seeds))}; held-out episodes per seed and iteration: "
        f"{', '.join(map(str, episodes)) or 'none yet'}{_in_worlds(study)}.",
        *(f"- {name}: {words}." for name, words in intervals.KINDS.items()),
        *(f"- {words}" for words in (*versions(study.measured), *study.notes)),
    ]
    return "## How\n\n" + "\n".join(lines) + "\n"


def _in_worlds(study: Study) -> str:
    """How many held-out worlds of its own every seed has."""
    numbers = {len(r.get("by_world") or ()) for m in study.measured.values() for r in m.final} - {0}
    return f", in {' or '.join(map(str, sorted(numbers)))} worlds of its own" if numbers else ""


def versions(measured: Mapping[Cell, Measured]) -> list[str]:
    """What the runs were made with; more than one line if they differ."""
    found: dict[str, int] = {}
    for record in (record for m in measured.values() for record in m.records):
        packages = [f"{name} {version}" for name, version in record["versions"].items()]
        words = ", ".join([f"commit {_commit(record)}", *packages, record["machine"]])
        found[words] = found.get(words, 0) + 1
    return [f"{count} run{'s' * (count != 1)}: {words}" for words, count in found.items()]


def _commit(record: Mapping[str, Any]) -> str:
    changed = record["changed_files"]
    more = f" with {changed} changed file{'s' * (changed != 1)}" if changed else ""
    return record["commit"][:10] + more


def sources(measured: Mapping[Cell, Measured]) -> Table:
    """Where every number comes from: one row per run."""
    columns = ("configuration", "variant", "seed", "command", "commit", "date", "machine",
               "minutes")  # fmt: skip
    rows, records = [], []
    for m in measured.values():
        for record, seconds in zip(m.records, m.wall_seconds, strict=True):
            row = (
                m.cell.config, m.cell.variant, str(record["seed"]), record["command"],
                _commit(record), record["date"], record["machine"], f"{seconds / 60:.0f}",
            )  # fmt: skip
            rows.append(row)
            records.append(dict(zip(columns, row)))
    words = "One row per run; minutes are of the wall clock, held-out iterations left out."
    title = "Where every number comes from"
    return Table("sources", title, words, columns, rows, records)


def to_json(study: Study) -> dict[str, Any]:
    runs = jobs.to_json(study.runs, study.failed, study.extra) if study.runs else {}
    return {
        "name": study.name,
        "world": study.world,
        "command": study.command,
        "seeds": list(study.seeds),
        "intervals": intervals.KINDS,
        "versions": versions(study.measured),
        "failed": [{"run": f.job.name, "reason": f.reason} for f in study.failed],
        **runs,
        "skipped": [
            {"cell": s.cell.name, "reason": s.reason, "command": s.command} for s in study.skipped
        ],
        "tables": {made.name: list(made.records) for made in study.tables},
    }
