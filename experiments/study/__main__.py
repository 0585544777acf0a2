"""The command: runs what is missing, then writes table.md, study.json and curves.png.

Overrides of any field (`--config.<field>=VALUE`) and `--smoke` are handed to every run.
"""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from experiments import flags
from experiments.study.figure import write_figure
from experiments.study.runs import MODES, Run, overrides_of, plan_runs, run_all
from experiments.study.table import collect, markdown, write_json
from experiments.values import ConfigError, suggest


def parse(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Options of the study, and the flags that every run is given.

    Raises:
      ConfigError: for unknown tasks, modes and fields.
    """
    assignments, rest = flags.split_overrides(argv)
    parser = argparse.ArgumentParser("python -m experiments.study", description=__doc__)
    parser.add_argument("--tasks", default="harvest_milk,harvest_wool,harvest_log")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--out", type=Path, default=Path("studies/study"))
    parser.add_argument("--smoke", action="store_true", help="tiny budgets; meaningless numbers")
    options = parser.parse_args(rest)
    options.tasks = _chosen(options.tasks, sorted(flags.config_names()), "--tasks")
    options.modes = _chosen(options.modes, list(MODES), "--modes")
    if not options.seeds.replace(",", "").isdigit() or options.jobs < 1:
        raise ConfigError(f"--seeds={options.seeds} --jobs={options.jobs}: need whole numbers.")
    options.seeds = [int(text) for text in options.seeds.split(",") if text]
    for task in options.tasks:
        for mode in options.modes:
            pairs = [*assignments, ("loop.mode", mode)]
            flags.resolve(task, None, options.smoke, pairs)
    return options, overrides_of(assignments) + ["--smoke"] * options.smoke


def _chosen(text: str, valid: list[str], flag: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in valid:
            raise ConfigError(f"{flag}={text}: no {name!r}. {suggest(name, valid)}")
    return names


def main(argv: list[str]) -> int:
    """Returns the exit code: 1 if a run failed."""
    console = Console(file=sys.stdout)
    try:
        options, extra = parse(argv)
    except ConfigError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    runs = plan_runs(options.out, options.tasks, options.modes, options.seeds)

    def say(run: Run, words: str) -> None:
        console.print(f"{run.name}: {words}", highlight=False, soft_wrap=True)

    failed = run_all(runs, extra, options.jobs, say)
    study = collect(runs)
    write_json(options.out / "study.json", study)
    (options.out / "table.md").write_text(markdown(study))
    write_figure(options.out / "curves.png", runs)
    console.print(markdown(study), highlight=False, soft_wrap=True, markup=False)
    console.print(f"Written: {options.out}/table.md, study.json, curves.png", highlight=False)
    for run in failed:
        say(run, f"failed; its words are in {run.log}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
