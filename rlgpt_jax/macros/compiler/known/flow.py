"""Follows the values of a program through it, to fill the `Kinds` of `kinds.py`."""

import ast
from collections.abc import Collection, Iterable

from rlgpt_jax.macros.compiler.code import Shared
from rlgpt_jax.macros.compiler.known import kinds as k
from rlgpt_jax.macros.compiler.known.kinds import Kind, Kinds
from rlgpt_jax.macros.compiler.pool import Table
from rlgpt_jax.macros.compiler.tree.scopes import (
    Scope,
    Variable,
    constant_named,
    every_arg,
    has_stars,
    own_nodes,
    resolve,
)

MAKERS = {
    ast.Dict: k.DICT,
    ast.DictComp: k.DICT,
    ast.Set: k.SET,
    ast.SetComp: k.SET,
    ast.List: k.LIST,
    ast.ListComp: k.LIST,
    ast.GeneratorExp: k.LIST,
    ast.Starred: k.LIST,
    ast.Slice: k.LIST,
    ast.Tuple: k.TUPLE,
}


FOLLOWED = (
    *MAKERS, ast.Assign, ast.NamedExpr, ast.AugAssign, ast.For, ast.comprehension, ast.Lambda,
    ast.Return, ast.Call,
)  # fmt: skip


def infer(
    modules: list[Scope], entry: Scope, shared: Shared, old: Collection[Variable] | None = None
) -> Kinds:
    """Returns what the values of a program may be.

    Args:
      old: variables whose observations may be of an earlier tick, if that matters.
    """
    found = Kinds(records=shared.vocabulary.spec is None, old=0 if old is None else k.OLD)
    for variable in old or ():
        found.put(variable, Kind(k.OLD))
    for action in shared.actions:
        found.put(action, Kind(k.ACTION))
    scopes = [scope for module in modules for scope in module.every()]
    for scope in scopes:
        for node in own_nodes(scope.node):
            found.containers |= MAKERS.get(type(node), 0)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found.containers |= k.RETURNS.get(node.func.id, 0)
        for value in scope.constants.values():
            kind = k.of_constant(value)
            if kind.bits & k.TUPLE and kind.item is not None:
                found.contain(kind.item, shared=False)
    found.put((entry, entry.params[0]), Kind(k.OBS))
    for argument in shared.arguments:
        found.put((entry, argument.name), k.A_NUMBER)
    nodes = [
        (scope, node) for scope in scopes for node in own_nodes(scope.node) if is_followed(node)
    ]
    while found.changed:
        found.changed = False
        for scope, node in nodes:
            follow(found, scope, node)
        for scope in scopes:
            for name, value in scope.default_nodes():
                found.put((scope, name), found.of(scope.parent or scope, value))
    for scope in scopes:  # what nothing here knows of may be anything
        for name in scope.variables:
            if (scope, name) not in found.variables:
                found.variables[(scope, name)] = found.unknown
    return found


def is_followed(node: ast.AST) -> bool:
    """Says whether a node moves values: the others are only asked what they are."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mult)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice)
    return isinstance(node, FOLLOWED)


def follow(found: Kinds, scope: Scope, node: ast.AST) -> None:
    """Follows one statement or expression."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            assign(found, scope, target, found.of(scope, node.value), node.value)
    elif isinstance(node, ast.NamedExpr):
        assign(found, scope, node.target, found.of(scope, node.value), node.value)
    elif isinstance(node, ast.AugAssign):
        old = found.of(scope, node.target)
        value = found.of(scope, node.value)
        new = k.operated(node.op, old, value)
        if old.bits & k.LIST and isinstance(node.op, ast.Add):
            found.contain(found.item(value))
            new = k.join(new, Kind(k.LIST, found.item(value)))
        assign(found, scope, node.target, new, None)
    elif isinstance(node, ast.For):
        loop(found, scope, node, inner=False)
    elif isinstance(node, ast.comprehension):
        loop(found, scope, node, inner=True)
    elif isinstance(node, ast.Lambda) and id(node) not in found.called_lambdas:
        for arg in every_arg(node.args):
            found.put_inner(scope, arg.arg, found.unknown)
    elif isinstance(node, ast.Return) and node.value is not None:
        found.put(scope, found.of(scope, node.value))
    elif isinstance(node, ast.Call):
        called(found, scope, node)
    elif isinstance(node, ast.expr) and type(node) in (*MAKERS, ast.BinOp, ast.Subscript):
        inside(found, scope, node)


def loop(found: Kinds, scope: Scope, node: ast.For | ast.comprehension, inner: bool) -> None:
    """Follows the items of a loop, or of a comprehension, into its names."""
    target = node.target
    parts = columns(found, scope, node.iter) if isinstance(target, ast.Tuple | ast.List) else []
    if isinstance(target, ast.Tuple | ast.List) and len(parts) == len(target.elts):
        for part, kind in zip(target.elts, parts, strict=True):
            assign(found, scope, part, kind, None, inner)
    else:
        assign(found, scope, target, items_of(found, scope, node.iter), None, inner)


def columns(found: Kinds, scope: Scope, node: ast.expr) -> list[Kind]:
    """Returns what the parts of the items of a loop may be; nothing where only all are known."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        items = [items_of(found, scope, arg) for arg in node.args]
        if node.func.id == "enumerate":
            return [k.A_NUMBER, *items[:1]]
        return items if node.func.id == "zip" else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        table = constant_named(scope, owner.id) if isinstance(owner, ast.Name) else None
        if isinstance(table, Table) and node.func.attr == "items":
            return [found.item(found.of_named(row)) for row in (table.keys, table.values)]
        return []
    if isinstance(node, ast.Tuple | ast.List):
        rows = [e.elts for e in node.elts if isinstance(e, ast.Tuple | ast.List)]
        if len(rows) == len(node.elts) and len({len(row) for row in rows}) == 1:
            return [k.joined([found.of(scope, x) for x in c]) for c in zip(*rows, strict=True)]
    constant = constant_named(scope, node.id) if isinstance(node, ast.Name) else None
    if isinstance(constant, tuple) and all(isinstance(row, tuple) for row in constant):
        if len({len(row) for row in constant}) == 1:
            return [found.item(k.of_constant(c)) for c in zip(*constant, strict=True)]
    return []


def items_of(found: Kinds, scope: Scope, node: ast.expr) -> Kind:
    """Returns what a loop over an expression gives; nobody else has a display's list."""
    if isinstance(node, ast.List | ast.Set):
        return k.joined([found.of(scope, item) for item in node.elts])
    return found.item(found.of(scope, node))


def inside(found: Kinds, scope: Scope, node: ast.expr) -> None:
    """Notes what a display, a comprehension, a slice, a sum or a call puts together."""
    kind = found.of(scope, node)
    if kind.bits & k.CONTAINERS and kind.item is not None:
        found.contain(kind.item, shared=bool(kind.bits & k.SHARED))


def assign(
    found: Kinds, scope: Scope, target: ast.expr, kind: Kind, source: ast.expr | None,
    inner: bool = False,
) -> None:  # fmt: skip
    """Follows a value into what it is assigned to, `inner` if that is a comprehension's."""
    if isinstance(target, ast.Name) and inner:
        found.put_inner(scope, target.id, kind)
    elif isinstance(target, ast.Name):
        variable = resolve(scope, target.id)
        if isinstance(variable, tuple):
            found.put(variable, kind)
    elif isinstance(target, ast.Tuple | ast.List):
        if isinstance(source, ast.Tuple | ast.List) and len(source.elts) == len(target.elts):
            for part, item in zip(target.elts, source.elts, strict=True):
                assign(found, scope, part, found.of(scope, item), item)
            return
        for part in target.elts:
            assign(found, scope, part, found.item(kind), None, inner)
    elif isinstance(target, ast.Starred):
        found.contain(kind)
        assign(found, scope, target.value, k.holding(k.LIST, kind), None, inner)
    elif isinstance(target, ast.Subscript):
        if isinstance(target.slice, ast.Slice):
            kind = found.item(kind)
        else:
            found.contain(found.of(scope, target.slice))
        found.contain(kind)
        owner = resolve(scope, target.value.id) if isinstance(target.value, ast.Name) else None
        if isinstance(owner, tuple) and owner in found.variables:
            found.put(owner, Kind(0, kind))


def called(found: Kinds, scope: Scope, node: ast.Call) -> None:
    """Follows arguments into parameters, and into containers."""
    given = [found.of(scope, arg) for arg in node.args]
    if isinstance(node.func, ast.Attribute):
        if node.func.attr in k.PUTS:
            put_in(found, scope, node.func.value, given)
        inside(found, scope, node)
        for keyword in node.keywords:
            if keyword.arg == "key":  # of xs.sort
                callback(found, scope, keyword.value, [found.of(scope, node.func.value)])
        return
    target = resolve(scope, node.func.id) if isinstance(node.func, ast.Name) else None
    if isinstance(target, Scope):
        to_parameters(found, scope, node, [target])
    elif target is not None or not isinstance(node.func, ast.Name):
        to_parameters(found, scope, node, [s for s in scope.module.every() if s.is_value])
    else:
        inside(found, scope, node)
        for keyword in node.keywords:
            if keyword.arg == "key":
                callback(found, scope, keyword.value, given)


def callback(found: Kinds, scope: Scope, function: ast.expr, given: list[Kind]) -> None:
    """Follows the items of `given` into a function that is called with them."""
    target = resolve(scope, function.id) if isinstance(function, ast.Name) else None
    items = k.joined([found.item(kind) for kind in given] + (given if len(given) > 1 else []))
    if isinstance(function, ast.Lambda):
        found.called_lambdas.add(id(function))
        for arg in function.args.args:
            found.put_inner(scope, arg.arg, items)
    if isinstance(target, Scope):
        for param in target.params:
            found.put((target, param), items)


def put_in(found: Kinds, scope: Scope, owner: ast.expr, given: list[Kind]) -> None:
    """Notes what `append` and the like put into a container."""
    items = k.joined([*given, *(found.item(kind) for kind in given)])
    found.contain(items)
    variable = resolve(scope, owner.id) if isinstance(owner, ast.Name) else None
    if isinstance(variable, tuple) and variable in found.variables:
        found.put(variable, Kind(0, items))


def to_parameters(found: Kinds, scope: Scope, node: ast.Call, targets: Iterable[Scope]) -> None:
    starred = has_stars(node)
    for target in targets:
        if starred:
            for param in target.params:
                found.put((target, param), found.unknown)
        for param, arg in zip(target.positional, node.args, strict=False):
            found.put((target, param), found.of(scope, arg))
        for keyword in node.keywords:
            if keyword.arg in target.params:
                found.put((target, keyword.arg), found.of(scope, keyword.value))
        gathered(found, scope, node, target)


def gathered(found: Kinds, scope: Scope, node: ast.Call, target: Scope) -> None:
    """Follows arguments into *args and **kwargs."""
    args = getattr(target.node, "args", None)
    if args is not None and args.vararg is not None:
        rest = [found.of(scope, arg) for arg in node.args[len(target.positional) :]]
        found.contain(k.joined(rest))
        found.put((target, args.vararg.arg), k.holding(k.TUPLE, k.joined(rest)))
    if args is not None and args.kwarg is not None:
        others = [found.of(scope, w.value) for w in node.keywords if w.arg not in target.params]
        found.contain(k.joined([*others, k.A_NAME]))
        found.put((target, args.kwarg.arg), k.holding(k.DICT, k.joined([*others, k.A_NAME])))
