"""What macros read of their lane's view, and actions on items, host version."""

import numpy as np

from rlgpt_jax.envs.base import CAMERA_STEP, FN_CRAFT, NUM_RAYS, NUM_SLOTS, RAY_PITCHES, RAY_YAWS
from rlgpt_jax.envs.names import NAME_ID, NUM_NAMES
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import CRAFT_OF_NAME, FUNCTION_BASE
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.host.cells_host import ZERO, box, flag, get, is_a, is_current, number
from rlgpt_jax.macros.vm.host.kernels import Cells, Real, lean, small

AIR, NO_ENTITY = NAME_ID["air"], NAME_ID["none"]
TABLE_NAME, FURNACE_NAME = NAME_ID["crafting_table"], NAME_ID["furnace"]
FAR = np.float32(999.0)  # distance of the ray that `nearest` gives if nothing is found
# int32[2, 128]: yaw and pitch of every ray, 0 of the ray "nothing found".
ANGLE_BITS = np.zeros((2, v.NO_RAY + 1), np.int32)
ANGLE_BITS[0, :NUM_RAYS] = [v.number(yaw) for _ in RAY_PITCHES for yaw in RAY_YAWS]
ANGLE_BITS[1, :NUM_RAYS] = [v.number(pitch) for pitch in RAY_PITCHES for _ in RAY_YAWS]
# int32[3]: its block, entity and distance.
NOTHING_BITS = np.array(
    [v.box(v.T_NAME, AIR), v.box(v.T_NAME, NO_ENTITY), v.number(float(FAR))], np.int32
)
# Multiplied, not divided: XLA would do the same with a constant, but not here.
PER_BIN = np.float32(1.0 / CAMERA_STEP)


@small
def attribute(memory: Cells, view: np.ndarray, x: int, which: int, now: int) -> tuple[int, int]:
    """Returns (value, trap code) of a field; `which` packs its three places."""
    of_obs, of_ray = which & 255, which >> 8 & 255
    if is_a(x, v.T_RAY) and of_ray > 0 and is_current(x, now):
        return ray_field(view, x & 127, of_ray - 1), 0
    if is_a(x, v.T_OBS) and of_obs > 0 and is_current(x, now):
        value = view[of_obs - 1]
        is_name = which & 0xFFFF == sensors.HELD + 1  # `PLAIN_FIELD` says that it is none
        return (box(v.T_NAME, int(value)) if is_name else number(value)), 0
    return kept_attribute(memory, x, which)


@lean
def kept_attribute(memory: Cells, x: int, which: int) -> tuple[int, int]:
    """Returns (value, trap code) of a field of what is not of this tick."""
    of_obs, of_ray, kept = which & 255, which >> 8 & 255, which >> 16
    place = (x & v.PAYLOAD) - bc.MAX_CONSTANTS
    if is_a(x, v.T_RAY_RECORD) and of_ray > 0:
        return get(memory, place + of_ray), 0
    if is_a(x, v.T_OBS_RECORD) and kept > 0:
        return get(memory, place + kept), 0
    has_it = (is_a(x, v.T_OBS) and of_obs > 0) or (is_a(x, v.T_RAY) and of_ray > 0)
    return 0, (bc.TRAP_OLD if has_it else bc.TRAP_KIND)


@small
def ray_field(view: np.ndarray, ray: int, field: int) -> int:
    """Returns block, entity, distance, yaw or pitch of a ray."""
    if field >= 3:
        return int(ANGLE_BITS[field - 3, ray])
    if ray == v.NO_RAY:
        return int(NOTHING_BITS[field])
    value = view[np.uint64(sensors.RAY_BLOCKS + field * NUM_RAYS + ray)]
    return number(value) if field == 2 else box(v.T_NAME, int(value))


@small
def block_name(view: np.ndarray, cell: int) -> int:
    return box(v.T_NAME, int(view[sensors.VOXELS + cell]))


@lean
def ask(op: int, view: np.ndarray, name: int, now: int) -> int:
    """Answers count, near, sees and nearest about a name."""
    wanted = np.float32(name)
    if op == bc.COUNT:
        total = ZERO
        for i in range(NUM_SLOTS):
            if view[sensors.SLOT_NAMES + i] == wanted:
                total = np.float32(total + view[sensors.SLOT_QUANTITIES + i])
        return number(total)
    if op == bc.NEAR:
        near_table = name == TABLE_NAME and view[sensors.NEAR_TABLE] > ZERO
        near_furnace = name == FURNACE_NAME and view[sensors.NEAR_FURNACE] > ZERO
        return flag(near_table or near_furnace)
    best, found = np.float32(np.inf), v.NO_RAY
    for i in range(NUM_RAYS):
        if view[sensors.RAY_BLOCKS + i] == wanted or view[sensors.RAY_ENTITIES + i] == wanted:
            if view[sensors.RAY_DISTANCES + i] < best:
                best, found = view[sensors.RAY_DISTANCES + i], i
                if op == bc.SEES:
                    break
    if op == bc.SEES:
        return flag(found != v.NO_RAY)
    return box(v.T_RAY, found | (now & v.AGE_MASK) << 7)


@lean
def camera_bin(degrees: Real) -> int:
    if np.isnan(degrees):
        return 12
    return int(min(max(np.rint(np.float32(degrees * PER_BIN)), -12), 12)) + 12


@lean
def item_code(view: np.ndarray, name: int, function: int) -> int:
    """Returns the code of a functional action on a named item; noop if it cannot be."""
    if function == FN_CRAFT:
        argument = int(CRAFT_OF_NAME[name]) if name < NUM_NAMES else -1
        return FUNCTION_BASE + function * 256 + argument if argument >= 0 else 0
    for i in range(NUM_SLOTS):
        if int(view[sensors.SLOT_NAMES + i]) == name and view[sensors.SLOT_QUANTITIES + i] > ZERO:
            return FUNCTION_BASE + function * 256 + i
    return 0
