"""Questions to an old observation: `prev = obs`, a tick, and then `prev.count("log")`.

A record of an observation has the numbers that the program reads, see `records.py`. The
program is compiled once to see which observations are kept at all. If one of them may be
asked something, with arguments that are constants, it is compiled again: the answer is a
part of the record then, and what asks looks whether it has a record or the observation.
"""

import ast
from typing import Any

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Code, Shared
from rlgpt_jax.macros.compiler.data import within
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.compiler.known.kinds import Kinds
from rlgpt_jax.macros.compiler.tree.scopes import MISSING, Scope, own_nodes
from rlgpt_jax.macros.vm import bytecode as bc

QUESTIONS = {"count": bc.COUNT, "near": bc.NEAR, "sees": bc.SEES, "nearest": bc.NEAREST}
ALL_BLOCKS = ("blocks", None)  # the 27 names around the feet, as one tuple
NUM_BLOCKS = 27


def asked(modules: list[Scope], shared: Shared, known: Kinds) -> bool:
    """Says whether a question is asked to what may be an old observation."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in shared.vocabulary.questions
        and bool(known.of(scope, node.func.value).bits & kinds.OLD)
        for module in modules
        for scope in module.every()
        for node in own_nodes(scope.node)
    )


# --- asking --------------------------------------------------------------------------
def kept(f: Code, node: ast.expr, question: str, argument: Any) -> int:
    """Returns the place of an answer in records; 0 if `node` is never an old observation."""
    if argument is MISSING or not facts.may_be(f, node, kinds.OLD):
        return 0
    key = (question, argument)
    if key not in f.shared.kept_fields:
        f.shared.kept_fields.append(key)
    return f.shared.kept_fields.index(key) + 2  # 1: see `rows.restore`


def answer(
    f: Code, op: int, register: int, obs: int, item: int, place: int, of_all: bool = False
) -> None:
    """Emits a question to an observation, or looks the answer up in its record.

    With `of_all` the record has the answers for all items, in their order.
    """
    if place == 0:
        f.emit(op, register, obs, item)
        return
    result = f.temp()

    def look_up() -> None:
        f.emit(bc.FIELD, result, obs, place << 16)
        if of_all:
            f.emit(bc.INDEX, result, result, item)

    tags = [values.T_OBS_RECORD]
    within.by_tag(f, obs, tags, lambda: f.emit(op, result, obs, item), look_up)
    f.emit(bc.MOVE, register, result)


def keep_answer(f: Code, register: int, question: str, argument: Any) -> None:
    """Writes, for the routine that makes records, one answer about register 1."""
    if question == "blocks":
        first = f.temp(NUM_BLOCKS)
        for i in range(NUM_BLOCKS):
            f.emit(bc.BLOCK, first + i, 1, f.constant(float(i)))
        f.sequence(values.T_TUPLE, list(range(first, first + NUM_BLOCKS)), register)
    elif question == "block":
        f.emit(bc.BLOCK, register, 1, f.constant(argument))
    else:
        f.emit(QUESTIONS[question], register, 1, f.constant(argument))
        if question == "nearest":
            base = f.temp(2)
            f.emit(bc.MOVE, base + 1, register)
            f.emit(bc.CALL, base, f.shared.pin, None)
            f.emit(bc.MOVE, register, base)
