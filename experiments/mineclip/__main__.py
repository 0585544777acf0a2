"""MineCLIP: how well pictures of Minecraft fit a sentence (docs/mineclip.md).

    python -m experiments.mineclip COMMAND --help
"""

import argparse
import importlib
import sys

from experiments import machine
from experiments.values import suggest

# Name -> module with `add_arguments(parser)` and `run(options) -> exit code`, and what it does.
COMMANDS = {
    "convert": ("convert", "the published PyTorch checkpoint to weights of this program"),
    "texts": ("texts", "features of sentences, for machines without the list of merges"),
    "score": ("score", "how likely a video, or a folder of pictures, shows what a sentence says"),
    "bench": ("bench", "frames and windows per second"),
}


def usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {words}" for name, (_, words) in COMMANDS.items()]
    return "\n".join([(__doc__ or "").strip(), "", *lines])


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
    module = importlib.import_module(f"experiments.mineclip.{COMMANDS[name][0]}")
    parser = argparse.ArgumentParser(
        f"python -m experiments.mineclip {name}", description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    module.add_arguments(parser)
    try:
        return module.run(parser.parse_args(rest))
    except ValueError as error:  # each of our files tells its own fault
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
