"""Runs the two loops on one task; the entry point of everything that is measured.

    python -m experiments.main --config=harvest_milk
    python -m experiments.main --config=help

The command line is read and checked first; jax is imported only when it is right.
"""

import itertools
import json
import sys
from pathlib import Path

from experiments import flags, machine, sight
from experiments.configs import worlds
from experiments.values import ConfigError
from rlgpt_jax.loop.record import FolderNotHeld, held


def main(argv: list[str]) -> int:
    """Returns the exit code: 0 done, 1 stopped, 2 a setting that cannot be used."""
    if "--help" in argv or "-h" in argv:
        print(help_text())
        return 0
    if asks_for_list(argv):
        print(list_configs())
        return 0
    try:
        settings = flags.parse(argv)
    except ConfigError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    recorded = recorded_threads(settings.workdir) if settings.resume else None
    machine.prepare(recorded, least=2 if settings.config.world == "minedojo" else 1)
    try:
        with held(settings.workdir):
            from experiments import run  # imports jax

            return run.run(settings)
    except (FolderNotHeld, ConfigError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def asks_for_list(argv: list[str]) -> bool:
    return "--config=help" in argv or ("--config", "help") in itertools.pairwise(argv)


def help_text() -> str:
    lines = [f"  --{name:<9} {words}" for name, words in flags.HELP.items()]
    example = "changes a field, for example --config.loop.mode=pure_rl"
    seen = [f"      {name:<10}  {words}" for name, words in sight.WORDS.items()]
    return "\n".join([
        (__doc__ or "").strip(), "", *lines, f"  --config.<field>=VALUE {example}",
        "  --config.loop.warm_start=false  every iteration trains from nothing, with equal ticks",
        "  --config.sight=...  what code and policy see; every result says which:", *seen,
    ])  # fmt: skip


def list_configs() -> str:
    """One line per configuration, then one per task of a simulator."""
    names = flags.config_names()
    names |= {name: f"{task.words} (simulator)" for name, task in worlds.TASKS.items()}
    width = max(map(len, names))
    return "\n".join(f"{name:<{width}}  {line}" for name, line in names.items())


def recorded_threads(workdir: Path) -> str | None:
    """The thread count with which a run was started: resuming with it gives equal bits."""
    path = workdir / "version.json"
    return json.loads(path.read_text()).get("nproc") if path.exists() else None


def command() -> int:
    """The console script `rlgpt`."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(command())
