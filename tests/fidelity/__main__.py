"""Prints how faithful the embedded world is to Minecraft 1.11.2, one line per rule.

Ends with 1 if a bound is broken. What is compared with what: docs/fidelity.md. Further
player trajectories (the format of `third_party/minecraft/trajectories`) are checked with
--trajectory FILE ...
"""

import argparse
import sys
from pathlib import Path

from experiments import machine

GROUPS = ("motion", "mining", "recipes", "tables", "drops", "ores", "combat", "mobs")


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fidelity", description=__doc__)
    parser.add_argument(
        "--trajectory", nargs="+", type=Path, action="extend", default=[], metavar="FILE",
        help="further trajectory files; they count in the bound of motion",
    )  # fmt: skip
    parser.add_argument(
        "--only", default=",".join(GROUPS), help=f"groups with commas, of {', '.join(GROUPS)}"
    )
    parser.add_argument("--out", type=Path, help="also write the table to this .md or .json file")
    options = parser.parse_args(argv)
    options.only = [name for name in options.only.split(",") if name]
    unknown = [name for name in options.only if name not in GROUPS]
    if unknown:
        parser.error(f"--only: no group {', '.join(unknown)}. Try: {', '.join(GROUPS)}.")
    missing = [str(path) for path in options.trajectory if not path.is_file()]
    if missing:
        parser.error(f"--trajectory: no such file: {', '.join(missing)}")
    if options.trajectory and "motion" not in options.only:
        parser.error("--trajectory belongs to the group motion, which --only leaves out")
    if options.out and options.out.suffix not in (".md", ".json"):
        parser.error(f"--out={options.out}: write to a .md or a .json file")
    return options


def main(argv: list[str]) -> int:
    """Returns the exit code: 1 if a bound is broken, 2 for a file that cannot be read."""
    options = parse(argv)
    machine.prepare()
    from tests.fidelity import run  # imports jax

    return run.run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
