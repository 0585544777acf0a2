"""Reads a transcript: what was asked and answered, how it differs, what it cost.

    python -m experiments.transcript show RUN [--key=GLOB] [--agent=NAME] [--full | --answers-only]
    python -m experiments.transcript diff RUN [OTHER]
    python -m experiments.transcript cost RUN [--model=NAME] [--csv=FILE]

RUN and OTHER are run folders or .jsonl files.
"""

import argparse
import sys
from types import ModuleType

from rich.console import Console

from experiments.transcript import cost, diff, show
from experiments.values import ConfigError, suggest

# Each has `add_arguments(parser)` and `run(options, console) -> exit code`.
COMMANDS: dict[str, ModuleType] = {"show": show, "diff": diff, "cost": cost}
WIDTH, NARROWEST = 120, 100  # columns where there is no terminal, and at least


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments or files that cannot be used."""
    if not argv or argv[0] in ("-h", "--help"):
        print((__doc__ or "").strip())
        return 0 if argv else 2
    name, *rest = argv
    if name not in COMMANDS:
        print(f"error: no command {name!r}. {suggest(name, list(COMMANDS))}", file=sys.stderr)
        return 2
    module = COMMANDS[name]
    parser = argparse.ArgumentParser(
        f"python -m experiments.transcript {name}", description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    module.add_arguments(parser)
    options = parser.parse_args(rest)
    console = Console(file=sys.stdout, highlight=False)
    console.width = max(console.width, NARROWEST) if console.is_terminal else WIDTH
    try:
        return module.run(options, console)
    except ConfigError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `| head`
        sys.stderr.close()
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
