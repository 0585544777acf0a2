"""Builtin functions: min, max, sum, round, ... and those of math."""

import ast
import math
from collections.abc import Callable

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.calling.signatures import bound
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import (
    extremes,
    iterators,
    lists,
    loops,
    mappings,
    numbers,
    within,
)
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

Builtin = Callable[[Code, ast.Call, int | None], int]


def operation(name: str, op: int) -> Builtin:
    """Returns the compiler of a function of one number that is one instruction."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        operand = f.value(bound(node, name, ["x"], 1)["x"])
        return f.made(node, op, into, operand)

    return compile_call


def scaled(name: str, factor: float) -> Builtin:
    """Returns the compiler of `x * factor`."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        operand = f.value(bound(node, name, ["x"], 1)["x"])
        register = f.temp() if into is None else into
        f.emit(bc.MUL, register, operand, f.constant(factor))
        return register

    return compile_call


def round_(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `round(x)` and `round(x, digits)`."""
    given = bound(node, "round", ["number", "ndigits"], 1)
    operand = f.value(given["number"])
    register = f.target(into)
    digits = facts.constant_of(f, given["ndigits"]) if "ndigits" in given else 0.0
    if not isinstance(digits, float | None.__class__) or not -6 <= (digits or 0) <= 6:
        raise Refused(node, "round takes a constant number of digits, -6 to 6", "round(x)")
    scale = f.constant(10.0 ** abs(digits or 0))
    smaller, larger = (bc.MUL, bc.DIV) if (digits or 0) > 0 else (bc.DIV, bc.MUL)
    if digits:
        f.emit(smaller, register, operand, scale)
        operand = register
    f.emit(bc.ROUND, register, operand)
    if digits:
        f.emit(larger, register, register, scale)
    return f.put(register, into)


def sign(f: Code, node: ast.Call, into: int | None) -> int:
    operand = f.value(bound(node, "sign", ["x"], 1)["x"])
    positive, negative = f.temp(), f.temp()
    f.emit(bc.LT, positive, f.constant(0.0), operand)
    f.emit(bc.LT, negative, operand, f.constant(0.0))
    f.emit(bc.SUB, positive, positive, negative)
    return f.put(positive, into)


def pow_(f: Code, node: ast.Call, into: int | None) -> int:
    given = bound(node, "pow", ["x", "y"], 2)
    power = ast.BinOp(given["x"], ast.Pow(), given["y"])
    return numbers.power(f, ast.copy_location(power, node), into)


# --- over sequences --------------------------------------------------------------
def sum_(f: Code, node: ast.Call, into: int | None) -> int:
    given = bound(node, "sum", ["items", "start"], 1)
    total, op = f.temp(), "add"
    if "start" in given:
        f.value(given["start"], total)
        op = "concatenate" if facts.may_be(f, given["start"], kinds.ROWS) else op
    else:
        f.emit(bc.MOVE, total, f.constant(0.0))

    def step(item: int) -> None:
        if op == "add":
            f.emit(bc.ADD, total, total, item)
        else:
            within.routine(f, "_concatenate", [total, item], total)

    loops.each_of(f, given["items"], step)
    return f.put(total, into)


def quantifier(name: str, stop: bool) -> Builtin:
    """Returns the compiler of `any` (stops at a true item) or `all` (at a false one)."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        items = bound(node, name, ["items"], 1)["items"]
        result, decided, done = f.temp(), Label(), Label()
        bits = f.shared.kinds.item(facts.kind_of(f, items)).bits

        def test(item: int) -> None:
            f.emit(bc.JT if stop else bc.JF, within.cells_of(f, bits, item), decided)

        loops.each_of(f, items, test)
        f.emit(bc.MOVE, result, f.constant(not stop))
        f.emit(bc.JUMP, done)
        f.place(decided)
        f.emit(bc.MOVE, result, f.constant(stop))
        f.place(done)
        return f.put(result, into)

    return compile_call


def next_(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `next((r for r in ... if ...), None)`: the first item."""
    given = bound(node, "next", ["items", "default"], 1)
    if not iterators.is_iterator(f, given["items"]):
        raise Refused(
            node, "next takes a generator expression", "next((r for r in obs.rays if ...), None)"
        )
    result, done = f.temp(), Label()

    def take(item: int) -> None:
        f.emit(bc.MOVE, result, item)
        f.emit(bc.JUMP, done)

    loops.each_of(f, given["items"], take)
    if "default" in given:
        f.value(given["default"], result)
    else:
        within.no_index(f, result)
    f.place(done)
    return f.put(result, into)


def copied(name: str) -> Builtin:
    """Returns the compiler of `list(items)`, `tuple(items)`, ... and a bare `range(...)`."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        items = node if name == "range" else bound(node, name, ["items"], 0).get("items")
        register = f.sequence(values.T_LIST, [], None)
        if items is not None:
            loops.each_of(f, items, lambda item: f.emit(bc.APPEND, register, item, 0))
        if name == "tuple":
            f.emit(bc.RETAG, register, register, values.T_TUPLE)
        return f.put(register, into)

    return compile_call


def sorted_(f: Code, node: ast.Call, into: int | None) -> int:
    if len(node.args) != 1:
        raise Refused(node, "sorted takes one sequence", "sorted(items, key=lambda x: ...)")
    options = {k.arg: k.value for k in node.keywords}
    return f.put(lists.in_order(f, node, node.args[0], options), into)


def set_(f: Code, node: ast.Call, into: int | None) -> int:
    items = bound(node, "set", ["items"], 0).get("items")
    made = f.sequence(values.T_SET, [], None)
    if items is not None:
        loops.each_of(f, items, lambda item: mappings.add(f, made, item))
    return f.put(made, into)


def dict_(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `dict()`, `dict(pairs)`, `dict(other)` and `dict(a=1)`."""
    if len(node.args) > 1:
        raise Refused(node, "dict takes pairs or another dictionary", "dict(zip(keys, values))")
    made = f.sequence(values.T_DICT, [], None)
    for arg in node.args:
        mappings.update_with(f, node, made, arg)
    for keyword in node.keywords:
        if keyword.arg is None:
            within.routine_with(f, "_update", [made, keyword.value])
        else:
            key = f.constant(keyword.arg)
            within.routine_with(f, "_dict_put", [made, key, keyword.value])
    return f.put(made, into)


def bool_(f: Code, node: ast.Call, into: int | None) -> int:
    given = bound(node, "bool", ["x"], 1)["x"]
    register = f.temp() if into is None else into
    f.emit(bc.TRUTH, register, within.cells(f, given, f.value(given)))
    return register


def len_(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `len(x)`; a list that is only counted is not made."""
    items = bound(node, "len", ["x"], 1)["x"]
    f.at(node)
    if not isinstance(items, ast.ListComp):
        return mappings.length(f, items, into)
    total = f.temp()
    f.emit(bc.MOVE, total, f.constant(0.0))
    loops.each_of(f, items, lambda _: f.emit(bc.ADD, total, total, f.constant(1.0)))
    return f.put(total, into)


def float_(f: Code, node: ast.Call, into: int | None) -> int:
    given = bound(node, "float", ["x"], 1)["x"]
    if isinstance(facts.constant_of(f, given), str):
        raise Refused(node, "a text cannot be made a number", 'write the number; "inf" is known')
    return operation("float", bc.NUMBER)(f, node, into)


# Functions of one number that are one instruction.
OPERATIONS = {
    **dict.fromkeys(("abs", "fabs"), bc.ABS),
    **dict.fromkeys(("int", "trunc"), bc.TRUNC),
    "floor": bc.FLOOR,
    "ceil": bc.CEIL,
    "sqrt": bc.SQRT,
}
BUILTINS: dict[str, Builtin] = {
    **{name: operation(name, op) for name, op in OPERATIONS.items()},
    "len": len_,
    "bool": bool_,
    "float": float_,
    "round": round_,
    "radians": scaled("radians", math.pi / 180),
    "degrees": scaled("degrees", 180 / math.pi),
    "sign": sign,
    "pow": pow_,
    "min": extremes.extreme(bc.MIN),
    "max": extremes.extreme(bc.MAX),
    "sum": sum_,
    "any": quantifier("any", True),
    "all": quantifier("all", False),
    "next": next_,
    **{name: copied(name) for name in ("list", "tuple", "range", "deque")},
    "sorted": sorted_,
    "set": set_,
    "frozenset": set_,
    "dict": dict_,
    **numbers.NUMBER_BUILTINS,
}
NO_BUILTIN = {
    **dict.fromkeys(
        ("defaultdict", "Counter"), "write d[k] = d.get(k, 0) + 1, or d.setdefault(k, []).append(x)"
    ),
    **dict.fromkeys(("exp", "log"), "write x ** n with a whole n, or a table of values"),
    **dict.fromkeys(("vars", "dir", "hasattr"), "use the documented fields"),
    **dict.fromkeys(("isinstance", "type"), "write what each function takes, or compare with None"),
    **dict.fromkeys(("exit", "quit"), "end the macro with return, or with raise inside a helper"),
    **dict.fromkeys(("input", "open", "eval", "exec", "compile"), "macros get only obs"),
    "OrderedDict": "a dictionary keeps its order: {}",
    "namedtuple": "use a tuple, x, z = place, or a dictionary",
    "divmod": "write x // y and x % y",
    "randrange": "random.randint(0, n - 1)",
    "print": "leave it out; what a macro does is reported anyway",
    "enumerate": "use it in a for loop: for i, x in enumerate(items)",
    "zip": "use it in a for loop: for a, b in zip(xs, ys)",
    "reversed": "use it in a for loop: for x in reversed(items)",
    "iter": "loop over the items",
    "str": 'names are compared as they are: r.block == "log"',
    "id": "compare with `is`",
    "super": "write functions; there are no classes",
    "getattr": "write the field's name: obs.x",
    "setattr": "keep values in variables",
    "__import__": "nothing can be imported",
}
