"""Runs the two loops on one task; the entry point of everything that is measured.

    python -m experiments.main --config=harvest_milk
    python -m experiments.main --config=help                    # names of configurations and tasks
    python -m experiments.main --config=harvest_milk --config.help    # every field, as it is there

The command line is read and checked first; jax is imported only when it is right.
"""

import _signal  # of `signal`, which imports more
import sys

# Ctrl-C while modules are imported ends the process in silence, until `main` has done that.
if __name__ == "__main__" or sys.argv[0].endswith("rlgpt"):
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import contextlib
import itertools
import json
import os
from pathlib import Path

from experiments import config_tree, flags, machine, signals
from experiments.commands import show
from experiments.configs import sight, worlds
from experiments.recordings import lacks_answers
from experiments.values import ConfigError
from rlgpt_jax.envs.tasks import tasks
from rlgpt_jax.loop.record import FolderNotHeld, held

EXAMPLE = "harvest_milk"


def main(argv: list[str]) -> int:
    """Returns the exit code: 0 done, 1 stopped, 2 a setting that cannot be used."""
    try:
        if (told := asked_for(argv)) is not None:
            return show(told)
        settings = flags.parse(argv)
    except ConfigError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    recorded = recorded_threads(settings.workdir) if settings.resume else None
    machine.prepare(recorded)
    try:
        with held(settings.workdir), signals.Stop(flags.how_to_go_on(settings.workdir)) as stop:
            with signals.interrupts_kill():
                from experiments import run  # imports jax

            return run.run(settings, stop)
    except (FolderNotHeld, ConfigError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def asked_for(argv: list[str]) -> str | None:
    """Help, where it is asked for.

    Raises:
      ConfigError: of a configuration that there is not.
    """
    words = [part for word in argv for part in word.split("=", 1)]
    named = [after for word, after in itertools.pairwise(words) if word == "--config"]
    if "help" in named:
        return list_configs()
    if {"--help", "-h"}.isdisjoint(argv) and "--config.help" not in argv:
        return None
    example = (named or [EXAMPLE])[-1]
    fields = config_tree.help_text(flags.load_config(example))
    if "--config.help" in argv:
        return fields
    seen = [f"      {name:<10}  {words}" for name, words in sight.WORDS.items()]
    return flags.help_text(
        __doc__, flags.HELP, "",
        "What --config.sight lets code and policy see; every result says which:", *seen, "",
        f"Every field, as it is in --config={example}:", fields,
    )  # fmt: skip


def list_configs() -> str:
    """One line per configuration, then one per task without one."""
    names = flags.config_names()
    for name, task in tasks.TASKS.items():
        names.setdefault(name, tasks.goal_words(task))
    names |= {name: f"{task.words} (simulator)" for name, task in worlds.TASKS.items()}
    width = max(map(len, names))
    return "\n".join(
        f"{name:<{width}}  {line}" + " (nothing recorded)" * lacks_answers(flags.load_config(name))
        for name, line in names.items()
    )


def recorded_threads(workdir: Path) -> str | None:
    """The thread count with which a run was started: resuming with it gives equal bits. None if
    that is not known."""
    try:
        return str(int(json.loads((workdir / "version.json").read_text())["nproc"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def command() -> int:
    """The console script `rlgpt`. A run that was stopped has said its words and closed its files:
    the process leaves without a teardown, which threads of a compiler that go on would crash."""
    code = main(sys.argv[1:])
    if code == 1:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):  # a terminal that is gone
                stream.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(command())
