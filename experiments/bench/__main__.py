"""The command: chooses what to measure, prints tables, writes JSON and a plot."""

import argparse
import sys
from pathlib import Path

from experiments import machine

PARTS = ("world", "parts", "pool", "ppo", "compile", "craftax")


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m experiments.bench", description=__doc__)
    parser.add_argument("parts", nargs="+", choices=PARTS, help="what to measure, in order")
    parser.add_argument("--lanes", default="16,32,64,128,256,512", help="swept numbers of lanes")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each measurement")
    parser.add_argument("--config", default="harvest_milk", help="task, world and PPO settings")
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder of the results")
    options = parser.parse_args(argv)
    try:
        options.lanes = [int(text) for text in options.lanes.split(",")]
        assert all(lanes > 0 for lanes in options.lanes)
    except (ValueError, AssertionError):
        parser.error(f"--lanes={options.lanes}: needs whole numbers with commas, like 16,64,256")
    return options


def main(argv: list[str]) -> int:
    options = parse(argv)
    machine.prepare()
    from experiments.bench import run  # imports jax

    return run.run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
