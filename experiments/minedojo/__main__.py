"""The interpreter of real Minecraft (MineDojo).

    python -m experiments.minedojo setup [--python=3.9] [--folder=.minedojo]
    python -m experiments.minedojo doctor [--python=PATH] [--workers=2] [--launch] [--json]

setup: makes the environment that runs with --config.world=minedojo use.
doctor: looks at everything that such a run needs and names the cure of what fails.
"""

import argparse
import sys

from experiments.minedojo import doctor, setup
from experiments.values import suggest

COMMANDS = {"setup": setup, "doctor": doctor}


def main(argv: list[str]) -> int:
    """Returns the exit code: 0 well, 1 something failed or is missing, 2 bad arguments."""
    if not argv or argv[0] in ("-h", "--help"):
        print((__doc__ or "").strip())
        return 0 if argv else 2
    name, *rest = argv
    if name not in COMMANDS:
        print(f"error: no command {name!r}. {suggest(name, list(COMMANDS))}", file=sys.stderr)
        return 2
    command = COMMANDS[name]
    parser = argparse.ArgumentParser(
        f"python -m experiments.minedojo {name}", description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_arguments(parser)
    return command.run(parser.parse_args(rest))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
