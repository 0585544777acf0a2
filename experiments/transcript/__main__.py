"""Reads a transcript: what was asked and answered, how it differs, what it cost.

    python -m experiments.transcript show RUN [--key=GLOB] [--agent=NAME] [--full | --answers-only]
    python -m experiments.transcript diff RUN [OTHER]
    python -m experiments.transcript cost RUN [--model=NAME] [--csv=FILE]

RUN and OTHER are run folders or .jsonl files.
"""

import sys

from rich.console import Console

from experiments.commands import Tool
from experiments.values import ConfigError

# Here `run(options, console)`.
COMMANDS = {"show": ("show", ""), "diff": ("diff", ""), "cost": ("cost", "")}
WIDTH, NARROWEST = 120, 100  # columns where there is no terminal, and at least


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments or files that cannot be used."""
    tool = Tool("transcript", __doc__, COMMANDS)
    chosen = tool.choose(argv)
    if isinstance(chosen, int):
        return chosen
    module, options = tool.parse(*chosen)
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
