"""Loops over what can be iterated: comprehensions, sum, min, max, any, all. See `iterators.py`."""

import ast
from collections.abc import Callable

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import iterators, walks
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

# --- comprehensions --------------------------------------------------------------
Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp


def each_of(f: Code, node: ast.expr, body: Callable[[int], None]) -> None:
    """Compiles `body(item)` for every item."""
    keep = f.top
    if isinstance(node, Comprehension):
        comprehension(f, node, 0, lambda element: body(f.value(element)))
    else:
        item, advance = iterators.start(f, node)
        run(f, advance, lambda: body(f.group(item)))
    f.top = keep


def each_pair(f: Code, node: ast.expr, body: Callable[[int, int], None]) -> None:
    """Compiles `body(a, b)` for every pair; pairs that are taken apart are not made."""

    def of_item(item: walks.Item) -> None:
        first, second = item if isinstance(item, tuple) else walks.unpacked(f, item, 2)
        body(f.group(first), f.group(second))

    def of_element(element: ast.expr) -> None:
        if isinstance(element, ast.Tuple) and len(element.elts) == 2:
            parts = [f.kept(part) for part in element.elts]
            body(*parts)
        else:
            of_item(f.value(element))

    keep = f.top
    if isinstance(node, Comprehension):
        comprehension(f, node, 0, of_element)
    else:
        item, advance = iterators.start(f, node)
        if isinstance(item, tuple) and len(item) != 2:
            raise Refused(node, "pairs of a key and a value are needed here", "")
        run(f, advance, lambda: of_item(item))
    f.top = keep


def run(f: Code, advance: walks.Advance, body: Callable[[], None]) -> None:
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
    item, advance = iterators.start(f, clause.iter)
    f.inner_names.append({})
    f.comprehensions += 1

    def inside() -> None:
        walks.bind_inner(f, clause.target, item)
        skip = Label()
        for test in clause.ifs:
            f.jump_if(test, skip, False)
        if depth + 1 < len(node.generators):
            comprehension(f, node, depth + 1, body)
        else:
            body(node.elt)
        f.place(skip)

    run(f, advance, inside)
    f.comprehensions -= 1
    f.inner_names.pop()


def list_of(f: Code, node: ast.expr, into: int | None) -> int:
    """Compiles `[f(x) for x in items if ...]`, and a list of all items of anything."""
    register = f.sequence(values.T_LIST, [], None)
    each_of(f, node, lambda item: f.emit(bc.APPEND, register, item, 0))
    return f.put(register, into)
