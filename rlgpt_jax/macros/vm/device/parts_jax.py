"""The parts of an instruction, for all lanes and all operations at once.

Operands and the sequence it works on (`operands_jax.py`), equality, search, what it sees, calls,
and room in the heap. Each group is one function that fills one NamedTuple of int32[N] and bool[N];
what an operation does not need is computed from harmless values and not used.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros import values as v
from rlgpt_jax.macros.actions import TURN_BASE
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.device.cells_jax import among, between, box, number, same, tag
from rlgpt_jax.macros.vm.device.machine_jax import PLAIN_CODES, RUNNING, UNKNOWN, Code, Machine
from rlgpt_jax.macros.vm.device.operands_jax import Operands, Row, fetch, row_of
from rlgpt_jax.macros.vm.device.sense_jax import ask, ray_field

Array = jax.Array
COMPARES = (bc.EQ, bc.NE, bc.JEQ, bc.JNE, bc.IN)
LOOPS = (bc.EACH, bc.RANGE)


class Equality(NamedTuple):
    equal: Any  # 1, 0, or negative
    trap: Any
    waits: Any  # two sequences: `help_waiting` compares them


class Seen(NamedTuple):
    """What the lane's observation says."""

    field: Any
    field_trap: Any
    trap: Any  # B is no observation of this tick
    name: Any  # the block asked for
    answer: Any  # to count, near, sees, nearest; or an action on an item
    fixed: Any  # A is neither a ray nor an observation of this tick


class Call(NamedTuple):
    enters: Any
    start: Any
    too_deep: Any
    trap: Any  # of callv
    action: Any  # code, if the function is an action


class Room(NamedTuple):
    """Room in the heap for alloc and append."""

    waits: Any
    trap: Any
    extends: Any  # the list is the last one and simply grows
    header: Any  # of the list after the append


class Search(NamedTuple):
    """`in`: one element per round."""

    goes_on: Any
    result: Any
    trap: Any


# --- groups ----------------------------------------------------------------------
def compared_values(op: Array, A: Array, B: Array, C: Array, element: Array) -> tuple[Array, Array]:
    """Returns what `eq`, `ne`, `jeq`, `jne` and `in` compare."""
    jumps = among(op, bc.JEQ, bc.JNE)
    return jnp.where(jumps, A, B), jnp.where(jumps, B, jnp.where(op == bc.IN, element, C))


def equality_of(m: Machine, o: Operands, row: Row) -> Equality:
    equal = same(*compared_values(o.op, o.A, o.B, o.C, row.element))
    equal = jnp.where((equal < 0) & (m.compared != UNKNOWN), m.compared, equal)
    is_set = (row.tag == v.T_TUPLE) & (row.header & bc.NAME_SET != 0)
    compares = among(o.op, *COMPARES) & ~((o.op == bc.IN) & (is_set | ~row.inside))
    return Equality(equal, jnp.where(equal < -1, -equal, 0), compares & (equal == -1))


def search_of(m: Machine, o: Operands, row: Row, equality: Equality) -> Search:
    is_set = (row.tag == v.T_TUPLE) & (row.header & bc.NAME_SET != 0)
    searches = (o.op == bc.IN) & (row.trap == 0) & ~is_set
    found = (equality.equal == 1) & (row.length > 0)
    last = (row.length == 0) | found | (m.cursor + 1 >= row.length)
    failed = searches & (row.length > 0) & (equality.equal < 0)
    return Search(
        goes_on=searches & ~last & ~failed,
        result=jnp.where(is_set, (o.B_tag == v.T_NAME) & row.in_set, found),
        trap=jnp.where(failed, equality.trap, 0),
    )


def seen_of(code: Code, m: Machine, o: Operands, row: Row) -> Seen:
    """Reads one number of the view, and asks about names if some lane does."""
    age = code.now & v.AGE_MASK
    of_obs, of_ray, kept = o.c & 255, (o.c >> 8) & 255, o.c >> 16
    is_ray, ray = o.B_tag == v.T_RAY, o.B_at & 127
    first = np.array([sensors.RAY_BLOCKS, sensors.RAY_ENTITIES, sensors.RAY_DISTANCES, 0, 0])
    on_ray = jnp.asarray(first)[jnp.clip(of_ray - 1, 0, 4)] + jnp.minimum(ray, NUM_RAYS - 1)
    cell = sensors.VOXELS + jnp.clip(o.C_real, 0, 26).astype(jnp.int32)
    column = jnp.where(o.op == bc.BLOCK, cell, jnp.where(is_ray, on_ray, of_obs - 1))
    column = jnp.clip(column, 0, sensors.VIEW_SIZE - 1)
    read = code.seen(column)
    name = box(v.T_NAME, read.astype(jnp.int32))

    is_record = ((o.B_tag == v.T_RAY_RECORD) & (of_ray > 0)) | (
        (o.B_tag == v.T_OBS_RECORD) & (kept > 0)
    )
    is_obs = o.B_tag == v.T_OBS
    current = jnp.where(is_ray, o.B_at >> 7, o.B_at) == age
    has_field = (is_obs & (of_obs > 0)) | (is_ray & (of_ray > 0))
    field = jnp.where(of_obs - 1 == sensors.HELD, name, number(read))
    field = jnp.where(is_ray, ray_field(of_ray - 1, ray, read), field)
    field_trap = jnp.where(has_field, jnp.where(current, 0, bc.TRAP_OLD), bc.TRAP_KIND)
    is_old = (o.B_tag == v.T_OBS_RECORD) | (is_obs & ~current)
    trap = jnp.where(is_old, bc.TRAP_OLD, jnp.where(is_obs, 0, bc.TRAP_KIND))

    asks = between(o.op, bc.COUNT, bc.NEAREST) | (o.op == bc.ITEM)
    about = jnp.where(o.op == bc.ITEM, o.B_at, o.C & v.PAYLOAD)
    answer = jax.lax.cond(
        jnp.any(asks & (m.status == RUNNING)),
        lambda: ask(o.op, code.view, about, code.now, o.c),
        lambda: jnp.zeros_like(o.op),
    )
    A_tag, A_at = tag(o.A), o.A & v.PAYLOAD
    A_current = jnp.where(A_tag == v.T_RAY, A_at >> 7, A_at) == age
    return Seen(
        field=jnp.where(is_record, row.kept, field),
        field_trap=jnp.where(is_record, 0, field_trap),
        trap=trap,
        name=name,
        answer=answer,
        fixed=~(((A_tag == v.T_RAY) | (A_tag == v.T_OBS)) & A_current),
    )


def call_of(m: Machine, o: Operands, row: Row) -> Call:
    """Follows calls by name and calls of functions that are values."""
    is_action = o.B_at < bc.FIRST_FUNCTION
    start, shape, size = row.function[:, 0], row.function[:, 1], row.function[:, 2]
    action = jnp.asarray(PLAIN_CODES)[jnp.minimum(o.B_at, len(PLAIN_CODES) - 1)]
    moves = (action > 0) & (action < TURN_BASE) & (action % 4 == 0)
    jumping = jnp.where(o.c & bc.CALL_JUMP != 0, 1, jnp.where(o.c & bc.CALL_SPRINT != 0, 3, 0))
    too_deep = m.frame + o.a + jnp.where(o.op == bc.CALL, o.c, size) > bc.STACK_CELLS
    trap = jnp.select(
        [
            (o.B_tag != v.T_FUNCTION) | jnp.where(is_action, o.c, o.c ^ shape) & bc.CALLED_FROM
            != 0,
            jnp.where(is_action, o.c & 255 != 0, o.c & 255 != shape & 255),
            ~is_action & too_deep,
        ],
        [bc.TRAP_KIND, bc.TRAP_SHAPE, bc.TRAP_DEPTH],
        0,
    )
    by_value = o.op == bc.CALLV
    return Call(
        enters=(o.op == bc.CALL) | (by_value & ~is_action),
        start=jnp.where(o.op == bc.CALL, o.b, start),
        too_deep=too_deep,
        trap=jnp.where(by_value, trap, 0),
        action=action + jnp.where(moves, jumping, 0),
    )


def room_of(m: Machine, o: Operands, row: Row) -> Room:
    room, at = row.header >> 16, row.at - bc.MAX_CONSTANTS
    full = (o.op == bc.APPEND) & (row.tag == v.T_LIST) & (row.length == room)
    is_last = (at + 1 + room == m.heap) & (m.heap + bc.LIST_ROOM <= bc.MEMORY_CELLS)
    extends = full & ~m.collected & is_last
    lacks = (o.op == bc.ALLOC) & (m.heap + 1 + (o.b >> 16) > bc.MEMORY_CELLS)
    lacks |= full & ~extends
    room = room + jnp.where(extends, bc.LIST_ROOM, 0)
    return Room(
        waits=lacks & ~m.collected,
        trap=lacks & m.collected,
        extends=extends,
        header=(row.length + 1) | room << 16,
    )


class Parts(NamedTuple):
    """All groups of one instruction."""

    o: Operands
    row: Row
    equality: Equality
    search: Search
    seen: Seen
    call: Call
    room: Room


def parts_of(code: Code, m: Machine) -> Parts:
    o = fetch(code, m)
    row = row_of(code, m, o)
    equality = equality_of(m, o, row)
    return Parts(
        o, row, equality,
        search_of(m, o, row, equality),
        seen_of(code, m, o, row),
        call_of(m, o, row),
        room_of(m, o, row),
    )  # fmt: skip
