"""Actions as values of a macro: 12 bits each.

0..35 is a movement (move * 12 + strafe * 4 + jump), TURN_BASE + yaw * 25 + pitch a
turn of the camera in bins of 15 degrees, FUNCTION_BASE + function * 256 + argument a
functional action. `TABLE` holds the action of the world for each of them.
"""

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID, NUM_NAMES

TURN_BASE = 64
FUNCTION_BASE = 1024
NUM_CODES = FUNCTION_BASE + 8 * 256


def move_code(move: int = 0, strafe: int = 0, jump: int = 0) -> int:
    return move * 12 + strafe * 4 + jump


def turn_code(yaw_bin: int, pitch_bin: int) -> int:
    return TURN_BASE + yaw_bin * 25 + pitch_bin


def function_code(function: int, argument: int = 0) -> int:
    return FUNCTION_BASE + function * 256 + argument


# Actions that are functions without an argument, by the name macros use. The position
# is the number of the action as a function value.
PLAIN_ACTIONS: dict[str, int] = {
    "noop": move_code(),
    "forward": move_code(move=1),
    "back": move_code(move=2),
    "left": move_code(strafe=1),
    "right": move_code(strafe=2),
    "jump": move_code(jump=1),
    "sneak": move_code(jump=2),
    # Sprinting is running forward: the key does nothing while the player stands.
    "sprint": move_code(move=1, jump=3),
    "attack": function_code(base.FN_ATTACK),
    "use": function_code(base.FN_USE),
    "drop": function_code(base.FN_DROP),
}
PLAIN_NAMES = tuple(PLAIN_ACTIONS)
JUMPING = ("forward", "back", "left", "right")  # those that take jump=True
# Actions on a named item: the name of the function and its number in the world.
ITEM_ACTIONS = {
    "craft": base.FN_CRAFT,
    "equip": base.FN_EQUIP,
    "place": base.FN_PLACE,
    "destroy": base.FN_DESTROY,
}


def world_action(code: int) -> list[int]:
    """Returns the action int32[8] of `base.py` for one code."""
    action = list(base.NOOP)
    if code < TURN_BASE:
        action[base.MOVE] = code // 12 % 3
        action[base.STRAFE], action[base.JUMP] = code // 4 % 3, code % 4
    elif code < FUNCTION_BASE:
        action[base.YAW] = min((code - TURN_BASE) // 25, 24)
        action[base.PITCH] = (code - TURN_BASE) % 25
    else:
        function, argument = divmod(code - FUNCTION_BASE, 256)
        action[base.FUNCTION] = function
        if function == base.FN_CRAFT:
            action[base.CRAFT_ARG] = argument
        elif function in ITEM_ACTIONS.values():
            action[base.SLOT_ARG] = argument
    return action


# int32[NUM_CODES, 8]: one row per code.
TABLE = np.array([world_action(code) for code in range(NUM_CODES)], np.int32)
# int32[NUM_NAMES]: craft argument of a name, -1 if it cannot be crafted.
CRAFT_OF_NAME = np.full(NUM_NAMES, -1, np.int32)
for _index, _name in enumerate(CRAFT_NAMES):
    if CRAFT_OF_NAME[NAME_ID[_name]] < 0:
        CRAFT_OF_NAME[NAME_ID[_name]] = _index
