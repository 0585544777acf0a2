"""Measures speed and memory, prints tables, writes JSON, Markdown and plots."""

import argparse
import re
import sys
from pathlib import Path

from experiments import machine

ALL = ("world", "frames", "peers", "ppo", "breakdown", "memory", "compile")
PARTS = (*ALL, "parts", "pool", "first", "learn", "agree", "show")
DRIVERS = ("auto", "host", "device")


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "python -m experiments.bench",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    words = f"what to measure, in order: all ({', '.join(ALL)}), {', '.join(PARTS)}"
    parser.add_argument("parts", nargs="+", choices=("all", *PARTS), metavar="part", help=words)
    parser.add_argument("--lanes", default="16,64,256", help="swept numbers of lanes")
    parser.add_argument("--at", type=int, default=256, help="lanes of what is not swept")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each measurement")
    words = "configurations with commas; the first one gives the world"
    parser.add_argument("--config", default="harvest_milk", help=words)
    words = "host: a Python loop, device: scans; auto is host on a CPU"
    parser.add_argument("--driver", choices=DRIVERS, default="auto", help=words)
    sizes = "32x32,64x64,128x128,160x256"
    parser.add_argument("--sizes", default=sizes, help="of pictures, height x width")
    words = "learn: share of successes to reach"
    parser.add_argument("--level", type=float, default=0.6, help=words)
    parser.add_argument("--ticks", type=int, default=2_000_000, help="learn: at most so many")
    words = "bench.json of another run or machine, to be shown beside; `show` measures nothing"
    parser.add_argument("--beside", type=Path, action="append", default=[], help=words)
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder of the results")
    options = parser.parse_args(argv)
    options.parts = list(dict.fromkeys(
        part for asked in options.parts for part in (ALL if asked == "all" else (asked,))
    ))  # fmt: skip
    options.lanes = numbers(parser, options.lanes)
    if not re.fullmatch(r"[1-9]\d*x[1-9]\d*(,[1-9]\d*x[1-9]\d*)*", options.sizes):
        parser.error(f"--sizes={options.sizes}: needs height x width with commas, like 64x64")
    options.sizes = [tuple(map(int, text.split("x"))) for text in options.sizes.split(",")]
    for name in ("at", "seconds", "ticks"):
        if getattr(options, name) <= 0:
            parser.error(f"--{name}={getattr(options, name)}: needs a number above 0")
    options.configs = options.config.split(",")
    return options


def numbers(parser: argparse.ArgumentParser, text: str) -> list[int]:
    """The positive numbers of --lanes; ends the program for others."""
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", text):
        parser.error(f"--lanes={text}: needs whole numbers with commas, like 16,64,256")
    return [int(part) for part in text.split(",")]


def main(argv: list[str]) -> int:
    options = parse(argv)
    machine.prepare()
    from experiments.bench import run  # imports jax

    return run.run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
