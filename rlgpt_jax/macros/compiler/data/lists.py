"""Lists and tuples: slices, sums, methods, and sorting."""

import ast

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.calling.signatures import bound
from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.data import extremes, iterators, loops, mappings, sets, within
from rlgpt_jax.macros.compiler.data.mappings import Method, simple
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

SMALL = 64  # elements that a display or `[x] * n` may write one by one


# --- displays, slices, sums --------------------------------------------------------
def slice_of(f: Code, node: ast.Subscript, into: int | None) -> int:
    """Compiles `xs[a:b:c]`."""
    assert isinstance(node.slice, ast.Slice)
    ends = [part or f.constant(None) for part in (node.slice.lower, node.slice.upper)]
    step = node.slice.step or f.constant(1.0)
    return within.routine_with(f, "_slice", [node.value, *ends, step], into)


def concatenated(f: Code, node: ast.BinOp, into: int | None) -> int:
    """Compiles `a + b` where both may be lists or tuples."""
    left = f.kept(node.left)
    right = f.kept(node.right)
    return within.either(f, bc.ADD, (left, right), node.left, kinds.ROWS, "_concatenate", into)


def repeated(f: Code, node: ast.BinOp, into: int | None) -> int:
    """Compiles `[x] * n` and `n * xs`."""
    row, count = node.left, node.right
    if facts.may_be(f, count, kinds.ROWS) and not facts.may_be(f, row, kinds.ROWS):
        row, count = count, row
    times = facts.constant_of(f, count)
    if isinstance(row, ast.List) and isinstance(times, float) and times.is_integer():
        if len(row.elts) * times <= SMALL:
            items = [f.kept(item) for item in row.elts]
            return f.sequence(values.T_LIST, items * int(times), into)
    left, right = f.kept(row), f.kept(count)
    return within.either(f, bc.MUL, (left, right), row, kinds.ROWS, "_times", into)


def lengthened(f: Code, node: ast.AugAssign, owner: int) -> int:
    """Compiles `xs += ys`: a list grows, a tuple is made anew, numbers are added."""
    owner, register, added = f.put(owner, f.temp()), f.temp(), node.value
    if not (iterators.is_iterator(f, added) or facts.table_of(f, added)):
        name = ast.copy_location(ast.Name("what is added", ast.Load()), added)
        f.inner_names.append({name.id: f.kept(added)})
        f.shared.kinds.hints[name.id] = facts.kind_of(f, added)
        added = name

    def lengthen() -> None:
        row = f.put(iterators.as_row(f, added), f.temp())
        within.routine(f, "_lengthen", [owner, row], register)

    def add() -> None:
        f.emit(bc.ADD, register, owner, f.value(added))

    within.by_kind(f, owner, facts.kind_of(f, node.target).bits, kinds.ROWS, add, lengthen)
    if added is not node.value:
        f.inner_names.pop()
    return register


# --- comparing -----------------------------------------------------------------------
def compares_rows(f: Code, a: ast.expr, b: ast.expr) -> bool:
    """Says whether `a == b` may need more than one instruction.

    The instruction compares flat rows of up to 8 elements.
    """
    left, right = facts.kind_of(f, a), facts.kind_of(f, b)
    both = left.bits & right.bits
    if both & (kinds.DICT | kinds.SET):
        return True
    if is_short(f, a) or is_short(f, b):
        return False
    if both & kinds.LIST:
        return True
    items = f.shared.kinds.item(left).bits & f.shared.kinds.item(right).bits
    return bool(both & kinds.TUPLE and items & kinds.CONTAINERS)


def is_short(f: Code, node: ast.expr) -> bool:
    """Says whether an expression is a flat row of up to 8 elements, or a constant one."""
    constant = facts.constant_of(f, node)
    if isinstance(constant, tuple):
        return len(constant) <= 8 and not any(isinstance(x, tuple) for x in constant)
    if not isinstance(node, ast.Tuple | ast.List):
        return False
    return len(node.elts) <= 8 and not any(facts.may_be(f, x, kinds.CONTAINERS) for x in node.elts)


# --- methods -------------------------------------------------------------------------
def append(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    item = bound(node, "append", ["item"], 1)["item"]
    row = f.value(owner)
    f.emit(bc.APPEND, row, f.value(item), 0)
    return f.put(f.constant(None), into)


def pop(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `xs.pop()`, `xs.pop(i)`, `d.pop(key)` and `d.pop(key, other)`."""
    given = bound(node, "pop", ["index", "default"], 0)
    place = given.get("index", f.constant(-1.0))
    if "default" in given:
        args = [owner, place, given["default"], f.constant(False)]
        return within.routine_with(f, "_dict_remove", args, into)
    return within.routine_with(f, "_pop", [owner, place], into)


def appendleft(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    item = bound(node, "appendleft", ["item"], 1)["item"]
    return within.routine_with(f, "_insert", [owner, f.constant(0.0), item], into)


def extend(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    items = bound(node, "extend", ["items"], 1)["items"]
    row = f.kept(owner)
    if isinstance(items, loops.Comprehension) or iterators.is_iterator(f, items):
        loops.each_of(f, items, lambda item: f.emit(bc.APPEND, row, item, 0))
    else:
        within.routine(f, "_extend", [row, iterators.as_row(f, items)])
    return f.put(f.constant(None), into)


def sort(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `xs.sort(key=..., reverse=...)`."""
    if node.args:
        raise Refused(node, "sort takes key= and reverse= only", "xs.sort(key=lambda x: ...)")
    row = f.kept(owner)
    f.shared.kinds.hints["row to sort"] = facts.kind_of(f, owner)
    f.inner_names.append({"row to sort": row})
    name = ast.copy_location(ast.Name("row to sort", ast.Load()), node)
    made = in_order(f, node, name, {k.arg: k.value for k in node.keywords})
    f.inner_names.pop()
    within.routine(f, "_refill", [row, made])
    return f.put(f.constant(None), into)


METHODS: dict[str, Method] = {
    "append": append,
    "pop": pop,
    "popleft": simple("_pop", "popleft", [], 0, 0.0),
    "appendleft": appendleft,
    "insert": simple("_insert", "insert", ["index", "item"], 2),
    "remove": simple("_remove", "remove", ["item"], 1),
    "extend": extend,
    "index": simple("_place_of", "index", ["item"], 1),
    "reverse": simple("_reverse", "reverse", [], 0),
    "clear": simple("_clear", "clear", [], 0),
    "copy": simple("_copy", "copy", [], 0),
    "sort": sort,
    **mappings.METHODS,
    **sets.METHODS,
}


def count(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int | None:
    """Compiles `xs.count(x)`; returns None if the owner can only be an observation."""
    if not facts.may_be(f, owner, kinds.ROWS):
        return None
    item = bound(node, "count", ["item"], 1)["item"]
    if facts.is_surely(f, owner, kinds.ROWS) or not f.shared.vocabulary.questions:
        return within.routine_with(f, "_occurrences", [owner, item], into)
    row, wanted = f.kept(owner), f.kept(item)
    register = f.temp()

    def in_row() -> None:
        within.routine(f, "_occurrences", [row, wanted], register)

    within.by_tag(f, row, [values.T_OBS], in_row, lambda: f.emit(bc.COUNT, register, row, wanted))
    return f.put(register, into)


# --- sorting -------------------------------------------------------------------------
def in_order(f: Code, node: ast.Call, items: ast.expr, options: dict) -> int:
    """Makes a sorted list of the items of anything."""
    if set(options) - {"key", "reverse"}:
        raise Refused(
            node,
            "sorted takes key= and reverse= only",
            "sorted(items, key=lambda x: ..., reverse=True)",
        )
    key = extremes.key_option(f, options)
    rows = extremes.scores_rows(f, items, key)
    back = facts.constant_of(f, options["reverse"]) if "reverse" in options else False
    negated = not rows and back in (True, 1.0)
    cells = f.sequence(values.T_LIST, [], None)
    score = f.temp()

    def add(item: int) -> None:
        kept = f.put(item, f.temp())
        scored = extremes.key_of(f, node, key, kept, score, items)
        if negated:
            f.emit(bc.NEG, score, scored)
            scored = score
        elif not rows:
            f.emit(bc.NUMBER, score, scored)
            scored = score
        f.emit(bc.APPEND, cells, scored, 0)
        f.emit(bc.APPEND, cells, kept, 0)

    loops.each_of(f, items, add)
    if rows or back is MISSING:
        backwards: ast.expr | int = f.constant(back in (True, 1.0))
        if back is MISSING:
            backwards = options["reverse"]
        return within.routine_with(f, "_sort_rows", [cells, backwards])
    return within.routine(f, "_sort", [cells])


def first_of_sorted(f: Code, node: ast.Subscript, into: int | None) -> int | None:
    """Compiles `sorted(...)[0]` and `[-1]` as the least or greatest; else None."""
    call, place = node.value, facts.constant_of(f, node.slice)
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return None
    if call.func.id != "sorted" or not facts.is_api(f, "sorted") or place not in (0.0, -1.0):
        return None
    options = {k.arg: k.value for k in call.keywords}
    back = facts.constant_of(f, options.pop("reverse")) if "reverse" in options else False
    if back is MISSING or set(options) - {"key"} or len(call.args) != 1:
        return None
    least = (back in (False, 0.0)) == (place == 0.0)
    return extremes.best(
        f, call, call.args[0], options, bc.MIN if least else bc.MAX, into, last=place == -1.0
    )
