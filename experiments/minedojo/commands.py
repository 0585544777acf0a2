"""Runs the commands of setup, keeps what they say and explains how they failed."""

import re
import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

Tell = Callable[[str], None]
LAST_LINES = 5  # of a command that failed, in the message

# What the last lines of a failed command hold, and what to do then.
CURES = (
    (r"error in gym setup command|invalid metadata|extras_require",
     "gym 0.21 was built with tools that refuse it. Remove the folder and run setup again, so "
     "that pip, setuptools and wheel are those of the recipe."),
    (r"No space left on device", "The disk is full; 340 MB are needed."),
    (r"Failed to establish|Connection|timed out|Temporary failure|No matching distribution",
     "pip did not reach its package index or did not find the package there. Look at the "
     "network and at `pip config list`, then run setup again: it goes on where it stopped."),
    (r"gcc|command '.*cc' failed|Python\.h",
     "A package is compiled here because no wheel fits. Take another Python 3.9, or install a "
     "C compiler and the headers of this one (apt install build-essential python3.9-dev)."),
)  # fmt: skip


class SetupError(RuntimeError):
    """A step that failed; the message is for the person who ran it."""


def run(command: Sequence[str], log: Path, tell: Tell) -> None:
    """Runs a command. Its lines go to the end of `log` and, as they come, to `tell`.

    Raises:
      SetupError: it cannot be started or failed; holds its last lines and, if known, the cure.
    """
    last: deque[str] = deque(maxlen=40)
    with log.open("a", encoding="utf-8") as kept:
        kept.write(f"$ {' '.join(command)}\n")
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace",
            )  # fmt: skip
        except OSError as error:
            raise SetupError(f"{command[0]} does not start: {error}") from error
        with process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    kept.write(line)
                    last.append(line.rstrip())
                    tell(line.strip())
            except BaseException:  # the command must not outlive an interrupted setup
                process.kill()
                raise
    if process.returncode:
        raise SetupError(explain(command, process.returncode, [*last], log))


def explain(command: Sequence[str], code: int, lines: Sequence[str], log: Path) -> str:
    """The message of a command that failed."""
    text = "\n".join(lines)
    cures = [cure for pattern, cure in CURES if re.search(pattern, text)]
    told = "\n".join(f"  {line}" for line in [line for line in lines if line][-LAST_LINES:])
    cure = cures[0] if cures else "Read the log; setup can be run again and goes on from here."
    return f"{' '.join(command)} ended with code {code}:\n{told}\n{cure}\nLog: {log}"
