"""Iteration: what `for`, comprehensions and sum/min/max/any/all run over.

An iterator is compiled in two steps. `start` evaluates what is iterated and returns the
item (a register, or a nested tuple of registers for enumerate and zip) and `advance`.
`advance(body)` emits code that sets the item's registers and jumps to `body`, or falls
through when nothing is left. Nothing is allocated.
"""

import ast
from collections.abc import Callable

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import conditions, iterators, kinds, mappings, rows, text, within
from rlgpt_jax.macros.compiler import expressions as ex
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.iterators import Advance, Item
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


def start(f: Code, node: ast.expr, hint: int | None = None) -> tuple[Item, Advance]:
    """Compiles the beginning of an iteration; `hint` may receive the items."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if f.scope.trusted and node.func.id == "_pairs":
            return over_pairs(f, ex.value(f, node.args[0]), "items")
        if node.func.id in iterators.SPECIAL and ex.is_api(f, node.func.id):
            return iterators.SPECIAL[node.func.id](f, node, hint)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in PARTS and not node.args and not node.keywords:
            return over_parts(f, node.func.value, node.func.attr, hint)
    if isinstance(node, ast.GeneratorExp):
        if len(node.generators) == 1:
            return iterators.over_generator(f, node)
        return over_sequence(f, list_of(f, node, None), hint)
    if isinstance(node, ast.List | ast.Set):
        constant = ex.constant_of(f, ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))
        if constant is not ex.MISSING:  # the list cannot be reached: no need to make it
            return over_sequence(f, f.constant(constant), hint)
    table = mappings.table_of(f, node)
    if table is not None:
        return over_sequence(f, f.constant(table.keys), hint)
    letters = text.letters(f, node)
    if letters is not None:
        return over_sequence(f, letters, hint)
    if isinstance(ex.constant_of(f, node), float | str | bool | None.__class__):
        raise Refused(
            node, "this cannot be iterated over", "use range(n), a tuple, a list or obs.rays"
        )
    if mappings.may_be(f, node, kinds.DICT | kinds.SET):
        return over_container(f, node, hint)
    keeper = rows.keeper(mappings.kind_of(f, node))
    if keeper:
        f.walked[f.top] = keeper
    state = f.temp(2)
    f.emit(bc.MOVE, state, ex.value(f, node))
    return over_state(f, state, hint)


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
    operand = ex.value(f, node)
    f.emit(bc.MOVE, state, mappings.view(f, node, operand))
    f.emit(bc.MOVE, state + 1, f.constant(0.0))
    item = f.temp() if hint is None else hint
    if not mappings.may_be(f, node, kinds.DICT):
        return item, lambda body: f.emit(bc.EACH, state, item, body)
    is_dict = Label()
    f.emit(bc.MOVE, steps, f.constant(True))
    f.emit(bc.JTAG, operand, values.T_DICT, is_dict)
    f.emit(bc.MOVE, steps, f.constant(False))
    f.place(is_dict)

    def advance(body: Label) -> None:
        found, out = Label(), Label()
        f.emit(bc.EACH, state, item, found)
        f.emit(bc.JUMP, out)
        f.place(found)
        f.emit(bc.JF, steps, body)
        f.emit(bc.EACH, state, unused, body)
        f.place(out)

    return item, advance


PARTS = ("items", "keys", "values")


def over_parts(f: Code, owner: ast.expr, part: str, hint: int | None) -> tuple[Item, Advance]:
    """Compiles iterating over `d.items()`, `d.keys()` or `d.values()`."""
    table = mappings.table_of(f, owner)
    if table is None:
        keeper = rows.keeper(mappings.kind_of(f, owner))
        cells = within.view(f, ex.value(f, owner), (values.T_DICT,))
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
    f.emit(bc.MOVE, state + 1, f.constant(0.0))

    def advance(body: Label) -> None:
        found, out = Label(), Label()
        f.emit(bc.EACH, state, key, found)
        f.emit(bc.JUMP, out)
        f.place(found)
        f.emit(bc.EACH, state, value, body)
        f.place(out)

    return {"items": (key, value), "keys": key, "values": value}[part], advance


def has_star(node: ast.Tuple | ast.List | ast.Set) -> bool:
    return any(isinstance(element, ast.Starred) for element in node.elts)


# --- comprehensions --------------------------------------------------------------
Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp


def each_of(f: Code, node: ast.expr, body: Callable[[int], None], out: Label) -> None:
    """Compiles `body(item)` for every item; `out` is placed after the loop."""
    keep = f.top
    if isinstance(node, Comprehension):
        comprehension(f, node, 0, lambda element: body(ex.value(f, element)))
    else:
        item, advance = start(f, node)
        run(f, advance, lambda: body(ex.group(f, item)))
    f.place(out)
    f.top = keep


def each_pair(f: Code, node: ast.expr, body: Callable[[int, int], None]) -> None:
    """Compiles `body(a, b)` for every pair; pairs that are taken apart are not made."""

    def of_item(item: Item) -> None:
        first, second = item if isinstance(item, tuple) else unpacked(f, item, 2)
        body(ex.group(f, first), ex.group(f, second))

    def of_element(element: ast.expr) -> None:
        if isinstance(element, ast.Tuple) and len(element.elts) == 2 and not has_star(element):
            parts = [f.put(ex.value(f, part), f.temp()) for part in element.elts]
            body(*parts)
        else:
            of_item(ex.value(f, element))

    keep = f.top
    if isinstance(node, Comprehension):
        comprehension(f, node, 0, of_element)
    else:
        item, advance = start(f, node)
        if isinstance(item, tuple) and len(item) != 2:
            raise Refused(node, "pairs of a key and a value are needed here", "")
        run(f, advance, lambda: of_item(item))
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
    f: Code, node: Comprehension, depth: int, body: Callable[[ast.expr], None]
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
            body(node.elt)
        f.place(skip)

    run(f, advance, inside)
    f.comprehensions -= 1
    f.inner_names.pop()


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
    source = f.put(ex.group(f, item), f.temp())
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


def list_of(f: Code, node: ast.expr, into: int | None) -> int:
    """Compiles `[f(x) for x in items if ...]`, and a list of all items of anything."""
    register = ex.sequence(f, values.T_LIST, [], None)
    each_of(f, node, lambda item: f.emit(bc.APPEND, register, item, 0), Label())
    return f.put(register, into)


def is_iterator(f: Code, node: ast.expr) -> bool:
    """Says whether an expression can only be walked through: range(...), d.items(), ..."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in iterators.SPECIAL and ex.is_api(f, node.func.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in PARTS and not node.args and not node.keywords
    return isinstance(node, ast.GeneratorExp)


def as_row(f: Code, node: ast.expr) -> int:
    """Returns something with a length and elements that has the items of anything."""
    if is_iterator(f, node):
        return list_of(f, node, None)
    table = mappings.table_of(f, node)
    if table is not None:
        return f.constant(table.keys)
    if mappings.may_be(f, node, kinds.DICT | kinds.SET):
        return list_of(f, node, None)
    return ex.value(f, node)
