"""Converts the published PyTorch checkpoint, and tells name by name what became of it.

    python -m experiments.mineclip convert attn.pth mineclip.npz

Read are MineDojo's files (attn.pth, avg.pth) and the one of the released RL-GPT (adjust.pth), by
PyTorch (pip install -e '.[clip]'). Nothing that the file contains is run.
"""

import argparse
import math
from pathlib import Path

from experiments.mineclip import model_files
from rlgpt_jax.rl.reward.clip import convert, torch_file, weights


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("checkpoint", type=Path, help="a .pth file")
    parser.add_argument("out", type=Path, help="of the weights; ends in .npz")
    parser.add_argument("--quiet", action="store_true", help="the summary alone")


def run(options: argparse.Namespace) -> int:
    torch_file.pytorch()
    model_files.check_out(options.out)
    if options.out.resolve() == options.checkpoint.resolve():
        raise ValueError("the checkpoint would be overwritten. Give another name for the weights.")
    try:
        made, report = convert.convert_file(options.checkpoint)
    except convert.Unfit as error:
        _tell(error.report, options.quiet)
        raise
    _tell(report, options.quiet)
    weights.save(options.out, made)
    numbers = sum(math.prod(row.shape) for row in report.rows)
    print(
        f"{len(report.rows)} parameters, {numbers:,} numbers, temporal part "
        f"{made.sizes.temporal}, SHA-256 of the checkpoint {made.digest[:16]}..., written to "
        f"{options.out}"
    )
    return 0


def _tell(report: convert.Report, quiet: bool) -> None:
    if not quiet:
        print("\n".join(report.lines()))
