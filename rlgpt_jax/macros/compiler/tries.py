"""`try` around what cannot fail: its handlers are left out. All else is refused.

A mistake ends a macro and cannot be caught. But macros are often written with a `try`
around a question to the observation, or around a `yield`, which never raise here.
"""

import ast

from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused

# Exceptions that nothing in a macro raises but `raise` and `next`.
NEVER = {"StopIteration", "GeneratorExit", "KeyboardInterrupt", "SystemExit", "StopAsyncIteration",
         "ImportError", "ModuleNotFoundError", "NotImplementedError", "OSError", "TimeoutError",
         "MemoryError"}  # fmt: skip
INSTEAD = {
    "ZeroDivisionError": "test first: if n != 0",
    "IndexError": "test first: if i < len(xs)",
    "KeyError": "write d.get(key, other), or test first: if key in d",
    "AttributeError": "test first: if r is not None",
    "ValueError": "test first, for example: if xs, or if x in xs",
}
PURE = (ast.Name, ast.Constant, ast.BoolOp, ast.IfExp, ast.Pass, ast.Expr, ast.Yield, ast.If,
        ast.Return, ast.Break, ast.Continue)  # fmt: skip


def try_(f: Code, node: ast.Try) -> bool:
    """Compiles a try statement. Returns whether the next one can be reached."""
    caught = [name for handler in node.handlers for name in names_of(handler)]
    never = bool(caught) and set(caught) <= NEVER and not any(map(may_raise, work.walk(node)))
    if not never and not all(harmless(f, part) for part in node.body):
        advice = [INSTEAD[name] for name in caught if name in INSTEAD]
        raise Refused(
            node,
            "try/except is not part of the language, but around what cannot fail",
            "; ".join(advice)
            or "test first what may go wrong: a division by zero, a "
            "bad index or a missing key ends the macro; count, block and nearest never "
            "fail",
        )
    if node.finalbody and any(leaves(part, False) for part in node.body):
        raise Refused(
            node,
            "finally behind a return is not part of the language",
            "write these lines before the return",
        )
    if not f.scope.imported and node.handlers:
        f.shared.notices.append(
            f"line {node.lineno}: nothing here can fail, so the except part is left out"
        )
    return f.block([*node.body, *node.orelse, *node.finalbody])


def may_raise(node: ast.AST) -> bool:
    """Says whether a node may raise an exception of `NEVER` after all."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "next"
    return isinstance(node, ast.Raise)


def leaves(node: ast.AST, in_loop: bool) -> bool:
    """Says whether a statement may leave the `try` other than at its end."""
    if isinstance(node, ast.Break | ast.Continue):
        return not in_loop
    inside = in_loop or isinstance(node, ast.For | ast.While)
    return isinstance(node, ast.Return) or any(leaves(part, inside) for part in work.children(node))


def names_of(handler: ast.ExceptHandler) -> list[str]:
    """Returns the names of the exceptions that a handler is for."""
    if handler.type is None:
        return ["BaseException"]
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return [part.id if isinstance(part, ast.Name) else "Exception" for part in parts]


def harmless(f: Code, node: ast.AST) -> bool:
    """Says whether nothing in a statement or an expression can raise."""
    if isinstance(node, ast.Assign):
        names = all(isinstance(target, ast.Name) for target in node.targets)
        return names and harmless(f, node.value)
    if isinstance(node, ast.Compare):
        same = all(isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot) for op in node.ops)
        return same and all(harmless(f, part) for part in (node.left, *node.comparators))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not) and harmless(f, node.operand)
    if isinstance(node, ast.Attribute):
        return known(f, node.value, kinds.OBS | kinds.RAY) and (
            node.attr in f.shared.vocabulary.record_fields
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        asked = node.func.attr in f.shared.vocabulary.questions
        block = node.func.attr == "block" and all(
            facts.constant_of(f, arg) is not MISSING for arg in node.args
        )
        if not asked or not known(f, node.func.value, kinds.OBS):
            return False
        return block or (
            node.func.attr != "block" and all(known(f, arg, kinds.NAME) for arg in node.args)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        plain = all(facts.constant_of(f, arg) is not MISSING for arg in node.args)
        return facts.is_action(f, node.func.id) and plain
    return isinstance(node, PURE) and all(harmless(f, part) for part in work.children(node))


def known(f: Code, node: ast.expr, bits: int) -> bool:
    return facts.is_surely(f, node, bits) and harmless(f, node)
