"""The tool for real language models.

    python -m experiments.providers check --config.llm.provider=NAME --config.llm.model=NAME

check: what works with a model: text, JSON schema, pictures, and what a question costs.
"""

import sys

from experiments.commands import Tool

COMMANDS = {"check": ("check", "")}


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments that cannot be used."""
    tool = Tool("providers", __doc__, COMMANDS)
    chosen = tool.choose(argv)
    if isinstance(chosen, int):
        return chosen
    from experiments.providers import check

    _, rest = chosen  # its options are a configuration's
    if "--help" in rest or "-h" in rest:
        print((check.__doc__ or "").strip())
        return 0
    return check.run(rest)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
