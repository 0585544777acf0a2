"""Which kinds of values an expression may have, found before anything is compiled.

Dictionaries, sets and the addition of lists need other instructions than numbers do. A
value that may be several kinds is tested at run time; what follows here keeps these
tests out of programs that need none. Nothing relies on the answer for safety: every
instruction checks its operands again.

A value is described by the kinds that it may be (a set of bits), by the texts that it may be and,
for what it contains, another such description. Elements of tuples are followed one by one; all that
is ever put into lists, dictionaries and sets is taken together, since two names may
stand for one list.
"""

import ast
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rlgpt_jax.macros.actions import ITEM_ACTIONS, PLAIN_ACTIONS
from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.compiler.pool import ActionConstant, FunctionConstant, Table
from rlgpt_jax.macros.compiler.tree.scopes import (
    MISSING,
    Scope,
    Variable,
    comprehension_names,
    constant_named,
    resolve,
)

NUMBER, NONE, NAME, FUNCTION, ACTION, OBS, RAYS, RAY, TUPLE, LIST, DICT, SET, ITERATOR, OLD = (
    1 << i for i in range(14)
)  # OLD: an observation of an earlier tick, see `snapshots.py`
ROWS = TUPLE | LIST
SHARED = LIST | DICT | SET  # what can be changed after it was made
FIXED = TUPLE | ITERATOR
CONTAINERS = SHARED | FIXED
SIMPLE = NUMBER | NONE | NAME | FUNCTION | ACTION | OBS | RAYS | RAY
MAX_DEPTH = 3  # descriptions within descriptions
MAX_WORDS = 64  # texts that a value may be, if they are known
NO_WORDS: frozenset[str] = frozenset()


class Kind(NamedTuple):
    """What a value may be, and its elements; those of a tuple without `item` are unknown."""

    bits: int
    item: "Kind | None" = None
    words: frozenset[str] | None = NO_WORDS  # all texts that it may be; None: any

    @property
    def is_open(self) -> bool:
        return self.item is None and bool(self.bits & FIXED)


NOTHING = Kind(0)
A_NUMBER, A_NAME = Kind(NUMBER), Kind(NAME, None, None)


def join(a: Kind | None, b: Kind | None, depth: int = MAX_DEPTH) -> Kind:
    """Returns what a value may be that comes from one of two places."""
    a, b = a or NOTHING, b or NOTHING
    no_items = a.item is None and b.item is None
    words = a.words
    if a.words != b.words:
        words = None if a.words is None or b.words is None else a.words | b.words
        words = words if words is None or len(words) <= MAX_WORDS else None
    if no_items or a.is_open or b.is_open or depth == 0:
        return Kind(a.bits | b.bits, None, words)
    work.charge()
    return Kind(a.bits | b.bits, join(a.item, b.item, depth - 1), words)


def joined(kinds: list[Kind]) -> Kind:
    result = NOTHING
    for kind in kinds:
        result = join(result, kind)
    return result


def holding(bits: int, item: Kind) -> Kind:
    """Returns the description of a container of such items."""
    return join(Kind(bits, item), NOTHING)


def of_constant(value: Any) -> Kind:
    if value is None:
        return Kind(NONE)
    if isinstance(value, str):
        return Kind(NAME, None, frozenset((value,)))
    if isinstance(value, tuple):
        work.charge(len(value))
        return holding(TUPLE, joined([of_constant(item) for item in value]))
    if isinstance(value, Table):
        return holding(DICT, of_constant(value.keys + value.values).item or NOTHING)
    if isinstance(value, ActionConstant | FunctionConstant):
        return Kind(FUNCTION if isinstance(value, FunctionConstant) else ACTION)
    return A_NUMBER


RETURNS = {
    **dict.fromkeys(("list", "sorted", "deque"), LIST),
    **dict.fromkeys(("enumerate", "zip", "reversed"), ITERATOR),
    **dict.fromkeys(("set", "frozenset"), SET),
    "tuple": TUPLE,
    "dict": DICT,
    "random seed": LIST,
}
NUMBERS = (
    "abs", "fabs", "int", "trunc", "floor", "ceil", "sqrt", "len", "bool", "float", "round",
    "radians", "degrees", "sign", "pow", "any", "all", "sin", "cos", "tan", "asin", "acos",
    "atan", "atan2", "hypot", "copysign", "range", "count", "near", "sees", "index", "startswith",
    "endswith", "issubset", "random random", "random randint", "random uniform",
)  # fmt: skip
PUTS = ("append", "add", "insert", "appendleft", "setdefault", "extend", "update", "remove")
TEXTS = ("lower", "upper", "strip", "replace")
TAKES = ("get", "pop", "popleft", "setdefault", "popitem")


@dataclass
class Kinds:
    """What is known about one program; grows until nothing changes."""

    variables: dict[Variable, Kind] = field(default_factory=dict)
    inner: dict[tuple[Scope, str], Kind] = field(default_factory=dict)  # comprehensions' names
    returns: dict[Scope, Kind] = field(default_factory=dict)
    elements: Kind = NOTHING  # of all lists, dictionaries and sets
    deep: Kind = NOTHING  # all that is inside anything
    containers: int = 0  # kinds of containers that the program makes at all
    constants: dict[int, Kind] = field(default_factory=dict)  # by the id of a named constant
    hints: dict[str, Kind] = field(default_factory=dict)  # of names of our own
    called_lambdas: set[int] = field(default_factory=set)  # whose arguments are known
    records: bool = True  # the world has fields that are names, and rays
    old: int = 0  # OLD, if what is not known, or in a row, may be that
    changed: bool = True

    @property
    def unknown(self) -> Kind:
        return Kind(SIMPLE | self.old | self.containers, self.deep, None)

    # --- reading ------------------------------------------------------------------
    def item(self, kind: Kind) -> Kind:
        """Returns what an element of a value may be."""
        result = NOTHING
        if kind.bits & SHARED:
            result = join(self.elements, kind.item)
        if kind.bits & FIXED:
            result = join(result, kind.item if kind.item is not None else self.deep)
        if kind.bits & RAYS:
            result = join(result, Kind(RAY))
        return join(result, Kind(self.old)) if result.bits & OBS else result

    def of(self, scope: Scope, node: ast.expr | None) -> Kind:
        """Returns what the value of an expression may be."""
        work.charge()
        if isinstance(node, ast.Constant):
            return of_constant(node.value)
        if isinstance(node, ast.Name):
            if id(node) in comprehension_names(scope.node):
                return self.inner.get((scope, node.id), NOTHING)
            return self.of_name(scope, node.id)
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            bits = {ast.Tuple: TUPLE, ast.List: LIST, ast.Set: SET}[type(node)]
            return holding(bits, joined([self.of(scope, item) for item in node.elts]))
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            bits = {ast.ListComp: LIST, ast.SetComp: SET, ast.GeneratorExp: ITERATOR}[type(node)]
            return holding(bits, self.of(scope, node.elt))
        if isinstance(node, ast.Dict):
            parts = [self.of(scope, part) for part in (*node.keys, *node.values) if part]
            return holding(DICT, joined(parts))
        if isinstance(node, ast.DictComp):
            return holding(DICT, join(self.of(scope, node.key), self.of(scope, node.value)))
        if isinstance(node, ast.BinOp):
            return operated(node.op, self.of(scope, node.left), self.of(scope, node.right))
        if isinstance(node, ast.UnaryOp | ast.Compare):
            return A_NUMBER
        if isinstance(node, ast.BoolOp):
            return joined([self.of(scope, part) for part in node.values])
        if isinstance(node, ast.IfExp):
            return join(self.of(scope, node.body), self.of(scope, node.orelse))
        if isinstance(node, ast.NamedExpr | ast.YieldFrom):
            return self.of(scope, node.value)
        if isinstance(node, ast.Yield):
            return Kind(OBS)
        if isinstance(node, ast.Lambda):
            return Kind(FUNCTION)
        if isinstance(node, ast.JoinedStr):
            return A_NAME
        if isinstance(node, ast.Attribute):
            return self.of_attribute(node)
        if isinstance(node, ast.Subscript):
            if isinstance(node.value, ast.Dict):  # nobody else has it
                return joined([self.of(scope, value) for value in node.value.values])
            source = self.of(scope, node.value)
            table = constant_named(scope, node.value.id) if isinstance(node.value, ast.Name) else 0
            if isinstance(table, Table):
                return self.item(self.of_named(table.values))
            if not isinstance(node.slice, ast.Slice):
                return self.item(source)
            rays = LIST if source.bits & RAYS else 0
            return holding(source.bits & ROWS | rays, self.item(source))
        if isinstance(node, ast.Call):
            return self.of_call(scope, node)
        return self.unknown

    def of_name(self, scope: Scope, name: str) -> Kind:
        if name in self.hints:
            return self.hints[name]
        constant = constant_named(scope, name)
        inner = self.inner.get((scope, name))
        if constant is not MISSING:
            return join(self.of_named(constant), inner)
        target = resolve(scope, name)
        if isinstance(target, Scope):
            return Kind(FUNCTION)
        if target is not None:
            return join(self.variables.get(target, NOTHING), inner)
        if inner is not None:
            return inner
        return Kind(FUNCTION) if name in PLAIN_ACTIONS else self.unknown

    def of_named(self, constant: Any) -> Kind:
        """Returns what a named constant is, or a part of it that it keeps."""
        if id(constant) not in self.constants:  # tables are long, and read often
            self.constants[id(constant)] = of_constant(constant)
        return self.constants[id(constant)]

    def of_attribute(self, node: ast.Attribute) -> Kind:
        if node.attr == "rays" and self.records:
            return Kind(RAYS)
        if node.attr in ("block", "entity", "held") and self.records:
            return A_NAME
        return A_NUMBER

    def of_call(self, scope: Scope, node: ast.Call) -> Kind:
        """Returns what a call may give; unknown functions may give anything."""
        given = [self.of(scope, arg) for arg in node.args]
        if isinstance(node.func, ast.Attribute):
            return self.of_method(scope, node, node.func, given)
        target = resolve(scope, node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(target, Scope):
            return self.returns.get(target, NOTHING)
        if not isinstance(node.func, ast.Name) or target is not None:
            return self.unknown
        name = node.func.id
        if name == "random choice":  # of a state and items
            return joined([self.item(kind) for kind in given[1:]])
        if name in PLAIN_ACTIONS or name in ITEM_ACTIONS or name == "turn":
            return Kind(ACTION)
        if name in NUMBERS and name != "range":
            return A_NUMBER
        if name in ("str", "repr", "format"):
            return A_NAME
        if name == "range":
            return Kind(ITERATOR, A_NUMBER)
        if name == "sum":
            return joined([A_NUMBER, *given[1:]])
        items = joined([self.item(kind) for kind in given])
        if name in ("min", "max", "next"):
            extra = [self.of(scope, k.value) for k in node.keywords if k.arg == "default"]
            return joined([items, *given, *extra] if len(given) > 1 else [items, *extra])
        if name in ("enumerate", "zip"):
            return holding(ITERATOR, holding(TUPLE, join(items, A_NUMBER)))
        if RETURNS.get(name) == DICT and node.keywords:
            return join(holding(DICT, self.unknown), Kind(DICT, self.deep))
        if RETURNS.get(name) == DICT:
            return holding(DICT, joined([items, self.item(items), A_NUMBER]))
        if name in RETURNS:
            return holding(RETURNS[name], items)
        return self.unknown

    def of_method(
        self, scope: Scope, node: ast.Call, func: ast.Attribute, given: list[Kind]
    ) -> Kind:
        name = func.attr
        if name == "nearest":
            return Kind(RAY)
        if name == "block" or name in TEXTS:
            return A_NAME
        if name == "split":
            return Kind(LIST, A_NAME)
        if name in NUMBERS or (isinstance(func.value, ast.Name) and func.value.id == "math"):
            return A_NUMBER
        owner = self.of(scope, func.value)
        if name in ("copy", "union", "intersection", "difference"):
            return owner
        if name in ("keys", "values"):
            return holding(ITERATOR, self.item(owner))
        if name == "items":
            return holding(ITERATOR, holding(TUPLE, self.item(owner)))
        if name in TAKES:
            pair = [Kind(TUPLE, self.item(owner))] if name == "popitem" else []
            return joined([self.item(owner), *pair, *given[1:], Kind(NONE)])
        if name in PUTS or name == "difference_update":
            return Kind(NONE)
        return self.unknown

    # --- following the program ------------------------------------------------------
    def put(self, key: Any, kind: Kind) -> None:
        """Adds to what a variable or a result may be."""
        self._put(self.returns if isinstance(key, Scope) else self.variables, key, kind)

    def put_inner(self, scope: Scope, name: str, kind: Kind) -> None:
        """Adds to what a name of a comprehension or a lambda may be."""
        self._put(self.inner, (scope, name), kind)

    def _put(self, store: dict[Any, Kind], key: Any, kind: Kind) -> None:
        old = store.get(key)
        new = join(old, kind)
        if new != old:
            store[key] = new
            self.changed = True

    def contain(self, kind: Kind, shared: bool = True) -> None:
        """Notes that something is put into a container."""
        elements = join(self.elements, kind) if shared else self.elements
        deep = join(self.deep, kind)
        flat = join(deep, deep.item)
        deep = Kind(flat.bits, deep.item, flat.words)
        if (elements, deep) != (self.elements, self.deep):
            self.elements, self.deep = elements, deep
            self.changed = True


def operated(op: ast.operator, left: Kind, right: Kind) -> Kind:
    """Returns what `left op right` may be."""
    both, either = left.bits & right.bits, left.bits | right.bits
    if not left.bits or not right.bits:  # not known yet
        return NOTHING
    if isinstance(op, ast.Add):
        bits = both & (NUMBER | NAME | ROWS)
    elif isinstance(op, ast.Mult):
        bits = both & NUMBER | either & (ROWS | NAME)
    elif isinstance(op, ast.Mod):
        bits = both & NUMBER | left.bits & NAME
    else:
        bits = both & (NUMBER | SET | DICT)
    item = join(left, right).item if bits & CONTAINERS else None
    return Kind(bits or NUMBER, item, None if bits & NAME else NO_WORDS)
