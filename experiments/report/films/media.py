"""Pictures and videos of a page: a few inside it, the others as files beside it."""

import base64
import dataclasses
from collections.abc import Iterable
from pathlib import Path

from experiments.report.html import text

INSIDE_BYTES = 3_000_000  # of all files together that a page holds
TYPES = {".mp4": "video/mp4", ".png": "image/png"}


@dataclasses.dataclass(frozen=True)
class Media:
    """Where the files of a page are."""

    root: Path  # of the page
    inside: frozenset[Path] = frozenset()

    def source(self, path: Path) -> str:
        """What `src` says."""
        if path not in self.inside:
            return text(path.relative_to(self.root).as_posix())
        data = base64.b64encode(path.read_bytes()).decode()
        return f"data:{TYPES[path.suffix]};base64,{data}"


def some_inside(root: Path, files: Iterable[Path]) -> Media:
    """As many of the files as fit are inside of the page, the first ones first."""
    inside, left = set(), INSIDE_BYTES
    for path in files:
        size = path.stat().st_size
        if size <= left:
            inside.add(path)
            left -= size
    return Media(root, frozenset(inside))
