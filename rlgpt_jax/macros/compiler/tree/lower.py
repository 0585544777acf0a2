"""Rewrites a tree before anything is compiled: what has a plainer spelling gets it.

Imports of what is known anyway, annotations, printing and lines that only run a module as
a script go away; `getattr` and `hasattr` with a name in quotes become what they stand
for; functions without a name and other definitions follow in `lift.py`. The author's tree
is changed in place; nothing here makes code that the author did not write.
"""

import ast
from collections import Counter
from collections.abc import Collection
from functools import reduce
from typing import Any

from rlgpt_jax.macros.compiler.tree import lift
from rlgpt_jax.macros.compiler.tree.modules import Modules
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
    modules = Modules(tree, notices, library)
    rewriter = Rewriter(tree, modules, vocabulary, notices)
    tree.body = rewriter.statements(tree.body, top=True)
    rewriter.drop_unread(tree)
    lift.lift(tree, notices, modules.gives)
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


def is_whole_slice(targets: list[ast.expr]) -> bool:
    """Says whether `xs[:] = ...` is assigned, for a list that has a name."""
    target = targets[0]
    if len(targets) > 1 or not isinstance(target, ast.Subscript):
        return False
    part = target.slice
    return (
        isinstance(target.value, ast.Name)
        and isinstance(part, ast.Slice)
        and not (part.lower or part.upper or part.step)
    )


def refilled(node: ast.Assign) -> list[ast.stmt]:
    """Returns `new = list(...); xs.clear(); xs.extend(new)` for `xs[:] = ...`."""
    assert isinstance(node.targets[0], ast.Subscript)
    owner = node.targets[0].value
    assert isinstance(owner, ast.Name)

    def call(function: ast.expr, *items: ast.expr) -> ast.Call:
        return ast.Call(function, list(items), [])

    def method(name: str) -> ast.expr:
        return ast.Attribute(ast.Name(owner.id, ast.Load()), name, ast.Load())

    made: list[ast.stmt] = [
        ast.Assign([ast.Name("new elements", ast.Store())],
                   call(ast.Name("list", ast.Load()), node.value)),
        ast.Expr(call(method("clear"))),
        ast.Expr(call(method("extend"), ast.Name("new elements", ast.Load()))),
    ]  # fmt: skip
    for statement in made:
        for part in walk(statement):
            if not hasattr(part, "lineno"):
                ast.copy_location(part, node)
    return made


class Rewriter(ast.NodeTransformer):
    """Rewrites expressions, and lists of statements."""

    def __init__(
        self, tree: ast.Module, modules: Modules, vocabulary: Vocabulary, notices: list[str]
    ):
        self.modules = modules
        self.vocabulary = vocabulary
        self.notices = notices
        self.only_printed: set[str] = set()  # names read in what was left out
        self.random = False  # random numbers are used
        self.read_by = Counter(loaded(tree))

    def note(self, node: ast.AST, text: str) -> None:
        self.notices.append(f"line {getattr(node, 'lineno', 0)}: {text}")

    # --- statements ----------------------------------------------------------------
    def statements(self, body: list[ast.stmt], top: bool = False) -> list[ast.stmt]:
        """Rewrites a block; a block that becomes empty keeps a `pass`."""
        made: list[ast.stmt] = []
        for i, node in enumerate(body):
            if i + 1 < len(body) and used_at_once(node, body[i + 1], self.read_by):
                continue
            made.extend(self.statement(node, top))
        if not made and body:
            made = [ast.copy_location(ast.Pass(), body[0])]
        return made

    def statement(self, node: ast.stmt, top: bool) -> list[ast.stmt]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return []
        if isinstance(node, ast.AnnAssign):
            if node.value is None:
                return []
            plain = ast.Assign([node.target], node.value)
            return self.statement(ast.copy_location(plain, node), top)
        if isinstance(node, ast.Assign) and is_whole_slice(node.targets):
            return [made for part in refilled(node) for made in self.statement(part, top)]
        if self.is_script(node, top):
            self.note(node, "lines that only run outside of macros are left out")
            return []
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
        if isinstance(node, ast.If):
            node.test = self.visit(node.test)
            if isinstance(node.test, ast.Constant) and self.folded:
                self.folded = False
                return self.statements(node.body if node.test.value else node.orelse)
        for name, part in ast.iter_fields(node):
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                setattr(node, name, self.statements(part))
            elif isinstance(part, list):
                setattr(node, name, [self.part(item) for item in part])
            elif isinstance(part, ast.AST):
                setattr(node, name, self.visit(part))
        self.folded = False
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Tuple | ast.List) for target in node.targets
        ):
            node.value = listed(node.value)
        return [node]

    folded = False  # a hasattr was answered in the expression at hand

    def part(self, item: Any) -> Any:
        """Rewrites an item of a list that is no statement, for example a match case."""
        if isinstance(item, ast.match_case):
            item.body = self.statements(item.body)
            item.guard = self.visit(item.guard) if item.guard else None
            return item
        if isinstance(item, ast.ExceptHandler):
            return item  # never compiled
        return self.visit(item) if isinstance(item, ast.AST) else item

    def is_script(self, node: ast.stmt, top: bool) -> bool:
        """Says whether a line outside of functions only runs the file as a script."""
        if not top:
            return False
        if isinstance(node, ast.If):
            return any(name == "__name__" for name in loaded(node.test))
        if isinstance(node, ast.Assign) and self.modules.is_typing(node.value):
            names = [t.id for t in node.targets if isinstance(t, ast.Name)]
            return len(names) == len(node.targets)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            func = node.value.func
            return (
                isinstance(func, ast.Name)
                and func.id in self.modules.functions
                and any(isinstance(n, ast.Name) and n.id in ("obs", "env") for n in walk(node))
            )
        return False

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
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
            if arg is not None:
                arg.annotation = None

    # --- printing ------------------------------------------------------------------
    def is_printing(self, node: ast.stmt) -> bool:
        """Says whether a statement only writes to a log."""
        if isinstance(node, ast.Assign):
            return self.modules.is_logger(node.value)
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            return False
        func = node.value.func
        if isinstance(func, ast.Name):
            return func.id == "print" and func.id not in self.modules.bound
        return isinstance(func, ast.Attribute) and self.modules.is_logger(func.value)

    def left_out(self, node: ast.stmt) -> None:
        if has_effect(node):
            raise Refused(
                node,
                "print does nothing here, so nothing may happen inside of it",
                "act on a line of its own",
            )
        self.only_printed.update(loaded(node))
        if isinstance(node, ast.Expr):
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
        if name in self.modules.bound:
            node.args = [listed(arg) for arg in node.args]
            for keyword in node.keywords:
                keyword.value = listed(keyword.value)
        if name in ("getattr", "hasattr") and name not in self.modules.bound:
            return self.asked(node, name)
        if name.startswith("random ") and node.func.ctx:
            # A test of `if` and `while` may be visited twice.
            first = node.args[0] if node.args else None
            if not (isinstance(first, ast.Name) and first.id == RANDOM_STATE):
                state = ast.copy_location(ast.Name(RANDOM_STATE, ast.Load()), node)
                node.args.insert(0, state)
            self.random = True
        if name == "partial" and "partial" in self.modules.taken:
            return self.partial(node)
        return node

    def asked(self, node: ast.Call, name: str) -> ast.expr:
        """Rewrites getattr(obs, "x", default) and hasattr(obs, "rays")."""
        wanted = node.args[1] if len(node.args) > 1 else None
        text = wanted.value if isinstance(wanted, ast.Constant) else None
        if not isinstance(text, str) or node.keywords:
            raise Refused(node, f"{name} needs the field's name in quotes", "write obs.x")
        if name == "hasattr":
            self.folded = True
            return ast.copy_location(ast.Constant(text in self.vocabulary.known), node)
        if len(node.args) > 2 and text not in self.vocabulary.known:
            return node.args[2]
        return ast.copy_location(ast.Attribute(node.args[0], text, ast.Load()), node)

    def partial(self, node: ast.Call) -> ast.expr:
        """Rewrites functools.partial of constants to a function without a name."""
        constant = all(
            isinstance(a, ast.Constant) for a in (*node.args[1:], *(k.value for k in node.keywords))
        )
        if not node.args or not constant:
            raise Refused(
                node, "partial takes a function and constants here", "write lambda: f(...)"
            )
        call = ast.copy_location(ast.Call(node.args[0], node.args[1:], node.keywords), node)
        none = ast.arguments([], [], None, [], [], None, [])
        return ast.copy_location(ast.Lambda(none, call), node)


def used_at_once(node: ast.stmt, following: ast.stmt, read_by: Counter[str]) -> bool:
    """Puts `rows = (r for r in obs.rays)` into the next statement, its only reader.

    Returns whether it did. Only arguments of calls there are looked at, and what a `for`
    walks through: what is evaluated once, and before anything else happens.
    """
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.GeneratorExp):
        return False
    target = node.targets[0]
    if len(node.targets) > 1 or not isinstance(target, ast.Name) or read_by[target.id] != 1:
        return False
    if isinstance(following, ast.For):
        if isinstance(following.iter, ast.Name) and following.iter.id == target.id:
            following.iter = node.value
            return True
        return False
    if not isinstance(following, ast.Assign | ast.Return | ast.Expr) or following.value is None:
        return False
    value = following.value.value if isinstance(following.value, ast.Yield) else following.value
    if value is None or has_effect(value):
        return False
    todo: list[ast.expr] = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Call):
            for i, arg in enumerate(part.args):
                if isinstance(arg, ast.Name) and arg.id == target.id:
                    part.args[i] = node.value
                    return True
            todo += [*part.args, *(keyword.value for keyword in part.keywords)]
        elif isinstance(part, ast.BinOp):
            todo += [part.left, part.right]
    return False


def listed(node: ast.expr) -> ast.expr:
    """Returns a generator expression that is used up at once as a list."""
    if isinstance(node, ast.Starred):
        return ast.copy_location(ast.Starred(listed(node.value), node.ctx), node)
    if isinstance(node, ast.GeneratorExp):
        return ast.copy_location(ast.ListComp(node.elt, node.generators), node)
    return node


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
