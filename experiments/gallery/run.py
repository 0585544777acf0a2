"""Draws the chosen sheets one after another and says how far it is."""

import argparse
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.gallery import blocks, caves, items, land, mobs, viewer
from experiments.gallery.sheet import Sheet

# A section yields the number of its pictures first, then None after each picture and its
# sheets when they are done.
Section = Callable[[argparse.Namespace], Iterator[Sheet | int | None]]
SECTIONS: dict[str, Section] = {
    "biomes": land.draw, "caves": caves.draw, "mobs": mobs.draw,
    "viewer": viewer.draw, "blocks": blocks.draw, "items": items.draw,
}  # fmt: skip


def run(options: argparse.Namespace, console: Console) -> int:
    """Writes the sheets of `options.only` into `options.out`."""
    options.out.mkdir(parents=True, exist_ok=True)
    written = []
    columns = (TextColumn("[bold]{task.description}"), BarColumn(), MofNCompleteColumn(),
               TimeElapsedColumn())  # fmt: skip
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        for name in options.only:
            steps = SECTIONS[name](options)
            total = next(steps)
            assert isinstance(total, int)
            task = bars.add_task(name, total=total)
            for sheet in steps:
                if isinstance(sheet, Sheet):
                    path = options.out / f"{sheet.name}.png"
                    sheet.image().save(path, optimize=True)
                    written.append(path)
                    console.print(f"  {path}", highlight=False, soft_wrap=True)
                else:
                    bars.advance(task)
    console.print(
        f"{len(written)} sheets in {options.out.resolve()}", highlight=False, soft_wrap=True
    )
    return 0
