"""How much work one compilation may be, and the walks through the tree that it counts.

The passes of the compiler look at some nodes many times: kinds and records are followed
until nothing changes, liveness goes round loops, a tuple may hold another tuple many
times. Each of them charges what it does here, so that no source, however short, takes
longer than `bytecode.MAX_WORK` steps of about a microsecond each. The count depends on the
source alone: what is accepted once is accepted everywhere.
"""

import ast
import threading
from collections.abc import Iterator
from functools import cache

from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm.bytecode import MAX_WORK

# Fields that hold no nodes worth a visit: contexts, operators and text.
_LEAVES = {"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment", "type_ignores"}


class _Work(threading.local):
    """Steps that the compilation of this thread has left."""

    left = MAX_WORK


_work = _Work()


def begin() -> None:
    """Starts the count of a compilation."""
    _work.left = MAX_WORK


def spent() -> int:
    """Returns the steps since `begin`."""
    return MAX_WORK - _work.left


def charge(steps: int = 1) -> None:
    """Counts steps of work. Raises `Refused` when there were too many."""
    _work.left -= steps
    if _work.left < 0:
        raise Refused(
            None,
            "the macro is too large or too tangled to compile",
            "write a shorter macro: some 400 lines, with few names per function",
        )


def children(node: ast.AST) -> list[ast.AST]:
    """Returns the nodes right below one, in the order of the source.

    As `ast.iter_child_nodes`, without contexts and operators, which nobody looks for.
    """
    found: list[ast.AST] = []
    values = node.__dict__
    for name in fields(type(node)):  # type: ignore[arg-type]  # of a class
        value = values.get(name)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
    return found


@cache
def fields(kind: type[ast.AST]) -> tuple[str, ...]:
    return tuple(name for name in kind._fields if name not in _LEAVES)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yields a node and all below it, as `ast.walk`, and charges for them."""
    todo = [node]
    while todo:
        item = todo.pop()
        yield item
        below = children(item)
        charge(1 + len(below))
        todo += below
