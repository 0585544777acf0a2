"""Iteration: what `for`, comprehensions and sum/min/max/any/all run over.

An iterator is compiled in two steps. `start` evaluates what is iterated and returns the
item (a register, or a nested tuple of registers for enumerate and zip) and `advance`.
`advance(body)` emits code that sets the item's registers and jumps to `body`, or falls
through when nothing is left. Nothing is allocated.
"""

import ast
from collections.abc import Callable
from typing import Any

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import calls, conditions
from rlgpt_jax.macros.compiler import expressions as ex
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.refusal import Refused

Item = Any  # int register, or a tuple of items
Advance = Callable[[Label], None]


def start(f: Code, node: ast.expr, hint: int | None = None) -> tuple[Item, Advance]:
    """Compiles the beginning of an iteration; `hint` may receive the items."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in SPECIAL and ex.is_api(f, node.func.id):
            return SPECIAL[node.func.id](f, node, hint)
    if isinstance(node, ast.List | ast.Set):
        constant = ex.constant_of(f, ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))
        if constant is not ex.MISSING:  # the list cannot be reached: no need to make it
            return over_sequence(f, f.constant(constant), hint)
    if isinstance(ex.constant_of(f, node), float | str | bool | None.__class__):
        raise Refused(node, "this cannot be iterated over",
                      "use range(n), a tuple, a list or obs.rays")
    return over_sequence(f, ex.value(f, node), hint)


def over_sequence(f: Code, operand: int, hint: int | None) -> tuple[Item, Advance]:
    state = f.temp(2)
    f.emit(bc.MOVE, state, operand)
    f.emit(bc.MOVE, state + 1, f.constant(0.0))
    item = f.temp() if hint is None else hint
    return item, lambda body: f.emit(bc.EACH, state, item, body)


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
    if isinstance(constant, float) and constant != int(constant):
        raise Refused(node, "range needs whole numbers", "use int(...) or //")
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
    item, inner = start(f, given["items"])

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
    if node.keywords or not node.args:
        raise Refused(node, "zip takes sequences only", "for a, b in zip(xs, ys)")
    parts = [start(f, arg) for arg in node.args]

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
    if isinstance(given, ast.Call) and isinstance(given.func, ast.Name) and (
        given.func.id == "range" and ex.is_api(f, "range")
    ):
        reverse_range(f, given, state)
        return item, lambda body: f.emit(bc.RANGE, state, item, body)
    source = f.put(ex.value(f, given), f.temp())
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


SPECIAL = {
    "range": over_range,
    "enumerate": over_enumerate,
    "zip": over_zip,
    "reversed": over_reversed,
}


# --- comprehensions --------------------------------------------------------------
def each_of(f: Code, node: ast.expr, body: Callable[[int], None], out: Label) -> None:
    """Compiles `body(item)` for every item; `out` is placed after the loop."""
    keep = f.top
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        comprehension(f, node, 0, body)
    else:
        item, advance = start(f, node)
        run(f, advance, lambda: body(ex.group(f, item)))
    f.place(out)
    f.top = keep


def run(f: Code, advance: Advance, body: Callable[[], None]) -> None:
    """Emits the loop around a body: the test is at the bottom."""
    first, test = Label(), Label()
    f.emit(bc.JUMP, test)
    f.place(first)
    keep = f.top
    body()
    f.top = keep
    f.place(test)
    advance(first)


def comprehension(
    f: Code, node: ast.GeneratorExp | ast.ListComp, depth: int, body: Callable[[int], None]
) -> None:
    """Compiles the `for` number `depth` of a comprehension and those inside it."""
    clause = node.generators[depth]
    item, advance = start(f, clause.iter)
    f.inner_names.append({})
    f.comprehensions += 1

    def inside() -> None:
        bind_inner(f, clause.target, item)
        skip = Label()
        for test in clause.ifs:
            conditions.jump_if(f, test, skip, False)
        if depth + 1 < len(node.generators):
            comprehension(f, node, depth + 1, body)
        else:
            body(ex.value(f, node.elt))
        f.place(skip)

    run(f, advance, inside)
    f.comprehensions -= 1
    f.inner_names.pop()


def bind_inner(f: Code, target: ast.expr, item: Item) -> None:
    """Gives the names of a comprehension's target their registers."""
    if isinstance(target, ast.Name):
        f.inner_names[-1][target.id] = item
    elif isinstance(target, ast.Tuple):
        parts = item if isinstance(item, tuple) else unpacked(f, item, len(target.elts))
        if len(parts) != len(target.elts):
            raise Refused(target, "the number of names does not fit", "name every part")
        for part, register in zip(target.elts, parts, strict=True):
            bind_inner(f, part, register)
    else:
        raise Refused(target, "a loop variable is a name", "for r in obs.rays")


def unpacked(f: Code, operand: int, count: int) -> tuple[int, ...]:
    """Compiles taking a sequence apart into `count` registers."""
    f.emit(bc.SHAPE, operand, count)
    registers = f.temp(count)
    for i in range(count):
        f.emit(bc.INDEX, registers + i, operand, f.constant(float(i)))
    return tuple(range(registers, registers + count))


def list_of(f: Code, node: ast.ListComp, into: int | None) -> int:
    """Compiles `[f(x) for x in items if ...]`."""
    register = ex.sequence(f, values.T_LIST, [], None)
    each_of(f, node, lambda item: f.emit(bc.APPEND, register, item, 0), Label())
    return f.put(register, into)
