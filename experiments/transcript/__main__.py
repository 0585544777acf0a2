"""Reads a transcript: what was asked and answered, how it differs, what it cost.

    python -m experiments.transcript show RUN [--key=GLOB] [--agent=NAME] [--full | --answers-only]
    python -m experiments.transcript diff RUN [OTHER]
    python -m experiments.transcript cost RUN [--model=NAME] [--csv=FILE]

RUN and OTHER are run folders or .jsonl files.
"""

import sys

from experiments.commands import Tool

COMMANDS = {"show": "", "diff": "", "cost": ""}


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments or files that cannot be used."""
    try:
        return Tool("transcript", __doc__, COMMANDS).main(argv, prepares=False)
    except BrokenPipeError:  # `| head`
        sys.stderr.close()
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
