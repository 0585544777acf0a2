"""Faults put in a worker's way.

A file `fault-<lane>` in $DOUBLE_FOLDER holds lines like "stall step 5": what happens (exit,
raise, stall, garbage, silent) at the n-th passing of a place (import, make, mission, step). It
is used up by the process that finds it; the file `always-<lane>` stays.
"""

import os
import sys
import time
from pathlib import Path

_FOLDER = Path(os.environ["DOUBLE_FOLDER"])
LANE = os.environ.get("RLGPT_MINEDOJO_WORKER", "0")
_passed: dict = {}
game_is_dead = False


def _read():
    lines = []
    for name in (f"fault-{LANE}", f"always-{LANE}"):
        path = _FOLDER / name
        if path.exists():
            lines += [line.split() for line in path.read_text().splitlines()]
            if name.startswith("fault"):
                path.unlink()
    return [(what, where, int(number)) for what, where, number in lines]


_FAULTS = _read()


def note(text):
    """Tells the test what the game has heard."""
    with (_FOLDER / f"log-{LANE}").open("a") as log:
        log.write(text + "\n")


def pass_by(where):
    global game_is_dead
    _passed[where] = _passed.get(where, 0) + 1
    for what, place, number in _FAULTS:
        if place == where and number == _passed[where]:
            note(f"fault {what}")
            if what == "exit":
                sys.stderr.write("the double was told to exit\n")
                sys.stderr.flush()
                os._exit(3)
            if what == "raise":
                raise OSError("the double was told to fail")
            if what == "stall":
                time.sleep(600)
            if what == "garbage":
                os.write(int(sys.argv[2]), b"\xff" * 64)
                time.sleep(600)
            if what == "silent":
                game_is_dead = True
