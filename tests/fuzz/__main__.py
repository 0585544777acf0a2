"""Hostile texts against the compiler and the interpreters of macros.

    python -m tests.fuzz texts --minutes=10 [--seed=0] [--out=fuzz]
    python -m tests.fuzz texts --worst
    python -m tests.fuzz mixed --programs=2000
    python -m tests.fuzz attacks [--kind=unicode] [--long]

texts: random texts and programs, or the known worst ones.
mixed: random valid programs over mixed containers, beside what Python does.
attacks: known attacks on the language, and what becomes of them.
"""

import argparse
import sys

from experiments import machine
from tests.fuzz import attacks, mixed, random_texts

COMMANDS = {"texts": random_texts, "mixed": mixed, "attacks": attacks}


def main(argv: list[str]) -> int:
    """Returns the exit code: 1 if something went wrong, 2 for bad arguments."""
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m tests.fuzz", description=__doc__, formatter_class=style
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, module in COMMANDS.items():
        module.add_arguments(
            commands.add_parser(name, description=module.__doc__, formatter_class=style)
        )
    options = parser.parse_args(argv)
    machine.prepare()
    return COMMANDS[options.command].run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
