"""Random valid programs over mixed containers, infinities and nan, beside what Python does.

    python -m tests.fuzz mixed --programs=2000 [--seed=0] [--out=fuzz]

Each is compiled and run with made-up views on the host interpreter. One that is refused, ends with
a mistake, or acts in another way than in Python is written to a file, and the command ends with 1.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from rich.console import Console

TICKS = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("fuzz"), help="folder for findings")


def fate(source: str, views: list[np.ndarray]) -> str:
    """What becomes of a program: "as in Python", or what went wrong; "" if Python fails too."""
    from rlgpt_jax.macros.language import parse_or_raise
    from rlgpt_jax.macros.refusal import Refusal
    from rlgpt_jax.macros.vm import bytecode
    from tests.macros import worlds

    try:
        expected = worlds.python_actions(source, views, 0)
    except Exception:
        return ""
    try:
        program = parse_or_raise(source, None, "full")
    except Exception as error:  # a finding like others
        return f"fault of the compiler: {type(error).__name__}"
    if isinstance(program, Refusal):
        return f"refused: {program.reason}"
    actions, end = worlds.run_alone(source, views)
    if end.trap_code[0]:
        return "ends with: " + bytecode.trap_message(int(end.trap_code[0]), 0)
    same = [action.tolist() for action in actions] == expected
    return "as in Python" if same else "acts in another way"


def run(options: argparse.Namespace) -> int:
    """Returns the exit code: 1 if something went wrong."""
    from tests.fuzz.mixed_programs import mixed_program
    from tests.fuzz.random_texts import saved
    from tests.macros import worlds

    console = Console(file=sys.stdout)
    rng = np.random.default_rng(options.seed)
    views = [worlds.random_view(rng, 1) for _ in range(TICKS)]
    fates: Counter[str] = Counter()
    for number in range(options.programs):
        source = mixed_program(random.Random(f"{options.seed} {number}"))
        found = fate(source, views)
        fates[found] += 1
        if found not in ("", "as in Python"):
            saved(options.out, f"mixed-{options.seed}-{number}", source, found)
    valid = options.programs - fates.pop("", 0)
    for words, count in fates.most_common():
        console.print(f"{count:6} of {valid} ({count / valid:.2%})  {words}", markup=False)
    return 0 if set(fates) == {"as in Python"} else 1
