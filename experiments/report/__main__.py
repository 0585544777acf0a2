"""Builds the report of a finished, killed or running run from its folder."""

import sys
from pathlib import Path

from experiments.report.page import write_report
from rlgpt_jax.agents.llm.disk import Damaged


def main(argv: list[str]) -> int:
    if len(argv) != 1 or argv[0].startswith("-"):
        print("Usage: python -m experiments.report RUN_FOLDER", file=sys.stderr)
        return 2
    try:
        print(write_report(Path(argv[0])))
    except (OSError, Damaged) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
