"""Iterators that need no memory: range, enumerate, zip, reversed, map, filter, `x for x in`.

See `loops.py` for what an iterator is.
"""

import ast
import math
from collections.abc import Callable
from typing import Any

from rlgpt_jax.macros.compiler import calls, conditions, loops, mappings
from rlgpt_jax.macros.compiler import expressions as ex
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

Item = Any  # int register, or a tuple of items
Advance = Callable[[Label], None]


def over_generator(f: Code, node: ast.GeneratorExp) -> tuple[Item, Advance]:
    """Iterates over `f(x) for x in items if ...` without making a list."""
    clause = node.generators[0]
    source, inner = loops.start(f, clause.iter)
    elements = node.elt.elts if isinstance(node.elt, ast.Tuple) else [node.elt]
    split = isinstance(node.elt, ast.Tuple) and not loops.has_star(node.elt)
    item = tuple(f.temp() for _ in elements) if split else f.temp()

    def advance(body: Label) -> None:
        test, found, out = Label(), Label(), Label()
        keep = f.top
        f.place(test)
        inner(found)
        f.emit(bc.JUMP, out)
        f.place(found)
        f.inner_names.append({})
        f.comprehensions += 1
        loops.bind_inner(f, clause.target, source)
        for condition in clause.ifs:
            conditions.jump_if(f, condition, test, False)
        if isinstance(item, tuple):
            for register, element in zip(item, elements, strict=True):
                ex.value(f, element, register)
        else:
            ex.value(f, node.elt, item)
        f.comprehensions -= 1
        f.inner_names.pop()
        f.emit(bc.JUMP, body)
        f.place(out)
        f.top = keep

    return item, advance


def over_map(f: Code, node: ast.Call, hint: int | None) -> tuple[Item, Advance]:
    return loops.start(f, generator_of(f, node), hint)


def generator_of(f: Code, node: ast.Call) -> ast.GeneratorExp:
    """Writes `map(g, xs)` and `filter(g, xs)` as generator expressions."""
    assert isinstance(node.func, ast.Name)
    name, function = node.func.id, node.args[0] if node.args else None
    if (
        function is None
        or len(node.args) < 2
        or node.keywords
        or loops.has_star(ast.Tuple(node.args, ast.Load()))
    ):
        raise Refused(
            node,
            f"{name} takes a function and a sequence",
            f"write [g(x) for x in xs{' if ...' if name == 'filter' else ''}]",
        )
    if name == "filter" and len(node.args) > 2:
        raise Refused(node, "filter takes one sequence", "write [x for x in xs if ...]")
    names = [f"item {i}" for i in range(len(node.args) - 1)]
    for item, source in zip(names, node.args[1:], strict=True):
        f.shared.kinds.hints[item] = f.shared.kinds.item(mappings.kind_of(f, source))
    parts: list[ast.expr] = [ast.Name(item, ast.Load()) for item in names]
    result: ast.expr = ast.Call(function, parts, [])
    if isinstance(function, ast.Lambda) and len(function.args.args) == len(parts):
        if not (function.args.defaults or function.args.vararg or function.args.kwonlyargs):
            names = [arg.arg for arg in function.args.args]
            parts = [ast.Name(item, ast.Load()) for item in names]
            result = function.body
    target: ast.expr = ast.Name(names[0], ast.Store())
    source = node.args[1]
    if len(names) > 1:
        target = ast.Tuple([ast.Name(item, ast.Store()) for item in names], ast.Store())
        source = ast.Call(ast.Name("zip", ast.Load()), node.args[1:], [])
    tests: list[ast.expr] = []
    if name == "filter":
        is_none = isinstance(function, ast.Constant) and function.value is None
        result, tests = parts[0], [parts[0] if is_none else result]
    made = ast.GeneratorExp(result, [ast.comprehension(target, source, tests, 0)])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def over_range(f: Code, node: ast.Call, hint: int | None) -> tuple[Item, Advance]:
    state = range_state(f, node)
    item = f.temp() if hint is None else hint
    return item, lambda body: f.emit(bc.RANGE, state, item, body)


def range_state(f: Code, node: ast.Call) -> int:
    """Compiles the arguments of range(...) into three registers: next, stop, step."""
    if not 1 <= len(node.args) <= 3 or node.keywords:
        raise Refused(node, "range takes 1 to 3 numbers", "range(start, stop, step)")
    if len(node.args) == 3 and ex.constant_of(f, node.args[2]) == 0.0:
        raise Refused(node.args[2], "the step of a range is 0", "use a step of 1")
    state = f.temp(3)
    first = node.args[0] if len(node.args) > 1 else None
    f.put(f.constant(0.0), state) if first is None else whole(f, first, state)
    whole(f, node.args[min(1, len(node.args) - 1)], state + 1)
    if len(node.args) == 3:
        whole(f, node.args[2], state + 2)
    else:
        f.put(f.constant(1.0), state + 2)
    return state


def whole(f: Code, node: ast.expr, into: int) -> None:
    """Compiles an argument of range, which must be a whole number."""
    constant = ex.constant_of(f, node)
    if isinstance(constant, float) and not constant.is_integer():
        raise Refused(
            node,
            "range needs whole numbers",
            "use int(...) or //" if math.isfinite(constant) else "count in a loop: while True",
        )
    ex.value(f, node, into)
    if not isinstance(constant, float):
        f.emit(bc.WHOLE, into, into)


def over_enumerate(f: Code, node: ast.Call, hint: int | None) -> tuple[Item, Advance]:
    given = calls.bound(node, "enumerate", ["items", "start"], 1)
    counter, position = f.temp(), f.temp()
    if "start" in given:
        ex.value(f, given["start"], counter)
    else:
        f.put(f.constant(0.0), counter)
    item, inner = loops.start(f, given["items"])

    def advance(body: Label) -> None:
        found, out = Label(), Label()
        inner(found)
        f.emit(bc.JUMP, out)
        f.place(found)
        f.emit(bc.MOVE, position, counter)
        f.emit(bc.ADD, counter, counter, f.constant(1.0))
        f.emit(bc.JUMP, body)
        f.place(out)

    return (position, item), advance


def over_zip(f: Code, node: ast.Call, hint: int | None) -> tuple[Item, Advance]:
    if any(k.arg != "strict" for k in node.keywords) or not node.args:
        raise Refused(node, "zip takes sequences only", "for a, b in zip(xs, ys)")
    parts = [loops.start(f, arg) for arg in node.args]

    def advance(body: Label) -> None:
        out = Label()
        for _, inner in parts[:-1]:
            found = Label()
            inner(found)
            f.emit(bc.JUMP, out)
            f.place(found)
        parts[-1][1](body)
        f.place(out)

    return tuple(item for item, _ in parts), advance


def over_reversed(f: Code, node: ast.Call, hint: int | None) -> tuple[Item, Advance]:
    given = calls.bound(node, "reversed", ["items"], 1)["items"]
    state, item = f.temp(3), f.temp()
    f.put(f.constant(-1.0), state + 1)
    f.put(f.constant(-1.0), state + 2)
    if (
        isinstance(given, ast.Call)
        and isinstance(given.func, ast.Name)
        and (given.func.id == "range" and ex.is_api(f, "range"))
    ):
        reverse_range(f, given, state)
        return item, lambda body: f.emit(bc.RANGE, state, item, body)
    source = f.put(loops.as_row(f, given), f.temp())
    f.emit(bc.LEN, state, source)
    f.emit(bc.SUB, state, state, f.constant(1.0))

    def advance(body: Label) -> None:
        found, out = Label(), Label()
        f.emit(bc.RANGE, state, item, found)
        f.emit(bc.JUMP, out)
        f.place(found)
        f.emit(bc.INDEX, item, source, item)
        f.emit(bc.JUMP, body)
        f.place(out)

    return item, advance


def reverse_range(f: Code, node: ast.Call, state: int) -> None:
    """Turns a range round: its last number, its first minus the step, minus the step."""
    old = range_state(f, node)
    count = f.temp()
    f.emit(bc.SUB, count, old + 1, old)
    f.emit(bc.DIV, count, count, old + 2)
    f.emit(bc.CEIL, count, count)
    f.emit(bc.MAX, count, count, f.constant(0.0))
    f.emit(bc.MUL, count, count, old + 2)
    f.emit(bc.SUB, state + 1, old, old + 2)
    f.emit(bc.ADD, state, state + 1, count)
    f.emit(bc.NEG, state + 2, old + 2)


def over_iter(f: Code, node: ast.Call, hint: int | None) -> tuple[Item, Advance]:
    return loops.start(f, calls.bound(node, "iter", ["items"], 1)["items"], hint)


SPECIAL = {
    "range": over_range,
    "enumerate": over_enumerate,
    "zip": over_zip,
    "reversed": over_reversed,
    "map": over_map,
    "filter": over_map,
    "iter": over_iter,
}
