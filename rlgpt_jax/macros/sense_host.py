"""What macros read of their lane's view, and actions on items, host version."""

import numpy as np

from rlgpt_jax.envs.base import (
    CAMERA_STEP,
    FN_CRAFT,
    NUM_RAYS,
    NUM_SLOTS,
    RAY_PITCHES,
    RAY_YAWS,
)
from rlgpt_jax.envs.names import NAME_ID, NUM_NAMES
from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import CRAFT_OF_NAME, FUNCTION_BASE
from rlgpt_jax.macros.cells_host import ZERO, box, is_current, number, tag
from rlgpt_jax.macros.kernels import Cells, Real, kernel

YAWS, PITCHES = np.array(RAY_YAWS, np.float32), np.array(RAY_PITCHES, np.float32)
AIR, NO_ENTITY = NAME_ID["air"], NAME_ID["none"]
TABLE_NAME, FURNACE_NAME = NAME_ID["crafting_table"], NAME_ID["furnace"]
FAR = np.float32(999.0)  # distance of the ray that `nearest` gives if nothing is found
# Multiplied, not divided: XLA would do the same with a constant, but not here.
PER_BIN = np.float32(1.0 / CAMERA_STEP)


@kernel
def attribute(memory: Cells, view: np.ndarray, bits: int, which: int, now: int) -> tuple[int, int]:
    """Returns (value, trap code) of a field; `which` packs its three places."""
    kind = tag(bits)
    of_obs, of_ray, kept = which & 255, which >> 8 & 255, which >> 16
    if kind == v.T_RAY_RECORD and of_ray > 0:
        return int(memory[(bits & v.PAYLOAD) - bc.MAX_CONSTANTS + of_ray]), 0
    if kind == v.T_OBS_RECORD and kept > 0:
        return int(memory[(bits & v.PAYLOAD) - bc.MAX_CONSTANTS + kept]), 0
    if (kind != v.T_OBS or of_obs == 0) and (kind != v.T_RAY or of_ray == 0):
        return 0, bc.TRAP_KIND
    if not is_current(bits, now):
        return 0, bc.TRAP_OLD
    if kind == v.T_RAY:
        return ray_field(view, bits & 127, of_ray - 1), 0
    if of_obs - 1 == sensors.HELD:
        return box(v.T_NAME, int(view[sensors.HELD])), 0
    return number(view[of_obs - 1]), 0


@kernel
def ray_field(view: np.ndarray, ray: int, field: int) -> int:
    if ray == v.NO_RAY:
        if field == 0:
            return box(v.T_NAME, AIR)
        if field == 1:
            return box(v.T_NAME, NO_ENTITY)
        return number(FAR) if field == 2 else 0
    if field == 0:
        return box(v.T_NAME, int(view[sensors.RAY_BLOCKS + ray]))
    if field == 1:
        return box(v.T_NAME, int(view[sensors.RAY_ENTITIES + ray]))
    if field == 2:
        return number(view[sensors.RAY_DISTANCES + ray])
    if field == 3:
        return number(YAWS[ray % len(YAWS)])
    return number(PITCHES[ray // len(YAWS)])


@kernel
def ask(op: int, view: np.ndarray, name: int, now: int) -> int:
    """Answers count, near, sees and nearest about a name."""
    if op == bc.COUNT:
        total = ZERO
        for i in range(NUM_SLOTS):
            if int(view[sensors.SLOT_NAMES + i]) == name:
                total = np.float32(total + view[sensors.SLOT_QUANTITIES + i])
        return number(total)
    if op == bc.NEAR:
        near_table = name == TABLE_NAME and view[sensors.NEAR_TABLE] > ZERO
        near_furnace = name == FURNACE_NAME and view[sensors.NEAR_FURNACE] > ZERO
        return number(np.float32(near_table or near_furnace))
    best, found = np.float32(np.inf), v.NO_RAY
    for i in range(NUM_RAYS):
        block, entity = view[sensors.RAY_BLOCKS + i], view[sensors.RAY_ENTITIES + i]
        if int(block) == name or int(entity) == name:
            if view[sensors.RAY_DISTANCES + i] < best:
                best, found = view[sensors.RAY_DISTANCES + i], i
    if op == bc.SEES:
        return number(np.float32(found != v.NO_RAY))
    return box(v.T_RAY, found | (now & v.AGE_MASK) << 7)


@kernel
def camera_bin(degrees: Real) -> int:
    if np.isnan(degrees):
        return 12
    return int(min(max(np.rint(np.float32(degrees * PER_BIN)), -12), 12)) + 12


@kernel
def item_code(view: np.ndarray, name: int, function: int) -> int:
    """Returns the code of a functional action on a named item; noop if it cannot be."""
    if function == FN_CRAFT:
        argument = int(CRAFT_OF_NAME[name]) if name < NUM_NAMES else -1
        return FUNCTION_BASE + function * 256 + argument if argument >= 0 else 0
    for i in range(NUM_SLOTS):
        if int(view[sensors.SLOT_NAMES + i]) == name and view[sensors.SLOT_QUANTITIES + i] > ZERO:
            return FUNCTION_BASE + function * 256 + i
    return 0
