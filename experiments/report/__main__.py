"""Builds the report of a finished, killed or running run from its folder.

    python -m experiments.report RUN_FOLDER

Writes report.html there and prints its path.
"""

import sys
from pathlib import Path

from experiments.commands import answer
from experiments.report.page import write_report
from experiments.values import ConfigError


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for a folder that holds no run."""
    return answer(argv, (__doc__ or "").strip(), report)


def report(argv: list[str]) -> int:
    if len(argv) != 1 or argv[0].startswith("-"):
        raise ConfigError("one folder is needed: python -m experiments.report RUN_FOLDER")
    print(write_report(Path(argv[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
