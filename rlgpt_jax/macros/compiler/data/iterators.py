"""Iteration: what `for` and comprehensions run over.

An iterator is compiled in two steps. `start` evaluates what is iterated and returns the
item (a register, or a nested tuple of registers for enumerate and zip) and `advance`.
`advance(body)` emits code that sets the item's registers and jumps to `body`, or falls
through when nothing is left. Nothing is allocated.
"""

import ast

from rlgpt_jax.macros.compiler.calling.signatures import bound
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import text, walks
from rlgpt_jax.macros.compiler.known import facts, kinds, rows
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


def over_generator(f: Code, node: ast.GeneratorExp) -> tuple[walks.Item, walks.Advance]:
    """Iterates over `f(x) for x in items if ...` without making a list."""
    clause = node.generators[0]
    source, inner = start(f, clause.iter)
    elements = node.elt.elts if isinstance(node.elt, ast.Tuple) else [node.elt]
    split = isinstance(node.elt, ast.Tuple) and not walks.has_star(node.elt)
    item = tuple(f.temp() for _ in elements) if split else f.temp()

    def advance(body: Label) -> None:
        test, out = Label(), Label()
        keep = f.top
        f.place(test)
        walks.go_on(f, inner, out)
        f.inner_names.append({})
        f.comprehensions += 1
        walks.bind_inner(f, clause.target, source)
        for condition in clause.ifs:
            f.jump_if(condition, test, False)
        if isinstance(item, tuple):
            for register, element in zip(item, elements, strict=True):
                f.value(element, register)
        else:
            f.value(node.elt, item)
        f.comprehensions -= 1
        f.inner_names.pop()
        f.emit(bc.JUMP, body)
        f.place(out)
        f.top = keep

    return item, advance


def over_map(f: Code, node: ast.Call, hint: int | None) -> tuple[walks.Item, walks.Advance]:
    return start(f, generator_of(f, node), hint)


def generator_of(f: Code, node: ast.Call) -> ast.GeneratorExp:
    """Writes `map(g, xs)` and `filter(g, xs)` as generator expressions."""
    assert isinstance(node.func, ast.Name)
    name, function = node.func.id, node.args[0] if node.args else None
    if (
        function is None
        or len(node.args) < 2
        or node.keywords
        or walks.has_star(ast.Tuple(node.args, ast.Load()))
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
        f.shared.kinds.hints[item] = f.shared.kinds.item(facts.kind_of(f, source))
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
    if (
        isinstance(given, ast.Call)
        and isinstance(given.func, ast.Name)
        and (given.func.id == "range" and facts.is_api(f, "range"))
    ):
        walks.reverse_range(f, given, state)
        return item, lambda body: f.emit(bc.RANGE, state, item, body)
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


def over_iter(f: Code, node: ast.Call, hint: int | None) -> tuple[walks.Item, walks.Advance]:
    return start(f, bound(node, "iter", ["items"], 1)["items"], hint)


SPECIAL = {
    "range": walks.over_range,
    "enumerate": over_enumerate,
    "zip": over_zip,
    "reversed": over_reversed,
    "map": over_map,
    "filter": over_map,
    "iter": over_iter,
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
        if len(node.generators) == 1:
            return over_generator(f, node)
        return walks.over_sequence(f, f.list_of(node, None), hint)
    if isinstance(node, ast.List | ast.Set):
        constant = facts.constant_of(f, ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))
        if constant is not MISSING:  # the list cannot be reached: no need to make it
            return walks.over_sequence(f, f.constant(constant), hint)
    table = facts.table_of(f, node)
    if table is not None:
        return walks.over_sequence(f, f.constant(table.keys), hint)
    letters = text.letters(f, node)
    if letters is not None:
        return walks.over_sequence(f, letters, hint)
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
