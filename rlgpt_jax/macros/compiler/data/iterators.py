"""Iteration: what `for` and comprehensions run over.

An iterator is compiled in two steps. `start` evaluates what is iterated and returns the
item (a register, or a nested tuple of registers for enumerate and zip) and `advance`.
`advance(body)` emits code that sets the item's registers and jumps to `body`, or falls
through when nothing is left. Nothing is allocated.
"""

import ast

from rlgpt_jax.macros.compiler.calling.signatures import bound
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import walks
from rlgpt_jax.macros.compiler.known import facts, kinds, rows
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


def over_enumerate(f: Code, node: ast.Call, hint: int | None) -> tuple[walks.Item, walks.Advance]:
    given = bound(node, "enumerate", ["items", "start"], 1)
    counter, position = f.temp(), f.temp()
    if "start" in given:
        f.value(given["start"], counter)
    else:
        f.put(f.constant(0.0), counter)
    item, inner = start(f, given["items"])

    def advance(body: Label) -> None:
        out = Label()
        walks.go_on(f, inner, out)
        f.emit(bc.MOVE, position, counter)
        f.emit(bc.ADD, counter, counter, f.constant(1.0))
        f.emit(bc.JUMP, body)
        f.place(out)

    return (position, item), advance


def over_zip(f: Code, node: ast.Call, hint: int | None) -> tuple[walks.Item, walks.Advance]:
    if any(k.arg != "strict" for k in node.keywords) or not node.args:
        raise Refused(node, "zip takes sequences only", "for a, b in zip(xs, ys)")
    parts = [start(f, arg) for arg in node.args]

    def advance(body: Label) -> None:
        out = Label()
        for _, inner in parts[:-1]:
            walks.go_on(f, inner, out)
        parts[-1][1](body)
        f.place(out)

    return tuple(item for item, _ in parts), advance


def over_reversed(f: Code, node: ast.Call, hint: int | None) -> tuple[walks.Item, walks.Advance]:
    given = bound(node, "reversed", ["items"], 1)["items"]
    state, item = f.temp(3), f.temp()
    f.put(f.constant(-1.0), state + 1)
    f.put(f.constant(-1.0), state + 2)
    source = f.put(as_row(f, given), f.temp())
    f.emit(bc.LEN, state, source)
    f.emit(bc.SUB, state, state, f.constant(1.0))

    def advance(body: Label) -> None:
        out = Label()
        walks.go_on(f, lambda found: f.emit(bc.RANGE, state, item, found), out)
        f.emit(bc.INDEX, item, source, item)
        f.emit(bc.JUMP, body)
        f.place(out)

    return item, advance


SPECIAL = {
    "range": walks.over_range,
    "enumerate": over_enumerate,
    "zip": over_zip,
    "reversed": over_reversed,
}


def start(f: Code, node: ast.expr, hint: int | None = None) -> tuple[walks.Item, walks.Advance]:
    """Compiles the beginning of an iteration; `hint` may receive the items."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if f.scope.trusted and node.func.id == "_pairs":
            return walks.over_pairs(f, f.value(node.args[0]), "items")
        if node.func.id in SPECIAL and facts.is_api(f, node.func.id):
            return SPECIAL[node.func.id](f, node, hint)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in walks.PARTS and not node.args and not node.keywords:
            return walks.over_parts(f, node.func.value, node.func.attr, hint)
    if isinstance(node, ast.GeneratorExp):
        return walks.over_sequence(f, f.list_of(node, None), hint)
    if isinstance(node, ast.List | ast.Set):
        constant = facts.constant_row(f, node)
        if constant is not MISSING:  # the list cannot be reached: no need to make it
            return walks.over_sequence(f, f.constant(constant), hint)
    table = facts.table_of(f, node)
    if table is not None:
        return walks.over_sequence(f, f.constant(table.keys), hint)
    if isinstance(facts.constant_of(f, node), float | str | bool | None.__class__):
        raise Refused(
            node, "this cannot be iterated over", "use range(n), a tuple, a list or obs.rays"
        )
    if facts.may_be(f, node, kinds.DICT | kinds.SET):
        return walks.over_container(f, node, hint)
    keeper = rows.keeper(facts.kind_of(f, node))
    if keeper:
        f.walked[f.top] = keeper
    state = f.temp(2)
    f.emit(bc.MOVE, state, f.value(node))
    return walks.over_state(f, state, hint)


def is_iterator(f: Code, node: ast.expr) -> bool:
    """Says whether an expression can only be walked through: range(...), d.items(), ..."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in SPECIAL and facts.is_api(f, node.func.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in walks.PARTS and not node.args and not node.keywords
    return isinstance(node, ast.GeneratorExp)


def as_row(f: Code, node: ast.expr) -> int:
    """Returns something with a length and elements that has the items of anything."""
    if is_iterator(f, node):
        return f.list_of(node, None)
    table = facts.table_of(f, node)
    if table is not None:
        return f.constant(table.keys)
    if facts.may_be(f, node, kinds.DICT | kinds.SET):
        return f.list_of(node, None)
    return f.value(node)
