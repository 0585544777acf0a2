"""The host interpreter: numba, lanes shared out to threads, a few ns per instruction.

The same functions run uncompiled (`NUMBA_DISABLE_JIT=1`) and are then the reference for
what each instruction means (`instruction_host.py`).
"""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.macros.actions import TABLE
from rlgpt_jax.macros.limits import MAX_ARGUMENTS
from rlgpt_jax.macros.sensors import RAY_BLOCKS, VIEW_SIZE
from rlgpt_jax.macros.values import PAYLOAD
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.bytecode import MacroSet, MacroState, MacroTick
from rlgpt_jax.macros.vm.host import kernels
from rlgpt_jax.macros.vm.host.heap_host import SCRATCH_CELLS
from rlgpt_jax.macros.vm.host.instruction_host import ENDED, FAILED, MADE, YIELDED, run
from rlgpt_jax.macros.vm.host.kernels import Cells, kernel, lean, small

ROUTINE_DEPTH = 4  # routines that call each other
BLOCK = 16  # neighbouring lanes that one thread runs
# Instructions of a tick from which a second thread pays: waking it takes about 70
# microseconds (numba's own work queue: 120).
MANY_INSTRUCTIONS = 60_000
_last_tick = [0]  # instructions of the last tick, to tell whether threads pay in the next


def init_state(num_lanes: int) -> MacroState:
    """Returns the state of lanes without a running macro (NumPy arrays)."""
    numbers = [np.zeros(num_lanes, np.int32) for _ in range(5)]
    return MacroState(np.zeros((num_lanes, bc.MEMORY_CELLS), np.int32), *numbers)


def cut(state: MacroState, done: np.ndarray) -> MacroState:
    """Drops the macros of lanes whose episode ended; `done` is bool[N]."""
    return state._replace(slot=np.where(done, 0, state.slot).astype(np.int32))


def tick(
    macro_set: MacroSet,
    state: MacroState,
    view: np.ndarray,
    chosen: np.ndarray,
    busy: np.ndarray,
    tick_limit: int = bc.TICK_LIMIT,
    spec: WorldSpec | None = None,
) -> tuple[MacroState, MacroTick]:
    """Runs the macros of all lanes for one tick.

    Args:
      macro_set: from `link`.
      state: is used up: its arrays are changed and returned.
      view: float32[N, VIEW_SIZE] from `pack_view`, or its first RAY_BLOCKS columns where no macro
        reads rays; with a spec float32[N, F + MAX_ARGUMENTS]: its fields, then the arguments with
        which the lane's macro was started.
      chosen: int32[N] the policy's macro, 0 for a primitive, k for slot k.
      busy: bool[N] lanes that ignore actions in this tick; their macros wait.
      tick_limit: ticks after which a macro is ended.
      spec: of the world that the macros were compiled for; None is Minecraft.
    """
    lanes, columns = view.shape
    wanted = VIEW_SIZE if spec is None else len(spec.fields) + MAX_ARGUMENTS
    if columns != wanted and (spec is not None or columns != RAY_BLOCKS):
        raise ValueError(f"the view has {columns} columns, macros of this world read {wanted}")
    blocks = -(-lanes // BLOCK)
    idle = TABLE[0] if spec is None else spec.idle.view(np.int32)
    action = np.empty((lanes, len(idle)), np.int32)
    action[:] = idle
    flags = np.zeros((lanes, 2), np.bool_)
    ends = np.zeros((lanes, 9), np.int32)
    code, *rest = macro_set
    given: tuple[Any, ...] = (
        np.asarray(code).reshape(bc.MAX_MACROS, -1),
        *rest,
        *state,
        _read_only(np.ascontiguousarray(view, np.float32)),
        _read_only(np.asarray(chosen, np.int32)),
        _read_only(np.asarray(busy, np.bool_)),
        tick_limit,
        action,
        flags,
        ends,
        np.empty((blocks, SCRATCH_CELLS), np.int32),
    )
    threads = min(kernels.num_threads(), blocks) if _last_tick[0] > MANY_INSTRUCTIONS else 1
    others = [
        helpers(threads - 1).submit(lambda at: tick_blocks(*given, at, threads), first)
        for first in range(1, threads)
    ]
    tick_blocks(*given, 0, threads)
    for other in others:
        other.result()
    _last_tick[0] = int(ends[:, 4].sum())
    acted = action if spec is None else action.view(np.float32)
    return state, MacroTick._make([acted, *flags.T, *ends.T[:5], ends[:, 5:]])


def _read_only(x: np.ndarray) -> np.ndarray:
    """As arrays of JAX are, or a kernel would be compiled for either."""
    x = x.view()
    x.flags.writeable = False
    return x


@cache
def helpers(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="macros")


@kernel(nogil=True, _nrt=False)
def tick_blocks(
    code: np.ndarray, lines: np.ndarray, constants: np.ndarray, valid: np.ndarray,
    memory: np.ndarray, pc: np.ndarray, frame: np.ndarray, heap: np.ndarray, slot: np.ndarray,
    ticks: np.ndarray, view: np.ndarray, chosen: np.ndarray, busy: np.ndarray, tick_limit: int,
    action: np.ndarray, flags: np.ndarray, ends: np.ndarray, scratch: np.ndarray,
    first: int, stride: int,
) -> None:  # fmt: skip
    """Runs every `stride`-th block of lanes; results go to `action`, `flags` and `ends`."""
    for block in range(first, len(scratch), stride):
        for lane in range(block * BLOCK, min(len(view), (block + 1) * BLOCK)):
            if busy[lane]:
                continue
            answer = -1
            if slot[lane] > 0:
                answer = run_lane(code, lines, constants, memory, pc, frame, heap, slot, ticks,
                                  view, tick_limit, ends, scratch[block], lane)  # fmt: skip
            if answer < 0:
                flags[lane, 1] = True
                wanted = chosen[lane]
                if not (0 < wanted <= len(valid) and valid[wanted - 1]):
                    continue
                slot[lane] = wanted
                pc[lane] = frame[lane] = ticks[lane] = 0
                heap[lane] = bc.STACK_CELLS
                memory[lane] = 0
                answer = run_lane(code, lines, constants, memory, pc, frame, heap, slot, ticks,
                                  view, tick_limit, ends, scratch[block], lane)  # fmt: skip
            flags[lane, 0] = True
            if answer > 0:
                act(action, lane, answer, memory)


@small
def act(action: np.ndarray, lane: int, answer: int, memory: np.ndarray) -> None:
    if answer < MADE:
        for column in range(8):
            action[lane, column] = TABLE[answer, column]
        return
    header = (answer & PAYLOAD) - bc.MAX_CONSTANTS
    length = memory[lane, header] & 0xFFFF
    for column in range(action.shape[1]):
        action[lane, column] = memory[lane, header + 1 + column] if column < length else 0


@lean
def run_lane(
    code: np.ndarray, lines: np.ndarray, constants: np.ndarray, memory: np.ndarray,
    pc: np.ndarray, frame: np.ndarray, heap: np.ndarray, slot: np.ndarray, ticks: np.ndarray,
    view: np.ndarray, tick_limit: int, ends: np.ndarray, scratch: Cells, lane: int,
) -> int:  # fmt: skip
    """Runs one lane until it yields or ends. Returns the action, see `run`; -1 at an end."""
    macro = slot[lane] - 1
    if ticks[lane] >= tick_limit:
        status, result, at = ENDED, 0, pc[lane]
        why = bc.TICK_LIMIT_REACHED
    else:
        status, result, at, frame[lane], heap[lane], left = run(
            code[macro], constants[macro], memory[lane], int(pc[lane]), int(frame[lane]),
            int(heap[lane]), int(ticks[lane]), view[lane], scratch,
        )  # fmt: skip
        pc[lane] = at
        ends[lane, 4] += bc.MAX_STEPS - left
        why = bc.RETURNED if status == ENDED else bc.TRAPPED
    if status == YIELDED:
        ticks[lane] += 1
        return result
    for column in range(4):  # of a macro that ended before it in this tick
        ends[lane, 5 + column] = ends[lane, column]
    ends[lane, 0], ends[lane, 1] = why, macro + 1
    result = result if status == FAILED else 0
    ends[lane, 2] = result
    ends[lane, 3] = trap_line(lines[macro], memory[lane], frame[lane], at) if result > 0 else 0
    slot[lane] = 0
    return -1


@lean
def trap_line(lines: Cells, memory: Cells, frame: int, at: int) -> int:
    """Returns the source line of a trap; in a routine, of the line that called it."""
    line = lines[at]
    for _ in range(ROUTINE_DEPTH):
        if line == 0 and frame > 0:
            link = int(memory[frame])
            frame -= link >> 20
            line = lines[(link & 0xFFFFF) - 1]
    return line
