"""The tool for real language models.

    python -m experiments.providers check --config.llm.provider=NAME --config.llm.model=NAME

check: what works with a model: text, JSON schema, pictures, and what a question costs.
"""

import sys

from experiments.commands import Tool, answer


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for arguments that cannot be used."""
    chosen = Tool("providers", __doc__, {"check": ""}).choose(argv)
    if isinstance(chosen, int):
        return chosen
    from experiments.providers import check

    _, rest = chosen  # its options are a configuration's
    return answer(rest, (check.__doc__ or "").strip(), check.run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
