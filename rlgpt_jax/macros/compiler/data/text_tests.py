"""Tests of names as text: `x.lower() == "cow"`, `"log" in str(x)`, `word in x`."""

import ast
from collections.abc import Callable
from typing import Any

from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import within
from rlgpt_jax.macros.compiler.data.text import Chain, chain
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.compiler.pool import NotConstant
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


def test(f: Code, node: ast.Compare) -> tuple[ast.expr, str, Callable[[str], bool]] | None:
    """Returns base, key and predicate of `x.lower() == "cow"` and `"log" in str(x)`."""
    if len(node.ops) != 1 or f.scope.trusted:
        return None
    op, left, right = node.ops[0], node.left, node.comparators[0]
    if isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
        negated = isinstance(op, ast.NotEq | ast.NotIn)
        known, constant = chain(f, left), facts.constant_of(f, right)
        if isinstance(right, ast.Set | ast.List):
            constant = facts.constant_row(f, right)
        if known is not None and constant is not MISSING:
            if isinstance(op, ast.In | ast.NotIn) and not isinstance(constant, tuple | str):
                return None
            return predicate(f, known, op, constant, negated)
        known, constant = chain(f, right), facts.constant_of(f, left)
        if known is not None and isinstance(constant, str):
            return predicate(f, known, op, constant, negated, swapped=True)
    return None


def predicate(
    f: Code, known: Chain, op: ast.cmpop, constant: Any, negated: bool, swapped: bool = False
) -> tuple[ast.expr, str, Callable[[str], bool]] | None:
    if not facts.is_surely(f, known.base, kinds.NAME):
        return None

    def holds(name: str) -> bool:
        try:
            result = known.function(name)
            if isinstance(op, ast.Eq | ast.NotEq):
                found = result == constant
            elif swapped:
                found = constant in result
            else:
                found = result in constant
        except (NotConstant, TypeError):
            return False
        return found != negated

    return known.base, f"{known.key} {type(op).__name__} {constant!r} {swapped}", holds


def compare_jump(f: Code, node: ast.Compare, label: Label, when: bool) -> bool:
    """Compiles a comparison of a text function with a constant; says whether it is one."""
    found = test(f, node)
    if found is None:
        return False
    base, key, holds = found
    operand, register = f.value(base), f.temp()
    f.emit(bc.INSET, register, operand, f.pool.named_set(key, holds))
    f.emit(bc.JT if when else bc.JF, register, label)
    return True


# --- a word that is a variable -----------------------------------------------------------
def words_of(f: Code, node: ast.expr, needed: bool) -> list[str] | None:
    """Returns the words that an expression may be; None if they are not known.

    That is refused where the answer is needed.
    """
    found = facts.kind_of(f, node).words
    if found:
        return sorted(found)
    if needed:
        raise Refused(
            node,
            "the text that is looked for in a name is not known when the macro is compiled",
            'write "log" in r.block, or loop over a tuple of names in quotes',
        )
    return None


def with_word(f: Code, words: list[str], word: int, name: int, how: str, register: int) -> None:
    """Compiles a test of a name with a word that is one of a few."""
    done = Label()
    for item in words:
        with f.unless(done, bc.JNE, word, f.constant(item)):
            f.emit(bc.INSET, register, name, f.pool.later_set(how, item))
    within.wrong_kind(f, register)
    f.place(done)
