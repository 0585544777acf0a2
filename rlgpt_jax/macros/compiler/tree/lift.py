"""Gives every function a `def` of its own name: lambdas, second definitions, iterators.

`near = lambda r: r.distance < 3` becomes a `def near(r)`; a lambda elsewhere becomes a
`def` in front of its statement. Those that are called where they stand (as `key=`, in
`map` and `filter`) are left: they are compiled in place. A name that several functions
get becomes a variable that holds one of them. A generator that is only iterated over
becomes a function that returns a list.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rlgpt_jax.macros.compiler.work import charge, children, walk
from rlgpt_jax.macros.refusal import Refused

ITERATING = ("list", "tuple", "set", "sorted", "sum", "min", "max", "any", "all", "enumerate",
             "zip", "reversed", "frozenset", "map", "filter")  # fmt: skip
MADE = "made items"  # names with a space are ours
Function = ast.FunctionDef | ast.Module


def lift(tree: ast.Module, notices: list[str], gives: bool) -> None:
    """Rewrites all functions of a tree, from the outside in.

    Args:
      gives: says whether some `yield` stands alone, as in generators of values.
    """
    drop_replaced(tree, notices)
    if gives:
        iterators(tree)
    for scope in functions(tree):
        nodes = own(scope)
        Lifter(stored(scope, nodes)).block(scope.body)
        rename(scope, nodes)


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
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            found[node.name] += 1
    if isinstance(scope, ast.FunctionDef):
        found.update(arg.arg for arg in walk(scope.args) if isinstance(arg, ast.arg))
    return found


def drop_replaced(tree: ast.Module, notices: list[str]) -> None:
    """Removes functions outside of functions that a later one of that name replaces."""
    last = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in list(tree.body):
        if isinstance(node, ast.FunctionDef) and last[node.name] is not node:
            notices.append(
                f"line {node.lineno}: {node.name} is defined again below; only the last one counts"
            )
            tree.body.remove(node)


# --- functions without a name ------------------------------------------------------
class Lifter(ast.NodeTransformer):
    """Moves the lambdas of one function into definitions."""

    def __init__(self, stored: Counter[str]):
        self.stored = stored
        self.made: list[ast.stmt] = []
        self.inner: list[set[str]] = []  # names of the comprehensions around
        self.in_place: set[int] = set()  # lambdas that are called where they stand
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
                setattr(node, name, [self.item(item) for item in part])
            elif isinstance(part, ast.AST):
                setattr(node, name, self.visit(part))
        return [node]

    def item(self, item: Any) -> Any:
        if isinstance(item, ast.match_case):
            self.block(item.body)
            item.guard = self.visit(item.guard) if item.guard else None
            return item
        return self.visit(item) if isinstance(item, ast.expr) else item

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
        if isinstance(node.func, ast.Lambda):
            self.in_place.add(id(node.func))
        if isinstance(node.func, ast.Name) and node.func.id in ("map", "filter") and node.args:
            self.in_place.add(id(node.args[0]))
        return self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        refuse_yield(node)
        if id(node) in self.in_place:
            return self.generic_visit(node)
        names = {n.id for n in walk(node) if isinstance(n, ast.Name)}
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
        targets = {
            n.id for part in node.generators for n in walk(part.target) if isinstance(n, ast.Name)
        }
        self.inner.append(targets)
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


# --- names with several functions -----------------------------------------------------
def rename(scope: Function, nodes: list[ast.AST]) -> None:
    """Makes names that several definitions or an assignment share variables.

    `nodes` are those before lambdas became definitions, which have names of their own.
    """
    defined = [n for n in nodes if isinstance(n, ast.FunctionDef)]
    counts = Counter(node.name for node in defined)
    if not counts:
        return
    names = stored(scope, nodes)
    shared = {name for name, count in counts.items() if count > 1 or names[name]}
    if shared:
        split(scope.body, shared, Counter())


def split(body: list[ast.stmt], shared: set[str], seen: Counter[str]) -> None:
    """Gives each definition of a shared name its own, and assigns it to the name."""
    result: list[ast.stmt] = []
    for node in body:
        result.append(node)
        if isinstance(node, ast.FunctionDef):
            if node.name in shared:
                name = node.name
                seen[name] += 1
                node.name = f"{name} {seen[name]}"
                value = ast.copy_location(ast.Name(node.name, ast.Load()), node)
                target = ast.copy_location(ast.Name(name, ast.Store()), node)
                result.append(ast.copy_location(ast.Assign([target], value), node))
            continue
        for part in (p for p in walk(node) if p is node or isinstance(p, ast.match_case)):
            for _, field in ast.iter_fields(part):
                if isinstance(field, list) and field and isinstance(field[0], ast.stmt):
                    split(field, shared, seen)
    body[:] = result


# --- generators that are iterated over ------------------------------------------------
def iterators(tree: ast.Module) -> None:
    """Makes generators that are only iterated over functions that return a list."""
    nodes = list(walk(tree))
    iterated = Counter(iterations(nodes))
    made = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name in iterated]
    if not made:
        return
    names = Counter(n.name for n in nodes if isinstance(n, ast.FunctionDef))
    read = [n for n in nodes if isinstance(n, ast.Name)]
    bound = {n.id for n in read if not isinstance(n.ctx, ast.Load)}
    uses = Counter(n.id for n in read)
    for node in made:
        name = node.name
        if names[name] == 1 and name not in bound and uses[name] == iterated[name]:
            if only_gives(node) and reads_nothing_changing(tree, node):
                gather(node)


def iterations(nodes: list[ast.AST]) -> Iterator[str]:
    """Yields the functions whose calls are iterated over, once per place."""
    for node in nodes:
        parts: list[ast.expr] = []
        if isinstance(node, ast.For | ast.comprehension):
            parts = [node.iter]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            parts = node.args if node.func.id in ITERATING else []
        elif isinstance(node, ast.Starred):
            parts = [node.value]
        for part in parts:
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                yield part.func.id


def only_gives(node: ast.FunctionDef) -> bool:
    """Says whether a generator never uses what its yields evaluate to."""
    yields = [n for n in own(node) if isinstance(n, ast.Yield | ast.YieldFrom)]
    alone = [n.value for n in own(node) if isinstance(n, ast.Expr)]
    returns = [n for n in own(node) if isinstance(n, ast.Return) and n.value is not None]
    return (
        bool(yields)
        and not returns
        and all(isinstance(y, ast.Yield) and y.value is not None and y in alone for y in yields)
    )


def reads_nothing_changing(tree: ast.Module, node: ast.FunctionDef) -> bool:
    """Says whether a generator reads no outer variable that is assigned again."""
    nodes = own(node)
    read = {n.id for n in nodes if isinstance(n, ast.Name)} - set(stored(node, nodes))
    others = [stored(scope, own(scope)) for scope in functions(tree) if scope is not node]
    return all(names[name] < 2 for names in others for name in read)


def gather(node: ast.FunctionDef) -> None:
    """Rewrites a generator to append what it yields to a list, and to return that."""

    class Gathering(ast.NodeTransformer):
        def visit_FunctionDef(self, inner: ast.FunctionDef) -> Any:
            return inner

        def visit_Expr(self, item: ast.Expr) -> Any:
            if isinstance(item.value, ast.Yield) and item.value.value is not None:
                append = ast.Attribute(ast.Name(MADE, ast.Load()), "append", ast.Load())
                item.value = ast.Call(append, [item.value.value], [])
            return located(item, item)

        def visit_Return(self, item: ast.Return) -> Any:
            return located(ast.Return(ast.Name(MADE, ast.Load())), item)

    body = [Gathering().visit(item) for item in node.body]
    start = ast.Assign([ast.Name(MADE, ast.Store())], ast.List([], ast.Load()))
    end = ast.Return(ast.Name(MADE, ast.Load()))
    node.body = [located(start, node), *body, located(end, node)]


def located(node: Any, place: ast.AST) -> Any:
    for part in walk(node):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            ast.copy_location(part, place)
    return node
