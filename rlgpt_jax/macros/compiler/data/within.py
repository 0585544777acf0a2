"""What only our own routines can say: the cells behind a dictionary, a set or a list.

A view is the same cells under the tag of a list, so that the instructions for lists work
on it. A view is only made of a value whose tag was tested, since instructions for lists
trust the tag.
"""

import ast
from collections.abc import Callable, Iterable
from functools import partial

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.compiler.tree.scopes import Scope
from rlgpt_jax.macros.vm import bytecode as bc

TESTS = {
    "_is_tuple": values.T_TUPLE,
    "_is_list": values.T_LIST,
    "_is_dict": values.T_DICT,
    "_is_set": values.T_SET,
    "_is_name": values.T_NAME,
}


def view(f: Code, operand: int, tags: Iterable[int], others: bool = False) -> int:
    """Makes a view of a value with one of the tags; a trap, or the value, if it has none."""
    register, found, done = f.temp(), Label(), Label()
    for tag in tags:
        f.emit(bc.JTAG, operand, tag, found)
    if others:
        f.emit(bc.MOVE, register, operand)
        f.emit(bc.JUMP, done)
    else:
        wrong_kind(f, register)
    f.place(found)
    f.emit(bc.RETAG, register, operand, values.T_LIST)
    f.place(done)
    return register


def wrong_kind(f: Code, register: int) -> None:
    """Emits a trap: a value is of the wrong kind."""
    f.emit(bc.NUMBER, register, f.constant(None))


def no_index(f: Code, register: int) -> None:
    """Emits a trap: there is no such index or key."""
    f.emit(bc.INDEX, register, f.constant(()), f.constant(0.0))


def routine(f: Code, name: str, operands: list[int], into: int | None = None) -> int:
    """Calls a routine with operands that are there already."""
    base = f.temp(1 + len(operands))
    for i, operand in enumerate(operands):
        f.emit(bc.MOVE, base + 1 + i, operand)
    return enter(f, name, base, into)


def routine_with(f: Code, name: str, args: list[ast.expr | int], into: int | None = None) -> int:
    """Calls a routine; expressions are evaluated where its parameters are."""
    base = f.temp(1 + len(args))
    for i, arg in enumerate(args):
        if isinstance(arg, int):
            f.emit(bc.MOVE, base + 1 + i, arg)
        else:
            f.value(arg, base + 1 + i)
    return enter(f, name, base, into)


def enter(f: Code, name: str, base: int, into: int | None) -> int:
    scope: Scope = f.shared.routines[name]
    f.emit(bc.CALL, base, f.shared.start_of(scope), scope)
    f.top = base + 1
    return f.put(base, into)


# --- what routines call -------------------------------------------------------------
def viewed(*tags: int, others: bool = False) -> Callable[[Code, list[int]], int]:
    return lambda f, given: view(f, given[0], tags, others)


def retagged(f: Code, given: list[int], tag: int) -> int:
    """A list that the routine itself made becomes something else."""
    register = f.temp()
    f.emit(bc.RETAG, register, given[0], tag)
    return register


def cut(f: Code, given: list[int]) -> int:
    """Keeps the first n elements of a list that has more.

    There is no instruction for this: `init` at -1 writes the header, whose bits come
    from a constant row. A list has room for 8 elements at least, and for all it has, so
    the header for n elements can always promise room for max(8, n + 1).
    """
    key = ("headers",)
    if key not in f.pool.known:
        headers = [n | max(bc.LIST_ROOM, n + 1) << 16 for n in range(bc.HEAP_CELLS)]
        f.pool.known[key] = f.pool.add_cells([len(headers), *headers])
    row = f.constant_bits(values.box(values.T_TUPLE, f.pool.known[key]))
    header = f.temp()
    f.emit(bc.INDEX, header, row, given[1])
    f.emit(bc.INIT, given[0], -1, header)
    return given[0]


def failing(f: Code, given: list[int]) -> int:
    register = f.temp()
    no_index(f, register)
    return register


def is_now(f: Code, given: list[int]) -> int:
    """Says whether a value is a ray or an observation of this tick."""
    register, fixed = f.temp(), Label()
    f.emit(bc.MOVE, register, f.constant(False))
    f.emit(bc.JFIXED, given[0], 0, fixed)
    f.emit(bc.MOVE, register, f.constant(True))
    f.place(fixed)
    return register


def kept(f: Code, given: list[int]) -> int:
    """Makes a record of a ray or an observation, see `records.py`."""
    base = f.temp(2)
    f.emit(bc.MOVE, base + 1, given[0])
    f.shared.pin_used = True
    f.emit(bc.CALL, base, f.shared.pin, None)
    return base


RANK_BITS = (bc.MAX_NAME_ID - 1).bit_length()


def rank(f: Code, given: list[int]) -> int:
    """Computes the place of a name among all names of the program, as Python orders text.

    A name is not a number, but sets of names say for each bit whether its place has it.
    """
    register, bit = f.temp(), f.temp()
    f.emit(bc.MOVE, register, f.constant(0.0))
    for k in reversed(range(RANK_BITS)):
        f.emit(bc.ADD, register, register, register)
        f.emit(bc.INSET, bit, given[0], f.pool.named_set(f"rank {k}", f.pool.has_rank_bit(k)))
        f.emit(bc.ADD, register, register, bit)
    return register


INTRINSICS: dict[str, Callable[[Code, list[int]], int]] = {
    "_list": viewed(values.T_LIST),
    "_dict": viewed(values.T_DICT),
    "_set": viewed(values.T_SET),
    "_row": viewed(values.T_TUPLE, values.T_LIST, values.T_DICT, values.T_SET),
    "_cells": viewed(values.T_LIST, values.T_SET, values.T_DICT),
    "_view": viewed(values.T_DICT, values.T_SET, others=True),
    "_as_tuple": partial(retagged, tag=values.T_TUPLE),
    "_as_dict": partial(retagged, tag=values.T_DICT),
    "_as_set": partial(retagged, tag=values.T_SET),
    "_cut": cut,
    "_rank": rank,
    "_no_index": failing,
    "_is_now": is_now,
    "_kept": kept,
}


def intrinsic(f: Code, node: ast.Call, name: str, into: int | None) -> int:
    """Compiles a call that only routines can make."""
    given = [f.value(arg) for arg in node.args]
    return f.put(INTRINSICS[name](f, given), into)


def test(f: Code, node: ast.expr, label: Label, when: bool) -> bool:
    """Compiles `if _is_list(x)` in a routine; says whether the expression is such a test."""
    if not (f.scope.trusted and isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return False
    if node.func.id not in TESTS:
        return False
    operand, otherwise = f.value(node.args[0]), Label()
    f.emit(bc.JTAG, operand, TESTS[node.func.id], label if when else otherwise)
    if not when:
        f.emit(bc.JUMP, label)
        f.place(otherwise)
    return True


Emit = Callable[[], object]


def by_tag(f: Code, operand: int, tags: Iterable[int], usual: Emit, special: Emit) -> None:
    """Compiles `special` for values with one of the tags and `usual` for others."""
    is_special, done = Label(), Label()
    for tag in tags:
        f.emit(bc.JTAG, operand, tag, is_special)
    usual()
    f.emit(bc.JUMP, done)
    f.place(is_special)
    special()
    f.place(done)


TAGS = {
    kinds.NAME: values.T_NAME,
    kinds.TUPLE: values.T_TUPLE,
    kinds.LIST: values.T_LIST,
    kinds.DICT: values.T_DICT,
    kinds.SET: values.T_SET,
}


def by_kind(f: Code, operand: int, known: int, wanted: int, usual: Emit, special: Emit) -> None:
    """Compiles `special` for values of the wanted kinds and `usual` for others.

    The tag is tested at run time if the known kinds leave it open.
    """
    if not known & ~wanted:
        special()
        return
    by_tag(f, operand, [TAGS[bit] for bit in TAGS if known & wanted & bit], usual, special)


def either(
    f: Code, op: int, operands: tuple[int, int], node: ast.expr, wanted: int, name: str,
    into: int | None,
) -> int:  # fmt: skip
    """Compiles an instruction, or a routine where `node`, the first operand, is of those kinds."""
    register, bits = f.temp(), facts.kind_of(f, node).bits
    usual = partial(f.emit, op, register, *operands)
    special = partial(routine, f, name, [*operands], register)
    by_kind(f, operands[0], bits, wanted, usual, special)
    return f.put(register, into)


def cells(f: Code, node: ast.expr, operand: int) -> int:
    """Returns the operand, or a view of its cells if it may be a dictionary or a set."""
    return cells_of(f, facts.kind_of(f, node).bits, operand)


def cells_of(f: Code, bits: int, operand: int) -> int:
    """As `cells`, of a value of these kinds."""
    tags = [TAGS[bit] for bit in (kinds.DICT, kinds.SET) if bits & bit]
    return view(f, operand, tags, others=True) if tags else operand
