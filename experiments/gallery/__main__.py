"""The command: draws contact sheets as PNG files, each with labels."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from experiments import machine

SECTIONS = ("biomes", "caves", "mobs", "viewer", "blocks", "items")


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m experiments.gallery", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the sheets")
    parser.add_argument("--only", default=",".join(SECTIONS), help="which sheets, with commas")
    parser.add_argument("--views", type=int, default=2, help="pictures a biome and hour")
    parser.add_argument("--seed", type=int, default=0, help="chooses places and directions")
    options = parser.parse_args(argv)
    options.only = [name for name in options.only.split(",") if name]
    for name in options.only:
        if name not in SECTIONS:
            parser.error(f"--only: no {name!r}. Choose from {', '.join(SECTIONS)}.")
    if options.views < 1:
        parser.error(f"--views={options.views}: needs at least 1")
    return options


def main(argv: list[str]) -> int:
    options = parse(argv)
    machine.prepare()
    from experiments.gallery import run  # imports jax

    return run.run(options, Console(file=sys.stdout))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
