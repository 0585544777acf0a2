"""What the device interpreter runs, sees and changes.

Lanes are executed in slots: there may be fewer of them than lanes, because most lanes
are done long before the last one. A slot has the registers of the lane that it executes;
the memory stays where it is, lane after lane.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.macros.actions import PLAIN_ACTIONS
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.bytecode import MacroSet

Array = jax.Array
RUNNING, YIELDED, ENDED, FAILED, WAITING, IDLE = range(6)
UNKNOWN = 2  # no comparison has been made
PLAIN_CODES = np.array(list(PLAIN_ACTIONS.values()), np.int32)  # by the function's number


class Machine(NamedTuple):
    """The slots, and all that instructions change; arrays of length S unless said."""

    memory: Any  # int32[N * MEMORY_CELLS] of all lanes
    lane: Any  # 0..N-1; two slots that are not idle have different lanes
    macro: Any  # slot of the macro set - 1
    now: Any  # ticks of the activation
    pc: Any
    frame: Any
    heap: Any
    steps: Any
    cursor: Any  # position of an `in` that is being searched
    collected: Any  # bool: room was made for the present instruction
    compared: Any  # result of comparing two sequences for it, or UNKNOWN
    status: Any  # RUNNING .. IDLE; WAITING for `help_waiting`; IDLE: no lane is here
    result: Any  # action code of a yield, trap code of a failure


class Code:
    """What the slots of a machine read: their programs and views."""

    def __init__(self, macro_set: MacroSet, view: Array, m: Machine):
        self.macro_set = macro_set
        self.code = macro_set.code.reshape(-1, 4)
        self.lines = macro_set.lines
        self.constants = macro_set.constants.reshape(-1)
        self.views = view  # float32[N, VIEW_SIZE] of all lanes
        self.lane, self.macro, self.now = m.lane, m.macro, m.now

    @property
    def view(self) -> Array:
        """The views of the slots, float32[S, VIEW_SIZE]."""
        return self.views[self.lane]

    def seen(self, column: Array) -> Array:
        """Reads one number of each slot's view."""
        return self.views[self.lane, column]

    def instruction(self, pc: Array) -> tuple[Array, Array, Array, Array]:
        row = self.code[self.macro * bc.MAX_CODE + pc]
        return row[:, 0], row[:, 1], row[:, 2], row[:, 3]

    def constant(self, index: Array) -> Array:
        """Reads pool cells; `index` is int32[S, ...]."""
        first = self.macro.reshape((-1,) + (1,) * (index.ndim - 1)) * bc.MAX_CONSTANTS
        return self.constants[first + jnp.clip(index, 0, bc.MAX_CONSTANTS - 1)]

    def operand(self, memory: Array, frame: Array, x: Array) -> Array:
        """Reads one operand per slot from memory int32[S, MEMORY_CELLS]."""
        place = jnp.clip(frame + x, 0, bc.MEMORY_CELLS - 1)
        register = jnp.take_along_axis(memory, place[:, None], axis=1)[:, 0]
        return jnp.where(x >= 0, register, self.constant(-1 - x))

    def cells(self, memory: Array, address: Array) -> Array:
        """Reads the pool or the memory; `address` is int32[S] or [S, k]."""
        place = jnp.clip(address - bc.MAX_CONSTANTS, 0, bc.MEMORY_CELLS - 1)
        held = jnp.take_along_axis(memory, place.reshape(len(memory), -1), axis=1)
        return jnp.where(
            address < bc.MAX_CONSTANTS, self.constant(address), held.reshape(address.shape)
        )

    def trap_line(self, machine: Machine, depth: int) -> Array:
        """Returns the source line of a trap; in a routine, of the line that called it."""
        frame, line = machine.frame, self.lines[self.macro, machine.pc]
        base = machine.lane * bc.MEMORY_CELLS
        for _ in range(depth):
            goes_up = (line == 0) & (frame > 0)
            link = machine.memory[base + frame]
            caller = jnp.clip((link & 0xFFFFF) - 1, 0, bc.MAX_CODE - 1)
            line = jnp.where(goes_up, self.lines[self.macro, caller], line)
            frame = jnp.where(goes_up, frame - (link >> 20), frame)
        return line
