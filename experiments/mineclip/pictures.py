"""Frames of a video or of a folder of pictures, in the size that the model sees."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import imageio.v2 as imageio
import numpy as np
from PIL import Image

KINDS = (".png", ".jpg", ".jpeg")


def frames(path: Path, size: tuple[int, int], every: int = 1) -> Iterator[np.ndarray]:
    """uint8[H, W, 3] of every `every`-th frame, resized where it has another size.

    A folder's pictures come in the order of their names.

    Raises:
      ValueError: there are none, or the file cannot be read.
    """
    found = 0
    for i, picture in enumerate(_all(path)):
        found += 1
        if i % every == 0:
            image = Image.fromarray(picture).convert("RGB")
            if (image.height, image.width) != size:
                image = image.resize((size[1], size[0]), Image.Resampling.BICUBIC)
            yield np.asarray(image)
    if not found:
        raise ValueError(f"{path} holds no pictures. Give a video or a folder of {KINDS[0]} files.")


def _all(path: Path) -> Iterator[np.ndarray]:
    if path.is_dir():
        for file in sorted(p for p in path.iterdir() if p.suffix.lower() in KINDS):
            yield _picture(file)
        return
    if not path.is_file():
        raise ValueError(f"there is no {path}. Give a video or a folder of pictures.")
    try:
        reader: Any = imageio.get_reader(path)
        with reader:
            yield from (np.asarray(frame) for frame in reader)
    except (OSError, ValueError, RuntimeError) as error:
        raise ValueError(f"{path} cannot be read as a video ({error}).") from error


def _picture(file: Path) -> np.ndarray:
    try:
        return np.asarray(Image.open(file).convert("RGB"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise ValueError(f"{file} cannot be read as a picture ({error}).") from error
