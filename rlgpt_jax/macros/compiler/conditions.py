"""Tests: comparisons, and/or/not, conditional expressions, and jumps on them."""

import ast
from collections.abc import Callable
from typing import NamedTuple

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import iterators, lists, mappings, text_tests, within
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.vm import bytecode as bc

# Comparison -> (jump if it holds, jump if not, as a value, operands swapped)
ORDER = {
    ast.Lt: (bc.JLT, bc.JNLT, bc.LT, False),
    ast.LtE: (bc.JLE, bc.JNLE, bc.LE, False),
    ast.Gt: (bc.JLT, bc.JNLT, bc.LT, True),
    ast.GtE: (bc.JLE, bc.JNLE, bc.LE, True),
    ast.Eq: (bc.JEQ, bc.JNE, bc.EQ, False),
    ast.NotEq: (bc.JNE, bc.JEQ, bc.NE, False),
}
NEGATED = (ast.NotIn, ast.IsNot)


def jump_if(f: Code, node: ast.expr, label: Label, when: bool) -> None:
    """Compiles a jump to `label` if the truth of the expression is `when`."""
    f.at(node)
    constant = facts.constant_of(f, node)
    if constant is not MISSING:
        truth = bool(constant) if isinstance(constant, float | str | tuple) else constant
        if (truth not in (None, False)) == when:
            f.emit(bc.JUMP, label)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        jump_if(f, node.operand, label, not when)
    elif isinstance(node, ast.BoolOp):
        decided_by = isinstance(node.op, ast.Or)  # the truth that ends the row early
        skip = Label()
        for part in node.values[:-1]:
            jump_if(f, part, label if decided_by == when else skip, decided_by)
        jump_if(f, node.values[-1], label, when)
        f.place(skip)
    elif isinstance(node, ast.Compare):
        compare_jump(f, node, label, when)
    elif not within.test(f, node, label, when):
        cells = within.cells(f, node, f.value(node))
        f.emit(bc.JT if when else bc.JF, cells, label)


def compare_jump(f: Code, node: ast.Compare, label: Label, when: bool) -> None:
    """Compiles a (chained) comparison as jumps."""
    if text_tests.compare_jump(f, node, label, when):
        return
    skip = Label()
    left_node, left = node.left, f.value(node.left)
    for i, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
        last = i == len(node.ops) - 1
        right = part(f, right_node, op)
        goal, truth = (label, when) if last or not when else (skip, False)
        one_jump(f, (left_node, left), op, (right_node, right), goal, truth)
        left_node, left = right_node, right
    f.place(skip)


Part = tuple[ast.expr, int]


def part(f: Code, node: ast.expr, op: ast.cmpop) -> int:
    """Compiles one side of a comparison; computed rows right of `in` are not made."""
    if isinstance(op, ast.In | ast.NotIn):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return 0
        if iterators.is_iterator(f, node):
            return f.list_of(node, None)
        table = facts.table_of(f, node)
        if table is not None:
            return f.constant(table.keys)
    return f.value(node)


def one_jump(f: Code, left: Part, op: ast.cmpop, right: Part, label: Label, when: bool) -> None:
    """Compiles one comparison as a jump to `label` if its truth is `when`."""
    f.at(left[0])
    if isinstance(op, NEGATED):
        when = not when
    if isinstance(op, ast.In | ast.NotIn):
        contains(f, left, right, label, when)
    elif isinstance(op, ast.Is | ast.IsNot):
        if f.constant(None) in (left[1], right[1]):
            f.emit(bc.JEQ if when else bc.JNE, left[1], right[1], label)
        else:
            register = f.temp()
            f.emit(bc.IS, register, left[1], right[1])
            f.emit(bc.JT if when else bc.JF, register, label)
    else:
        holds, fails, _, swapped = ORDER[type(op)]
        routine = row_routine(f, left[0], op, right[0])
        first, second = (right, left) if swapped else (left, right)
        plain = (holds if when else fails, first[1], second[1])
        if routine is None:
            f.emit(*plain, label)
        else:
            compare_rows(f, routine, plain, label, when, facts.kind_of(f, first[0]).bits)


class RowRoutine(NamedTuple):
    """The routine for a comparison that may be of rows, sets, dictionaries or names."""

    name: str
    wanted: int  # the kinds it is for
    in_order: bool  # it takes the (perhaps swapped) sides in their order
    negated: bool  # the comparison is its negation: a <= b is not b < a


def row_routine(f: Code, left: ast.expr, op: ast.cmpop, right: ast.expr) -> RowRoutine | None:
    both = facts.kind_of(f, left).bits & facts.kind_of(f, right).bits
    if isinstance(op, ast.Eq | ast.NotEq):
        if lists.compares_rows(f, left, right):
            wanted = both & kinds.CONTAINERS
            return RowRoutine("_equal", wanted, True, isinstance(op, ast.NotEq))
    elif isinstance(op, ast.LtE | ast.GtE) and facts.may_be(f, left, kinds.SET):
        if facts.is_surely(f, left, kinds.SET):
            return RowRoutine("_subset", kinds.SET, True, False)
    elif isinstance(op, ast.Lt | ast.Gt) and facts.is_surely(f, left, kinds.SET):
        return RowRoutine("_smaller", kinds.SET, True, False)
    elif type(op) in ORDER and both & (kinds.ROWS | kinds.NAME):
        strict = isinstance(op, ast.Lt | ast.Gt)
        return RowRoutine("_less", both & (kinds.ROWS | kinds.NAME), strict, not strict)
    return None


def compare_rows(
    f: Code, routine: RowRoutine, plain: tuple[int, int, int], label: Label, when: bool, known: int
) -> None:
    """Compiles a jump on such a comparison; `plain` is the instruction for numbers."""
    _, a, b = plain

    def special() -> None:
        found = within.routine(f, routine.name, [a, b] if routine.in_order else [b, a])
        f.emit(bc.JT if when != routine.negated else bc.JF, found, label)

    within.by_kind(f, a, known, routine.wanted, lambda: f.emit(*plain, label), special)


def contains(f: Code, left: Part, right: Part, label: Label, when: bool) -> None:
    """Compiles `x in y`: a sequence, a set of constants, or a part of a name."""
    item, (node, container) = left[1], right
    if isinstance(node, ast.Set | ast.Tuple | ast.List):
        constant = facts.constant_row(f, node)
        if constant is MISSING:
            one_of(f, item, node, label, when)
            return
        container = f.constant(constant)
    found = f.temp()

    def search() -> None:
        mappings.found_in(f, node, found, item, container)

    def search_unless_name(of_name: Callable[[], None]) -> None:
        within.by_tag(f, container, [values.T_NAME], search, of_name)

    word, whole = facts.constant_of(f, left[0]), facts.constant_of(f, node)
    if isinstance(word, str):
        if facts.may_be(f, node, kinds.NAME) or f.scope.trusted:
            search_unless_name(
                lambda: f.emit(bc.INSET, found, container, f.pool.later_set("in", word))
            )
        else:
            search()
    elif isinstance(whole, str):
        part = f.pool.named_set(f"part of {whole}", lambda name: name in whole)
        f.emit(bc.INSET, found, item, part)
    elif may_hold_rows(f, left[0], node):
        within.routine(f, "_among", [item, container], found)
    else:
        words = words_in_name(f, left[0], node)
        if words is None:
            search()
        else:
            search_unless_name(lambda: text_tests.with_word(f, words, item, container, "in", found))
    f.emit(bc.JT if when else bc.JF, found, label)


def words_in_name(f: Code, item: ast.expr, node: ast.expr) -> list[str] | None:
    """Returns the words that `item in node` may look for in a name; None if not known, or none."""
    if f.scope.trusted or not facts.may_be(f, node, kinds.NAME):
        return None
    return text_tests.words_of(f, item, needed=facts.is_surely(f, node, kinds.NAME))


def may_hold_rows(f: Code, item: ast.expr, node: ast.expr) -> bool:
    """Says whether `in` may have to compare rows of rows, or long ones."""
    known = f.shared.kinds
    wanted = facts.kind_of(f, item)
    if not wanted.bits & known.item(facts.kind_of(f, node)).bits & kinds.ROWS:
        return False
    return not lists.is_short(f, item) and bool(known.item(wanted).bits & kinds.ROWS)


def one_of(f: Code, item: int, node: ast.expr, label: Label, when: bool) -> None:
    """Compiles `x in (a, b)` with computed a, b."""
    assert isinstance(node, ast.Set | ast.Tuple | ast.List)
    done = Label()
    for element in node.elts:
        f.emit(bc.JEQ, item, f.value(element), label if when else done)
    if not when:
        f.emit(bc.JUMP, label)
    f.place(done)


# --- as values -------------------------------------------------------------------
def compare_value(f: Code, node: ast.Compare, into: int | None) -> int:
    """Compiles a comparison to 1 or 0."""
    op = node.ops[0]
    if (
        len(node.ops) == 1
        and type(op) in ORDER
        and text_tests.test(f, node) is None
        and row_routine(f, node.left, op, node.comparators[0]) is None
    ):
        left, right = f.value(node.left), part(f, node.comparators[0], op)
        _, _, as_value, swapped = ORDER[type(op)]
        return f.made(node, as_value, into, *((right, left) if swapped else (left, right)))
    register, done = f.target(into), Label()
    f.emit(bc.MOVE, register, f.constant(0.0))
    keep = f.top
    jump_if(f, node, done, False)
    f.top = keep
    f.emit(bc.MOVE, register, f.constant(1.0))
    f.place(done)
    return f.put(register, into)


def bool_value(f: Code, node: ast.BoolOp, into: int | None) -> int:
    """Compiles `a and b`, `a or b`: the value that decided."""
    register, done = f.target(into), Label()
    for i, operand in enumerate(node.values):
        keep = f.top
        f.value(operand, register)
        f.top = keep
        if i < len(node.values) - 1:
            cells = within.cells(f, operand, register)
            f.emit(bc.JF if isinstance(node.op, ast.And) else bc.JT, cells, done)
    f.place(done)
    return f.put(register, into)


def if_value(f: Code, node: ast.IfExp, into: int | None) -> int:
    register, otherwise, done = f.target(into), Label(), Label()
    keep = f.top
    jump_if(f, node.test, otherwise, False)
    f.top = keep
    f.value(node.body, register)
    f.emit(bc.JUMP, done)
    f.place(otherwise)
    f.top = keep
    f.value(node.orelse, register)
    f.place(done)
    f.top = keep
    return f.put(register, into)
