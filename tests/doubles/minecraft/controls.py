"""The action lines of a step: which keys are down, where the view turns, what is asked for."""

from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAMES, NUM_HAND, NUM_SMELT, NUM_TABLE
from tests.doubles.minecraft.mission import finite

KEYS = ("forward", "back", "left", "right", "jump", "sneak", "sprint", "use", "attack", "drop")
_STATIONS = ("craft", "craftNearby", "smeltNearby")
_SECTIONS = {
    "craft": range(NUM_HAND),
    "craftNearby": range(NUM_HAND, NUM_HAND + NUM_TABLE),
    "smeltNearby": range(NUM_HAND + NUM_TABLE, NUM_HAND + NUM_TABLE + NUM_SMELT),
}
# (verb, product) -> craft argument. What needs no table can be made at one too.
ARGUMENT = {("craftNearby", CRAFT_NAMES[k]): k for k in _SECTIONS["craft"]}
ARGUMENT |= {(verb, CRAFT_NAMES[k]): k for verb, section in _SECTIONS.items() for k in section}


class Turn(NamedTuple):
    """What one step asks for."""

    keys: frozenset[str]  # of `KEYS`, down now
    pitch: float = 0.0  # degrees down
    yaw: float = 0.0  # degrees to the right
    chat: tuple[str, ...] = ()
    craft: int | None = None  # craft argument of a MineDojo action
    equip: str = ""
    place: str = ""


def read_turn(text: str, held: frozenset[str]) -> tuple[Turn, list[str]]:
    """Reads the lines of a step.

    Args:
      text: the lines, a verb and its parameters each.
      held: the keys that were down before; a key keeps its state until a line names it.

    Returns:
      What they ask for, and the lines that this world cannot do.
    """
    keys, chat, refused = set(held), [], []
    pitch = yaw = 0.0
    craft, names = None, {"equip": "", "place": ""}
    for line in filter(None, (line.strip() for line in text.split("\n"))):
        verb, _, rest = line.partition(" ")
        try:
            if verb == "chat":
                chat.append(rest)
            elif verb == "camera":
                pitch, yaw = map(finite, rest.split())
            elif verb in KEYS:
                (keys.add if int(rest) else keys.discard)(verb)
            elif verb in _STATIONS and rest not in ("none", ""):
                craft = ARGUMENT[verb, rest]
            elif verb in names:
                names[verb] = "" if rest == "none" else rest
            elif verb not in _STATIONS:
                refused.append(line)
        except (ValueError, KeyError):
            refused.append(line)
    turn = Turn(frozenset(keys), pitch, yaw, tuple(chat), craft, **names)
    return turn, refused


def to_action(turn: Turn, slot_name: np.ndarray) -> np.ndarray:
    """A turn as int32[8], an action of `envs.base`.

    The world does one functional thing a tick. Where several are asked for it is the first
    of attack, use, craft, equip, place, drop; the client's own action has only one. A turn
    of the view that is no whole number of bins is left out (see `bins`).

    Args:
      turn: what is asked for.
      slot_name: int32[36], name ids; equip and place take the first slot with their item.
    """
    action = np.array(base.NOOP, np.int32)
    keys = turn.keys
    action[base.MOVE] = _one_of(keys, "forward", "back")
    action[base.STRAFE] = _one_of(keys, "left", "right")
    action[base.JUMP] = next(
        (k for k, key in enumerate(("jump", "sneak", "sprint"), 1) if key in keys), 0
    )
    whole = bins(turn)
    if whole is not None:
        action[base.PITCH], action[base.YAW] = whole
    equip, place = (_slot_of(name, slot_name) for name in (turn.equip, turn.place))
    asked = (
        # Function, column of its argument, argument; None is not asked for.
        (base.FN_ATTACK, base.SLOT_ARG, 0 if "attack" in keys else None),
        (base.FN_USE, base.SLOT_ARG, 0 if "use" in keys else None),
        (base.FN_CRAFT, base.CRAFT_ARG, turn.craft),
        (base.FN_EQUIP, base.SLOT_ARG, equip),
        (base.FN_PLACE, base.SLOT_ARG, place),
        (base.FN_DROP, base.SLOT_ARG, 0 if "drop" in keys else None),
    )
    for function, column, argument in asked:
        if argument is not None:
            action[base.FUNCTION], action[column] = function, argument
            break
    return action


def bins(turn: Turn) -> tuple[int, int] | None:
    """The camera bins of a turn, None if it is no whole number of them."""
    whole = [angle / base.CAMERA_STEP + base.CAMERA_CENTRE for angle in (turn.pitch, turn.yaw)]
    if all(value.is_integer() and 0 <= value < base.ACTION_SIZES[base.YAW] for value in whole):
        return int(whole[0]), int(whole[1])
    return None


def _one_of(keys: frozenset[str], first: str, second: str) -> int:
    """1 or 2 where one of two opposite keys is down, else 0."""
    return ((first in keys) - (second in keys)) % 3


def _slot_of(name: str, slot_name: np.ndarray) -> int | None:
    if not name:
        return None
    found = [slot for slot, held in enumerate(slot_name) if NAMES[held] == name]
    return found[0] if found else None
