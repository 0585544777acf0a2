"""Tools for macros.

    python -m experiments.macro COMMAND --help
"""

import argparse
import importlib
import sys
from types import ModuleType

from experiments import machine
from experiments.values import suggest

# Name -> module with `add_arguments(parser)` and `run(options) -> exit code`, and what it
# does. A module is imported when it is chosen; jax only by what its `run` imports.
COMMANDS = {
    "check": ("check", "why a macro is refused, or the program that it compiles to"),
    "run": ("run", "a macro alone in the embedded world: success, ends, ticks, a video"),
    "accept": ("accept", "how many recorded answers are accepted at first try"),
    "library": ("library", "macros on disk: list, show, add, save those of a run"),
    "skills": ("skills", "the trusted skills that macros may call"),
    "bench": ("bench", "how fast the interpreters are"),
    "fuzz": ("fuzz", "random texts and programs against the compiler and the interpreters"),
    "attacks": ("attacks", "known attacks on the language, and what becomes of them"),
}


def usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {words}" for name, (_, words) in COMMANDS.items()]
    return "\n".join([(__doc__ or "").strip(), "", *lines])


def parser_of(name: str, module: ModuleType) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        f"python -m experiments.macro {name}", description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    module.add_arguments(parser)
    return parser


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments or files that cannot be used."""
    if not argv or argv[0] in ("-h", "--help"):
        print(usage())
        return 0 if argv else 2
    name, *rest = argv
    if name not in COMMANDS:
        print(f"error: no command {name!r}. {suggest(name, list(COMMANDS))}", file=sys.stderr)
        return 2
    if "jax" not in sys.modules:
        machine.prepare()
    path = f"experiments.macro.{COMMANDS[name][0]}"
    try:
        module = importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        print(f"error: the command {name} is not part of this checkout", file=sys.stderr)
        return 2
    options = parser_of(name, module).parse_args(rest)
    return module.run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
