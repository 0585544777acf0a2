"""The picture of the window and of videos: the view, words above it, the menu on it."""

from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from experiments.play.menu import Entry, Menu
from experiments.play.session import VIEW_HEIGHT, VIEW_WIDTH, Session

SCALE, CAPTION = 3, 48
# 768 x 528: multiples of 16, which H.264 encodes without rescaling.
WIDTH, HEIGHT = VIEW_WIDTH * SCALE, VIEW_HEIGHT * SCALE + CAPTION
PAPER, INK, DIM = (24, 27, 30), (240, 238, 232), (150, 150, 146)
GOOD, BAD, MARK = (94, 201, 130), (240, 120, 120), (62, 84, 110)
LINES = 17  # of a column of the menu that are shown
_LARGE, _SMALL = ImageFont.load_default(17), ImageFont.load_default(14)


def frame(session: Session, menu: Menu | None = None, label: str = "") -> np.ndarray:
    """uint8[528, 768, 3]: the world now.

    Args:
      session: what is played.
      menu: drawn over the view if it is open.
      label: words beside the tick, such as the last action.
    """
    view = np.repeat(np.repeat(session.picture(), SCALE, axis=0), SCALE, axis=1)
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    image.paste(Image.fromarray(view), (0, CAPTION))
    _caption(ImageDraw.Draw(image), session, label)
    if menu and menu.is_open:
        image = _with_menu(image, menu)
    return np.asarray(image)


def _caption(pen: ImageDraw.ImageDraw, session: Session, label: str) -> None:
    right = WIDTH - 10
    count = f"tick {session.tick} of {session.task.horizon}    reward {session.total:g}"
    room = right - 10 - pen.textlength(count, font=_LARGE) - 20
    pen.text((10, 5), _cut(pen, session.task.name, room, _LARGE), font=_LARGE, fill=INK)
    pen.text((right, 5), count, font=_LARGE, fill=INK, anchor="ra")
    if session.end:
        colour = GOOD if session.is_success else BAD
        words = f"{session.end}.   Enter: next episode   Esc: quit"
        pen.text((10, 27), words, font=_SMALL, fill=colour)
        return
    goal = _cut(pen, session.task.words, right - 10 - pen.textlength(label, font=_SMALL) - 20)
    pen.text((10, 27), goal, font=_SMALL, fill=DIM)
    pen.text((right, 27), label, font=_SMALL, fill=DIM, anchor="ra")


def _cut(pen: ImageDraw.ImageDraw, words: str, width: float, font: Any = _SMALL) -> str:
    """As much as fits into so many pixels."""
    if pen.textlength(words, font=font) <= width:
        return words
    while words and pen.textlength(words + "...", font=font) > width:
        words = words[:-1]
    return words.rstrip() + "..."


def _with_menu(image: Image.Image, menu: Menu) -> Image.Image:
    left, top, right, bottom = 30, CAPTION + 24, WIDTH - 30, HEIGHT - 24
    shade = Image.new("RGBA", image.size, (0, 0, 0, 0))
    ImageDraw.Draw(shade).rectangle((left, top, right, bottom), fill=(*PAPER, 225))
    image = Image.alpha_composite(image.convert("RGBA"), shade).convert("RGB")
    pen = ImageDraw.Draw(image)
    middle = (left + right) // 2
    for column, (x, title) in enumerate(((left, "Make"), (middle, "Carried"))):
        is_active = menu.column == column
        pen.text((x + 14, top + 10), title, font=_LARGE, fill=INK if is_active else DIM)
        line = menu.line if is_active else None
        _column(pen, menu.columns[column], line, x + 8, top + 38, middle - left - 16)
    help_words = "arrows choose, Enter makes or equips, E closes"
    pen.text((right - 14, bottom - 8), help_words, font=_SMALL, fill=DIM, anchor="rd")
    return image


def _column(
    pen: ImageDraw.ImageDraw, entries: list[Entry], line: int | None, x: int, y: int, width: int
) -> None:
    first = max(0, min((line or 0) - LINES // 2, len(entries) - LINES))
    for row, entry in enumerate(entries[first : first + LINES]):
        top = y + row * 21
        if first + row == line:
            pen.rectangle((x, top - 1, x + width, top + 19), fill=MARK)
        pen.text((x + 6, top), _cut(pen, entry.words, width - 12), font=_SMALL, fill=INK)
    if not entries:
        pen.text((x + 6, y), "nothing", font=_SMALL, fill=DIM)
    elif len(entries) > LINES:
        shown = f"{first + 1} to {min(first + LINES, len(entries))} of {len(entries)}"
        pen.text((x + width, y - 26), shown, font=_SMALL, fill=DIM, anchor="ra")
