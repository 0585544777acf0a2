"""Reads what an instruction works on: its operands, and the sequence among them."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.device.cells_jax import box, is_box, is_whole, real, tag
from rlgpt_jax.macros.vm.device.machine_jax import Code, Machine

Array = jax.Array


class Operands(NamedTuple):
    """The instruction and the values of its operands, int32[N] each."""

    op: Any
    a: Any
    b: Any
    c: Any
    A: Any
    B: Any
    C: Any
    A0: Any  # registers a, a+1, a+2
    A1: Any
    A2: Any
    link: Any  # register 0
    C_real: Any  # C as a number, 0 if it is none
    B_tag: Any
    B_at: Any  # payload of B


class Row(NamedTuple):
    """The sequence that an instruction works on."""

    tag: Any
    at: Any  # address
    header: Any
    length: Any
    trap: Any  # why it is no sequence, or 0
    position: Any  # asked for, counted from 0
    position_trap: Any  # why the position is none, or 0
    inside: Any
    element: Any
    truth: Any  # of the value
    kept: Any  # field of the record B
    function: Any  # int32[N, 3] row of the function B
    in_set: Any  # bool: name B is in the set of names


def sequence_operand() -> np.ndarray:
    """Returns int32[operations]: which operand is the sequence or the value tested."""
    which = np.zeros(len(bc.OPERATIONS), np.int32)
    which[[bc.INDEX, bc.LEN, bc.TRUTH, bc.NOT]] = 1
    which[bc.IN] = 2
    return which


def recall(m: Machine, index: Array) -> Array:
    """Reads memory cells; `index` is int32[N, k]."""
    base = m.lane[:, None] * bc.MEMORY_CELLS
    return m.memory[base + jnp.clip(index, 0, bc.MEMORY_CELLS - 1)]


def fetch(code: Code, m: Machine) -> Operands:
    """Reads the instruction, its operands and the neighbours that loops use."""
    op, a, b, c = code.instruction(m.pc)
    names = jnp.stack([a, b, c], axis=1)
    places = jnp.stack([a, b, c, a + 1, a + 2, jnp.zeros_like(a)], axis=1)
    cells = recall(m, m.frame[:, None] + places)
    pool = code.constant(-1 - names)
    A, B, C = (jnp.where(names[:, i] >= 0, cells[:, i], pool[:, i]) for i in range(3))
    return Operands(
        op, a, b, c, A, B, C,
        A0=cells[:, 0], A1=cells[:, 3], A2=cells[:, 4], link=cells[:, 5],
        C_real=jnp.where(is_box(C), 0, real(C)), B_tag=tag(B), B_at=B & v.PAYLOAD,
    )  # fmt: skip


def position_of(o: Operands, cursor: Array) -> tuple[Array, Array]:
    """Returns the position an instruction asks for, and why it is none, or 0."""
    bits = jnp.where(o.op == bc.EACH, o.A1, jnp.where(o.op == bc.STORE, o.B, o.C))
    value = real(jnp.where(is_box(bits), 0, bits))
    whole = is_whole(value)
    trap = jnp.where(is_box(bits), bc.TRAP_KIND, jnp.where(whole, 0, bc.TRAP_WHOLE))
    position = jnp.where(whole, value, 0).astype(jnp.int32)
    return jnp.where(o.op == bc.IN, cursor, position), trap


def row_of(code: Code, m: Machine, o: Operands) -> Row:
    """Reads the sequence's header and one element, and what else lies at addresses."""
    which = jnp.asarray(sequence_operand())[o.op]
    S = jnp.where(which == 0, o.A, jnp.where(which == 1, o.B, o.C))
    kind, at = tag(S), S & v.PAYLOAD
    field = jnp.where(o.B_tag == v.T_RAY_RECORD, (o.c >> 8) & 255, o.c >> 16)
    record = o.B_at - bc.MAX_CONSTANTS + field
    held = recall(m, jnp.stack([at - bc.MAX_CONSTANTS, record], axis=1))
    function = o.B_at - bc.FIRST_FUNCTION
    names = jnp.where(o.op == bc.IN, at - bc.NAME_WORDS, o.c) + (o.B_at >> 5)
    known = code.constant(jnp.stack([at, function, function + 1, function + 2, names], axis=1))
    header = jnp.where(at < bc.MAX_CONSTANTS, known[:, 0], held[:, 0])
    is_rays = kind == v.T_RAYS
    is_stored = (kind == v.T_TUPLE) | (kind == v.T_LIST)
    length = jnp.where(is_rays, NUM_RAYS, header & 0xFFFF)
    old = jnp.where(at == code.now & v.AGE_MASK, 0, bc.TRAP_OLD)
    trap = jnp.where(is_stored, 0, jnp.where(is_rays, old, bc.TRAP_KIND))

    position, position_trap = position_of(o, m.cursor)
    position = jnp.where((o.op != bc.IN) & (position < 0), position + length, position)
    place = at + 1 + position
    element = jnp.where(
        place < bc.MAX_CONSTANTS,
        code.constant(place[:, None])[:, 0],
        recall(m, (place - bc.MAX_CONSTANTS)[:, None])[:, 0],
    )
    ray = box(v.T_RAY, position | (at & v.AGE_MASK) << 7)
    truth = jnp.where(kind == v.T_NUMBER, S != 0, kind != v.T_NONE)
    truth = jnp.where(kind == v.T_NAME, at != 0, jnp.where(is_stored, length > 0, truth))
    return Row(
        kind, at, header, length, trap, position, position_trap,
        inside=(position >= 0) & (position < length),
        element=jnp.where(is_rays, ray, element),
        truth=truth,
        kept=held[:, 1],
        function=known[:, 1:4],
        in_set=(known[:, 4] >> (o.B_at & 31)) & 1 == 1,
    )  # fmt: skip
