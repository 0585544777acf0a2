"""Random Python trees, drawn from the grammar that `ast` describes itself with.

`ast.If.__doc__` reads `If(expr test, stmt* body, stmt* orelse)`: each class says which
fields it has, of which kind and how many. So every construct of the running Python is
drawn, also those that came after this file.
"""

import ast
import random
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from rlgpt_jax.macros.actions import ITEM_ACTIONS, PLAIN_ACTIONS
from rlgpt_jax.macros.api import FUNCTIONS

BUILTINS = (
    "sorted", "map", "filter", "set", "dict", "frozenset", "str", "isinstance", "type", "getattr",
    "iter", "divmod", "deque", "print", "eval", "open", "Exception",
)  # fmt: skip
NAMES = (*"abcdfgnpqrxyz", *["obs"] * 12, "cells", "math", "macro", "self", "_", "__class__",
         *PLAIN_ACTIONS, *ITEM_ACTIONS, "turn", *BUILTINS,
         *re.findall(r"\b[a-z]\w+", FUNCTIONS))  # fmt: skip
FIELDS = ("x", "y", "z", "yaw", "pitch", "life", "held", "rays", "block", "entity", "distance",
          "count", "near", "nearest", "sees", "append", "pop", "get", "items", "keys", "values",
          "startswith", "endswith", "split", "format", "join", "sqrt", "pi", "__class__",
          "gi_frame", "update", "sort", "index", "insert", "add")  # fmt: skip
VALUES = (0, 1, 2, 3, -1, 0.5, 1e30, 10**9, True, False, None, "log", "cow", "no such", "", "inf",
          "{0.x}", b"x", ..., 2j, 15, 90, 7, 40, 600)  # fmt: skip
# What is drawn more often than once in the number of its kind.
LIKELY = {
    "expr": ("Name", "Name", "Constant", "Constant", "Call", "Attribute", "BinOp", "Compare",
             "Subscript", "Tuple", "List", "Dict"),
    "stmt": ("Assign", "Assign", "Expr", "If", "For", "While", "Return", "AugAssign"),
}  # fmt: skip
LEAVES = {"expr": ("Name", "Constant"), "stmt": ("Pass", "Break", "Continue"),
          "pattern": ("MatchValue", "MatchSingleton")}  # fmt: skip
FIELD = re.compile(r"(\w+)([*?]?) (\w+)")


@cache
def choices(kind: str) -> tuple[type[ast.AST], ...]:
    """Returns the node classes of a kind, for example those of statements."""
    base = getattr(ast, kind)
    known = sorted(ast.__dict__.items())
    found = [c for _, c in known if isinstance(c, type) and c.__base__ is base]
    return tuple(found) or (base,)


@cache
def fields(cls: type[ast.AST]) -> tuple[tuple[str, str, str], ...]:
    """Returns (kind, "" or "?" or "*", name) of each field of a class."""
    inside = re.search(r"^\w+\((.*?)\)", cls.__doc__ or "", re.S)
    return tuple(FIELD.findall(inside[1])) if inside else ()


class Drawer:
    """Draws trees; `rng` decides, `size` bounds how many nodes there are."""

    def __init__(self, rng: random.Random, size: int):
        self.rng = rng
        self.left = size
        self.simple: dict[str, Callable[[], Any]] = {
            "identifier": lambda: rng.choice(NAMES),
            "int": lambda: rng.choice((0, 0, 0, 1, -1)),
            "string": lambda: None,
            "constant": lambda: rng.choice(VALUES),
        }

    def draw(self, kind: str, depth: int) -> Any:
        """Returns a random value of a kind of field."""
        if kind in self.simple:
            return self.simple[kind]()
        if kind == "expr_context":
            return ast.Load()
        self.left -= 1
        options: tuple[Any, ...] = choices(kind)
        if (depth <= 0 or self.left <= 0) and kind in LEAVES:
            options = tuple(getattr(ast, name) for name in LEAVES[kind])
        elif kind in LIKELY and self.rng.random() < 0.7:
            options = tuple(getattr(ast, name) for name in LIKELY[kind])
        cls = self.rng.choice(options)
        made = cls(**{name: self.field(cls, kind, many, name, depth - 1)
                      for kind, many, name in fields(cls)})  # fmt: skip
        return fitting(made)

    def field(self, cls: type[ast.AST], kind: str, many: str, name: str, depth: int) -> Any:
        if name == "attr":
            return self.rng.choice(FIELDS)
        if name in ("target", "optional_vars"):
            return self.goal(cls, depth)
        if name == "targets":
            return [self.goal(cls, depth)]
        if many == "?":
            return self.draw(kind, depth) if self.rng.random() < 0.5 and depth > 0 else None
        if many == "*":
            least = 1 if name in ("body", "targets", "names", "generators", "cases", "items",
                                  "handlers", "ops", "values", "comparators") else 0  # fmt: skip
            count = self.rng.choice((0, 1, 1, 2, 3)) if depth > 0 and self.left > 0 else 0
            return [self.draw(kind, depth) for _ in range(max(count, least))]
        return self.draw(kind, depth)

    def goal(self, cls: type[ast.AST], depth: int) -> ast.expr:
        """Returns what can be assigned to: mostly a name, also an element or a row."""
        chance = self.rng.random()
        name = ast.Name(self.rng.choice(NAMES[:28]), ast.Store())
        if chance < 0.7 or cls is ast.NamedExpr or depth <= 0:
            return name
        if chance < 0.8 or cls in (ast.AugAssign, ast.AnnAssign):
            if self.rng.random() < 0.3:
                return ast.Attribute(name, self.rng.choice(FIELDS), ast.Store())
            return ast.Subscript(name, self.draw("expr", depth - 1), ast.Store())
        parts = [self.goal(cls, depth - 1) for _ in range(self.rng.randint(1, 3))]
        if chance < 0.85:
            parts[-1] = ast.Starred(parts[-1], ast.Store())
        return ast.Tuple(parts, ast.Store())


def fitting(node: Any) -> Any:
    """Gives lists that belong together the same length."""
    if isinstance(node, ast.Compare):
        count = min(len(node.ops), len(node.comparators))
        node.ops, node.comparators = node.ops[:count], node.comparators[:count]
    elif isinstance(node, ast.Dict):
        count = min(len(node.keys), len(node.values))
        node.keys, node.values = node.keys[:count], node.values[:count]
    elif isinstance(node, ast.BoolOp):
        node.values = node.values * 2 if len(node.values) < 2 else node.values
    elif isinstance(node, ast.arguments):
        node.kw_defaults = [*node.kw_defaults, *[None] * 9][: len(node.kwonlyargs)]
        node.defaults = node.defaults[: len(node.posonlyargs) + len(node.args)]
    return node


def statements(rng: random.Random, size: int = 60) -> list[ast.stmt]:
    """Returns a few random statements."""
    drawer = Drawer(rng, size)
    return [drawer.draw("stmt", rng.randint(2, 6)) for _ in range(rng.randint(1, 6))]


def expression(rng: random.Random, size: int = 12) -> ast.expr:
    return Drawer(rng, size).draw("expr", rng.randint(1, 4))


def text_of(node: ast.AST) -> str:
    """Returns a tree as text; "pass" for trees that no text has."""
    try:
        return ast.unparse(ast.fix_missing_locations(node))
    except (ValueError, AttributeError, TypeError, RecursionError, KeyError, IndexError):
        return "pass"


HEAD = """\
    a = b = c = d = 3
    f = g = forward
    n, p, q = obs.x, (1, 2), "log"
    r, x, y, z = None, obs.yaw, obs.block(0, -1, 0), 0.5
    cells = [1, 2, 3]
"""


def program(rng: random.Random) -> str:
    """Returns a macro whose body is random, sometimes with random text around it."""
    body = "\n".join(text_of(node) for node in statements(rng))
    inner = "\n".join("    " + line for line in body.split("\n"))
    actions = "    obs = yield forward()\n" * rng.randint(0, 2)
    top = text_of(statements(rng, 10)[0]) + "\n" if rng.random() < 0.3 else ""
    return f"{top}def macro(obs):\n{HEAD}{actions}{inner}\n    obs = yield turn(a)\n"
