"""From measured cells to the tables and figures of a preset, and the folder that holds them."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.study import ablations, chains, controls, intervals, iterations, overview, pooled
from experiments.study.cells import SEEING, TASK_CONFIGS, Cell, Skipped
from experiments.study.measured import Measured
from experiments.study.runs import Run
from experiments.study.table import Table
from experiments.sweep import jobs
from experiments.sweep.jobs import Failure
from rlgpt_jax.loop.record import read_json, write_json

HEAD = """# What was measured of the agents

Success rates are of the embedded world, not of Minecraft, and cannot be set against results
there. Intervals are 95 %. `rl_gpt` replays one recorded conversation per configuration in every
seed, so the spread over conversations is not measured.
"""


def tables_of(preset: str, measured: Mapping[Cell, Measured], cells: Sequence[Cell]) -> list[Table]:
    """The tables of a preset; "" is a free choice of configurations and variants."""
    found = [measured[cell] for cell in cells if cell in measured]
    made = [overview.overview(found)]
    if preset in ("iterations", "paper", ""):
        # Sisters without SP, of other structures and designs have tables of their own.
        plain = plain_of(preset, found)
        made += [iterations.iterations(plain), iterations.against_pure_rl(measured)]
    if preset in ("controls", ""):
        made.append(controls.controls(measured))
    if preset == "controls":
        made.append(pooled.pooled(measured))
    made.append(chains.chains(found))
    if preset in ("ablation", "paper"):
        configs = [name for name in TASK_CONFIGS if any(c.config == name for c in cells)]
        made.append(ablations.ablation(measured, configs))
    for name in ("structures", "design"):
        if preset in (name, "paper"):
            made.append(ablations.compared_table(name, measured))
    return [made_one for made_one in made if made_one.rows]


def plain_of(preset: str, found: Iterable[Measured]) -> list[Measured]:
    """Runs that have iterations of their own and are no ablation of others."""
    shown = TASK_CONFIGS + SEEING
    return [m for m in found if not m.is_chain and (preset == "" or m.cell.config in shown)]


@dataclasses.dataclass(frozen=True)
class Study:
    """All that is written down of a study."""

    preset: str
    seeds: tuple[int, ...]
    command: str
    runs: tuple[Run, ...]
    extra: tuple[str, ...]  # flags that every run was given
    tables: tuple[Table, ...]
    measured: Mapping[Cell, Measured]
    skipped: tuple[Skipped, ...]
    failed: tuple[Failure, ...]


def write(out: Path, study: Study) -> list[Path]:
    """Writes table.md, one CSV and Markdown file per table, and study.json."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [path for made in study.tables for path in made.write(out / "tables")]
    (out / "table.md").write_text(markdown(study), encoding="utf-8")
    write_json(out / "study.json", to_json(study))
    return [out / "table.md", out / "study.json", *paths]


def markdown(study: Study) -> str:
    parts = [HEAD, *(made.markdown() for made in study.tables), _about(study)]
    if study.skipped:
        lines = "".join(f"- {s.cell.name}: {s.reason}\n" for s in study.skipped)
        parts.append(f"## Not measured\n\n{lines}")
    if study.failed:
        lines = "".join(f"- {f.job.name}: {f.reason} ({f.job.log})\n" for f in study.failed)
        parts.append(f"## Failed\n\n{lines}")
    return "\n".join(parts)


def _about(study: Study) -> str:
    """How to repeat it."""
    done = sum(run.is_done for run in study.runs)
    episodes = sorted({r["num_episodes"] for m in study.measured.values() for r in m.final})
    lines = [
        f"- `{study.command}`",
        f"- {done} of {len(study.runs)} runs done; seeds {', '.join(map(str, study.seeds))}; "
        f"held-out episodes per seed and iteration: {', '.join(map(str, episodes)) or 'none yet'}"
        f"{_in_worlds(study)}.",
        *(f"- {name}: {words}." for name, words in intervals.KINDS.items()),
        *(f"- {words}" for words in versions(study.measured)),
    ]
    return "## How\n\n" + "\n".join(lines) + "\n"


def _in_worlds(study: Study) -> str:
    """How many held-out worlds of its own every seed has."""
    numbers = {len(r.get("by_world") or ()) for m in study.measured.values() for r in m.final} - {0}
    return f", in {' or '.join(map(str, sorted(numbers)))} worlds of its own" if numbers else ""


def versions(measured: Mapping[Cell, Measured]) -> list[str]:
    """What the runs were made with; more than one line if they differ."""
    found: dict[str, int] = {}
    for folder in (folder for m in measured.values() for folder in m.folders):
        version = read_json(folder / "version.json")
        if version is not None:
            words = _version_words(version)
            found[words] = found.get(words, 0) + 1
    return [f"{count} run{'s' * (count != 1)}: {words}" for words, count in found.items()]


def _version_words(version: Mapping[str, Any]) -> str:
    packages = version.get("packages", {})
    named = [f"{name} {packages[name]}" for name in ("jax", "flax", "numba") if name in packages]
    changed = version.get("changed_files", 0)
    commit = str(version.get("commit", "?"))[:10]
    commit += f" with {changed} changed file{'s' * (changed != 1)}" if changed else ""
    return ", ".join([
        f"commit {commit}", f"Python {version.get('python', '?')}", *named,
        str(version.get("processor", "")), f"{version.get('nproc', '?')} threads a run",
    ])  # fmt: skip


def to_json(study: Study) -> dict[str, Any]:
    return {
        "preset": study.preset or "free",
        "command": study.command,
        "seeds": list(study.seeds),
        "intervals": intervals.KINDS,
        "versions": versions(study.measured),
        **jobs.to_json(study.runs, study.failed, study.extra),
        "skipped": [{"cell": s.cell.name, "reason": s.reason} for s in study.skipped],
        "tables": {made.name: list(made.records) for made in study.tables},
    }
