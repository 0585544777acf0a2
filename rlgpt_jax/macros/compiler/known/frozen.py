"""Lists, sets and dictionaries that never change become constants of the pool.

A name that is assigned once, a display of constants, and is only ever read in ways that
cannot change it or hand it on, needs no memory, and `in` finds a name in one step.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rlgpt_jax.macros.compiler.code import Code, Shared
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.compiler.tree.scopes import (
    MISSING,
    Scope,
    Variable,
    comprehension_names,
    own_nodes,
    resolve,
)

READERS = {
    "len", "any", "all", "sum", "min", "max", "sorted", "enumerate", "zip", "reversed", "list",
    "tuple", "set", "frozenset", "dict",
}  # fmt: skip
READING_METHODS = ("get", "items", "keys", "values", "index")


def freeze(module: Scope, shared: Shared) -> None:
    """Moves such names from the variables of their scope to its constants; and tuples,
    and outside of functions constants of any sort."""
    stores: Counter[Variable] = Counter()
    handed_on: set[Variable] = set()
    for scope in module.every():
        for variable, weight in stored(scope):
            stores[variable] += weight
        harmless = harmless_reads(scope)
        for node in own_nodes(scope.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                target = resolve(scope, node.id)
                if isinstance(target, tuple) and id(node) not in harmless:
                    handed_on.add(target)
    for scope in module.every():
        f = Code(scope, shared)
        assigned = [n for n in own_nodes(scope.node) if isinstance(n, ast.Assign)]
        for assignment in sorted(assigned, key=lambda n: n.lineno):
            name = assignment.targets[0]
            if len(assignment.targets) > 1 or not isinstance(name, ast.Name):
                continue
            if stores[(scope, name.id)] != 1:
                continue
            constant = facts.constant_of(f, assignment.value)
            if scope is not module and not isinstance(constant, tuple):
                constant = MISSING
            if constant is MISSING and (scope, name.id) not in handed_on:
                constant = constant_display(f, assignment.value)
            if constant is not MISSING:
                scope.constants[name.id] = constant
                scope.variables.discard(name.id)


def stored(scope: Scope) -> Iterator[tuple[Variable, int]]:
    """Yields variables that a scope assigns, parameters counted twice."""
    for name in scope.params:
        yield (scope, name), 2
    hidden = comprehension_names(scope.node)
    for node in own_nodes(scope.node):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            target = resolve(scope, node.id)
            if isinstance(target, tuple) and id(node) not in hidden:
                yield target, 1 if isinstance(node.ctx, ast.Store) else 2
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                target = resolve(scope, name)
                if isinstance(target, tuple):
                    yield target, 2


def harmless_reads(scope: Scope) -> set[int]:
    """Returns the ids of names that are read without changing or handing on their value."""
    found: set[int] = set()
    for node in own_nodes(scope.node):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if not isinstance(node.slice, ast.Slice):
                found.add(id(node.value))
        elif isinstance(node, ast.Compare):
            for op, side in zip(node.ops, node.comparators, strict=True):
                if isinstance(op, ast.In | ast.NotIn):
                    found.add(id(side))
        elif isinstance(node, ast.For | ast.comprehension):
            found.add(id(node.iter))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in READERS and resolve(scope, node.func.id) is None:
                plain = len(node.args) == 1 or node.func.id in ("zip", "enumerate", "sum")
                found.update(id(arg) for arg in node.args if plain)
        elif isinstance(node, ast.Attribute) and node.attr in READING_METHODS:
            found.add(id(node.value))
    return found


def constant_display(f: Code, node: ast.expr) -> Any:
    """Returns a display of constants as a tuple or a `Table`; else MISSING."""
    if isinstance(node, ast.Set):
        found = facts.constant_row(f, node)
        return found if found is MISSING else tuple(dict.fromkeys(found))
    if isinstance(node, ast.List):
        return facts.constant_row(f, node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        if node.func.id in ("set", "frozenset") and facts.is_api(f, node.func.id):
            if isinstance(node.args[0], ast.List | ast.Tuple | ast.Set) and not node.keywords:
                return constant_display(f, ast.Set(node.args[0].elts))
    return facts.table(f, node)
