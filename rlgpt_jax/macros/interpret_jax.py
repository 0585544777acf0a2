"""The device interpreter: the bytecode in JAX, written over the batch by hand.

A while loop executes one instruction of every running lane per round: all groups of
operations are computed for all lanes and the right result is selected, because a
`switch` under `vmap` would do the same less openly. It can be used inside `jit` and
`lax.scan`, and gives the same bits as `interpret_host.py`, which defines what each
instruction means.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import FN_CRAFT, NUM_RAYS, NUM_SLOTS, RAY_PITCHES, RAY_YAWS
from rlgpt_jax.envs.names import NUM_NAMES
from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import CRAFT_OF_NAME, FUNCTION_BASE, TABLE, TURN_BASE
from rlgpt_jax.macros.bytecode import MacroSet, MacroState, MacroTick
from rlgpt_jax.macros.heap_jax import collect
from rlgpt_jax.macros.interpret_host import (
    AIR,
    ENDED,
    FAILED,
    FURNACE_NAME,
    MAX_FLAT,
    NO_ENTITY,
    PER_BIN,
    PLAIN_CODES,
    RUNNING,
    TABLE_NAME,
    YIELDED,
)

WAITING, IDLE = 4, 5  # for `help_waiting`; not running at all
UNKNOWN = 2
Array = jax.Array


def table(default: int, **groups: tuple[int, ...]) -> np.ndarray:
    """Returns int32[operations]: which operand (0, 1, 2) a value of an operation is."""
    values = np.full(len(bc.OPERATIONS), default, np.int32)
    for number, operations in enumerate(groups.values()):
        values[list(operations)] = number
    return values


# Which operand is the sequence (or the value whose truth is asked).
SEQUENCE = table(
    0,
    a=(bc.EACH, bc.SHAPE, bc.APPEND, bc.STORE, bc.JT, bc.JF),
    b=(bc.INDEX, bc.LEN, bc.TRUTH, bc.NOT),
    c=(bc.IN,),
)


def init_state(num_lanes: int) -> MacroState:
    """Returns the state of lanes without a running macro (JAX arrays)."""
    numbers = [jnp.zeros(num_lanes, jnp.int32) for _ in range(5)]
    return MacroState(jnp.zeros((num_lanes, bc.MEMORY_CELLS), jnp.int32), *numbers)


def cut(state: MacroState, done: Array) -> MacroState:
    """Drops the macros of lanes whose episode ended; `done` is bool[N]."""
    return state._replace(slot=jnp.where(done, 0, state.slot))


def tick(
    macro_set: MacroSet,
    state: MacroState,
    view: Array,
    chosen: Array,
    busy: Array,
    tick_limit: int | Array = bc.TICK_LIMIT,
) -> tuple[MacroState, MacroTick]:
    """Runs the macros of all lanes for one tick; see `interpret_host.tick`."""
    macro_set = jax.tree.map(jnp.asarray, macro_set)
    lanes = len(view)
    none = jnp.zeros(lanes, jnp.int32)

    def phase(second: Array, carry: tuple) -> tuple:
        """First goes on with running macros, then starts the chosen ones."""
        state, answer, from_macro, decided, ends = carry
        asked = ~busy & (answer < 0) & (second > 0)
        wanted = jnp.clip(chosen, 0, bc.MAX_MACROS)
        starts = asked & (wanted > 0) & macro_set.valid[wanted - 1]
        state = started(state, starts, wanted)
        running = jnp.where(second > 0, starts, ~busy & (state.slot > 0))
        state, code, ends = run_lanes(macro_set, state, view, running, ends, tick_limit)
        from_macro = from_macro | starts | (running & (code >= 0))
        return state, jnp.where(running, code, answer), from_macro, decided | asked, ends

    no = jnp.zeros(lanes, bool)
    carry = (state, none - 1, no, no, (none, none, none, none))
    # A loop of two rounds, so that the interpreter is compiled once.
    state, answer, from_macro, decided, ends = jax.lax.fori_loop(0, 2, phase, carry)
    action = jnp.asarray(TABLE)[jnp.maximum(answer, 0)]
    return state, MacroTick(action, from_macro, decided, *ends)


def started(state: MacroState, starts: Array, wanted: Array) -> MacroState:
    """Puts lanes at the beginning of their macro."""

    def zero(x: Array) -> Array:
        return jnp.where(starts, 0, x)

    return MacroState(
        memory=jnp.where(starts[:, None], 0, state.memory),
        pc=zero(state.pc),
        frame=zero(state.frame),
        heap=jnp.where(starts, bc.STACK_CELLS, state.heap),
        slot=jnp.where(starts, wanted, state.slot).astype(jnp.int32),
        ticks=zero(state.ticks),
    )


def run_lanes(
    macro_set: MacroSet,
    state: MacroState,
    view: Array,
    running: Array,
    ends: tuple,
    tick_limit: int | Array,
) -> tuple[MacroState, Array, tuple]:
    """Runs lanes until each yields or ends. Returns the action codes, -1 at an end."""
    over = running & (state.ticks >= tick_limit)
    program = Program(macro_set, state.slot - 1, view, state.ticks)
    lanes = jnp.arange(len(view))
    machine = Machine(
        memory=state.memory.reshape(-1),
        pc=state.pc,
        frame=state.frame,
        heap=state.heap,
        steps=jnp.zeros_like(state.pc),
        cursor=jnp.zeros_like(state.pc),
        collected=jnp.zeros_like(running),
        compared=jnp.full_like(state.pc, UNKNOWN),
        status=jnp.where(running & ~over, RUNNING, IDLE),
        result=jnp.zeros_like(state.pc),
    )
    machine = execute(program, machine, lanes)
    yielded = machine.status == YIELDED
    failed = machine.status == FAILED
    ended = failed | over | (machine.status == ENDED)
    why = jnp.where(over, bc.TICK_LIMIT_REACHED, jnp.where(failed, bc.TRAPPED, bc.RETURNED))
    line = macro_set.lines[program.macro, machine.pc]
    new = (why, state.slot, jnp.where(failed, machine.result, 0), jnp.where(failed, line, 0))
    ends = tuple(jnp.where(ended, n, e).astype(jnp.int32) for n, e in zip(new, ends, strict=True))
    state = MacroState(
        memory=machine.memory.reshape(state.memory.shape),
        pc=machine.pc,
        frame=machine.frame,
        heap=machine.heap,
        slot=jnp.where(ended, 0, state.slot),
        ticks=state.ticks + yielded,
    )
    return state, jnp.where(yielded, machine.result, -1), ends


# --- the loop --------------------------------------------------------------------
class Program:
    """What the lanes run and see; does not change within a tick."""

    def __init__(self, macro_set: MacroSet, macro: Array, view: Array, now: Array):
        self.macro = jnp.clip(macro, 0, bc.MAX_MACROS - 1)
        self.code = macro_set.code.reshape(-1, 4)
        self.constants = macro_set.constants.reshape(-1)
        self.view = view
        self.now = now

    def instruction(self, pc: Array) -> tuple[Array, Array, Array, Array]:
        row = self.code[self.macro * bc.MAX_CODE + pc]
        return row[:, 0], row[:, 1], row[:, 2], row[:, 3]

    def constant(self, index: Array) -> Array:
        """Reads pool cells; `index` is int32[N, ...]."""
        first = self.macro.reshape((-1,) + (1,) * (index.ndim - 1)) * bc.MAX_CONSTANTS
        return self.constants[first + jnp.clip(index, 0, bc.MAX_CONSTANTS - 1)]


    def operand(self, memory: Array, frame: Array, x: Array) -> Array:
        """Reads one operand per lane from memory int32[N, MEMORY_CELLS]."""
        place = jnp.clip(frame + x, 0, bc.MEMORY_CELLS - 1)
        register = jnp.take_along_axis(memory, place[:, None], axis=1)[:, 0]
        return jnp.where(x >= 0, register, self.constant(-1 - x))

    def cells(self, memory: Array, address: Array) -> Array:
        """Reads the pool or the memory; `address` is int32[N] or [N, k]."""
        place = jnp.clip(address - bc.MAX_CONSTANTS, 0, bc.MEMORY_CELLS - 1)
        held = jnp.take_along_axis(memory, place.reshape(len(memory), -1), axis=1)
        return jnp.where(
            address < bc.MAX_CONSTANTS, self.constant(address), held.reshape(address.shape)
        )


class Machine(NamedTuple):
    """All that instructions change; arrays of length N unless said."""

    memory: Any  # int32[N * MEMORY_CELLS]
    pc: Any
    frame: Any
    heap: Any
    steps: Any
    cursor: Any  # position of an `in` that is being searched
    collected: Any  # bool: room was made for the present instruction
    compared: Any  # result of `compare` for the present instruction, or UNKNOWN
    status: Any
    result: Any


def execute(program: Program, machine: Machine, lanes: Array) -> Machine:
    """Runs until no lane is running; helps waiting lanes in between."""

    def rounds(machine: Machine) -> Machine:
        machine = jax.lax.while_loop(
            lambda m: jnp.any(m.status == RUNNING),
            lambda m: one_instruction(program, m, lanes),
            machine,
        )
        return jax.lax.cond(
            jnp.any(machine.status == WAITING),
            lambda m: help_waiting(program, m, lanes),
            lambda m: m,
            machine,
        )

    return jax.lax.while_loop(lambda m: jnp.any(m.status == RUNNING), rounds, machine)


def help_waiting(program: Program, machine: Machine, lanes: Array) -> Machine:
    """Does what is rare and needs much of the memory; waiting lanes then try again.

    These are the collection of a heap and the comparison of two sequences.
    """
    waiting = machine.status == WAITING
    op, a, b, c = program.instruction(machine.pc)
    memory = machine.memory.reshape(len(lanes), -1)
    for_room = waiting & among(op, bc.ALLOC, bc.APPEND)
    A, B, C = (program.operand(memory, machine.frame, x) for x in (a, b, c))
    is_append = op == bc.APPEND
    end = machine.frame + jnp.where(is_append, c, c >> 4)
    grow = jnp.where(is_append & for_room, (A & v.PAYLOAD) - bc.MAX_CONSTANTS, -1)
    new, heap = collect(memory, jnp.where(for_room, end, 0), grow)
    element = program.cells(memory, (C & v.PAYLOAD) + 1 + machine.cursor)
    left, right = compared_values(op, A, B, C, element)
    return machine._replace(
        memory=jnp.where(for_room[:, None], new, memory).reshape(-1),
        heap=jnp.where(for_room, heap, machine.heap),
        collected=machine.collected | for_room,
        compared=jnp.where(waiting & ~for_room, same_rows(program, memory, left, right), UNKNOWN),
        status=jnp.where(waiting, RUNNING, machine.status),
    )


def compared_values(op: Array, A: Array, B: Array, C: Array, element: Array) -> tuple[Array, Array]:
    """Returns what `eq`, `ne`, `jeq`, `jne` and `in` compare."""
    jumps = among(op, bc.JEQ, bc.JNE)
    return jnp.where(jumps, A, B), jnp.where(jumps, B, jnp.where(op == bc.IN, element, C))


def same_rows(program: Program, memory: Array, left: Array, right: Array) -> Array:
    """Compares two short flat sequences per lane: 1, 0 or minus a trap code."""
    offsets = jnp.arange(MAX_FLAT + 1)
    one = program.cells(memory, (left & v.PAYLOAD)[:, None] + offsets)
    other = program.cells(memory, (right & v.PAYLOAD)[:, None] + offsets)
    length, other_length = one[:, 0] & 0xFFFF, other[:, 0] & 0xFFFF
    used = jnp.arange(MAX_FLAT) < length[:, None]
    equal = jnp.where(used, same(one[:, 1:], other[:, 1:]), 1)
    nested = jnp.any(equal < 0, axis=1)
    result = jnp.where(nested, -bc.TRAP_KIND, jnp.min(equal, axis=1))
    result = jnp.where(length > MAX_FLAT, -bc.TRAP_KIND, result)
    return jnp.where(length != other_length, 0, result)


# --- values ----------------------------------------------------------------------
def is_box(bits: Array) -> Array:
    return (bits >= v.FIRST_BOX) & (bits < 0)


def tag(bits: Array) -> Array:
    return jnp.where(is_box(bits), (bits - v.BOX) >> v.TAG_SHIFT, 0)


def box(kind: int | Array, payload: int | Array) -> Array:
    return jnp.asarray(v.BOX + (kind << v.TAG_SHIFT) + payload, jnp.int32)


def real(bits: Array) -> Array:
    return jax.lax.bitcast_convert_type(bits, jnp.float32)


def number(value: Array) -> Array:
    bits = jax.lax.bitcast_convert_type(value.astype(jnp.float32), jnp.int32)
    exponent = bits & 0x7F800000
    is_nan = (exponent == 0x7F800000) & (bits & 0x007FFFFF != 0)
    return jnp.where(exponent == 0, 0, jnp.where(is_nan, v.NAN_BITS, bits))


def is_whole(x: Array) -> Array:
    return (jnp.floor(x) == x) & (jnp.abs(x) < np.float32(1e9))


def same(a: Array, b: Array) -> Array:
    """Returns 1 if two values are equal, 0 if not, -1 if they are two sequences."""
    kind = tag(a)
    rows = (a != b) & (kind == tag(b)) & ((kind == v.T_TUPLE) | (kind == v.T_LIST))
    boxed = is_box(a) | is_box(b)
    return jnp.where(rows, -1, jnp.where(boxed, a == b, real(a) == real(b)).astype(jnp.int32))


def among(op: Array, *operations: int) -> Array:
    found = op == operations[0]
    for other in operations[1:]:
        found |= op == other
    return found


def between(op: Array, first: int, last: int) -> Array:
    return (op >= first) & (op <= last)


# --- arithmetic ------------------------------------------------------------------
def modulo(x: Array, y: Array) -> Array:
    rest = jax.lax.rem(x, y)
    return jnp.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


def floor_divide(x: Array, y: Array) -> Array:
    quotient = (x - modulo(x, y)) / y
    whole = jnp.floor(quotient)
    return jnp.where(quotient - whole > np.float32(0.5), whole + np.float32(1.0), whole)


def binary(op: Array, x: Array, y: Array) -> Array:
    """Returns the float32 result of the operations `add` to `max`."""
    return jnp.select(
        [op == o for o in (bc.ADD, bc.SUB, bc.MUL, bc.DIV, bc.FLOORDIV, bc.MOD, bc.MIN)],
        [x + y, x - y, x * y, x / y, floor_divide(x, y), modulo(x, y), jnp.where(y < x, y, x)],
        jnp.where(y > x, y, x),
    )


def unary(op: Array, x: Array) -> Array:
    """Returns the float32 result of the operations `neg` to `whole`."""
    return jnp.select(
        [op == o for o in (bc.NEG, bc.ABS, bc.ROUND, bc.FLOOR, bc.CEIL, bc.TRUNC, bc.SQRT)],
        [-x, jnp.abs(x), jnp.rint(x), jnp.floor(x), jnp.ceil(x), jnp.trunc(x),
         jnp.sqrt(jnp.abs(x))],
        x,
    )  # fmt: skip


# --- observation -----------------------------------------------------------------
def camera_bin(degrees: Array) -> Array:
    bins = jnp.clip(jnp.rint(degrees * PER_BIN), -12, 12)
    return jnp.where(jnp.isnan(degrees), 0, bins).astype(jnp.int32) + 12


def ask(op: Array, view: Array, name: Array, now: Array, function: Array) -> Array:
    """Answers count, near, sees, nearest and builds actions on items."""
    slots = view[:, sensors.SLOT_NAMES : sensors.SLOT_NAMES + NUM_SLOTS].astype(jnp.int32)
    held = view[:, sensors.SLOT_QUANTITIES : sensors.SLOT_QUANTITIES + NUM_SLOTS]
    here = slots == name[:, None]
    count = number(jnp.sum(jnp.where(here, held, 0), axis=1))
    near = ((name == TABLE_NAME) & (view[:, sensors.NEAR_TABLE] > 0)) | (
        (name == FURNACE_NAME) & (view[:, sensors.NEAR_FURNACE] > 0)
    )
    distances = view[:, sensors.RAY_DISTANCES : sensors.RAY_DISTANCES + NUM_RAYS]
    blocks = view[:, sensors.RAY_BLOCKS : sensors.RAY_BLOCKS + NUM_RAYS].astype(jnp.int32)
    entities = view[:, sensors.RAY_ENTITIES : sensors.RAY_ENTITIES + NUM_RAYS].astype(jnp.int32)
    hits = (blocks == name[:, None]) | (entities == name[:, None])
    far = jnp.where(hits, distances, np.float32(np.inf))
    best = jnp.argmin(far, axis=1).astype(jnp.int32)
    sees = jnp.any(far < np.float32(np.inf), axis=1)
    ray = jnp.where(sees, best, v.NO_RAY) | (now & v.AGE_MASK) << 7

    usable = here & (held > 0)
    argument = jnp.argmax(usable, axis=1).astype(jnp.int32)
    found = jnp.any(usable, axis=1)
    craft = jnp.where(
        name < NUM_NAMES, jnp.asarray(CRAFT_OF_NAME)[jnp.minimum(name, NUM_NAMES - 1)], -1
    )
    argument = jnp.where(function == FN_CRAFT, craft, argument)
    found = jnp.where(function == FN_CRAFT, craft >= 0, found)
    code = jnp.where(found, FUNCTION_BASE + function * 256 + argument, 0)
    return jnp.select(
        [op == o for o in (bc.COUNT, bc.NEAR, bc.SEES, bc.NEAREST)],
        [count, number(near), number(sees), box(v.T_RAY, ray)],
        box(v.T_ACTION, code),
    )


def ray_field(field: Array, ray: Array, read: Array) -> Array:
    """Returns field 0..4 of a ray; `read` is what the view has for fields 0 to 2."""
    none = ray == v.NO_RAY
    ray = jnp.minimum(ray, NUM_RAYS - 1)
    yaw = jnp.asarray(RAY_YAWS, jnp.float32)[ray % len(RAY_YAWS)]
    pitch = jnp.asarray(RAY_PITCHES, jnp.float32)[ray // len(RAY_YAWS)]
    name = read.astype(jnp.int32)
    return jnp.select(
        [field == 0, field == 1, field == 2, field == 3],
        [
            box(v.T_NAME, jnp.where(none, AIR, name)),
            box(v.T_NAME, jnp.where(none, NO_ENTITY, name)),
            number(jnp.where(none, np.float32(999.0), read)),
            number(jnp.where(none, 0, yaw)),
        ],
        number(jnp.where(none, 0, pitch)),
    )


# --- one instruction ---------------------------------------------------------------
def one_instruction(program: Program, m: Machine, lanes: Array) -> Machine:
    """Executes the present instruction of every running lane."""
    view, now = program.view, program.now
    age = now & v.AGE_MASK
    op, a, b, c = program.instruction(m.pc)
    base = lanes * bc.MEMORY_CELLS

    def recall(index: Array) -> Array:
        """Reads memory cells; `index` is int32[N, k]."""
        return m.memory[base[:, None] + jnp.clip(index, 0, bc.MEMORY_CELLS - 1)]

    def at(address: Array, in_memory: Array, in_pool: Array) -> Array:
        return jnp.where(address < bc.MAX_CONSTANTS, in_pool, in_memory)

    # Operands, the neighbours that loops use, and the link of the frame.
    names = jnp.stack([a, b, c], axis=1)
    frame = m.frame
    places = frame[:, None] + jnp.stack([a, b, c, a + 1, a + 2, jnp.zeros_like(a)], axis=1)
    cells = recall(places)
    pool = program.constant(-1 - names)
    A, B, C = (jnp.where(names[:, i] >= 0, cells[:, i], pool[:, i]) for i in range(3))
    A0, A1, A2, link = cells[:, 0], cells[:, 3], cells[:, 4], cells[:, 5]

    # The sequence an instruction works on: its header and one element.
    which = jnp.asarray(SEQUENCE)[op]
    S = jnp.where(which == 0, A, jnp.where(which == 1, B, C))
    S_tag, S_at = tag(S), S & v.PAYLOAD
    is_rays = S_tag == v.T_RAYS
    is_sequence = (S_tag == v.T_TUPLE) | (S_tag == v.T_LIST)
    position_bits = jnp.where(op == bc.EACH, A1, jnp.where(op == bc.STORE, B, C))
    position_real = real(jnp.where(is_box(position_bits), 0, position_bits))
    whole = is_whole(position_real)
    asked = jnp.where(whole, position_real, 0).astype(jnp.int32)
    asked = jnp.where(op == bc.IN, m.cursor, asked)

    # Header, record field, function row and sets of names: one read each.
    of_obs, of_ray, kept = c & 255, (c >> 8) & 255, c >> 16
    B_tag, B_at = tag(B), B & v.PAYLOAD
    record = B_at - bc.MAX_CONSTANTS + jnp.where(B_tag == v.T_RAY_RECORD, of_ray, kept)
    seen = recall(jnp.stack([S_at - bc.MAX_CONSTANTS, record], axis=1))
    row = B_at - bc.FIRST_FUNCTION
    set_word = jnp.where(op == bc.IN, S_at - bc.NAME_WORDS, c) + (B_at >> 5)
    known = program.constant(jnp.stack([S_at, row, row + 1, row + 2, set_word], axis=1))
    header = at(S_at, seen[:, 0], known[:, 0])
    in_set = (known[:, 4] >> (B_at & 31)) & 1

    length = jnp.where(is_rays, NUM_RAYS, header & 0xFFFF)
    length_trap = jnp.where(is_rays, jnp.where(S_at == age, 0, bc.TRAP_OLD), bc.TRAP_KIND)
    length_trap = jnp.where(is_sequence, 0, length_trap)
    position = jnp.where((op != bc.IN) & (asked < 0), asked + length, asked)
    inside = (position >= 0) & (position < length)
    element_at = S_at + 1 + position
    element = at(
        element_at,
        recall((element_at - bc.MAX_CONSTANTS)[:, None])[:, 0],
        program.constant(element_at[:, None])[:, 0],
    )
    element = jnp.where(is_rays, box(v.T_RAY, position | (S_at & v.AGE_MASK) << 7), element)

    # Equality: of values here; a lane with two sequences waits for `compare`.
    compares = among(op, bc.EQ, bc.NE, bc.JEQ, bc.JNE, bc.IN)
    left, right = compared_values(op, A, B, C, element)
    equal = same(left, right)
    equal = jnp.where((equal < 0) & (m.compared != UNKNOWN), m.compared, equal)
    compares &= ~((op == bc.IN) & ~inside)
    rows = compares & (equal == -1)
    equal_trap = jnp.where(equal < -1, -equal, 0)

    # Numbers.
    box_a, box_b, box_c = is_box(A), is_box(B), is_box(C)
    xa, xb, xc = real(A), real(B), real(C)
    truth = jnp.where(
        S_tag == v.T_NUMBER,
        S != 0,
        jnp.where(S_tag == v.T_NONE, False, jnp.where(S_tag == v.T_NAME, S_at != 0, True)),
    )
    truth = jnp.where(is_sequence, length > 0, truth)

    # Questions about names, only if some lane asks.
    asks = between(op, bc.COUNT, bc.NEAREST)
    asks_any = (asks | (op == bc.ITEM)) & (m.status == RUNNING)
    asked_name = jnp.where(op == bc.ITEM, B_at, C & v.PAYLOAD)
    answer = jax.lax.cond(
        jnp.any(asks_any),
        lambda: ask(op, view, asked_name, now, c),
        lambda: jnp.zeros_like(op),
    )

    # Fields and blocks: one read of the view.
    is_ray = B_tag == v.T_RAY
    ray, field = B_at & 127, of_ray - 1
    first = jnp.asarray(
        np.array([sensors.RAY_BLOCKS, sensors.RAY_ENTITIES, sensors.RAY_DISTANCES] + [0] * 2)
    )[jnp.clip(field, 0, 4)]
    cell = sensors.VOXELS + jnp.clip(jnp.where(box_c, 0, xc), 0, 26).astype(jnp.int32)
    column = jnp.where(is_ray, first + jnp.minimum(ray, NUM_RAYS - 1), of_obs - 1)
    column = jnp.where(op == bc.BLOCK, cell, column)
    column = jnp.clip(column, 0, sensors.VIEW_SIZE - 1)
    read = jnp.take_along_axis(view, column[:, None], axis=1)[:, 0]
    is_record = ((B_tag == v.T_RAY_RECORD) & (of_ray > 0)) | (
        (B_tag == v.T_OBS_RECORD) & (kept > 0)
    )
    has_field = ((B_tag == v.T_OBS) & (of_obs > 0)) | (is_ray & (of_ray > 0))
    current = jnp.where(is_ray, B_at >> 7, B_at) == age
    of_obs_value = jnp.where(
        of_obs - 1 == sensors.HELD, box(v.T_NAME, read.astype(jnp.int32)), number(read)
    )
    field_value = jnp.where(is_ray, ray_field(field, ray, read), of_obs_value)
    field_value = jnp.where(is_record, seen[:, 1], field_value)
    field_trap = jnp.where(has_field, jnp.where(current, 0, bc.TRAP_OLD), bc.TRAP_KIND)
    field_trap = jnp.where(is_record, 0, field_trap)
    old_obs = (B_tag == v.T_OBS_RECORD) | ((B_tag == v.T_OBS) & ~current)
    obs_trap = jnp.where(
        old_obs, bc.TRAP_OLD, jnp.where(B_tag == v.T_OBS, 0, bc.TRAP_KIND)
    )
    name_trap = jnp.where(tag(C) == v.T_NAME, 0, bc.TRAP_KIND)
    A_tag, A_at = tag(A), A & v.PAYLOAD
    A_current = jnp.where(A_tag == v.T_RAY, A_at >> 7, A_at) == age
    A_fixed = ~(((A_tag == v.T_RAY) | (A_tag == v.T_OBS)) & A_current)

    # Functions as values.
    is_action = B_at < bc.FIRST_FUNCTION
    plain = jnp.asarray(PLAIN_CODES)[jnp.minimum(B_at, len(PLAIN_CODES) - 1)]
    moves = (plain > 0) & (plain < TURN_BASE) & (plain % 4 == 0)
    extra = jnp.where(c & bc.CALL_JUMP != 0, 1, jnp.where(c & bc.CALL_SPRINT != 0, 3, 0))
    plain = plain + jnp.where(moves, extra, 0)
    shape, size = known[:, 2], known[:, 3]
    kind_differs = ((c ^ shape) & bc.CALLED_FROM) != 0
    call_size = jnp.where(op == bc.CALL, c, size)
    too_deep = frame + a + call_size > bc.STACK_CELLS
    callv_trap = jnp.select(
        [
            B_tag != v.T_FUNCTION,
            jnp.where(is_action, c & bc.CALLED_FROM != 0, kind_differs),
            jnp.where(is_action, c & 255 != 0, c & 255 != shape & 255),
            ~is_action & too_deep,
        ],
        [bc.TRAP_KIND, bc.TRAP_KIND, bc.TRAP_SHAPE, bc.TRAP_DEPTH],
        0,
    )
    enters = (op == bc.CALL) | ((op == bc.CALLV) & ~is_action)

    # Room in the heap.
    list_room = header >> 16
    list_at = S_at - bc.MAX_CONSTANTS
    appends = (op == bc.APPEND) & (S_tag == v.T_LIST)
    full = appends & (length == list_room)
    extends = full & ~m.collected & (list_at + 1 + list_room == m.heap)
    extends &= m.heap + bc.LIST_ROOM <= bc.MEMORY_CELLS
    lacks = (op == bc.ALLOC) & (m.heap + 1 + (b >> 16) > bc.MEMORY_CELLS)
    waits = ((lacks | (full & ~extends)) & ~m.collected) | rows
    memory_trap = (lacks | (full & ~extends)) & m.collected
    new_room = list_room + jnp.where(extends, bc.LIST_ROOM, 0)

    # Searching: one element per round.
    is_set = (S_tag == v.T_TUPLE) & (header & bc.NAME_SET != 0)
    found = equal == 1
    search = (op == bc.IN) & is_sequence & ~is_set | (op == bc.IN) & is_rays
    ends_search = (length == 0) | found | (m.cursor + 1 >= length)
    searching = search & (length_trap == 0) & ~ends_search & (equal >= 0)
    waits &= ~((op == bc.IN) & is_set)
    in_value = jnp.where(
        is_set, (B_tag == v.T_NAME) & (in_set == 1), found & (length > 0)
    )

    # --- trap, next place, writes, by operation
    two_numbers = between(op, bc.ADD, bc.MAX) | between(op, bc.LT, bc.LE) | (op == bc.TURN)
    divides = among(op, bc.DIV, bc.FLOORDIV, bc.MOD)
    finite = jnp.isfinite(xb)
    trap = jnp.select(
        [
            two_numbers & (box_b | box_c),
            divides & (xc == 0),
            between(op, bc.NEG, bc.WHOLE) & box_b,
            (op == bc.SQRT) & (xb < 0),
            (among(op, bc.ROUND, bc.FLOOR, bc.CEIL, bc.TRUNC) & ~finite)
            | ((op == bc.WHOLE) & ~(finite & is_whole(xb))),
            between(op, bc.JLT, bc.JNLE) & (box_a | box_b),
            among(op, bc.EQ, bc.NE, bc.JEQ, bc.JNE) & (equal < 0),
            (op == bc.CHECK) & (A == v.UNBOUND),
            (op == bc.CALL) & too_deep,
            op == bc.CALLV,
            (op == bc.YIELD) & (B != v.NONE) & (B_tag != v.T_ACTION),
            memory_trap,
            among(op, bc.STORE, bc.APPEND) & (S_tag != v.T_LIST),
            among(op, bc.EACH, bc.LEN, bc.SHAPE, bc.INDEX, bc.IN) & (length_trap != 0),
            among(op, bc.INDEX, bc.STORE) & is_box(position_bits),
            among(op, bc.INDEX, bc.STORE) & ~whole,
            among(op, bc.INDEX, bc.STORE) & ~inside,
            (op == bc.SHAPE) & (length != b),
            search & (length > 0) & (equal < 0),
            (op == bc.RANGE) & (real(A2) == 0),
            among(op, bc.INSET, bc.ITEM) & (B_tag != v.T_NAME),
            op == bc.FIELD,
            (asks | among(op, bc.RAYS, bc.BLOCK)) & (obs_trap != 0),
            asks,
            (op == bc.OFFSET) & box_c,
            (op == bc.OFFSET) & ~((xc == -1) | (xc == 0) | (xc == 1)),
        ],
        [
            bc.TRAP_KIND,
            bc.TRAP_DIVIDE,
            bc.TRAP_KIND,
            bc.TRAP_DOMAIN,
            bc.TRAP_WHOLE,
            bc.TRAP_KIND,
            equal_trap,
            bc.TRAP_NO_VALUE,
            bc.TRAP_DEPTH,
            callv_trap,
            bc.TRAP_KIND,
            bc.TRAP_MEMORY,
            bc.TRAP_KIND,
            length_trap,
            bc.TRAP_KIND,
            bc.TRAP_WHOLE,
            bc.TRAP_INDEX,
            bc.TRAP_SHAPE,
            equal_trap,
            bc.TRAP_DOMAIN,
            bc.TRAP_KIND,
            field_trap,
            obs_trap,
            name_trap,
            bc.TRAP_KIND,
            bc.TRAP_INDEX,
        ],
        0,
    )

    step = real(A2)
    has_next = jnp.where(
        op == bc.EACH,
        inside,
        ((step > 0) & (real(A0) < real(A1))) | ((step < 0) & (real(A0) > real(A1))),
    )
    loops = among(op, bc.EACH, bc.RANGE)
    jumps_c = jnp.select(
        [op == bc.JLT, op == bc.JNLT, op == bc.JLE, op == bc.JNLE, op == bc.JEQ, op == bc.JNE,
         op == bc.JTAG, op == bc.JFIXED, loops],
        [xa < xb, ~(xa < xb), xa <= xb, ~(xa <= xb), equal == 1, equal == 0,
         A_tag == b, A_fixed, has_next],
        False,
    )  # fmt: skip
    jumps_b = ((op == bc.JT) & truth) | ((op == bc.JF) & ~truth)
    following = jnp.select(
        [op == bc.JUMP, jumps_c, jumps_b | (op == bc.CALL), op == bc.RETURN,
         (op == bc.CALLV) & ~is_action, searching | (op == bc.HALT)],
        [a, c, b, link & 0xFFFFF, known[:, 1], m.pc],
        m.pc + 1,
    )  # fmt: skip

    action = jnp.where(B == v.NONE, 0, B_at)
    turned = TURN_BASE + camera_bin(xb) * 25 + camera_bin(xc)
    wrap = jnp.where(box_b, 0, xb).astype(jnp.int32) * 3
    value = jnp.select(
        [
            op == bc.MOVE,
            between(op, bc.ADD, bc.MAX),
            between(op, bc.NEG, bc.WHOLE),
            op == bc.LT,
            op == bc.LE,
            among(op, bc.EQ, bc.NE),
            op == bc.IS,
            op == bc.TRUTH,
            op == bc.NOT,
            op == bc.YIELD,
            op == bc.ALLOC,
            among(op, bc.INDEX, bc.EACH),
            op == bc.RANGE,
            op == bc.LEN,
            op == bc.IN,
            op == bc.INSET,
            op == bc.RETAG,
            op == bc.FIELD,
            op == bc.RAYS,
            asks | (op == bc.ITEM),
            op == bc.OFFSET,
            op == bc.BLOCK,
            op == bc.TURN,
            enters,
            op == bc.CALLV,
            op == bc.RETURN,
        ],
        [
            B,
            number(binary(op, xb, xc)),
            number(unary(op, xb)),
            number(xb < xc),
            number(xb <= xc),
            number((equal == 1) == (op == bc.EQ)),
            number(B == C),
            number(truth),
            number(~truth),
            box(v.T_OBS, (now + 1) & v.AGE_MASK),
            box(c & 15, bc.MAX_CONSTANTS + m.heap),
            element,
            A0,
            number(length),
            number(in_value),
            number(in_set),
            box(c, B_at),
            field_value,
            box(v.T_RAYS, age),
            answer,
            number(wrap + jnp.where(box_c, 0, xc).astype(jnp.int32) + 1),
            box(v.T_NAME, read.astype(jnp.int32)),
            box(v.T_ACTION, turned),
            (m.pc + 1) | a << 20,
            box(v.T_ACTION, plain),
            A,
        ],
        0,
    )
    writes_nothing = (
        among(op, bc.HALT, bc.JUMP, bc.JT, bc.JF, bc.JTAG, bc.JFIXED, bc.CHECK, bc.SHAPE)
        | between(op, bc.JLT, bc.JNE)
        | (loops & ~has_next)
        | searching
    )
    place = jnp.select(
        [loops, op == bc.RETURN, op == bc.INIT, op == bc.STORE, op == bc.APPEND],
        [frame + b, frame, A_at - bc.MAX_CONSTANTS + 1 + b, list_at + 1 + position,
         list_at + 1 + length],
        frame + a,
    )  # fmt: skip
    value = jnp.where(among(op, bc.INIT, bc.STORE), C, jnp.where(op == bc.APPEND, B, value))

    # The second cell that some instructions write.
    second_place = jnp.select(
        [op == bc.EACH, op == bc.RANGE, op == bc.ALLOC, op == bc.APPEND],
        [frame + a + 1, frame + a, m.heap, list_at],
        -1,
    )
    second = jnp.select(
        [op == bc.EACH, op == bc.RANGE, op == bc.ALLOC],
        [number(position + 1), number(real(A0) + step), b],
        (length + 1) | new_room << 16,
    )

    # --- effects, for lanes that run and neither wait nor fail
    running = m.status == RUNNING
    spent = running & (m.steps >= bc.MAX_STEPS)
    waits &= running & ~spent
    trap = jnp.where(spent, bc.TRAP_STEPS, trap)
    goes = running & ~waits & (trap == 0)
    nowhere = len(lanes) * bc.MEMORY_CELLS
    write = goes & ~writes_nothing
    targets = jnp.stack(
        [
            jnp.where(write, base + place, nowhere),
            jnp.where(write & (second_place >= 0), base + second_place, nowhere),
        ],
        axis=1,
    )
    memory = m.memory.at[targets].set(jnp.stack([value, second], axis=1), mode="drop")
    failed = running & ~waits & (trap != 0)
    status = jnp.select(
        [waits, failed, goes & (op == bc.YIELD), goes & (op == bc.HALT)],
        [WAITING, FAILED, YIELDED, ENDED],
        m.status,
    )
    moved = jnp.where(enters, frame + a, jnp.where(op == bc.RETURN, frame - (link >> 20), frame))
    taken = jnp.where(op == bc.ALLOC, 1 + (b >> 16), jnp.where(extends, bc.LIST_ROOM, 0))
    return Machine(
        memory=memory,
        pc=jnp.where(goes, following, m.pc),
        frame=jnp.where(goes, moved, frame),
        heap=jnp.where(goes, m.heap + taken, m.heap),
        steps=m.steps + (running & ~waits),
        cursor=jnp.where(goes, jnp.where(searching, m.cursor + 1, 0), m.cursor),
        collected=jnp.where(goes, False, m.collected),
        compared=jnp.where(goes, UNKNOWN, m.compared),
        status=status,
        result=jnp.where(failed, trap, jnp.where(goes, action, m.result)),
    )
