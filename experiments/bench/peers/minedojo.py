"""The ceiling of MineDojo's Python client (PyPI `minedojo` 0.1), without Minecraft.

MineDojo needs an interpreter of its own (numpy below 1.24, gym 0.21), which the command
names. In it the unmodified client talks to a stand-in that answers every message at once
with a constant picture and full statistics: what is measured is the most that the client
could do if the game cost nothing. Minecraft itself is not run.
"""

import json
import subprocess
from pathlib import Path

from experiments.bench.peers.missing import Missing
from experiments.bench.table import Row

NAME = "MineDojo client, no game"
WORKER = Path(__file__).with_name("minedojo_worker.py")
TIMEOUT = 300.0  # seconds; its import alone takes 20 to 70


def measure(interpreter: Path | None, seconds: float) -> Row:
    """Steps per second of one world, 160 x 256 pictures.

    Raises:
      Missing: no interpreter was given, or its client does not run.
    """
    if interpreter is None:
        raise Missing(
            f"{NAME}: give an interpreter that has it: --minedojo=PATH/bin/python (docs/"
            "benchmarks.md says how to make one)."
        )
    # -I: this folder, whose names are those of packages, is not searched for imports.
    command = [str(interpreter), "-I", str(WORKER), str(seconds)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)
        told = json.loads(done.stdout.splitlines()[-1])
    except subprocess.CalledProcessError as error:
        raise Missing(f"{NAME}: {interpreter}: {last_line(error.stderr)}") from error
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError) as error:
        raise Missing(f"{NAME}: {interpreter}: {error}") from error
    rate = told["steps"] / told["seconds"]
    numbers = {
        "lanes": 1.0,
        "steps_per_second": rate,
        "steps_per_cpu_second": told["steps"] / told["cpu_seconds"],
    }
    return Row("peers", NAME, numbers, "cpu")


def last_line(words: str) -> str:
    lines = words.strip().splitlines()
    return lines[-1] if lines else "it ended without a word"
