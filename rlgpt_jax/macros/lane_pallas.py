"""What one lane of the kernel runs, sees and changes.

Everything is a scalar. A Triton program runs its scalars in all threads alike, but one
thread alone writes them: after each write a barrier makes it seen by the others.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import triton as plgpu

from rlgpt_jax.envs.base import RAY_PITCHES, RAY_YAWS
from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import CRAFT_OF_NAME
from rlgpt_jax.macros.machine_jax import PLAIN_CODES

Array = jax.Array
RUNNING, YIELDED, ENDED, FAILED, IDLE = range(5)

# Constant arrays, one after the other, because a kernel cannot hold arrays.
_PARTS = (
    PLAIN_CODES,
    CRAFT_OF_NAME,
    np.array(RAY_YAWS, np.float32).view(np.int32),
    np.array(RAY_PITCHES, np.float32).view(np.int32),
)
TABLES = np.concatenate(_PARTS).astype(np.int32)
PLAIN, CRAFTS, YAWS, PITCHES = (sum(map(len, _PARTS[:i])) for i in range(len(_PARTS)))

# Room for the collection of the heap: a copy of the memory, new places, a stack.
OLD, PLACES, TODO = 0, bc.MEMORY_CELLS, bc.MEMORY_CELLS + bc.HEAP_CELLS
WORK_CELLS = TODO + bc.HEAP_CELLS


class Machine(NamedTuple):
    """The registers of a lane, int32 scalars."""

    pc: Any
    frame: Any
    heap: Any
    steps: Any
    status: Any  # RUNNING .. IDLE
    result: Any  # action code of a yield, trap code of a failure


class Instruction(NamedTuple):
    """An instruction and the values of its operands, int32 scalars."""

    op: Any
    a: Any
    b: Any
    c: Any
    A: Any
    B: Any
    C: Any


class Effect(NamedTuple):
    """What an instruction does, int32 scalars; see `effect` for what it is if not said."""

    place: Any  # memory cell that is written, -1 for none
    bits: Any  # what is written there
    trap: Any
    following: Any  # the next instruction
    frame: Any
    heap: Any
    steps: Any
    status: Any
    result: Any  # action code of a yield


def pick(test: Array, one: int, other: int) -> Array:
    """Returns one of two constants. In `jnp.where` of both Triton would take them for bool."""
    return jnp.where(test, np.int32(one), np.int32(other))


def trap_if(test: Array, code: int) -> Array:
    return pick(test, code, bc.NO_TRAP)


def constant(m: Machine, x: Any) -> Array:
    """Returns int32. A constant is made a sum, for Triton's branches return no literals."""
    return (m.pc & 0) + x


def effect(m: Machine, **changes: Any) -> Effect:
    usual = Effect(-1, 0, 0, m.pc + 1, m.frame, m.heap, m.steps, RUNNING, 0)
    changed = usual._replace(**changes)
    return Effect(*(constant(m, x) for x in changed))


@dataclasses.dataclass(frozen=True)
class Lane:
    """The arrays of all lanes as references, and the number of this one."""

    number: Any  # int32
    macro: Any  # int32, slot - 1
    now: Any  # int32, ticks of the activation
    code: Any  # int32[K, MAX_CODE, 4]
    lines: Any  # int32[K, MAX_CODE]
    constants: Any  # int32[K, MAX_CONSTANTS]
    view: Any  # float32[N, VIEW_SIZE]
    tables: Any  # int32[len(TABLES)]
    memory: Any  # int32[N, MEMORY_CELLS]
    work: Any  # int32[N, WORK_CELLS]
    has_threads: bool  # False where the kernel is interpreted

    def barrier(self) -> None:
        if self.has_threads:
            plgpu.debug_barrier()

    def recall(self, place: Array) -> Array:
        """Reads a memory cell."""
        return self.memory[self.number, jnp.clip(place, 0, bc.MEMORY_CELLS - 1)]

    def write(self, place: Any, bits: Any) -> None:
        self.memory[self.number, place] = jnp.asarray(bits, jnp.int32)
        self.barrier()

    def constant(self, index: Array) -> Array:
        return self.constants[self.macro, jnp.clip(index, 0, bc.MAX_CONSTANTS - 1)]

    def operand(self, frame: Array, x: Array) -> Array:
        return jnp.where(x >= 0, self.recall(frame + x), self.constant(-1 - x))

    def cell(self, address: Array) -> Array:
        """Reads the pool or the memory."""
        held = self.recall(address - bc.MAX_CONSTANTS)
        return jnp.where(address < bc.MAX_CONSTANTS, self.constant(address), held)

    def seen(self, column: Any) -> Array:
        """Reads one number of the view."""
        return self.view[self.number, column]

    def element(self, bits: Array, position: Array) -> Array:
        """Reads element `position` of a stored sequence."""
        return self.cell((bits & v.PAYLOAD) + 1 + position)

    def trap_line(self, m: Machine, depth: int) -> Array:
        """Returns the source line of a trap; in a routine, of the line that called it."""
        line, frame = self.lines[self.macro, m.pc], m.frame
        for _ in range(depth):
            goes_up = (line == 0) & (frame > 0)
            link = self.recall(frame)
            caller = jnp.clip((link & 0xFFFFF) - 1, 0, bc.MAX_CODE - 1)
            line = jnp.where(goes_up, self.lines[self.macro, caller], line)
            frame = jnp.where(goes_up, frame - (link >> 20), frame)
        return line
