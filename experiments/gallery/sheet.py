"""A contact sheet: pictures in rows under a title, each with a label below it."""

import dataclasses

import numpy as np
from PIL import Image, ImageDraw, ImageFont

INK, PAPER = (240, 238, 232), (24, 27, 30)
_TITLE, _LABEL, _GAP = 30, 16, 6


@dataclasses.dataclass
class Sheet:
    """Pictures uint8[H, W, 3] of one size."""

    name: str
    title: str
    columns: int
    font_size: int = 12
    pictures: list[np.ndarray] = dataclasses.field(default_factory=list)
    labels: list[str] = dataclasses.field(default_factory=list)

    def add(self, picture: np.ndarray, label: str) -> None:
        self.pictures.append(picture)
        self.labels.append(label)

    def image(self) -> Image.Image:
        """The whole sheet."""
        height, width = self.pictures[0].shape[:2]
        rows = -(-len(self.pictures) // self.columns)
        wide, high = width + _GAP, height + _LABEL + _GAP
        sheet = Image.new("RGB", (self.columns * wide + _GAP, rows * high + _TITLE), PAPER)
        pen = ImageDraw.Draw(sheet)
        pen.text((_GAP, 7), self.title, INK, ImageFont.load_default(15))
        font = ImageFont.load_default(self.font_size)
        for i, (picture, label) in enumerate(zip(self.pictures, self.labels)):
            left = _GAP + i % self.columns * wide
            top = _TITLE + i // self.columns * high
            sheet.paste(Image.fromarray(picture), (left, top))
            pen.text((left + 1, top + height + 1), _fit(label, width, font), INK, font)
        return sheet


def _fit(label: str, width: int, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    """The label, cut off where it would run into the next one."""
    while label and font.getlength(label) > width + _GAP - 2:
        label = label[:-1]
    return label
