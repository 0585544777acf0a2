"""The command: chooses what to measure, prints tables, writes JSON, Markdown and plots."""

import argparse
import re
import sys
from pathlib import Path

from experiments import machine

ALL = ("world", "frames", "peers", "ppo", "breakdown", "memory", "compile")
PARTS = (*ALL, "parts", "pool", "first", "learn", "agree", "show")
DRIVERS = ("auto", "host", "device")


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m experiments.bench", description=__doc__)
    parser.add_argument(
        "parts",
        nargs="+",
        choices=("all", *PARTS),
        metavar="part",
        help=f"what to measure, in order: all ({', '.join(ALL)}), {', '.join(PARTS)}",
    )
    parser.add_argument("--lanes", default="16,64,256", help="swept numbers of lanes")
    parser.add_argument("--at", type=int, default=256, help="lanes of what is not swept")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each measurement")
    parser.add_argument(
        "--config",
        default="harvest_milk",
        help="configurations with commas; the first one gives the world",
    )
    parser.add_argument(
        "--driver",
        choices=DRIVERS,
        default="auto",
        help="host: a Python loop, device: scans; auto is host on a CPU",
    )
    parser.add_argument(
        "--sizes", default="32x32,64x64,128x128,160x256", help="of pictures, height x width"
    )
    parser.add_argument("--jaxenstein", type=Path, help="a checkout of JAXenstein")
    parser.add_argument("--minedojo", type=Path, help="a Python interpreter that has MineDojo")
    parser.add_argument(
        "--level", type=float, default=0.6, help="learn: share of successes to reach"
    )
    parser.add_argument("--ticks", type=int, default=2_000_000, help="learn: at most so many")
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        help="bench.json of another run or machine, to be shown beside; with "
        "the part show, nothing is measured",
    )
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder of the results")
    options = parser.parse_args(argv)
    options.parts = list(dict.fromkeys(
        part for asked in options.parts for part in (ALL if asked == "all" else (asked,))
    ))  # fmt: skip
    options.lanes = numbers(parser, options.lanes)
    sizes = [re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text) for text in options.sizes.split(",")]
    if not all(sizes):
        parser.error(f"--sizes={options.sizes}: needs height x width with commas, like 64x64")
    options.sizes = [(int(size[1]), int(size[2])) for size in sizes if size]
    for name in ("at", "seconds", "ticks"):
        if getattr(options, name) <= 0:
            parser.error(f"--{name}={getattr(options, name)}: needs a number above 0")
    options.configs = options.config.split(",")
    for path in options.beside:
        if not path.is_file():
            parser.error(f"--beside={path}: no such file; give the bench.json of another run")
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
