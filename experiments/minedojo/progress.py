"""Shows the steps of setup: a bar on a terminal, one line per step elsewhere."""

from typing import Any

import rich.progress
from rich.console import Console
from rich.markup import escape

WIDTH = 60  # of the words beside the bar


class Progress:
    """`begin`, `tell` as often as there is news, `end`; a context manager around them."""

    def __init__(self, console: Console, num_steps: int):
        self.console = console
        self._num_steps = num_steps
        self._step = 0
        self._name = ""
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("[bold]{task.description}"), rich.progress.BarColumn(20),
            rich.progress.MofNCompleteColumn(), rich.progress.TimeElapsedColumn(),
            rich.progress.TextColumn("{task.fields[words]}"), console=console, transient=True,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=num_steps, words="")

    def __enter__(self) -> "Progress":
        if self.console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *error: Any) -> None:
        if self.console.is_terminal:
            self._bar.stop()

    def begin(self, name: str) -> None:
        self._step, self._name = self._step + 1, name
        self._bar.update(self._task, description=escape(name), words="")
        if not self.console.is_terminal:
            self._say(f"[{self._step}/{self._num_steps}] {name} ...")

    def tell(self, words: str) -> None:
        self._bar.update(self._task, words=escape(words[:WIDTH]))

    def end(self, words: str) -> None:
        self._bar.advance(self._task)
        self._say(f"[{self._step}/{self._num_steps}] {self._name}: {words}")

    def _say(self, words: str) -> None:
        self.console.print(words, highlight=False, markup=False, soft_wrap=True)
