"""Walks over rows, pairs and ranges, and how an item is taken apart. See `iterators.py`."""

import ast
import math
from collections.abc import Callable
from typing import Any

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import within
from rlgpt_jax.macros.compiler.known import facts, kinds, rows
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

Item = Any  # int register, or a tuple of items
Advance = Callable[[Label], None]


def go_on(f: Code, advance: Advance, out: Label) -> None:
    """Takes the next item of a walk that another one is made of, or jumps to `out`."""
    found = Label()
    advance(found)
    f.emit(bc.JUMP, out)
    f.place(found)


def over_range(f: Code, node: ast.Call, hint: int | None) -> tuple[Item, Advance]:
    """Compiles the arguments of range(...) into three registers: next, stop, step."""
    if not 1 <= len(node.args) <= 3 or node.keywords:
        raise Refused(node, "range takes 1 to 3 numbers", "range(start, stop, step)")
    if len(node.args) == 3 and facts.constant_of(f, node.args[2]) == 0.0:
        raise Refused(node.args[2], "the step of a range is 0", "use a step of 1")
    state = f.temp(3)
    first = node.args[0] if len(node.args) > 1 else None
    f.put(f.constant(0.0), state) if first is None else whole(f, first, state)
    whole(f, node.args[min(1, len(node.args) - 1)], state + 1)
    if len(node.args) == 3:
        whole(f, node.args[2], state + 2)
    else:
        f.put(f.constant(1.0), state + 2)
    item = f.temp() if hint is None else hint
    return item, lambda body: f.emit(bc.RANGE, state, item, body)


def whole(f: Code, node: ast.expr, into: int) -> None:
    """Compiles an argument of range, which must be a whole number."""
    constant = facts.constant_of(f, node)
    if isinstance(constant, float) and not constant.is_integer():
        raise Refused(
            node,
            "range needs whole numbers",
            "use int(...) or //" if math.isfinite(constant) else "count in a loop: while True",
        )
    f.value(node, into)
    if not isinstance(constant, float):
        f.emit(bc.WHOLE, into, into)


def over_sequence(f: Code, operand: int, hint: int | None) -> tuple[Item, Advance]:
    state = f.temp(2)
    f.emit(bc.MOVE, state, operand)
    return over_state(f, state, hint)


def over_state(f: Code, state: int, hint: int | None) -> tuple[Item, Advance]:
    f.emit(bc.MOVE, state + 1, f.constant(0.0))
    item = f.temp() if hint is None else hint
    return item, lambda body: f.emit(bc.EACH, state, item, body)


def over_container(f: Code, node: ast.expr, hint: int | None) -> tuple[Item, Advance]:
    """Compiles iterating over what may be a dictionary or a set."""
    state, steps, unused = f.temp(2), f.temp(), f.temp()
    operand = f.value(node)
    f.emit(bc.MOVE, state, within.cells(f, node, operand))
    item, each = over_state(f, state, hint)
    if not facts.may_be(f, node, kinds.DICT):
        return item, each
    is_dict = Label()
    f.emit(bc.MOVE, steps, f.constant(True))
    f.emit(bc.JTAG, operand, values.T_DICT, is_dict)
    f.emit(bc.MOVE, steps, f.constant(False))
    f.place(is_dict)

    def advance(body: Label) -> None:
        out = Label()
        go_on(f, each, out)
        f.emit(bc.JF, steps, body)
        f.emit(bc.EACH, state, unused, body)
        f.place(out)

    return item, advance


PARTS = ("items", "keys", "values")


def over_parts(f: Code, owner: ast.expr, part: str, hint: int | None) -> tuple[Item, Advance]:
    """Compiles iterating over `d.items()`, `d.keys()` or `d.values()`."""
    table = facts.table_of(f, owner)
    if table is None:
        keeper = rows.keeper(facts.kind_of(f, owner))
        cells = within.view(f, f.value(owner), (values.T_DICT,))
        return over_pairs(f, cells, part, keeper)
    if part == "items":
        return over_pairs(f, f.constant(table.pairs()), part)
    return over_sequence(f, f.constant(table.keys if part == "keys" else table.values), hint)


def over_pairs(f: Code, cells: int, part: str, keeper: str = "") -> tuple[Item, Advance]:
    """Iterates over the cells key, value, key, value, ..."""
    state, key, value = f.temp(2), f.temp(), f.temp()
    if keeper:
        f.walked[state] = keeper
    f.emit(bc.MOVE, state, cells)
    _, each_key = over_state(f, state, key)

    def advance(body: Label) -> None:
        out = Label()
        go_on(f, each_key, out)
        f.emit(bc.EACH, state, value, body)
        f.place(out)

    return {"items": (key, value), "keys": key, "values": value}[part], advance


def has_star(node: ast.Tuple | ast.List | ast.Set) -> bool:
    return any(isinstance(element, ast.Starred) for element in node.elts)


def bind_inner(f: Code, target: ast.expr, item: Item) -> None:
    """Gives the names of a comprehension's target their registers."""
    if isinstance(target, ast.Name):
        f.inner_names[-1][target.id] = item
    elif isinstance(target, ast.Tuple | ast.List):
        for part, register in zip(target.elts, parts_of(f, target, item), strict=True):
            inner = part.value if isinstance(part, ast.Starred) else part
            bind_inner(f, inner, register)
    else:
        raise Refused(target, "a loop variable is a name", "for r in obs.rays")


def parts_of(f: Code, target: ast.Tuple | ast.List, item: Item) -> list[Item]:
    """Compiles taking an item apart for the names of a target."""
    count = len(target.elts)
    stars = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
    if not stars:
        parts = item if isinstance(item, tuple) else unpacked(f, item, count)
        if len(parts) != count:
            raise Refused(
                target, f"{len(parts)} values for {count} names", "give every value one name"
            )
        return list(parts)
    if len(stars) > 1:
        raise Refused(target, "two names with *", "write one *")
    before, after = stars[0], count - 1 - stars[0]
    source = f.put(f.group(item), f.temp())
    rest = within.routine(f, "_rest", [source, f.constant(before), f.constant(after)], f.temp())
    first = f.temp(count)
    for i in range(count):
        if i != before:
            place = float(i if i < before else i - count)
            f.emit(bc.INDEX, first + i, source, f.constant(place))
    f.emit(bc.MOVE, first + before, rest)
    return list(range(first, first + count))


def unpacked(f: Code, operand: int, count: int) -> tuple[int, ...]:
    """Compiles taking a sequence apart into `count` registers."""
    f.emit(bc.SHAPE, operand, count)
    registers = f.temp(count)
    for i in range(count):
        f.emit(bc.INDEX, registers + i, operand, f.constant(float(i)))
    return tuple(range(registers, registers + count))
