"""Where the variables of a program get their values, and where its functions are called."""

import ast
from collections import Counter

from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.compiler.tree.scopes import (
    Scope,
    Variable,
    comprehension_targets,
    own_nodes,
    resolve,
)

Binding = tuple[Scope, ast.expr, ast.expr, bool]  # where, target, value, iterated over


class Index:
    """Where each variable of a program is assigned, and where each function is called."""

    def __init__(self, module: Scope):
        self.stores: Counter[Variable] = Counter()
        self.bindings: dict[Variable, list[Binding]] = {}
        self.calls: dict[Scope, list[tuple[Scope, ast.Call]]] = {}
        for scope in module.every():
            inner = comprehension_targets(scope.node)
            for node in own_nodes(scope.node):
                self.note(scope, node, inner)

    def note(self, scope: Scope, node: ast.AST, inner: set[int]) -> None:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            if id(node) not in inner:
                self.store(scope, node.id)
        elif isinstance(node, ast.MatchAs) and node.name is not None:
            self.store(scope, node.name)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = resolve(scope, node.func.id)
            if isinstance(called, Scope):
                self.calls.setdefault(called, []).append((scope, node))
        for target, value, iterated in bindings(node):
            for part in work.walk(target):
                variable = resolve(scope, part.id) if isinstance(part, ast.Name) else None
                if isinstance(variable, tuple):
                    found = self.bindings.setdefault(variable, [])
                    found.append((scope, target, value, iterated))

    def store(self, scope: Scope, name: str) -> None:
        variable = resolve(scope, name)
        if isinstance(variable, tuple):
            self.stores[variable] += 1


def is_inner(scope: Scope, place: ast.Name) -> bool:
    """Says whether a name may be that of a comprehension or of a lambda."""
    for node in own_nodes(scope.node):
        if "generators" in node.__dict__ and place.id in names_of(node)[0]:
            return True
        if isinstance(node, ast.Lambda) and any(a.arg == place.id for a in node.args.args):
            return True
    return False


def names_of(node: ast.AST) -> tuple[set[str], set[int]]:
    """Returns the names that a comprehension binds, and the ids of all names inside."""
    found = node.__dict__.get("names_of")
    if found is None:
        bound = {
            n.id
            for part in node.__dict__["generators"]
            for n in work.walk(part.target)
            if isinstance(n, ast.Name)
        }
        found = bound, {id(n) for n in work.walk(node) if isinstance(n, ast.Name)}
        node.__dict__["names_of"] = found
    return found


def bindings(node: ast.AST) -> list[tuple[ast.expr, ast.expr, bool]]:
    """Returns targets, values and whether the value is iterated over."""
    if isinstance(node, ast.Assign):
        return [(target, node.value, False) for target in node.targets]
    if isinstance(node, ast.NamedExpr):
        return [(node.target, node.value, False)]
    if isinstance(node, ast.For):
        return [(node.target, node.iter, True)]
    return []
