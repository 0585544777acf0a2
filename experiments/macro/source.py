"""Where a macro comes from: a file, standard input, or a model's whole answer."""

import argparse
import sys
from pathlib import Path

from experiments.values import ConfigError
from rlgpt_jax.agents.parse import python_source
from rlgpt_jax.agents.prompt_state import Refusal

SENSOR_LEVELS = ("paper", "full")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        help="Python text, or a model's answer with a ```python block; - reads standard input",
    )
    parser.add_argument("--name", help="the function to run (default: the last that takes obs)")
    parser.add_argument(
        "--sensors", choices=SENSOR_LEVELS, default="full", help="paper has no rays"
    )
    parser.add_argument(
        "--library", type=Path, metavar="DIR", help="macros of this folder may be called"
    )
    parser.add_argument(
        "--skills", action="store_true", help="the trusted skills may be called too"
    )


def read(path: str) -> str:
    """The code in a file; line numbers of an answer are those within its block.

    Raises:
      ConfigError: no such file, not text, or an answer without code.
    """
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text") from error
    if "```" not in text:
        return text
    found = python_source(text)
    if isinstance(found, Refusal):
        raise ConfigError(f"{path}: {found.reason}")
    return found


def functions(options: argparse.Namespace) -> dict[str, str]:
    """What the macro may call: the library of --library, the skills of --skills.

    Raises:
      LibraryError: the folder cannot be used.
    """
    from rlgpt_jax.loop.library import store
    from rlgpt_jax.macros.skills import skills

    found: dict[str, str] = {}
    if options.skills or options.library:
        found |= skills.sources(options.sensors)
    if options.library:
        found |= {entry.name: entry.source for entry in store.load(options.library)}
    return found
