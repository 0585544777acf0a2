"""Tools for real language models.

    python -m experiments.providers check --config.llm.provider=NAME --config.llm.model=NAME
    python -m experiments.providers faults --out=FOLDER

check: what works with a model: text, JSON schema, pictures, and what a question costs.
faults: every fault of a network or a model, against loopback servers; needs no key.
"""

import argparse
import sys

from experiments.values import suggest

COMMANDS = ("check", "faults")


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments that cannot be used."""
    if not argv or argv[0] in ("-h", "--help"):
        print((__doc__ or "").strip())
        return 0 if argv else 2
    name, *rest = argv
    if name not in COMMANDS:
        print(f"error: no command {name!r}. {suggest(name, COMMANDS)}", file=sys.stderr)
        return 2
    if name == "check":
        from experiments.providers import check

        if "--help" in rest or "-h" in rest:
            print((check.__doc__ or "").strip())
            return 0
        return check.run(rest)
    from experiments.providers import faults

    parser = argparse.ArgumentParser(
        "python -m experiments.providers faults", description=faults.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    faults.add_arguments(parser)
    return faults.run(parser.parse_args(rest))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
