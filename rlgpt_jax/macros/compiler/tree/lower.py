"""Rewrites a tree before anything is compiled: what has a plainer spelling gets it.

Imports of what is known anyway, annotations, printing and lines that only run a module as
a script go away; `match` becomes `if`, `map` and `filter` generator expressions; functions
without a name follow in `lift.py`. The author's tree is changed in place; nothing here
makes code that the author did not write.
"""

import ast
from collections import Counter
from collections.abc import Collection
from functools import reduce
from typing import Any

from rlgpt_jax.macros.compiler.tree import lift
from rlgpt_jax.macros.compiler.tree.modules import Modules
from rlgpt_jax.macros.compiler.tree.patterns import as_ifs
from rlgpt_jax.macros.compiler.tree.scopes import every_arg
from rlgpt_jax.macros.compiler.work import walk
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vocabulary import Vocabulary

FIRST_OBS = "first obs"  # names with a space are ours
RANDOM_STATE = "random state"


def lower(
    tree: ast.Module, vocabulary: Vocabulary, notices: list[str], library: Collection[str]
) -> ast.Module:
    """Returns the tree in plainer terms; says in `notices` what was left out.

    Args:
      library: names of its functions, and of a spec's actions, that the tree may call.
    """
    modules = Modules(tree, library)
    rewriter = Rewriter(modules, vocabulary, notices)
    tree.body = rewriter.statements(tree.body)
    rewriter.drop_unread(tree)
    lift.lift(tree)
    if rewriter.random:
        tree.body.insert(0, random_state(vocabulary))
    ast.fix_missing_locations(tree)
    return tree


def random_state(vocabulary: Vocabulary) -> ast.stmt:
    """Returns the assignment that seeds random numbers from the first observation."""
    first = ast.Name(FIRST_OBS, ast.Load())
    seeds: list[ast.expr] = []
    for names in vocabulary.seeds:
        fields: list[ast.expr] = [ast.Attribute(first, name, ast.Load()) for name in names]
        add = reduce(lambda a, b: ast.BinOp(a, ast.Add(), b), fields or [ast.Constant(0.0)])
        seeds.append(add)
    seeded = ast.Call(ast.Name("random seed", ast.Load()), seeds, [])
    made = ast.Assign([ast.Name(RANDOM_STATE, ast.Store())], seeded)
    for node in walk(made):
        node.lineno = node.end_lineno = 1  # type: ignore[attr-defined]
        node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    return made


def has_effect(node: ast.AST) -> bool:
    """Says whether evaluating a node may act or assign."""
    return any(isinstance(n, ast.Yield | ast.YieldFrom | ast.NamedExpr) for n in walk(node))


def loaded(node: ast.AST) -> list[str]:
    """Returns the names that a tree reads."""
    return [n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]


class Rewriter(ast.NodeTransformer):
    """Rewrites expressions, and lists of statements."""

    def __init__(self, modules: Modules, vocabulary: Vocabulary, notices: list[str]):
        self.modules = modules
        self.vocabulary = vocabulary
        self.notices = notices
        self.only_printed: set[str] = set()  # names read in what was left out
        self.random = False  # random numbers are used

    def note(self, node: ast.AST, text: str) -> None:
        self.notices.append(f"line {getattr(node, 'lineno', 0)}: {text}")

    # --- statements ----------------------------------------------------------------
    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Rewrites a block; a block that becomes empty keeps a `pass`."""
        made: list[ast.stmt] = []
        for node in body:
            made.extend(self.statement(node))
        if not made and body:
            made = [ast.copy_location(ast.Pass(), body[0])]
        return made

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return []
        if isinstance(node, ast.AnnAssign):
            if node.value is None:
                return []
            plain = ast.Assign([node.target], node.value)
            return self.statement(ast.copy_location(plain, node))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.GeneratorExp):
            if isinstance(node.targets[0], ast.Tuple | ast.List):  # it is used up at once
                node.value = ast.copy_location(
                    ast.ListComp(node.value.elt, node.value.generators), node.value
                )
        if isinstance(node, ast.Match):
            return [made for part in as_ifs(node) for made in self.statement(part)]
        if self.is_printing(node):
            self.left_out(node)
            return []
        if isinstance(node, ast.FunctionDef):
            self.without_annotations(node)
        if isinstance(node, ast.AsyncFunctionDef):
            names = ", ".join(arg.arg for arg in node.args.args)
            raise Refused(
                node, "async is not part of the language", f"write def {node.name}({names}):"
            )
        for name, part in ast.iter_fields(node):
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                setattr(node, name, self.statements(part))
            elif isinstance(part, list):
                setattr(node, name, [self.visit(p) if isinstance(p, ast.expr) else p for p in part])
            elif isinstance(part, ast.AST):
                setattr(node, name, self.visit(part))
        return [node]

    def without_annotations(self, node: ast.FunctionDef) -> None:
        """Removes annotations; bounds of parameters are kept for `arguments.py`."""
        node.returns = None
        args = node.args
        if self.vocabulary.spec is not None:
            node.__dict__["bounds"] = {
                arg.arg: self.visit(arg.annotation)
                for arg in (*args.args[0 if args.posonlyargs else 1 :], *args.kwonlyargs)
                if isinstance(arg.annotation, ast.Tuple | ast.List)
            }
        for arg in every_arg(args):
            arg.annotation = None

    # --- printing ------------------------------------------------------------------
    def is_printing(self, node: ast.stmt) -> bool:
        """Says whether a statement only writes to a log."""
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            return False
        func = node.value.func
        return (
            isinstance(func, ast.Name) and func.id == "print" and "print" not in self.modules.bound
        )

    def left_out(self, node: ast.stmt) -> None:
        if has_effect(node):
            raise Refused(
                node,
                "print does nothing here, so nothing may happen inside of it",
                "act on a line of its own",
            )
        self.only_printed.update(loaded(node))
        self.note(node, "print does nothing")

    def drop_unread(self, tree: ast.Module) -> None:
        """Removes texts and functions that only what was left out has read."""
        changed = bool(self.only_printed)
        while changed:
            changed = False
            read = set(loaded(tree)) - filled(tree)
            for block in blocks(tree):
                for node in list(block):
                    if self.is_unread(node, read):
                        self.note(node, "what is only printed is left out")
                        self.only_printed.update(loaded(node))
                        block.remove(node)
                        changed = True
                if not block:
                    block.append(ast.Pass(lineno=1, col_offset=0))

    def is_unread(self, node: ast.stmt, read: set[str]) -> bool:
        if isinstance(node, ast.Expr):
            filled_name = appended_to(node)
            return filled_name in self.only_printed - read and not has_effect(node)
        if isinstance(node, ast.FunctionDef):
            return node.name in self.only_printed - read
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target: ast.expr = node.targets[0]
        elif isinstance(node, ast.AugAssign):
            target = node.target
        else:
            return False
        return (
            isinstance(target, ast.Name)
            and target.id in self.only_printed - read
            and makes_text(node.value)
            and not has_effect(node)
        )

    # --- expressions ---------------------------------------------------------------
    def visit_Name(self, node: ast.Name) -> Any:
        return self.modules.name(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        found = self.modules.attribute(node)
        if found is not None:
            return found
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name):
            return node
        name = node.func.id
        if name.startswith("random "):
            node.args.insert(0, ast.copy_location(ast.Name(RANDOM_STATE, ast.Load()), node))
            self.random = True
        if name in ("map", "filter") and name not in self.modules.bound:
            return mapped(node, name)
        return node


def mapped(node: ast.Call, name: str) -> ast.expr:
    """Writes `map(g, xs)` and `filter(g, xs)` as generator expressions."""
    if len(node.args) != 2 or node.keywords:
        raise Refused(
            node,
            f"{name} takes a function and a sequence",
            f"write [g(x) for x in xs{' if ...' if name == 'filter' else ''}]",
        )
    function, source = node.args
    item = f"item of {name}"  # names with a space are ours
    result: ast.expr = ast.Call(function, [ast.Name(item, ast.Load())], [])
    if isinstance(function, ast.Lambda) and len(function.args.args) == 1:
        item, result = function.args.args[0].arg, function.body
    elif isinstance(function, ast.Constant) and function.value is None:
        result = ast.Name(item, ast.Load())
    tests = [result] if name == "filter" else []
    given = ast.Name(item, ast.Load()) if name == "filter" else result
    clause = ast.comprehension(ast.Name(item, ast.Store()), source, tests, 0)
    made = ast.copy_location(ast.GeneratorExp(given, [clause]), node)
    return ast.fix_missing_locations(made)


def appended_to(node: ast.AST) -> str | None:
    """Returns the list that a statement only appends to."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        func = node.value.func
        if isinstance(func, ast.Attribute) and func.attr == "append":
            return func.value.id if isinstance(func.value, ast.Name) else None
    return None


def filled(tree: ast.Module) -> set[str]:
    """Returns the lists that are appended to, and not read in any other way."""
    appended = Counter(name for node in walk(tree) if (name := appended_to(node)))
    return {name for name, count in Counter(loaded(tree)).items() if count == appended[name]}


def blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    """Returns all lists of statements inside a tree."""
    found = []
    for node in walk(tree):
        for _, part in ast.iter_fields(node):
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                found.append(part)
    return found


def makes_text(node: ast.expr) -> bool:
    """Says whether an expression makes a text rather than a value that macros use."""
    for part in walk(node):
        if isinstance(part, ast.JoinedStr):
            return True
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            return True
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr in ("format", "join"):
                return True
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            if part.func.id in ("str", "repr", "format"):
                return True
    return False
