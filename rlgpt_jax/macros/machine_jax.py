"""What the lanes of the device interpreter run, see and change."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros.bytecode import MacroSet

Array = jax.Array
RUNNING, YIELDED, ENDED, FAILED, WAITING, IDLE = range(6)
UNKNOWN = 2  # no comparison has been made


class Machine(NamedTuple):
    """All that instructions change; arrays of length N unless said."""

    memory: Any  # int32[N * MEMORY_CELLS]
    pc: Any
    frame: Any
    heap: Any
    steps: Any
    cursor: Any  # position of an `in` that is being searched
    collected: Any  # bool: room was made for the present instruction
    compared: Any  # result of comparing two sequences for it, or UNKNOWN
    status: Any  # RUNNING .. IDLE; WAITING for `help_waiting`
    result: Any  # action code of a yield, trap code of a failure


class Code:
    """The programs and views of all lanes; does not change within a tick."""

    def __init__(self, macro_set: MacroSet, macro: Array, view: Array, now: Array):
        self.macro = jnp.clip(macro, 0, bc.MAX_MACROS - 1)  # int32[N]
        self.code = macro_set.code.reshape(-1, 4)
        self.lines = macro_set.lines
        self.constants = macro_set.constants.reshape(-1)
        self.view = view  # float32[N, VIEW_SIZE]
        self.now = now  # int32[N] ticks of the activation

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

    def trap_line(self, machine: Machine, depth: int) -> Array:
        """Returns the source line of a trap; in a routine, of the line that called it."""
        frame, line = machine.frame, self.lines[self.macro, machine.pc]
        memory = machine.memory.reshape(len(frame), -1)
        for _ in range(depth):
            goes_up = (line == 0) & (frame > 0)
            link = jnp.take_along_axis(memory, frame[:, None], axis=1)[:, 0]
            caller = jnp.clip((link & 0xFFFFF) - 1, 0, bc.MAX_CODE - 1)
            line = jnp.where(goes_up, self.lines[self.macro, caller], line)
            frame = jnp.where(goes_up, frame - (link >> 20), frame)
        return line
