"""Tools for real language models.

    python -m experiments.providers check --config.llm.provider=NAME --config.llm.model=NAME
    python -m experiments.providers faults --out=FOLDER

check: what works with a model: text, JSON schema, pictures, and what a question costs.
faults: every fault of a network or a model, against loopback servers; needs no key.
"""

import sys

from experiments.commands import Tool

COMMANDS = {"check": ("check", ""), "faults": ("faults", "")}


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments that cannot be used."""
    tool = Tool("providers", __doc__, COMMANDS)
    chosen = tool.choose(argv)
    if isinstance(chosen, int):
        return chosen
    name, rest = chosen
    if name == "check":  # its options are a configuration's
        from experiments.providers import check

        if "--help" in rest or "-h" in rest:
            print((check.__doc__ or "").strip())
            return 0
        return check.run(rest)
    module, options = tool.parse(name, rest)
    return module.run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
