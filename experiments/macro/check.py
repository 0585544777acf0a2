"""Compiles a macro and shows the refusal, or the source with its instructions.

    python -m experiments.macro check go_to_log.py
    python -m experiments.macro check - --sensors=paper < answer.txt

Ends with 1 if the macro is refused. Nothing is run.
"""

import argparse
import sys

from rich.console import Console

from experiments.macro import source

add_arguments = source.add_arguments


def run(options: argparse.Namespace) -> int:
    """Returns the exit code: 0 accepted, 1 refused."""
    from experiments.macro import listing  # imports jax
    from rlgpt_jax.macros.refusal import Refusal

    program = source.program(options)
    console = Console(file=sys.stdout)
    if isinstance(program, Refusal):
        console.print(f"[red]refused[/red] at sensor level {options.sensors}", highlight=False)
        print(program.describe())
        return 1
    for line in listing.lines(program):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    return 0
