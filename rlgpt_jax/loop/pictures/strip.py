"""Pictures of an episode with their words: single views, and a strip of moments."""

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from rlgpt_jax.rl.evaluate.moments import Moment

SCALE = 2  # of a single view
COLUMNS = 4
GAP, TITLE_HEIGHT, LINE_HEIGHT, FONT_SIZE = 8, 44, 19, 16
PAPER, INK, QUIET = (24, 27, 30), (240, 238, 232), (168, 174, 178)
NEAR, FAR = (116, 220, 140), (250, 190, 90)  # what the crosshair is on: in reach or not
CHANGED = (140, 190, 250)
NUM_COLOURS = 256  # of a strip: a palette makes its file less than half as large
_FONT, _TITLE = ImageFont.load_default(FONT_SIZE), ImageFont.load_default(20)

Line = tuple[str, tuple[int, int, int]]


def single(view: np.ndarray, crosshair: bool = True) -> bytes:
    """A view uint8[H, W, 3], enlarged, as a PNG file."""
    height, width = view.shape[:2]
    size = (width * SCALE, height * SCALE)
    picture = Image.fromarray(view).resize(size, Image.Resampling.NEAREST)
    if crosshair:
        _mark(picture, (width, height), SCALE)
    return _png(picture)


def strip(title: str, views: Sequence[np.ndarray], moments: Sequence[Moment]) -> bytes:
    """Moments from left to right in rows, each with words above and below, as a PNG file.

    Args:
      title: one line on top.
      views: uint8[H, W, 3], one per moment.
      moments: in their order.
    """
    height, width = views[0].shape[:2]
    texts = [_lines(moment, width) for moment in moments]
    rows = [texts[i : i + COLUMNS] for i in range(0, len(texts), COLUMNS)]
    # Where the pictures of each row begin, and where the row ends.
    tops, end = [], TITLE_HEIGHT
    for row in rows:
        tops.append(end + LINE_HEIGHT * max(len(head) for head, _ in row))
        end = tops[-1] + height + LINE_HEIGHT * max(len(foot) for _, foot in row) + 2 * GAP
    picture = Image.new("RGB", (len(rows[0]) * (width + GAP) + GAP, end), PAPER)
    pen = ImageDraw.Draw(picture)
    pen.text((GAP, 8), title, font=_TITLE, fill=INK)
    for i, (view, (head, foot)) in enumerate(zip(views, texts, strict=True)):
        left = GAP + i % COLUMNS * (width + GAP)
        top = tops[i // COLUMNS]
        _write(pen, head, left, top - LINE_HEIGHT * len(head) - 3)
        cell = Image.fromarray(view)
        if moments[i].crosshair:
            _mark(cell, (width // 2, height // 2), 1)
        picture.paste(cell, (left, top))
        _write(pen, foot, left, top + height + 3)
    return _png(picture.quantize(NUM_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE))


def _lines(moment: Moment, width: int) -> tuple[list[Line], list[Line]]:
    """Words above and below a picture, broken into lines of its width."""
    head = f"tick {moment.tick}" + (f": {moment.why}" if moment.why else "")
    below = (
        ("does: ", moment.does, QUIET),
        ("crosshair: ", moment.crosshair, NEAR if moment.in_reach else FAR),
        ("", moment.told, INK),
        ("since before: ", moment.changed, CHANGED),
    )
    foot = [
        (line, ink) for what, words, ink in below if words for line in _wrap(what + words, width)
    ]
    return [(line, INK) for line in _wrap(head, width)], foot


def _wrap(words: str, width: int) -> list[str]:
    """Breaks a text into lines that fit into `width` pixels."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _FONT.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _write(pen: ImageDraw.ImageDraw, lines: Sequence[Line], left: int, top: int) -> None:
    for row, (words, colour) in enumerate(lines):
        pen.text((left, top + row * LINE_HEIGHT), words, font=_FONT, fill=colour)


def _mark(picture: Image.Image, centre: tuple[int, int], scale: int) -> None:
    """A crosshair that is seen on every ground; what it is on shows in its middle."""
    pen = ImageDraw.Draw(picture)
    x, y = centre
    inner, outer = 3 * scale, 10 * scale
    for colour, wide in (((0, 0, 0), 2 * scale), ((255, 255, 255), scale // 2)):
        for begin, end in ((-outer, -inner), (inner, outer)):
            pen.rectangle((x + begin, y - wide, x + end, y + wide), fill=colour)
            pen.rectangle((x - wide, y + begin, x + wide, y + end), fill=colour)


def _png(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=6)
    return file.getvalue()
