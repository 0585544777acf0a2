"""Sets runs side by side: success with intervals, curves, what differs in settings, plans, code.

    python -m experiments.compare runs/harvest_milk-* --out=compare

Runs that differ in nothing but their seed are one group. Writes compare.md and curves.png.
"""

import shlex
import sys
from pathlib import Path

from experiments import flags
from experiments.commands import exit_code
from experiments.values import ConfigError

HELP = {"out": "Folder of what is written (default: compare)."}


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for folders that hold no run."""
    if not argv or "--help" in argv or "-h" in argv:
        print(flags.help_text(__doc__, HELP))
        return 0 if argv else 2
    return exit_code(lambda: run(argv))


def run(argv: list[str]) -> int:
    folders = [Path(word) for word in argv if not word.startswith("-")]
    rest = [word for word in argv if word.startswith("-")]
    out = Path(flags.read(rest, HELP).out or "compare")
    for folder in folders:
        if not (folder / "config.json").is_file():
            raise ConfigError(f"{folder} holds no config.json, so no run. Give run folders.")
    if not folders:
        raise ConfigError("no run is given: python -m experiments.compare RUN RUN ...")
    from experiments.compare.page import compare  # imports matplotlib

    command = shlex.join(["python", "-m", "experiments.compare", *argv])
    print(compare(folders, out, command))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
