"""Frames as MP4 and GIF."""

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import imageio.v2 as imageio
import numpy as np
from PIL import Image

from rlgpt_jax.agents.llm.disk import check_room, naming

TICKS_PER_SECOND = 20
GIF_EVERY = 2  # ticks per frame of a GIF, which is also half as large
PACKED = 50  # times smaller than their frames are both files together, about


def write(frames: list[np.ndarray], folder: Path, name: str, gif: bool = True) -> Path:
    """Writes `name`.mp4 and .gif beside their places and renames them. Returns the first.

    Args:
      frames: uint8[height, width, 3], one per tick.
      gif: whether there is one.

    Raises:
      OSError: the disk has no room; what was there before stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.mp4"
    num_bytes = sum(frame.nbytes for frame in frames) // PACKED
    check_room(path, num_bytes)
    for file, make in ((path, write_mp4), (folder / f"{name}.gif", write_gif))[: 1 + gif]:
        part = folder / f"part.{file.name}"
        try:
            with naming(file, num_bytes):
                make(part, frames)
                part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    return path


def write_mp4(path: Path, frames: list[np.ndarray]) -> None:
    """A whole video at once."""
    with quiet_fork(), open_mp4(path) as writer:
        for frame in frames:
            writer.append_data(frame)


@contextlib.contextmanager
def quiet_fork() -> Iterator[None]:
    """jax warns of any fork; the one that starts the encoder runs no Python."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"os\.fork\(\) was called")
        yield


def open_mp4(path: Path) -> Any:
    """A writer of frames: H.264 with the pixel format that browsers play.

    The encoder is started by the first frame.
    """
    return imageio.get_writer(
        path, format="FFMPEG", mode="I", fps=TICKS_PER_SECOND, codec="libx264",
        pixelformat="yuv420p", macro_block_size=16, quality=5,
    )  # type: ignore[call-overload]  # fmt: skip


def write_gif(path: Path, frames: list[np.ndarray]) -> None:
    """Half the size and half the frames, with one palette for all of them."""
    size = (frames[0].shape[1] // 2, frames[0].shape[0] // 2)
    images = [Image.fromarray(f).resize(size, Image.Resampling.BOX) for f in frames[::GIF_EVERY]]
    palette = images[len(images) // 2].quantize(96, dither=Image.Dither.NONE)
    flat = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    milliseconds = 1000 * GIF_EVERY // TICKS_PER_SECOND
    flat[0].save(
        path, save_all=True, append_images=flat[1:], duration=milliseconds, loop=0, optimize=True
    )
