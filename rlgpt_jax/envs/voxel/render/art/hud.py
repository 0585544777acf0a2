"""What lies over the picture: crosshair, the hotbar, and rows of signs for life, armour,
food and air."""

from typing import Any

import numpy as np

from rlgpt_jax.envs.voxel.render.art.icons import icon, stamp
from rlgpt_jax.envs.voxel.render.art.textures import INDEX, TEXTURES
from rlgpt_jax.envs.voxel.rules.items.inventory import ARMOR_POINTS

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
_PLATE = "kk..kk. kaaaak. kawaak. .kaak.. .kaak.. ..kk... ......."
_BUBBLE = "..kkk.. .kbbbk. kbwbbbk kbbbbbk kbbbbbk .kbbbk. ..kkk.."
_EMPTY = (58, 52, 52)
_FULL_AIR = 300.0
Picture = np.ndarray


def draw_hud(image: Picture, one: Any, in_water: bool) -> None:
    """Paints over uint8[H, W, 3] in place, from one lane: a `WorldState` of NumPy arrays.

    Pictures too small for the hotbar get the crosshair alone.

    Args:
      in_water: whether the eye is in water.
    """
    player, (height, width) = one.player, image.shape[:2]
    small = width < SLOTS * _SLOT + 4 or height < 100
    if player.fire > 0:
        _burn(image, int(one.tick))
    _crosshair(image)
    if small:
        return
    left, top = (width - SLOTS * _SLOT) // 2, height - _SLOT - 3
    right = left + SLOTS * _SLOT - 80
    _row(image, _HEART, {"r": (214, 24, 24), "w": (255, 190, 190)}, player.life, left, top - 9)
    foods = {"b": (150, 92, 44), "h": (200, 140, 80), "w": (232, 226, 210)}
    _row(image, _DRUMSTICK, foods, player.food, right, top - 9)
    armor = ARMOR_POINTS[one.armor.item].sum()
    if armor > 0:
        plates = {"a": (190, 194, 202), "w": (240, 242, 246)}
        _row(image, _PLATE, plates, armor, left, top - 18)
    if in_water or player.oxygen < _FULL_AIR:
        air = {"b": (92, 150, 232), "w": (232, 244, 255)}
        left_over = player.oxygen * 20.0 / _FULL_AIR
        _row(image, _BUBBLE, air, left_over, right, top - 18, show_empty=False)
    for slot in range(SLOTS):
        item, quantity = int(one.inventory.item[slot]), int(one.inventory.quantity[slot])
        _draw_slot(image, item, quantity, left + slot * _SLOT, top, chosen=slot == 0)


def _mix(image: Picture, box: tuple[int, int, int, int], colour, share: float) -> None:
    """Blends columns left..right and rows top..bottom with a colour."""
    left, top, right, bottom = box
    part = image[top:bottom, left:right]
    part[:] = (part * (1.0 - share) + np.array(colour) * share).astype(np.uint8)


def _crosshair(image: Picture) -> None:
    """A cross in the inverse of what is behind it, so that it is seen everywhere."""
    y, x = image.shape[0] // 2, image.shape[1] // 2
    cross = np.zeros(image.shape[:2], bool)
    cross[y, x - 4 : x + 5] = cross[y - 4 : y + 5, x] = True
    behind = image[cross].astype(int)
    image[cross] = np.where(behind.mean(-1, keepdims=True) > 150, behind - 130, behind + 110).clip(
        0, 255
    )


def _burn(image: Picture, tick: int) -> None:
    """Flames from below, as far as the middle, when the agent burns."""
    height, width = image.shape[:2]
    scale = max(1, height // 40)
    flame = np.roll(TEXTURES[INDEX["fire"]], 5 * (tick // 2), 1).repeat(scale, 0).repeat(scale, 1)
    flame = np.tile(flame, (1, width // flame.shape[1] + 1, 1))[:, :width]
    part = image[height - flame.shape[0] :]
    burning = flame[-part.shape[0] :, :, 3] > 0
    part[burning] = (0.4 * part[burning] + 0.6 * flame[burning][:, :3]).astype(np.uint8)


def _row(
    image, rows: str, colours, value: np.ndarray, left: int, top: int, show_empty: bool = True
) -> None:
    """Ten signs for a value 0..20; half signs for odd ones, dark ones for what lacks."""
    full = np.zeros((8, 8, 4), np.uint8)
    palette = {"k": (20, 20, 20), **colours}
    for y, row in enumerate(rows.split()):
        for x, letter in enumerate(row):
            if letter != ".":
                full[y, x] = (*palette[letter], 255)
    empty = full.copy()
    empty[full[..., :3].sum(-1) > 60, :3] = _EMPTY
    empty[..., 3] *= show_empty
    points = int(np.ceil(value))
    for i in range(10):
        have = min(2, max(0, points - 2 * i))
        sign = empty.copy()
        sign[:, : 4 * have] = full[:, : 4 * have]
        stamp(image, sign, top, left + 8 * i)


def _draw_slot(image, item: int, quantity: int, left: int, top: int, chosen: bool) -> None:
    """One field of the hotbar with its item and count."""
    edge = (250, 250, 250) if chosen else (140, 140, 140)
    _mix(image, (left, top, left + _SLOT, top + _SLOT), (30, 30, 30), 0.55)
    for box in (
        (left, top, left + _SLOT, top + 1), (left, top + _SLOT - 1, left + _SLOT, top + _SLOT),
        (left, top, left + 1, top + _SLOT), (left + _SLOT - 1, top, left + _SLOT, top + _SLOT),
    ):  # fmt: skip
        _mix(image, box, edge, 0.9 if chosen else 0.6)
    if not item or quantity <= 0:
        return
    stamp(image, icon(item), top + 2, left + 2)
    if quantity > 1:
        text = number(quantity)
        stamp(image, text, top + _SLOT - 7, left + _SLOT - 1 - text.shape[1])


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
