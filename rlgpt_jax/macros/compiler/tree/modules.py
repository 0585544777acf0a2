"""What Python's modules mean in a macro: `math`, `random` and names for annotations.

The functions of `random` are also known by their bare names, as prompts list them, wherever
neither the author nor the library gives the name another meaning.
"""

import ast
from collections.abc import Collection, Iterable

from rlgpt_jax.macros.compiler.pool import CONSTANT_NAMES
from rlgpt_jax.macros.compiler.work import walk
from rlgpt_jax.macros.refusal import Refused

RANDOM = ("random", "randint", "choice", "uniform", "shuffle")
TYPING = ("typing", "typing_extensions", "__future__", "collections.abc", "types", "abc")
# What is written instead of what a module has in Python.
NO_MODULE = {
    **dict.fromkeys(
        ("time", "datetime"), "count ticks: every yield is one tick; obs.time is the time of day"
    ),
    **dict.fromkeys(("os", "sys"), "macros get only obs"),
    **dict.fromkeys(
        ("numpy", "np"), "use math and plain lists: math.sqrt, math.hypot, min, max, sum"
    ),
    "itertools": "write nested for loops",
    "functools": "write a def, or lambda: f(...)",
    "logging": "leave it out; what a macro does is reported anyway",
    "dataclasses": "keep the values in variables or in a dictionary",
    "enum": 'use names in quotes: state = "search"',
    "heapq": "use min(items, key=...) and remove",
    "copy": "write list(items) or dict(items)",
    "operator": "write lambda r: r.distance",
    "statistics": "write sum(xs) / len(xs)",
}


class Modules:
    """The imports of one source, and which names are the author's own."""

    def __init__(self, tree: ast.Module, library: Collection[str]):
        self.of_alias: dict[str, str] = {"math": "math", "random": "random"}
        self.of_name: dict[str, tuple[str, str]] = {}  # name -> (module, name there)
        nodes = list(walk(tree))
        self.bound = bound_names(nodes) | set(library)
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.take(node, alias.name, alias.asname or alias.name.split(".")[0])
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.take_name(node, node.module or "", alias)
        for name in self.bound & {"math", "random"}:
            self.of_alias.pop(name)

    def take(self, node: ast.Import, module: str, alias: str) -> None:
        """Notes `import module as alias`."""
        if module in ("math", "random", "collections"):
            self.of_alias[alias] = module
        elif module not in TYPING:
            self.refuse(node, module)

    def take_name(self, node: ast.ImportFrom, module: str, alias: ast.alias) -> None:
        """Notes `from module import name as alias`."""
        name, local = alias.name, alias.asname or alias.name
        if module in TYPING:
            return
        if name == "*":
            if module not in ("math", "random"):
                self.refuse(node, module)
        elif module in ("math", "collections") or (module == "random" and name in RANDOM):
            self.of_name[local] = (module, name)
        elif module == "random":
            self.refuse_random(node, name)
        else:
            self.refuse(node, module)

    def refuse(self, node: ast.AST, module: str) -> None:
        advice = NO_MODULE.get(module.split(".")[0], "")
        raise Refused(
            node,
            f"import of {module or 'a module'} is not part of the language",
            (advice + "; " if advice else "") + "only math and random are known, and "
            "need no import",
        )

    def refuse_random(self, node: ast.AST, name: str) -> None:
        raise Refused(
            node,
            f"random.{name} is not part of the language",
            "of random there are " + ", ".join(RANDOM),
        )

    # --- reading ---------------------------------------------------------------------
    def name(self, node: ast.Name) -> ast.expr:
        """Returns what a name of a module stands for, imported or not, else the name."""
        if not isinstance(node.ctx, ast.Load) or node.id in self.bound:
            return node
        known = self.of_name.get(node.id)
        if known is None and node.id in RANDOM:
            known = "random", node.id
        return node if known is None else self.member(node, *known)

    def attribute(self, node: ast.Attribute) -> ast.expr | None:
        """Returns what `module.name` stands for, None if it is not a module's."""
        if not isinstance(node.value, ast.Name) or node.value.id in self.bound:
            return None
        module = self.of_alias.get(node.value.id)
        if module is None:
            return None
        if module == "random" and node.attr not in RANDOM:
            self.refuse_random(node, node.attr)
        return self.member(node, module, node.attr)

    def member(self, node: ast.expr, module: str, name: str) -> ast.expr:
        if module == "random":
            return ast.copy_location(ast.Name(f"random {name}", ast.Load()), node)
        if module == "math" and (
            name in self.bound or name in CONSTANT_NAMES or (isinstance(node, ast.Attribute))
        ):
            math = ast.copy_location(ast.Name("math", ast.Load()), node)
            return ast.copy_location(ast.Attribute(math, name, ast.Load()), node)
        return ast.copy_location(ast.Name(name, ast.Load()), node)


def bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Returns all names that the author binds anywhere, but for imports."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found
