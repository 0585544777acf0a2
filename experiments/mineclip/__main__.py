"""MineCLIP: how well pictures of Minecraft fit a sentence (docs/mineclip.md).

python -m experiments.mineclip COMMAND --help
"""

import sys

from experiments.commands import Tool

COMMANDS = {
    "convert": "the published PyTorch checkpoint to weights of this program",
    "texts": "features of sentences, for machines without the list of merges",
    "score": "how likely a video, or a folder of pictures, shows what a sentence says",
}


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments or files that cannot be used."""
    try:
        return Tool("mineclip", __doc__, COMMANDS).main(argv)
    except ValueError as error:  # each of our files tells its own fault
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
