"""The interpreter of real Minecraft (MineDojo).

    python -m experiments.minedojo setup [--python=3.9] [--folder=.minedojo]
    python -m experiments.minedojo doctor [--python=PATH] [--workers=1] [--launch] [--json]

setup: makes the environment that runs with --config.world=minedojo use.
doctor: looks at everything that such a run needs and names the cure of what fails.
"""

import sys

from experiments.commands import Tool

COMMANDS = {"setup": "", "doctor": ""}


def main(argv: list[str]) -> int:
    """Returns the exit code: 0 well, 1 something failed or is missing, 2 bad arguments."""
    return Tool("minedojo", __doc__, COMMANDS).main(argv, prepares=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
