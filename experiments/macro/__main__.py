"""Tools for macros.

python -m experiments.macro COMMAND --help
"""

import sys

from experiments.commands import Tool

# A module is imported when it is chosen; jax only by what its `run` imports.
COMMANDS = {
    "check": "why a macro is refused, or the program that it compiles to",
    "run": "a macro alone in the embedded world: success, ends, ticks, a video",
    "library": "macros on disk: list, show, add, save those of a run",
    "skills": "the trusted skills that macros may call",
}


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments or files that cannot be used."""
    return Tool("macro", __doc__, COMMANDS).main(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
