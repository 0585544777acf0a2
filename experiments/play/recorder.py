"""A video written while it is played, as `experiments.films.video` writes those of runs."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from experiments.films.encoding import open_mp4, quiet_fork


class Recorder:
    """An MP4 file of 20 frames a second; without a path it does nothing."""

    def __init__(self, path: Path | None):
        self.path = path
        self._writer: Any = None

    def add(self, frame: np.ndarray) -> None:
        """Appends uint8[height, width, 3]; the file is begun with the first one."""
        if self.path is None:
            return
        if self._writer is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = open_mp4(self.path)
        with quiet_fork():
            self._writer.append_data(frame)

    def close(self) -> None:
        """Finishes the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def screenshot(frame: np.ndarray, folder: Path, name: str) -> None:
    """Writes a PNG under the first free name."""
    paths = (folder / f"{name}-{number}.png" for number in itertools.count(1))
    Image.fromarray(frame).save(next(path for path in paths if not path.exists()))
