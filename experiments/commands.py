"""Tools of several commands, `python -m experiments.TOOL COMMAND`: chosen, imported, parsed.

A command is a module with `add_arguments(parser)` and `run(options)`; its docstring is its help.
Of every tool `exit_code` tells settings and files that cannot be used, in one line.
"""

import argparse
import dataclasses
import importlib
import os
import sys
from collections.abc import Callable, Mapping
from types import ModuleType

from experiments import machine
from experiments.values import ConfigError, suggest
from rlgpt_jax.agents.llm.base import ProviderError
from rlgpt_jax.agents.llm.disk import Damaged, words_of
from rlgpt_jax.loop.library.store import LibraryError

UNUSABLE = (ConfigError, LibraryError, ProviderError, Damaged)


def exit_code(run: Callable[[], int]) -> int:
    """What `run` returns; 2, with one line, for what the person who typed it has to mend."""
    try:
        return run()
    except UNUSABLE as error:
        words = str(error)
    except BrokenPipeError:  # `| head`
        raise
    except OSError as error:
        words = words_of(error)
    print(f"error: {words}", file=sys.stderr)
    return 2


def show(text: str) -> int:
    """Prints a help, whole or as much of it as `| head` reads."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # flushed once more at exit
    return 0


def answer(argv: list[str], text: str, run: Callable[[list[str]], int]) -> int:
    """Help with `text` where it is asked for, else what `run` does with the command line."""
    if {"--help", "-h"} & set(argv):
        return show(text)
    return exit_code(lambda: run(argv))


def parser_of(words: str, text: str | None) -> argparse.ArgumentParser:
    """Of `python -m experiments.WORDS`; its docstring is the help."""
    return argparse.ArgumentParser(
        f"python -m experiments.{words}",
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


@dataclasses.dataclass(frozen=True)
class Tool:
    """A package of `experiments` and its commands."""

    name: str
    text: str | None  # its docstring
    commands: Mapping[str, str]  # a module of each name; what help adds of it to the docstring

    def main(self, argv: list[str], prepares: bool = True) -> int:
        """Runs the chosen command. Returns the exit code.

        Args:
          prepares: whether commands may import jax.
        """
        chosen = self.choose(argv)
        if isinstance(chosen, int):
            return chosen
        if prepares and "jax" not in sys.modules:
            machine.prepare()
        module, options = self.parse(*chosen)
        return exit_code(lambda: module.run(options))

    def usage(self) -> str:
        """The help of the tool."""
        width = max(map(len, self.commands))
        lines = [f"  {name:<{width}}  {words}" for name, words in self.commands.items() if words]
        return "\n".join([(self.text or "").strip(), *([""] if lines else []), *lines])

    def choose(self, argv: list[str]) -> tuple[str, list[str]] | int:
        """The command and what is left of `argv`, or the exit code after help or an error."""
        if not argv or argv[0] in ("-h", "--help"):
            print(self.usage())
            return 0 if argv else 2
        name, *rest = argv
        if name not in self.commands:
            error = f"error: no command {name!r}. {suggest(name, list(self.commands))}"
            print(error, file=sys.stderr)
            return 2
        return name, rest

    def parse(self, name: str, rest: list[str]) -> tuple[ModuleType, argparse.Namespace]:
        """The module of a command, imported only now, and its options."""
        module = importlib.import_module(f"experiments.{self.name}.{name}")
        parser = parser_of(f"{self.name} {name}", module.__doc__)
        module.add_arguments(parser)
        return module, parser.parse_args(rest)
