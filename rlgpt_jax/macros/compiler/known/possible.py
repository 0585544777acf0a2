"""Which constants a variable may hold, where that can be told when compiling."""

import ast
from typing import Any

from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.compiler.pool import ActionConstant, FunctionConstant
from rlgpt_jax.macros.compiler.tree.places import Index, is_inner, names_of
from rlgpt_jax.macros.compiler.tree.scopes import (
    MISSING,
    Scope,
    Variable,
    has_stars,
    own_nodes,
    resolve,
)

MAX_VALUES = 64
Values = list[Any] | None  # None: not known


def values_of(f: Code, node: ast.expr) -> Values:
    """Returns all constants that an expression may have; None if others are possible."""
    if not isinstance(node, ast.Name) or is_inner(f.scope, node):
        return Search(f).of(f.scope, node)
    key = f.scope, node.id
    if key not in f.shared.possible:
        f.shared.possible[key] = Search(f).of(f.scope, node)
    return f.shared.possible[key]


class Search:
    """One question; variables that are being looked at count as nothing."""

    def __init__(self, f: Code):
        self.f = f
        self.seen: set[Any] = set()
        key = ("index", f.scope.module)
        if key not in f.shared.possible:
            f.shared.possible[key] = Index(f.scope.module)
        self.index: Index = f.shared.possible[key]

    def of(self, scope: Scope, node: ast.expr) -> Values:
        work.charge(10)
        f = self.f if scope is self.f.scope else Code(scope, self.f.shared)
        constant = facts.constant_of(f, node)
        if constant is not MISSING:
            simple = not isinstance(constant, tuple | ActionConstant | FunctionConstant)
            return [constant] if simple else None
        if isinstance(node, ast.IfExp):
            return self.all(scope, [node.body, node.orelse])
        if isinstance(node, ast.BoolOp):
            return self.all(scope, node.values)
        if isinstance(node, ast.NamedExpr):
            return self.of(scope, node.value)
        if isinstance(node, ast.Subscript):
            return self.elements(scope, node.value, keys=False)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "get" and node.args:
                found = self.elements(scope, node.func.value, keys=False)
                other = self.of(scope, node.args[1]) if len(node.args) > 1 else [None]
                return merged([found, other])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            target = resolve(scope, node.func.id)
            if isinstance(target, Scope) and not target.is_generator:
                return self.returned(target)
            if target is None and node.func.id in ("str", "int") and len(node.args) == 1:
                return self.of(scope, node.args[0])
        if isinstance(node, ast.Name):
            return self.name(scope, node.id, node)
        return None

    def all(self, scope: Scope, nodes: list[ast.expr]) -> Values:
        return merged([self.of(scope, node) for node in nodes])

    def returned(self, target: Scope) -> Values:
        if target in self.seen:
            return []
        self.seen.add(target)
        returns = [n for n in own_nodes(target.node) if isinstance(n, ast.Return)]
        found = [self.of(target, n.value) if n.value else [None] for n in returns]
        self.seen.discard(target)
        return merged([*found, [None]])

    def name(self, scope: Scope, name: str, place: ast.Name) -> Values:
        """Looks at all places that give a variable its values."""
        inner = self.inner(scope, name, place)
        if inner is not MISSING:
            return inner
        target = resolve(scope, name)
        if not isinstance(target, tuple):
            return None
        if target in self.seen:
            return []
        self.seen.add(target)
        owner = target[0]
        found: list[Values] = []
        if name in owner.params:
            found.append(self.parameter(owner, name))
        found += self.assigned(target)
        self.seen.discard(target)
        return merged(found)

    def assigned(self, variable: Variable) -> list[Values]:
        """Returns what each assignment of a variable gives."""
        places = self.index.bindings.get(variable, [])
        found = [
            self.part(scope, target, value, iterated, variable[1])
            for scope, target, value, iterated in places
        ]
        found = [part for part in found if part is not MISSING]
        return found if len(found) == self.index.stores[variable] else [None]

    def part(
        self, scope: Scope, target: ast.expr, value: ast.expr, iterated: bool, name: str
    ) -> Any:
        """Returns what a target gives to a name; MISSING if the name is not in it."""
        if isinstance(target, ast.Name):
            if target.id != name:
                return MISSING
            return self.elements(scope, value, keys=True) if iterated else self.of(scope, value)
        if not isinstance(target, ast.Tuple | ast.List):
            return MISSING
        for i, item in enumerate(target.elts):
            if isinstance(item, ast.Name) and item.id == name:
                if not iterated and isinstance(value, ast.Tuple | ast.List):
                    if len(value.elts) == len(target.elts):
                        return self.of(scope, value.elts[i])
                return self.column(scope, value, i) if iterated else None
            if any(isinstance(n, ast.Name) and n.id == name for n in work.walk(item)):
                return None
        return MISSING

    def elements(self, scope: Scope, node: ast.expr, keys: bool) -> Values:
        """Returns the elements of a constant row, or the keys or values of a table."""
        rows = self.row(scope, node, keys)
        if rows is None:
            return None
        simple = all(not isinstance(x, tuple | ActionConstant | FunctionConstant) for x in rows)
        return merged([rows]) if simple else None

    def column(self, scope: Scope, node: ast.expr, i: int) -> Values:
        """Returns part i of all rows that an iteration gives."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "enumerate" and node.args and i == 1:
                return self.elements(scope, node.args[0], keys=True)
            if node.func.id == "enumerate" and len(node.args) == 1 and not node.keywords:
                rows = self.row(scope, node.args[0], keys=True)
                return None if rows is None else [float(n) for n in range(len(rows))]
            if node.func.id == "zip" and i < len(node.args):
                return self.elements(scope, node.args[i], keys=True)
            return None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "items":
                return self.elements(scope, node.func.value, keys=i == 0)
        rows = self.row(scope, node, keys=True)
        if rows is None or not all(isinstance(r, tuple) and i < len(r) for r in rows):
            return None
        simple = all(not isinstance(r[i], tuple | ActionConstant | FunctionConstant) for r in rows)
        return merged([[r[i] for r in rows]]) if simple else None

    def row(self, scope: Scope, node: ast.expr, keys: bool) -> Values:
        f = self.f if scope is self.f.scope else Code(scope, self.f.shared)
        if isinstance(node, ast.List | ast.Set):
            node = ast.copy_location(ast.Tuple(node.elts, ast.Load()), node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "range" and not node.keywords and 1 <= len(node.args) <= 3:
                ends = [facts.constant_of(f, arg) for arg in node.args]
                if all(isinstance(e, float) and e.is_integer() for e in ends) and ends[2:] != [0]:
                    numbers = range(*(int(e) for e in ends))
                    return [float(n) for n in numbers] if len(numbers) <= MAX_VALUES else None
            if node.func.id in ("reversed", "sorted", "list", "tuple", "set") and node.args:
                return self.row(scope, node.args[0], keys)
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            rows = self.row(scope, node.value, keys=False)
            if rows is None or not all(isinstance(row, tuple) for row in rows):
                return None
            return [item for row in rows for item in row]
        table = facts.table_of(f, node)
        if table is not None:
            return list(table.keys if keys else table.values)
        constant = facts.constant_of(f, node)
        if isinstance(constant, tuple):
            return list(constant)
        return self.only_row(scope, node, keys) if isinstance(node, ast.Name) else None

    def only_row(self, scope: Scope, node: ast.Name, keys: bool) -> Values:
        """Returns the elements of all rows that a variable may hold."""
        target = resolve(scope, node.id)
        key = (target, "row")
        if not isinstance(target, tuple) or key in self.seen:
            return None
        self.seen.add(key)
        found = self.rows_given(*target, keys)
        self.seen.discard(key)
        return found

    def rows_given(self, owner: Scope, name: str, keys: bool) -> Values:
        found: list[Values] = []
        if name in owner.params:
            given = self.given(owner, name)
            if given is None:
                return None
            default = owner.defaults.get(name, MISSING)
            found = [self.row(*pair, keys) for pair in given]
            if default is not MISSING:
                found.append(list(default) if isinstance(default, tuple) else None)
        variable = owner, name
        values = [
            (scope, value)
            for scope, place, value, iterated in self.index.bindings.get(variable, [])
            if isinstance(place, ast.Name) and not iterated
        ]
        if self.index.stores[variable] != len(values) or not all(
            isinstance(value, ast.Tuple) for _, value in values
        ):
            return None  # lists may be changed elsewhere
        return joined([*found, *(self.row(*pair, keys) for pair in values)])

    def inner(self, scope: Scope, name: str, place: ast.Name) -> Any:
        """Returns what the name of a comprehension around may be; MISSING if it is none."""
        for node in own_nodes(scope.node):
            parts = getattr(node, "generators", [])
            if parts and name in names_of(node)[0] and id(place) in names_of(node)[1]:
                found = [self.part(scope, p.target, p.iter, True, name) for p in parts]
                return merged([values for values in found if values is not MISSING])
            if isinstance(node, ast.Lambda) and any(n is place for n in work.walk(node.body)):
                if any(arg.arg == name for arg in node.args.args):
                    return None
        return MISSING

    def parameter(self, owner: Scope, name: str) -> Values:
        """Returns what all calls of a function give to a parameter."""
        given = self.given(owner, name)
        if given is None:
            return None
        default = owner.defaults.get(name, MISSING)
        if isinstance(default, tuple | ActionConstant | FunctionConstant):
            return None
        found: list[Values] = [] if default is MISSING else [[default]]
        return merged([*found, *(self.of(*pair) for pair in given)])

    def given(self, owner: Scope, name: str) -> list[tuple[Scope, ast.expr]] | None:
        """Returns the arguments of all calls for a parameter; None if some are not known."""
        if owner.is_value or owner.makes_generators or name in owner.late_defaults:
            return None
        args = getattr(owner.node, "args", None)
        positional = [arg.arg for arg in (*args.posonlyargs, *args.args)] if args else []
        if name not in positional or owner is self.f.shared.entry:
            return None
        place = positional.index(name)
        found: list[tuple[Scope, ast.expr]] = []
        for scope, node in self.index.calls.get(owner, []):
            if has_stars(node):
                return None
            given = [k.value for k in node.keywords if k.arg == name]
            found += [(scope, value) for value in [*given, *node.args[place : place + 1]]]
        return found


def merged(parts: list[Values]) -> Values:
    """Joins what is known; None as soon as anything is not."""
    found: list[Any] = []
    for part in parts:
        if part is None:
            return None
        found += [item for item in part if not any(same(item, x) for x in found)]
        if len(found) > MAX_VALUES:
            return None
    return found


def joined(parts: list[Values]) -> Values:
    """Joins rows; None as soon as one is not known."""
    found: list[Any] = []
    for part in parts:
        if part is None or len(found) > MAX_VALUES:
            return None
        found += part
    return found


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b
