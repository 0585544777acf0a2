"""The words of a program that its variables may hold, and tests of names with them."""

import ast

from rlgpt_jax.macros.actions import ITEM_ACTIONS
from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import strings, within
from rlgpt_jax.macros.compiler.known import facts, kinds, possible
from rlgpt_jax.macros.compiler.pool import MAX_TEXT
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

MAX_WORDS = 64  # that a word may be which is looked for in names
MAX_KNOWN = 32  # that one variable may hold
ROUTINES = {"in": "_word_in", "startswith": "_word_starts", "endswith": "_word_ends"}
NO_AFFIXES = ("", "")
ASKS = ("near", "sees", "nearest", "block")


def in_quotes(trees: list[ast.Module]) -> tuple[str, ...]:
    """Returns the texts that variables may hold: not those that are only compared."""
    found: list[str] = []
    lowered = False
    for tree in trees:
        only_compared = {id(part) for node in work.walk(tree) for part in compared(node)}
        for node in work.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if id(node) not in only_compared and len(node.value) <= MAX_TEXT:
                    found.append(node.value)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                lowered |= node.func.attr == "lower"
                if node.func.attr == "split" and isinstance(node.func.value, ast.Constant):
                    found += str(node.func.value.value)[:MAX_TEXT].split()
    return tuple(dict.fromkeys([*found, *(t.lower() for t in found if lowered)]))


def compared(node: ast.AST) -> list[ast.expr]:
    """Returns the parts of a node that nothing but the node reads."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return [node.slice]
    if isinstance(node, ast.Expr):
        return [node.value]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.args if node.func.attr in (*ASKS, *strings.METHODS) else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.args if node.func.id in ITEM_ACTIONS else []
    return []


def held_by(f: Code, node: ast.expr, needed: bool) -> tuple[str, ...] | None:
    """Returns the words that an expression may have; None if they are not known.

    That is refused where the answer is needed.
    """
    found = possible.values_of(f, node)
    if found is not None and len(found) <= MAX_KNOWN:
        return tuple(item for item in found if isinstance(item, str))
    if not is_of_game(node) and 0 < len(f.shared.words) <= MAX_WORDS:
        return f.shared.words  # it may be any of the program
    if needed:
        raise Refused(
            node,
            "the text that is looked for in a name is not known when the macro is compiled",
            'write "log" in r.block, or loop over a tuple of names in quotes',
        )
    return None


def is_of_game(node: ast.expr) -> bool:
    """Says whether an expression is surely no word of the program: `obs.held`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr not in strings.METHODS or is_of_game(node.func.value)
    return isinstance(node, ast.Attribute | ast.Call)


def test(
    f: Code, words: tuple[str, ...], word: int, name: int, how: str, register: int,
    affixes: tuple[str, str] = NO_AFFIXES,
) -> None:  # fmt: skip
    """Compiles a test of a name with a word that is one of a few, between two affixes."""
    if words is f.shared.words and affixes == NO_AFFIXES:
        within.routine(f, ROUTINES[how], [name, word], register)
        return
    before, after = affixes
    done = Label()
    for item in words:
        with f.unless(done, bc.JNE, word, f.constant(item)):
            f.emit(bc.INSET, register, name, f.pool.later_set(how, before + item + after))
    within.wrong_kind(f, register)
    f.place(done)


def without_affixes(f: Code, node: ast.expr) -> tuple[ast.expr, tuple[str, str]]:
    """Takes `"_" + word` and `f"{word}_ore"` apart: a word, and what is around it."""
    parts = strings.parts_of(node, lambda item: isinstance(facts.constant_of(f, item), str))
    texts: list[str] = [""]
    found: list[ast.expr] = []
    for part in parts or []:
        constant = part if isinstance(part, str) else facts.constant_of(f, part[0])
        if isinstance(constant, str):
            texts[-1] += constant
        elif isinstance(part, str) or part[1] or constant is not MISSING:
            return node, NO_AFFIXES
        else:
            found.append(part[0])
            texts.append("")
    return (found[0], (texts[0], texts[1])) if len(found) == 1 else (node, NO_AFFIXES)


def part_of_name(f: Code, node: ast.Compare) -> int | None:
    """Compiles `"_" + word in name`; None if it is something else."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In | ast.NotIn) or f.scope.trusted:
        return None
    given, affixes = without_affixes(f, node.left)
    if affixes == NO_AFFIXES or not facts.is_surely(f, node.comparators[0], kinds.NAME):
        return None
    known = held_by(f, given, needed=True)
    assert known is not None
    word, register = f.kept(given), f.temp()
    name = f.kept(node.comparators[0])
    test(f, known, word, name, "in", register, affixes)
    return register
