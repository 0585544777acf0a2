"""Runs one configuration again and says whether every bit of what it made is the same.

    python -m experiments.reproduce --config=harvest_milk --seed=0 --smoke

Four runs, one after the other, in folders of --out: two that nothing happens to, one that is
killed (SIGKILL) in the middle of training and resumed, and one on another number of devices that
is killed after its first updates: its numbers differ by rounding and are compared so. What cannot
be run is told. Writes reproduce.json. Exit code 1: a run failed, or what must be equal is not.
"""

import dataclasses
import shlex
import sys
from pathlib import Path

from experiments import flags
from experiments.checks import check_library, check_start
from experiments.commands import answer
from experiments.config_files import whole_name
from experiments.reproduce import contents, runs
from experiments.reproduce.contents import KINDS, Difference
from experiments.reproduce.runs import Asked, Made
from experiments.sweep.jobs import overrides_of
from experiments.values import ConfigError
from rlgpt_jax.loop.record import write_json

Found = dict[str, dict[str, Difference | None]]  # run -> kind -> where it differs first
HELP = {name: flags.HELP[name] for name in ("config", "seed", "smoke")} | {
    "out": "New folder of the runs and of reproduce.json (default: reproduce/<config>)."
}


def main(argv: list[str]) -> int:
    """Returns the exit code: 1 if something is not equal, 2 for a setting that cannot be used."""
    more = "  --config.<field>=VALUE changes any field of all runs."
    return answer(argv, flags.help_text(__doc__, HELP, more), run)


def parse(argv: list[str]) -> Asked:
    """Reads and checks the command line.

    Raises:
      ConfigError: anything that cannot be used, and models, which do not answer the same again.
    """
    assignments, rest = flags.split_overrides(argv)
    flags.check_once(rest, assignments)
    values = flags.read(rest, HELP, ("smoke",), hint="See --help.")
    if not values.config:
        raise ConfigError(
            "--config=NAME is needed; python -m experiments.main --config=help lists them."
        )
    config = flags.resolve(values.config, values.seed, values.smoke, assignments)
    if config.loop.asks and config.llm.provider != "replay":
        raise ConfigError(
            f"llm.provider={config.llm.provider}: a model that is asked again answers otherwise. "
            "Replay what it said: --config.llm.provider=replay with "
            "--config.llm.transcript=RUN/transcript.jsonl."
        )
    check_library(config)
    check_start(config)
    out = Path(values.out or Path("reproduce") / flags.stem_of(values.config)).resolve()
    if out.exists():
        raise ConfigError(f"--out={out} is there already. Choose another folder.")
    seed = [("seed", values.seed)] if values.seed else []
    extra = [*overrides_of([*seed, *assignments]), *["--smoke"] * values.smoke]
    return Asked(whole_name(values.config), config, tuple(extra), out)


def run(argv: list[str]) -> int:
    asked = parse(argv)
    try:
        made = runs.make(asked, lambda words: print(words, flush=True))
    except runs.RunFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    found, notes = compare(made)
    differences = {
        f"{name}, {kind}": difference
        for name, one in found.items() for kind, difference in one.items() if difference
    }  # fmt: skip
    told = [f"{where}: {difference.words}" for where, difference in differences.items()]
    print(table(found), *notes, *told, sep="\n")
    write_json(asked.out / "reproduce.json", {
        "command": shlex.join(["python", "-m", "experiments.reproduce", *argv]),
        "equal": not differences, "compared": {name: list(one) for name, one in found.items()},
        "differences": {where: dataclasses.asdict(d) for where, d in differences.items()},
        "notes": notes, "sha256": contents.digests(contents.of_run(made.once)),
    })  # fmt: skip
    print(f"Written: reproduce.json in {asked.out}")
    return 1 if differences else 0


def compare(made: Made) -> tuple[Found, list[str]]:
    """Where the other runs are not as the first one, and what is to be said."""
    first, notes = contents.of_run(made.once), list(made.notes)
    found = {f.name: contents.differences(first, contents.of_run(f)) for f in made.again}
    if made.devices and made.few:
        file, rows = made.few.file, made.few.rows
        largest, difference = contents.by_rounding(made.once / file, made.devices / file, rows)
        found[made.devices.name] = {"metrics": difference}
        notes.append(f"{made.devices.name}: metrics of the first {rows} updates differ by "
                     f"at most {largest:.1e} of 1 + the number; {contents.TOLERANCE} is allowed, "
                     "since sums are taken in another order")  # fmt: skip
    return found, notes


def table(found: Found) -> str:
    """One line per run, one column per kind."""
    lines = [f"{'beside once':<12}" + "".join(f"{kind:<13}" for kind in KINDS)]
    for name, one in found.items():
        equal = "equal" if len(one) > 1 else "rounding"
        cells = ("DIFFERS" if one.get(kind) else equal if kind in one else "" for kind in KINDS)
        lines.append(f"{name:<12}" + "".join(f"{cell:<13}" for cell in cells))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
