"""Brushes for 16 x 16 pictures: noise, stones, stripes, and pixels from text.

A picture is float32[16, 16, 4]: red, green, blue in 0..255 and alpha 0 or 255, row 0
at the top. All pictures of the world are drawn here by our own code.
"""

import zlib
from collections.abc import Callable, Mapping

import numpy as np

SIZE = 16
Colour = tuple[int, ...]  # red, green, blue
Recipe = Callable[[], np.ndarray]  # draws one picture


def random_for(name: str) -> np.random.Generator:
    """Random numbers that belong to a name."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def plain(colour: Colour, alpha: int = 255) -> np.ndarray:
    """One colour everywhere."""
    picture = np.empty((SIZE, SIZE, 4), np.float32)
    picture[..., :3] = colour
    picture[..., 3] = alpha
    return picture


def empty() -> np.ndarray:
    """A picture that is all hole."""
    return plain((0, 0, 0), 0)


def shade(picture: np.ndarray, factor: np.ndarray | float) -> np.ndarray:
    """Makes a picture brighter or darker, per pixel or everywhere."""
    out = picture.copy()
    out[..., :3] = np.clip(out[..., :3] * np.asarray(factor)[..., None], 0, 255)
    return out


def tones(name: str, shape: tuple[int, int] = (SIZE, SIZE), smooth: int = 0) -> np.ndarray:
    """Noise float32[*shape] in -1..1 that repeats at the edges, `smooth` times blurred."""
    noise = random_for(name).uniform(-1, 1, shape)
    for _ in range(smooth):
        noise = np.mean([np.roll(noise, s, a) for s in (-1, 0, 1) for a in (0, 1)], 0)
    return (noise / max(1e-6, np.abs(noise).max())).astype(np.float32)


def grain(name: str, colour: Colour, spread: float, smooth: int = 0, steps: int = 4) -> np.ndarray:
    """One colour in a few tones, `spread` as a share of its brightness."""
    noise = np.round(tones(name, smooth=smooth) * steps) / steps
    return shade(plain(colour), 1.0 + spread * noise)


def streaks(name: str, colour: Colour, spread: float, vertical: bool = True) -> np.ndarray:
    """Grain drawn out along one direction, as bark or layered stone."""
    noise = tones(name)
    axis = 0 if vertical else 1
    long = sum(np.roll(noise, s, axis) for s in range(5)) / 2.2
    return shade(plain(colour), 1.0 + spread * np.round(long * 4) / 4)


def cobbles(name: str, colour: Colour, gap: Colour, count: int = 11) -> np.ndarray:
    """Round stones with gaps: cells nearest to random points, wrapping around."""
    rng = random_for(name)
    points = rng.uniform(0, SIZE, (count, 2))
    y, x = np.mgrid[:SIZE, :SIZE] + 0.5
    away = np.stack([y, x], -1)[:, :, None] - points
    away = np.hypot(*np.moveaxis((away + SIZE / 2) % SIZE - SIZE / 2, -1, 0))
    order = np.sort(away, -1)
    stone = away.argmin(-1)
    picture = shade(plain(colour), rng.uniform(0.85, 1.15, count)[stone])
    light = np.clip(1.12 - 0.07 * order[..., 0], 0.7, 1.2) * (1.0 + 0.06 * tones(name + "+"))
    picture = shade(picture, light)
    picture[order[..., 1] - order[..., 0] < 0.9, :3] = gap
    return picture


def put(picture: np.ndarray, where: np.ndarray, colour: Colour, name: str = "") -> np.ndarray:
    """Paints the pixels of a mask bool[16, 16], in slightly different tones if named."""
    out = picture.copy()
    factor = 1.0 + 0.12 * tones(name) if name else np.ones((SIZE, SIZE))
    out[where, :3] = np.clip(np.array(colour) * factor[where][:, None], 0, 255)
    out[where, 3] = 255
    return out


def rectangle(picture: np.ndarray, box: tuple[int, int, int, int], colour: Colour) -> np.ndarray:
    """Paints columns left..right and rows top..bottom, ends excluded."""
    left, top, right, bottom = box
    where = np.zeros((SIZE, SIZE), bool)
    where[top:bottom, left:right] = True
    return put(picture, where, colour)


def framed(picture: np.ndarray, colour: Colour) -> np.ndarray:
    """Paints an edge one pixel wide."""
    edge = np.ones((SIZE, SIZE), bool)
    edge[1:-1, 1:-1] = False
    return put(picture, edge, colour)


def pixels(text: str, palette: Mapping[str, Colour], under: np.ndarray | None = None) -> np.ndarray:
    """Paints a picture from rows of letters; "." keeps what is under it.

    Rows are centred in the 16 x 16 picture, so that small drawings need few letters.
    """
    rows = text.split()
    picture = empty() if under is None else under.copy()
    top, left = (SIZE - len(rows)) // 2, (SIZE - len(rows[0])) // 2
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter != ".":
                picture[top + y, left + x] = (*palette[letter], 255)
    return picture


def blobs(name: str, count: int, size: int) -> np.ndarray:
    """bool[16, 16]: `count` small irregular lumps that keep apart, as ore in stone."""
    rng = random_for(name)
    where = np.zeros((SIZE, SIZE), bool)
    cells = rng.permutation(9)[:count]
    for cell in cells:
        y, x = 1 + 5 * (cell // 3) + rng.integers(0, 2), 1 + 5 * (cell % 3) + rng.integers(0, 2)
        for _ in range(size):
            where[y, x] = True
            step = rng.integers(0, 4)
            y = int(np.clip(y + (0, 0, 1, -1)[step], 1, 14))
            x = int(np.clip(x + (1, -1, 0, 0)[step], 1, 14))
    return where
