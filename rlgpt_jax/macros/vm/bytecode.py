"""The bytecode of macros, its limits and how programs are linked.

An instruction is four int32: operation, a, b, c. A value operand is a register of the
current frame (>= 0) or a constant (-1 - index into the pool). Register 0 of a frame
holds the link (return address | frame offset << 20), registers 1.. the parameters.

A lane's memory is STACK_CELLS cells of frames and HEAP_CELLS cells of sequences. A
sequence is a header (length | capacity << 16) and its elements; its address counts the
constant pool first, then the memory. When the heap is full, sequences that no frame can
reach are dropped and the others are moved together, so that making a new pair every
tick never runs out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs.spec import Argument, WorldSpec
from rlgpt_jax.macros.limits import MAX_MACROS as MAX_MACROS
from rlgpt_jax.macros.limits import TICK_LIMIT as TICK_LIMIT

# --- limits --------------------------------------------------------------------
MAX_SOURCE = 65_536  # bytes of source text
MAX_TOKENS = 20_000  # words and signs of the source, comments and strings included
MAX_FOREIGN = 200  # characters that are not ASCII in one piece
MAX_NODES = 20_000  # of the source's tree
MAX_LEVELS = 100  # of the tree: terms of one sum, operators in front of each other
MAX_NESTING = 24  # blocks within blocks, brackets within brackets
MAX_WORK = 180_000  # steps of one compilation, see `compiler/work.py`
MAX_CODE = 16_384  # instructions of one macro
MAX_CONSTANTS = 4_096  # cells of the constant pool of one macro
STACK_CELLS = 256
HEAP_CELLS = 512
MEMORY_CELLS = STACK_CELLS + HEAP_CELLS
MAX_FRAME = 200  # registers of one function
MAX_DEPTH = 8  # calls of the macro's own functions within each other
MAX_STEPS = 10_000  # instructions between two ticks
LIST_ROOM = 8  # elements that a new list has room for
NAME_WORDS = 22  # words of a set of names: 704 bits
MAX_NAME_ID = NAME_WORDS * 32

# --- operations ------------------------------------------------------------------
# Operation -> what its operands a, b, c are: d destination register, v value, i immediate, l label
# (an absolute pc), f first register of a new frame, t registers of a loop (read and written),
# - unused. In the comments d is that register, A, B, C are values, a, b, c operands themselves.
_KINDS = {
    "halt": "---",  # the macro returns
    "move": "dv-",  # d = B
    # Arithmetic on numbers.
    "add": "dvv",
    "sub": "dvv",
    "mul": "dvv",
    "div": "dvv",
    "floordiv": "dvv",
    "mod": "dvv",
    "min": "dvv",
    "max": "dvv",
    "neg": "dv-",  # d = -B
    "abs": "dv-",
    "round": "dv-",  # half to even
    "floor": "dv-",
    "ceil": "dv-",
    "trunc": "dv-",
    "sqrt": "dv-",
    "number": "dv-",  # d = B, which must be a number
    "whole": "dv-",  # d = B, which must be a whole number
    # Tests as values: d = 1 or 0.
    "truth": "dv-",
    "not": "dv-",
    "lt": "dvv",
    "le": "dvv",
    "eq": "dvv",
    "ne": "dvv",
    "is": "dvv",
    # Jumps to c (jt, jf to b).
    "jump": "l--",  # to a
    "jt": "vl-",  # if A is true
    "jf": "vl-",
    "jlt": "vvl",  # if A < B
    "jnlt": "vvl",  # if not A < B
    "jle": "vvl",
    "jnle": "vvl",
    "jeq": "vvl",
    "jne": "vvl",
    "jtag": "vil",  # to c if A has the tag b
    "jfixed": "v-l",  # to c unless A is a ray or an observation of this tick
    "check": "v--",  # trap if A is a variable without a value
    # Calls.
    "call": "fli",  # frame of size c at register a, to b; the result arrives in register a
    "callv": "fvi",  # frame at register a, function B, c = number of arguments | flags
    "return": "v--",  # A
    "yield": "dv-",  # hands out the action B; d = the next observation
    # Sequences.
    "alloc": "dii",  # d = new sequence of tag c & 15, b = length | capacity << 16, frame c >> 4
    "init": "viv",  # element b of the new sequence A = C
    "index": "dvv",  # d = B[C]
    "store": "vvv",  # A[B] = C
    "append": "vvi",  # to the list A the value B; c = frame
    "len": "dv-",  # d = len(B)
    "shape": "vi-",  # trap unless A has b elements
    "range": "tdl",  # if number a < a+1 (by step a+2): b = it, step on, jump to c
    "each": "tdl",  # next element of the sequence a (position a+1): b = it, jump to c
    "in": "dvv",  # d = B in C
    "retag": "dvi",  # d = the sequence B with the tag c
    "inset": "dvi",  # d = name B in the set of names at pool index c
    # Observations and rays.
    "field": "dvi",  # d = attribute c of B
    "rays": "dv-",  # d = B.rays
    "count": "dvv",  # d = B.count(C)
    "near": "dvv",
    "sees": "dvv",
    "nearest": "dvv",
    "offset": "dvv",  # d = B * 3 + C + 1, where C must be -1, 0 or 1
    "block": "dvv",  # d = name of cell C of B
    # Actions.
    "turn": "dvv",  # d = turn(B, C)
    "item": "dvi",  # d = functional action c on the item B
}
OPERATIONS, OPERANDS = tuple(_KINDS), tuple(_KINDS.values())
(
    HALT, MOVE,
    ADD, SUB, MUL, DIV, FLOORDIV, MOD, MIN, MAX,
    NEG, ABS, ROUND, FLOOR, CEIL, TRUNC, SQRT, NUMBER, WHOLE,
    TRUTH, NOT, LT, LE, EQ, NE, IS,
    JUMP, JT, JF, JLT, JNLT, JLE, JNLE, JEQ, JNE, JTAG, JFIXED, CHECK,
    CALL, CALLV, RETURN, YIELD,
    ALLOC, INIT, INDEX, STORE, APPEND, LEN, SHAPE, RANGE, EACH, IN, RETAG, INSET,
    FIELD, RAYS, COUNT, NEAR, SEES, NEAREST, OFFSET, BLOCK,
    TURN, ITEM,
) = range(len(OPERATIONS))  # fmt: skip

# What reads a view of Minecraft or makes an action of it: not in a world with a spec.
MINECRAFT = (RAYS, COUNT, NEAR, SEES, NEAREST, BLOCK, TURN, ITEM)
FIRST_FUNCTION = 64  # function values below are actions, see `actions.PLAIN_NAMES`
CALLED_FROM = 256  # flag of callv: the call is a `yield from`
CALL_JUMP, CALL_SPRINT = 512, 1024  # flags: jump=True, sprint=True
NAME_SET = 1 << 30  # flag in a constant's header: a set of names lies before it

# --- traps -----------------------------------------------------------------------
TRAPS = (
    "",
    "division by zero",
    "index outside of the sequence, or a key that is not there",
    "not a usable number (nan, infinity, or a whole number was needed)",
    "out of memory (too many values in lists)",
    "calls nested too deeply",
    "too many instructions between two ticks (a loop without a yield?)",
    "wrong kind of value",
    "an old observation or ray was read (write obs = yield ..., and read obs again)",
    "a variable was read before it had a value",
    "wrong number of values to unpack or of arguments",
    "not defined for this number",
)
(
    NO_TRAP, TRAP_DIVIDE, TRAP_INDEX, TRAP_WHOLE, TRAP_MEMORY, TRAP_DEPTH, TRAP_STEPS,
    TRAP_KIND, TRAP_OLD, TRAP_NO_VALUE, TRAP_SHAPE, TRAP_DOMAIN,
) = range(len(TRAPS))  # fmt: skip
NOT_ENDED, RETURNED, TRAPPED, TICK_LIMIT_REACHED = range(4)
LIBRARY_LINE = 1 << 17  # added to the lines of a library function: more than a source has


@dataclass(frozen=True)
class Program:
    """One accepted macro."""

    name: str
    source: str
    sensors: str
    notices: tuple[str, ...]
    code: np.ndarray  # int32[num_instructions, 4]
    lines: np.ndarray  # int32[num_instructions] source line of each, 0 in routines
    constants: np.ndarray  # int32[num_constants]
    arguments: tuple[Argument, ...] = ()  # bounded parameters, with their defaults
    spec: WorldSpec | None = None  # of its world; None is Minecraft


class MacroSet(NamedTuple):
    """Up to MAX_MACROS programs in arrays of fixed size: new macros, same compile."""

    code: Any  # int32[K, MAX_CODE, 4]
    lines: Any  # int32[K, MAX_CODE]
    constants: Any  # int32[K, MAX_CONSTANTS]
    valid: Any  # bool[K]


class MacroState(NamedTuple):
    """Where the macro of each lane stands."""

    memory: Any  # int32[N, MEMORY_CELLS]
    pc: Any  # int32[N]
    frame: Any  # int32[N] first cell of the current frame
    heap: Any  # int32[N] first free cell of the heap
    slot: Any  # int32[N] running macro 1..K, 0 = none
    ticks: Any  # int32[N] ticks of this activation


class MacroTick(NamedTuple):
    """What the macros did in one tick.

    Two may end in it: one that was running, then, without an action, the one that was chosen next.
    """

    action: Any  # int32[N, 8]; with a spec float32[N, columns], see `WorldSpec`
    from_macro: Any  # bool[N] the action is a macro's
    decided: Any  # bool[N] `chosen` counted: the policy made a decision
    ended: Any  # int32[N] 0 no macro ended, 1 returned, 2 trapped, 3 tick limit
    ended_slot: Any  # int32[N] which macro, 1..K; 0 if none
    trap_code: Any  # int32[N] index into TRAPS
    trap_line: Any  # int32[N] source line
    steps: Any  # int32[N] instructions that were run
    # int32[N, 4]  of two that ended the earlier one: as `ended` to `trap_line`, 0 if there is none
    earlier: Any


def link(programs: Sequence[Program]) -> MacroSet:
    """Puts programs into slots 1..len(programs) of a macro set (NumPy arrays)."""
    if len(programs) > MAX_MACROS:
        raise ValueError(f"{len(programs)} macros given, a set holds {MAX_MACROS}; leave some out")
    if len({program.spec for program in programs}) > 1:
        raise ValueError("programs of several worlds given, a set is for one; compile all for one")
    macro_set = MacroSet(
        code=np.zeros((MAX_MACROS, MAX_CODE, 4), np.int32),
        lines=np.zeros((MAX_MACROS, MAX_CODE), np.int32),
        constants=np.zeros((MAX_MACROS, MAX_CONSTANTS), np.int32),
        valid=np.arange(MAX_MACROS) < len(programs),
    )
    for slot, program in enumerate(programs):
        macro_set.code[slot, : len(program.code)] = program.code
        macro_set.lines[slot, : len(program.lines)] = program.lines
        macro_set.constants[slot, : len(program.constants)] = program.constants
    return macro_set


def reads_rays(macro_set: MacroSet) -> bool:
    """Whether a program of the set can read a ray."""
    return bool(np.isin(macro_set.code[:, :, 0], (RAYS, SEES, NEAREST)).any())


def verify(program: Program) -> None:
    """Checks that every operand of a program is inside its frame, pool or code.

    The interpreter does not check again; an error here is a fault of the compiler.
    """
    size, pool = len(program.code), len(program.constants)
    if not 0 < size <= MAX_CODE or pool > MAX_CONSTANTS:
        raise AssertionError(f"{size} instructions and {pool} constants")
    for op, a, b, c in program.code.tolist():
        for kind, operand in zip(OPERANDS[op], (a, b, c), strict=True):
            low, high = {"v": (-pool, MAX_FRAME), "l": (0, size)}.get(kind, (0, MAX_FRAME))
            if kind not in "i-" and not low <= operand < high:
                raise AssertionError(f"{OPERATIONS[op]} {a} {b} {c}: operand out of range")
        if program.spec is not None and op in MINECRAFT:
            raise AssertionError(f"{OPERATIONS[op]} in a world with a spec")
        if not _immediates_fit(op, a, b, c, pool):
            raise AssertionError(f"{OPERATIONS[op]} {a} {b} {c}: immediate out of range")


def _immediates_fit(op: int, a: int, b: int, c: int, pool: int) -> bool:
    """Says whether operands that are no registers stay inside what they count."""
    if op == ALLOC:  # length and room, tag and frame
        return 0 <= b & 0xFFFF <= b >> 16 <= HEAP_CELLS and 0 <= c >> 4 <= MAX_FRAME
    if op == CALL:
        return c > 0 and a + c <= STACK_CELLS
    if op == INSET:
        return 0 <= c <= pool - NAME_WORDS
    if op == INIT:
        return -1 <= b < HEAP_CELLS  # -1 is the header: how a routine shortens a list
    if op in (JTAG, RETAG):
        return 0 <= (b if op == JTAG else c) < 16
    if op in (EACH, RANGE):
        return a + (1 if op == EACH else 2) < MAX_FRAME
    return op not in (FIELD, APPEND, ITEM, CALLV, SHAPE) or min(b if op == SHAPE else c, 1) >= 0


def trap_message(code: int, line: int) -> str:
    """Returns a trap in words, for example `line 7: division by zero`."""
    if line > LIBRARY_LINE:
        return f"a function of the library, its line {line - LIBRARY_LINE}: {TRAPS[code]}"
    return f"line {line}: {TRAPS[code]}" if line else TRAPS[code]
