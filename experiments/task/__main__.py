"""A task before it is run: is it right, what will be told, how hard is its start?

    python -m experiments.task check template
    python -m experiments.task check path/to/my_task.py --config.task.horizon=2000
    python -m experiments.task check craft_stick

A name is one that --config takes: python -m experiments.main --config=help lists them.
"""

import argparse
import sys
from pathlib import Path

from experiments import flags, machine
from experiments.commands import exit_code, parser_of
from experiments.values import ConfigError


def parse(argv: list[str]) -> tuple[argparse.Namespace, list[tuple[str, str]]]:
    """Options, and the overrides of fields.

    Raises:
      ConfigError: for a field without a value.
    """
    assignments, rest = flags.split_overrides(argv)
    parser = parser_of("task", __doc__)
    parser.add_argument("command", choices=["check"])
    parser.add_argument("name", help="configuration or task, or path of a file of yours")
    parser.add_argument("--episodes", type=int, default=50, help="of the untrained policy")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("task_check"), help="for the picture")
    options = parser.parse_args(rest)
    if options.episodes < 1 or not 0 <= options.seed < 2**31:
        raise ConfigError(
            f"--episodes={options.episodes} --seed={options.seed}: need whole "
            "numbers, episodes 1 or more."
        )
    return options, assignments


def main(argv: list[str]) -> int:
    """Returns the exit code: 0 done, 2 a task that cannot be used."""
    return exit_code(lambda: run(argv))


def run(argv: list[str]) -> int:
    options, assignments = parse(argv)
    from experiments.task import check  # without jax until it draws

    name, config = check.resolve(options.name, assignments)
    if "jax" not in sys.modules:
        machine.prepare()
    return check.run(name, config, options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
