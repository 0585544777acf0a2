"""Where a macro comes from: a file, standard input, or a model's whole answer."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.values import ConfigError
from rlgpt_jax.agents.parse import python_source
from rlgpt_jax.agents.prompt_state import Refusal

if TYPE_CHECKING:
    from rlgpt_jax.macros import refusal
    from rlgpt_jax.macros.vm.bytecode import Program

SENSOR_LEVELS = ("paper", "full")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    words = "Python text, or a model's answer with a ```python block; - reads standard input"
    parser.add_argument("file", help=words)
    parser.add_argument("--name", help="the function to run (default: the last that takes obs)")
    words = "paper has no rays"
    parser.add_argument("--sensors", choices=SENSOR_LEVELS, default="full", help=words)
    words = "macros of this folder may be called"
    parser.add_argument("--library", type=Path, metavar="DIR", help=words)
    words = "the trusted skills may be called too"
    parser.add_argument("--skills", action="store_true", help=words)


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


def program(options: argparse.Namespace) -> "Program | refusal.Refusal":
    """The macro, which may call the library of --library and the skills of --skills.

    Raises:
      ConfigError: as `read`.
      LibraryError: the folder cannot be used.
    """
    from rlgpt_jax.loop.library import store  # imports jax
    from rlgpt_jax.macros.language import parse_macro
    from rlgpt_jax.macros.skills import skills

    text = read(options.file)
    library: dict[str, str] = {}
    if options.skills or options.library:
        library |= skills.sources(options.sensors)
    if options.library:
        library |= {entry.name: entry.source for entry in store.load(options.library)}
    return parse_macro(text, options.name, options.sensors, library)
