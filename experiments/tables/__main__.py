"""The paper's experiments: runs what is missing of a table, then writes it.

    python -m experiments.tables NAME [--seeds=0,1,2] [--jobs=2] [--keep]
    python -m experiments.tables NAME --dry-run       # what is there, what is missing, how long
    python -m experiments.tables NAME --only-kept     # from experiments/results, with no run
    python -m experiments.tables all --quick
    python -m experiments.tables keep RUN [RUN ...] [--results=FOLDER]

What is done is not done again; what was killed goes on; what failed is tried again by the same
command. Kept cells are read first. `keep` keeps what an ordinary finished run says.
"""

import dataclasses
import json
import shlex
import sys
from pathlib import Path

from experiments import flags
from experiments.configs.base import Config
from experiments.study import cells, finished, held_out
from experiments.study.held_out import NotFinished
from experiments.sweep import running
from experiments.sweep.jobs import Failure, Job
from experiments.tables.names import NAMED
from experiments.tables.plan import HELP, Asked, Plan, look, parse
from experiments.values import ConfigError, refusing


def main(argv: list[str]) -> int:
    rows = [f"  {name:<11} {named.words}" for name, named in NAMED.items()]
    text = "\n".join([(__doc__ or "").strip(), "", "NAME is one of", *rows])
    if not argv:
        print(running.help_text(text, HELP))
        return 2
    return running.command(argv, text, HELP, keep if argv[0] == "keep" else run)


def run(argv: list[str]) -> int:
    asked = parse(argv)
    plan = look(asked)
    for one in () if asked.running.dry_run else plan.runs:
        one.keep_record()  # of what was done before
    configs: dict[Job, Config] = {one: plan.configs[one.cell] for one in plan.runs}
    failed: list[Failure] | None = []
    if not asked.only_kept or asked.running.dry_run:
        failed = running.go(asked.running, configs, _notes(asked, plan))
    else:
        for words in plan.stale:
            print(words)
    if failed is not None:
        draw(asked, plan, failed)
    return 1 if failed else 0


def _notes(asked: Asked, plan: Plan) -> list[str]:
    """What is told with the plan."""
    kept = [f"{one.name}: kept" for one in plan.kept] if asked.running.dry_run else []
    by_command: dict[str, list[str]] = {}
    for s in plan.skipped:
        named = s.cell.name if s.command else f"{s.cell.name}: {s.reason}"
        by_command.setdefault(s.command or named, []).append(named)
    left = [
        f"left out {', '.join(found)}" + f": not recorded\n    {command}" * (command not in found)
        for command, found in by_command.items()
    ]
    return [*kept, *plan.stale, *left, f"{len(plan.kept)} runs are kept."]


def draw(asked: Asked, plan: Plan, failed: list[Failure]) -> None:
    """Writes every table that was asked for, each into a folder of its own."""
    from experiments.study import page, strips
    from experiments.study.measured import gathered
    from experiments.tables.view import View

    fresh = {
        one: finished.record_of(one.cell, one.seed, one.folder) for one in plan.runs if one.is_done
    }
    records = sorted({**plan.kept, **fresh}.items(), key=lambda pair: pair[0].seed)
    measured = gathered(dict(records))
    for name in asked.names:
        named, own = NAMED[name], asked.cells(name)
        run_as = {cell: cells.same_as(cell) for cell in own}
        here = {
            cell: dataclasses.replace(measured[same], cell=cell)
            for cell, same in run_as.items() if same in measured
        }  # fmt: skip
        skipped = tuple(
            dataclasses.replace(s, cell=cell)
            for cell, same in run_as.items() for s in plan.skipped if s.cell == same
        )  # fmt: skip
        view = View(asked.tasks(name), tuple(own), here, skipped)
        study = page.Study(
            name=name, words=named.words, world=asked.world,
            command=shlex.join(["python", "-m", "experiments.tables", name, *asked.command]),
            seeds=asked.seeds, cells=tuple(c for c in own if run_as[c] in plan.configs),
            tables=tuple(named.tables(view)), measured=here, skipped=skipped,
            failed=tuple(
                f for f in failed if f.job.cell in run_as.values()  # type: ignore[attr-defined]
            ),
            notes=tuple(named.notes(view)), curves=named.curves,
        )  # fmt: skip
        out = asked.running.out / name
        page.publish(out, study)
        filmed = [one for one in plan.runs if named.strips and one.cell in here]
        if paths := strips.write(out, filmed):
            print(f"Films: {', '.join(str(path.relative_to(out)) for path in paths)}")
    running.tell_failures(failed)


def keep(argv: list[str]) -> int:
    """Keeps what ordinary finished runs say: `keep RUN [RUN ...]`."""
    argv = argv[1:]
    results = [word.partition("=")[2] for word in argv if word.startswith("--results=")]
    folders = [Path(word) for word in argv if not word.startswith("--results=")]
    if not folders or any(str(folder).startswith("-") for folder in folders):
        raise ConfigError("keep takes run folders: keep RUN [RUN ...] [--results=FOLDER].")
    for folder in folders:
        saved = flags.started_with(folder)["config"]
        with refusing(NotFinished):
            held_out.files_of(folder)
        cell = finished.cell_of(folder)
        record = finished.record_of(cell, saved["seed"], folder)
        path = finished.write(Path(results[-1] if results else finished.KEPT), record)
        print(f"{path}: {json.dumps(record['final']['success_rate'])} of {cell.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
