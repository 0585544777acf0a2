"""What a command line asks for: tables, their cells, what of them is there, what is to be run."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from absl.flags import FlagValues

from experiments import flags
from experiments.checks import check_start
from experiments.configs.base import Config
from experiments.study import cells, finished
from experiments.study.__main__ import SEEDS, configs_of, seeds_of
from experiments.study.cells import Cell, Skipped
from experiments.study.finished import Record
from experiments.study.runs import Run, plan_runs
from experiments.sweep import running
from experiments.sweep.jobs import overrides_of
from experiments.sweep.running import Running
from experiments.tables.names import NAMED, QUICK
from experiments.values import ConfigError, suggest

ALL = "all"
HELP = {
    "seeds": f"Whole numbers: 0..4, or with commas between them (default: {SEEDS}).",
    "configs": "Other configurations than the table's, separated by commas.",
    "world": "voxel or minedojo (default: that of the configurations).",
    "models": "Of `models`, to answer now: PROVIDER:MODEL or compatible:MODEL@URL, with commas.",
    "quick": "A smoke run: tiny budgets, one seed, the smallest set of tasks.",
    "keep": "Keep what finished cells say in --results, for fresh clones.",
    "only_kept": "Run nothing: draw from kept cells alone.",
    "results": "Folder of kept cells (default: experiments/results).",
    "runs": "Folder of runs (default: runs in --out).",
}
SWITCHES = ("quick", "keep", "only_kept")


@dataclasses.dataclass(frozen=True)
class Asked:
    """The command line, checked."""

    names: tuple[str, ...]  # of tables
    configs: tuple[str, ...]  # () for those of each table
    live: tuple[str, ...]  # models
    is_quick: bool
    is_smoke: bool
    assignments: tuple[tuple[str, str], ...]
    seeds: tuple[int, ...]
    running: Running
    results: Path
    runs: Path
    keep: bool
    only_kept: bool
    command: tuple[str, ...]  # without what changes no number

    @property
    def world(self) -> str:
        return dict(self.assignments).get("world", "voxel")

    def tasks(self, name: str) -> tuple[str, ...]:
        return self.configs or (QUICK if self.is_quick else NAMED[name].tasks)

    def cells(self, name: str) -> list[Cell]:
        return list(dict.fromkeys(NAMED[name].cells(self.tasks(name), self.live)))


@dataclasses.dataclass(frozen=True)
class Plan:
    """What there is, and what is to be done."""

    configs: Mapping[Cell, Config]  # of the cells that can be run
    skipped: tuple[Skipped, ...]
    kept: Mapping[Run, Record]
    runs: tuple[Run, ...]  # all others
    stale: tuple[str, ...]


def parse(argv: Sequence[str]) -> Asked:
    """Reads the command line.

    Raises:
      ConfigError: no such table, configuration, field or value.
    """
    if not argv or argv[0] not in (*NAMED, ALL):
        name = argv[0] if argv else ""
        raise ConfigError(f"{name!r} is no table. {suggest(name, [*NAMED, ALL, 'keep'])}")
    assignments, rest = flags.split_overrides(argv[1:])
    given = running.read(rest, HELP, SWITCHES)
    is_smoke = bool(given.quick or given.smoke)
    given["smoke"].value = is_smoke
    if is_smoke and (given.keep or given.only_kept):
        raise ConfigError("--quick and --smoke give numbers that mean nothing: none are kept.")
    configs = configs_of(given.configs or "")
    worlds = {given.world} if given.world else {cells.loaded(name).world for name in configs}
    if len(worlds) > 1:
        told = ", ".join(sorted(worlds))
        raise ConfigError(f"--configs of several worlds ({told}): a table is of one. Ask twice.")
    if given.world or worlds - {"voxel"}:
        assignments = [("world", worlds.pop()), *assignments]
    changed = [p for p, _ in assignments if p != "world" and not finished.is_free(p)]
    if given.keep and changed:
        raise ConfigError(f"--keep is for cells as they are: leave out --config.{changed[0]}.")
    world = dict(assignments).get("world", "voxel")
    own = f"tables{f'_{world}' * (world != 'voxel')}{'_quick' * is_smoke}"
    how = running.settings(given, Path("studies") / own, tuple(assignments))
    live = tuple(filter(None, (given.models or "").split(",")))
    for variant in live:
        cells.live(variant)
    seeds = given.seeds or ("0" if given.quick else SEEDS)
    return Asked(
        tuple(NAMED) if argv[0] == ALL else (argv[0],), configs, live,
        given.quick, is_smoke, tuple(assignments), seeds_of(seeds), how,
        Path(given.results or finished.KEPT), Path(given.runs or how.out / "runs"), given.keep,
        given.only_kept, (f"--seeds={seeds}", *_command(given, assignments)),
    )  # fmt: skip


def _command(given: FlagValues, assignments: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The flags that numbers depend on."""
    told = [f"--{name}={text}" for name in ("configs", "models") if (text := getattr(given, name))]
    smoke = ["--quick"] if given.quick else ["--smoke"] * given.smoke
    return (*told, *smoke, *overrides_of(assignments))


def look(asked: Asked) -> Plan:
    """Finds what is there.

    Raises:
      ConfigError: a folder holds a run with other settings, or no cell can take a setting.
    """
    every = (cell for name in asked.names for cell in asked.cells(name))
    wanted = list(dict.fromkeys(map(cells.same_as, every)))
    good, skipped = cells.usable(wanted, asked.is_smoke, asked.assignments)
    if asked.assignments and wanted and not good:  # a mistake, not a reason to skip them all
        cells.resolve(wanted[0], asked.is_smoke, asked.assignments)
    zero = [known for cell in good if (known := cells.without_a_chance(cell, good[cell]))]
    good = {cell: good[cell] for cell in good if cell not in {known.cell for known in zero}}
    kept: dict[Run, Record] = {}
    stale: list[str] = []
    left: list[Run] = []
    for run in plan_runs(asked.runs, list(good), asked.seeds):
        record, why = (None, "") if asked.is_smoke else _kept(asked, run, good[run.cell])
        stale += [f"{run.name}: the kept cell is stale, {why}"] if why else []
        if record is None:
            left.append(run)
        else:
            kept[run] = record
    runs = () if asked.only_kept else tuple(_run(asked, run, kept) for run in left)
    for run in runs:
        _check_folder(run, good[run.cell])
        if not run.is_done:
            check_start(good[run.cell])
    return Plan(good, (*skipped, *zero), kept, runs, tuple(stale))


def _kept(asked: Asked, run: Run, config: Config) -> tuple[Record | None, str]:
    """The record of a run, or why there is one that does not count."""
    path = finished.path_of(asked.results, run.cell, run.seed, asked.world)
    if not path.is_file():
        return None, ""
    record = finished.read(path)
    why = finished.stale(record, config, run.cell.variant)
    return (None, why) if why else (record, "")


def _run(asked: Asked, run: Run, kept: Mapping[Run, Record]) -> Run:
    """The run with where it takes a set-up from, where its record is kept, and whether it is filmed
    for a table."""
    first = run.follows
    is_kept = first and any((r.cell, r.seed) == (first.cell, first.seed) for r in kept)
    set_up = None
    if first and is_kept:
        set_up = finished.path_of(asked.results, first.cell, first.seed, asked.world).resolve()
    films = any(NAMED[name].strips and run.cell in asked.cells(name) for name in asked.names)
    return dataclasses.replace(
        run, set_up=set_up, keep=asked.results if asked.keep else None,
        films=films or "films" in dict(asked.assignments),
    )  # fmt: skip


def _check_folder(run: Run, config: Config) -> None:
    """Refuses a folder that holds a run with other settings, or with other answers."""
    if not (run.folder / "config.json").exists():
        return
    if run.is_done:
        record = finished.record_of(run.cell, run.seed, run.folder)
        why = finished.stale(record, config, run.cell.variant)
    else:
        record = {"settings": flags.started_with(run.folder)["config"]}
        why = "; ".join(finished.changes(record, config, run.cell.variant)[:3])
    if why:
        raise ConfigError(f"{run.folder} holds another run ({why}). Remove it, or give --runs.")
