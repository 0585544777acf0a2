"""What lies over the picture: crosshair, held item, hearts, food and the hotbar."""

import numpy as np

from rlgpt_jax.envs.names import NAMES
from rlgpt_jax.envs.voxel.pictures import paint
from rlgpt_jax.envs.voxel.pictures.icons import icon

SLOTS = 9
_SLOT = 20  # pixels of a hotbar slot
_DIGITS = {
    "0": "###\n#.#\n#.#\n#.#\n###", "1": ".#.\n##.\n.#.\n.#.\n###", "2": "###\n..#\n###\n#..\n###",
    "3": "###\n..#\n.##\n..#\n###", "4": "#.#\n#.#\n###\n..#\n..#", "5": "###\n#..\n###\n..#\n###",
    "6": "###\n#..\n###\n#.#\n###", "7": "###\n..#\n.#.\n.#.\n.#.", "8": "###\n#.#\n###\n#.#\n###",
    "9": "###\n#.#\n###\n..#\n###",
}  # fmt: skip
_HEART = ".kk.kk. krrkrrk krwrrrk krrrrrk .krrrk. ..krk.. ...k..."
_DRUMSTICK = "..kkk.. .kbbbk. kbhbbbk kbbbbbk .kbbbk. kwkkk.. kk....."
_SKIN = (196, 146, 112)
Picture = np.ndarray


def draw_hud(image: Picture, one: dict[str, np.ndarray]) -> None:
    """Paints over uint8[H, W, 3] in place, from one lane's small fields.

    Pictures too small for the hotbar get the crosshair alone.
    """
    height, width = image.shape[:2]
    _crosshair(image)
    if width < SLOTS * _SLOT + 4 or height < 100:
        return
    _hand(image, int(one["slot_item"][0]), float(one["attack_cooldown"]))
    left, top = (width - SLOTS * _SLOT) // 2, height - _SLOT - 3
    _row(image, _HEART, {"r": (214, 24, 24), "w": (255, 190, 190)}, one["life"], left, top - 9)
    foods = {"b": (150, 92, 44), "h": (200, 140, 80), "w": (232, 226, 210)}
    _row(image, _DRUMSTICK, foods, one["food"], left + SLOTS * _SLOT - 80, top - 9)
    for slot in range(SLOTS):
        name, quantity = int(one["slot_item"][slot]), int(one["slot_quantity"][slot])
        _draw_slot(image, name, quantity, left + slot * _SLOT, top, chosen=slot == 0)


def _mix(image: Picture, box: tuple[int, int, int, int], colour, share: float) -> None:
    """Blends columns left..right and rows top..bottom with a colour."""
    left, top, right, bottom = box
    part = image[top:bottom, left:right]
    part[:] = (part * (1.0 - share) + np.array(colour) * share).astype(np.uint8)


def _stamp(image: Picture, picture: Picture, left: int, top: int) -> None:
    """Puts uint8[h, w, 4] on the image; what sticks out is cut off."""
    height, width = image.shape[:2]
    picture = picture[max(0, -top) : height - top, max(0, -left) : width - left]
    left, top = max(0, left), max(0, top)
    part = image[top : top + picture.shape[0], left : left + picture.shape[1]]
    solid = picture[..., 3] > 0
    part[solid] = picture[..., :3][solid]


def _crosshair(image: Picture) -> None:
    """A cross in the inverse of what is behind it, so that it is seen everywhere."""
    y, x = image.shape[0] // 2, image.shape[1] // 2
    cross = np.zeros(image.shape[:2], bool)
    cross[y, x - 4 : x + 5] = cross[y - 4 : y + 5, x] = True
    behind = image[cross].astype(int)
    image[cross] = np.where(behind.mean(-1, keepdims=True) > 150, behind - 130, behind + 110).clip(
        0, 255
    )


def _row(image, rows: str, colours, value: np.ndarray, left: int, top: int) -> None:
    """Ten signs for a value 0..20; half signs for odd ones, dark ones for what lacks."""
    full = paint.pixels(rows, {"k": (20, 20, 20), **colours}).astype(np.uint8)
    empty = full.copy()
    empty[full[..., :3].sum(-1) > 60, :3] = (58, 52, 52)
    points = int(np.ceil(value))
    for i in range(10):
        have = min(2, max(0, points - 2 * i))
        sign = empty.copy()
        sign[:, : 8 * have] = full[:, : 8 * have]
        _stamp(image, sign[4:12, 4:12], left + 8 * i, top)


def _draw_slot(image, name: int, quantity: int, left: int, top: int, chosen: bool) -> None:
    """One field of the hotbar with its item and count."""
    edge = (250, 250, 250) if chosen else (140, 140, 140)
    _mix(image, (left, top, left + _SLOT, top + _SLOT), (30, 30, 30), 0.55)
    for box in (
        (left, top, left + _SLOT, top + 1), (left, top + _SLOT - 1, left + _SLOT, top + _SLOT),
        (left, top, left + 1, top + _SLOT), (left + _SLOT - 1, top, left + _SLOT, top + _SLOT),
    ):  # fmt: skip
        _mix(image, box, edge, 0.9 if chosen else 0.6)
    if not name or quantity <= 0:
        return
    _stamp(image, icon(name), left + 2, top + 2)
    if quantity > 1:
        text = number(quantity)
        _stamp(image, text, left + _SLOT - 1 - text.shape[1], top + _SLOT - 7)


def number(value: int) -> Picture:
    """White digits with a dark edge, uint8[7, 4 n + 2, 4]."""
    text = str(value)
    picture = np.zeros((7, 4 * len(text) + 1, 4), np.uint8)
    lit = np.zeros(picture.shape[:2], bool)
    for i, digit in enumerate(text):
        glyph = np.array([list(row) for row in _DIGITS[digit].split("\n")]) == "#"
        lit[1:6, 1 + 4 * i : 4 + 4 * i] = glyph
    edge = lit.copy()
    edge[1:] |= lit[:-1]
    edge[:, 1:] |= lit[:, :-1]
    edge[:-1] |= lit[1:]
    edge[:, :-1] |= lit[:, 1:]
    picture[edge] = (24, 24, 24, 255)
    picture[lit] = (255, 255, 255, 255)
    return picture


def _hand(image: Picture, name: int, since_swing: float) -> None:
    """The held item, or an arm, at the lower right; it dips for a moment after a swing."""
    height, width = image.shape[:2]
    scale = max(2, height // 36)
    dip = int(max(0.0, 6.0 - since_swing) * scale / 2)
    if NAMES[name]:
        picture = icon(name)[:, ::-1].repeat(scale, 0).repeat(scale, 1)
        top, left = height - 13 * scale + dip, width - 17 * scale
        _stamp(image, picture, left - dip, top)
        return
    rows = np.arange(12 * scale)
    for row in rows:
        left = width - 5 * scale + (12 * scale - row) // 3 - 6 * scale + row // 4
        box = (left - dip, height - len(rows) + row + dip, left + 4 * scale - dip,
               height - len(rows) + row + dip + 1)  # fmt: skip
        if box[3] <= height:
            shade = 1.0 if row > scale else 1.12
            colour = tuple(min(255, int(c * shade)) for c in _SKIN)
            _mix(image, box, colour, 1.0)
            _mix(image, (box[0], box[1], box[0] + scale, box[3]), tuple(c * 0.8 for c in colour), 1)
