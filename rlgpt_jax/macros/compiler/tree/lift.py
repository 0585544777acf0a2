"""Gives every lambda a `def`.

`near = lambda r: r.distance < 3` becomes a `def near(r)`; a lambda elsewhere becomes a
`def` in front of its statement. Those of `key=` are left: they are compiled in place.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rlgpt_jax.macros.compiler.tree.scopes import names_in
from rlgpt_jax.macros.compiler.work import charge, children, walk
from rlgpt_jax.macros.refusal import Refused

Function = ast.FunctionDef | ast.Module


def lift(tree: ast.Module) -> None:
    """Rewrites all functions of a tree, from the outside in."""
    for scope in functions(tree):
        Lifter(stored(scope, own(scope))).block(scope.body)


def own(node: ast.AST) -> list[ast.AST]:
    """Returns the nodes of a function, without those of inner ones, as they are now."""
    found: list[ast.AST] = []
    todo = list(getattr(node, "body", []))
    while todo:
        item = todo.pop()
        found.append(item)
        if not isinstance(item, ast.FunctionDef):
            todo += children(item)
    charge(len(found))
    return found


def functions(tree: ast.Module) -> Iterator[Function]:
    """Yields the module and all functions in it; those made on the way too."""
    todo: list[Function] = [tree]
    while todo:
        scope = todo.pop()
        yield scope
        todo.extend(n for n in own(scope) if isinstance(n, ast.FunctionDef))


def stored(scope: Function, nodes: list[ast.AST]) -> Counter[str]:
    """Counts the assignments of each name in a function, parameters included."""
    found: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
    if isinstance(scope, ast.FunctionDef):
        found.update(arg.arg for arg in walk(scope.args) if isinstance(arg, ast.arg))
    return found


# --- functions without a name ------------------------------------------------------
class Lifter(ast.NodeTransformer):
    """Moves the lambdas of one function into definitions."""

    def __init__(self, stored: Counter[str]):
        self.stored = stored
        self.made: list[ast.stmt] = []
        self.inner: list[set[str]] = []  # names of the comprehensions around
        self.in_place: set[int] = set()  # lambdas that are compiled where they stand
        self.count = 0

    def block(self, body: list[ast.stmt]) -> None:
        result: list[ast.stmt] = []
        for node in body:
            keep, self.made = self.made, []
            changed = self.statement(node)
            result.extend(self.made)
            result.extend(changed)
            self.made = keep
        body[:] = result

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        named = self.named(node)
        if named is not None:
            return [named]
        if isinstance(node, ast.FunctionDef):  # its body has its own turn
            node.args.defaults = [self.visit(d) for d in node.args.defaults]
            node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
            return [node]
        for name, part in ast.iter_fields(node):
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                self.block(part)
            elif isinstance(part, list):
                visited = [self.visit(p) if isinstance(p, ast.expr) else p for p in part]
                setattr(node, name, visited)
            elif isinstance(part, ast.AST):
                setattr(node, name, self.visit(part))
        return [node]

    def named(self, node: ast.stmt) -> ast.FunctionDef | None:
        """Returns the definition that `name = lambda ...` is."""
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            return None
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name) and isinstance(value, ast.Lambda):
            refuse_yield(value)
            if self.stored[target.id] == 1:
                return definition(target.id, value)
        return None

    def visit_Call(self, node: ast.Call) -> Any:
        for keyword in node.keywords:
            if keyword.arg == "key" and isinstance(keyword.value, ast.Lambda):
                self.in_place.add(id(keyword.value))
        return self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        refuse_yield(node)
        if id(node) in self.in_place:
            return self.generic_visit(node)
        names = names_in(node)
        names -= {arg.arg for arg in walk(node.args) if isinstance(arg, ast.arg)}
        for inner in self.inner:
            if names & inner:
                raise Refused(
                    node,
                    f"a lambda inside a comprehension reads {min(names & inner)}",
                    "append the lambda to a list in a for loop, or pass the value as an argument",
                )
        self.count += 1
        name = f"lambda {self.count} of line {node.lineno}"
        self.made.append(definition(name, node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def comprehension(self, node: Any) -> Any:
        self.inner.append({name for part in node.generators for name in names_in(part.target)})
        self.generic_visit(node)
        self.inner.pop()
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension


def refuse_yield(node: ast.Lambda) -> None:
    if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in walk(node.body)):
        raise Refused(node, "yield inside a lambda", "write a def")


def definition(name: str, node: ast.Lambda) -> ast.FunctionDef:
    body = ast.copy_location(ast.Return(node.body), node.body)
    made = ast.FunctionDef(name, node.args, [body], [])
    made.returns, made.type_comment = None, None
    return ast.copy_location(made, node)
