"""Lists and tuples: slices, sums, methods, and sorting."""

import ast
from collections.abc import Callable

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.calling.signatures import bound
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import extremes, iterators, loops, mappings, sets, walks, within
from rlgpt_jax.macros.compiler.data.mappings import simple
from rlgpt_jax.macros.compiler.known import defaults, facts, kinds
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

SMALL = 64  # elements that a display or `[x] * n` may write one by one


# --- displays, slices, sums --------------------------------------------------------
def with_stars(f: Code, node: ast.Tuple | ast.List, into: int | None) -> int:
    """Compiles `[*xs, y]` and `(*xs, y)`."""
    made = f.sequence(values.T_LIST, [], None)
    for element in node.elts:
        keep = f.top
        if isinstance(element, ast.Starred):
            loops.each_of(f, element.value, lambda x: f.emit(bc.APPEND, made, x, 0), Label())
        else:
            f.emit(bc.APPEND, made, f.value(element), 0)
        f.top = keep
    if isinstance(node, ast.Tuple):
        f.emit(bc.RETAG, made, made, values.T_TUPLE)
    return f.put(made, into)


def slice_of(f: Code, node: ast.Subscript, into: int | None) -> int:
    """Compiles `xs[a:b:c]`."""
    assert isinstance(node.slice, ast.Slice)
    ends = [
        part if part is not None else f.constant(None)
        for part in (node.slice.lower, node.slice.upper)
    ]
    step = node.slice.step if node.slice.step is not None else f.constant(1.0)
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
    plain = isinstance(row, ast.List) and not walks.has_star(row)
    if plain and isinstance(times, float) and times.is_integer():
        assert isinstance(row, ast.List)
        if len(row.elts) * times <= SMALL:
            items = [f.kept(item) for item in row.elts]
            return f.sequence(values.T_LIST, items * int(times), into)
    left, right = f.kept(row), f.kept(count)
    return within.either(f, bc.MUL, (left, right), row, kinds.ROWS, "_times", into)


def adds(f: Code, node: ast.BinOp) -> bool:
    """Says whether `a + b` may put lists or tuples together."""
    return bool(facts.kind_of(f, node.left).bits & facts.kind_of(f, node.right).bits & kinds.ROWS)


def multiplies(f: Code, node: ast.BinOp) -> bool:
    return facts.may_be(f, node.left, kinds.ROWS) or facts.may_be(f, node.right, kinds.ROWS)


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

    within.by_kind(
        f,
        owner,
        facts.kind_of(f, node.target).bits,
        kinds.ROWS,
        lambda: f.emit(bc.ADD, register, owner, f.value(added)),
        lengthen,
    )
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
    return bool(both & kinds.TUPLE and items & kinds.ROWS)


def is_short(f: Code, node: ast.expr) -> bool:
    """Says whether an expression is a flat row of up to 8 elements, or a constant one."""
    constant = facts.constant_of(f, node)
    if isinstance(constant, tuple):
        return len(constant) <= 8 and not any(isinstance(x, tuple) for x in constant)
    if not isinstance(node, ast.Tuple | ast.List) or walks.has_star(node):
        return False
    return len(node.elts) <= 8 and not any(facts.may_be(f, x, kinds.ROWS) for x in node.elts)


# --- methods -------------------------------------------------------------------------
Method = Callable[[Code, ast.Call, ast.expr, int | None], int]


def append(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    item = bound(node, "append", ["item"], 1)["item"]
    row = f.value(owner)
    f.emit(bc.APPEND, row, f.value(item), 0)
    defaults.shortened(f, defaults.of_name(f, owner), row)
    return f.put(f.constant(None), into)


def refuse_longest(f: Code, owner: ast.expr, what: str) -> None:
    maker = defaults.of_name(f, owner)
    if maker is not None and maker.kind == "deque":
        raise Refused(owner, f"{what} of a deque with maxlen", "append the items in a for loop")


def pop(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `xs.pop()`, `xs.pop(i)`, `d.pop(key)` and `d.pop(key, other)`."""
    given = bound(node, "pop", ["index", "default"], 0)
    place = given.get("index", f.constant(-1.0))
    if "default" in given:
        args = [owner, place, given["default"], f.constant(False)]
        return within.routine_with(f, "_dict_remove", args, into)
    return within.routine_with(f, "_pop", [owner, place], into)


def fixed(name: str, what: str, *extra: float) -> Method:
    """Returns the compiler of a method without arguments; the routine gets `extra`."""

    def compile_call(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
        bound(node, what, [], 0)
        return within.routine_with(f, name, [owner, *map(f.constant, extra)], into)

    return compile_call


def appendleft(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    item = bound(node, "appendleft", ["item"], 1)["item"]
    row = f.kept(owner)
    within.routine_with(f, "_insert", [row, f.constant(0.0), item])
    defaults.shortened(f, defaults.of_name(f, owner), row, left=True)
    return f.put(f.constant(None), into)


def extend(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    items = bound(node, "extend", ["items"], 1)["items"]
    refuse_longest(f, owner, "extend")
    row = f.kept(owner)
    if isinstance(items, loops.Comprehension) or iterators.is_iterator(f, items):
        loops.each_of(f, items, lambda item: f.emit(bc.APPEND, row, item, 0), Label())
    else:
        within.routine(f, "_extend", [row, iterators.as_row(f, items)])
    return f.put(f.constant(None), into)


def extendleft(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    items = bound(node, "extendleft", ["items"], 1)["items"]
    refuse_longest(f, owner, "extendleft")
    row, first = f.kept(owner), f.constant(0.0)

    def put_first(item: int) -> None:
        within.routine(f, "_insert", [row, first, item])

    loops.each_of(f, items, put_first, Label())
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
    within.routine(f, "_assign_all", [row, made])
    return f.put(f.constant(None), into)


def most_common(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `counter.most_common(n)`: pairs, the most frequent first."""
    given = bound(node, "most_common", ["n"], 0)
    pairs = ast.Call(ast.Attribute(owner, "items", ast.Load()), [], [])
    names = ast.arguments([], [ast.arg("pair of a counter")], None, [], [], None, [])
    second = ast.Subscript(ast.Name("pair of a counter", ast.Load()), ast.Constant(1), ast.Load())
    made: ast.expr = ast.Call(
        ast.Name("sorted", ast.Load()), [pairs],
        [ast.keyword("key", ast.Lambda(names, second)),
         ast.keyword("reverse", ast.Constant(True))],
    )  # fmt: skip
    f.shared.kinds.hints["pair of a counter"] = kinds.Kind(kinds.TUPLE, kinds.A_NUMBER)
    if "n" in given:
        made = ast.Subscript(made, ast.Slice(None, given["n"], None), ast.Load())
    return f.value(ast.fix_missing_locations(ast.copy_location(made, node)), into)


METHODS: dict[str, Method] = {
    "append": append,
    "pop": pop,
    "popleft": fixed("_pop", "popleft", 0.0),
    "appendleft": appendleft,
    "extendleft": extendleft,
    "rotate": simple("_rotate", "rotate", ["n"], 0),
    "insert": simple("_insert", "insert", ["index", "item"], 2),
    "remove": simple("_remove", "remove", ["item"], 1),
    "extend": extend,
    "index": simple("_place_of", "index", ["item"], 1),
    "reverse": fixed("_reverse", "reverse"),
    "clear": fixed("_clear", "clear"),
    "copy": fixed("_copy", "copy"),
    "sort": sort,
    "most_common": most_common,
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
    register, is_obs, done = f.temp(), Label(), Label()
    f.emit(bc.JTAG, row, values.T_OBS, is_obs)
    within.routine(f, "_occurrences", [row, wanted], register)
    f.emit(bc.JUMP, done)
    f.place(is_obs)
    f.emit(bc.COUNT, register, row, wanted)
    f.place(done)
    return f.put(register, into)


def delete(f: Code, target: ast.expr) -> None:
    """Compiles `del xs[i]`, `del d[k]` and `del xs[a:b]`."""
    if not isinstance(target, ast.Subscript):
        raise Refused(target, "del of this is not part of the language", "assign None")
    if not isinstance(target.slice, ast.Slice):
        within.routine_with(f, "_pop", [target.value, target.slice])
        return
    if target.slice.step is not None:
        raise Refused(target, "del of a slice with a step", "write xs = [x for x in xs if ...]")
    ends = [
        part if part is not None else f.constant(None)
        for part in (target.slice.lower, target.slice.upper)
    ]
    within.routine_with(f, "_delete_part", [target.value, *ends])


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

    loops.each_of(f, items, add, Label())
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
