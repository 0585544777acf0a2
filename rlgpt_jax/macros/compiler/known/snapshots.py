"""Questions to an old observation: `prev = obs`, a tick, and then `prev.count("log")`.

A record of an observation has the numbers that the program reads, see `records.py`. The
program is compiled once to see which observations are kept at all. If one of them may be
asked something, with arguments that are constants, it is compiled again: the answer is a
part of the record then, and what asks looks whether it has a record or the observation.
"""

import ast
from dataclasses import dataclass, field
from typing import Any

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Code, Label, Shared
from rlgpt_jax.macros.compiler.known import kinds
from rlgpt_jax.macros.compiler.known.kinds import Kinds
from rlgpt_jax.macros.compiler.tree.scopes import MISSING, Scope, Variable, own_nodes, resolve
from rlgpt_jax.macros.vm import bytecode as bc

QUESTIONS = {"count": bc.COUNT, "near": bc.NEAR, "sees": bc.SEES, "nearest": bc.NEAREST}
ALL_BLOCKS = ("blocks", None)  # the 27 names around the feet, as one tuple
NUM_BLOCKS = 27


@dataclass
class Old:
    """What may hold an observation of an earlier tick."""

    known: Kinds
    variables: set[Variable]
    in_rows: bool
    returns: set[Scope] = field(default_factory=set)

    def may_be(self, scope: Scope, node: ast.expr) -> bool:
        """Says whether an expression may be an old observation."""
        if isinstance(node, ast.Name):
            variable = resolve(scope, node.id)
            return self.in_rows if variable is None else variable in self.variables
        if isinstance(node, ast.YieldFrom | ast.NamedExpr):
            return self.may_be(scope, node.value)
        if isinstance(node, ast.IfExp):
            return self.may_be(scope, node.body) or self.may_be(scope, node.orelse)
        if isinstance(node, ast.BoolOp):
            return any(self.may_be(scope, part) for part in node.values)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            target = resolve(scope, node.func.id)
            if isinstance(target, Scope):
                return target in self.returns
        if isinstance(node, ast.Call | ast.Subscript):
            maybe = bool(self.known.of(scope, node).bits & kinds.OBS)
            return maybe and (self.in_rows or bool(self.returns))
        return False

    def size(self) -> int:
        return len(self.variables) + len(self.returns) + self.in_rows


def find(modules: list[Scope], shared: Shared) -> Old | None:
    """Returns what may be old; None if nothing old is asked a question."""
    if not shared.pinned and not shared.pinned_rows:
        return None
    old = Old(shared.kinds, set(shared.pinned), shared.pinned_rows)
    scopes = [s for module in modules for s in module.every() if not s.trusted]
    size = -1
    while old.size() > size:
        size = old.size()
        for scope in scopes:
            for node in own_nodes(scope.node):
                follow(old, scope, node)
    asked = any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in shared.vocabulary.questions
        and old.may_be(scope, node.func.value)
        for scope in scopes
        for node in own_nodes(scope.node)
    )
    return old if asked else None


def follow(old: Old, scope: Scope, node: ast.AST) -> None:
    """Follows old observations through one statement or call."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            assigned(old, scope, target, node.value)
    elif isinstance(node, ast.NamedExpr):
        assigned(old, scope, node.target, node.value)
    elif isinstance(node, ast.For) and old.in_rows:
        mark(old, scope, node.target)
    elif isinstance(node, ast.Return) and node.value is not None:
        if old.may_be(scope, node.value):
            old.returns.add(scope)
    elif isinstance(node, ast.Tuple | ast.List | ast.Dict | ast.Set):
        parts = node.values if isinstance(node, ast.Dict) else node.elts
        old.in_rows |= any(old.may_be(scope, part) for part in parts)
    elif isinstance(node, ast.Call):
        held = [old.may_be(scope, arg) for arg in node.args]
        called = resolve(scope, node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(node.func, ast.Attribute):
            old.in_rows |= any(held)
            return
        every = scope.module.every()
        targets = [called] if isinstance(called, Scope) else [s for s in every if s.is_value]
        for each in targets:
            old.in_rows |= any(held) and not each.is_plain
            old.variables |= {(each, p) for p, h in zip(each.params, held, strict=False) if h}
            old.variables |= {
                (each, k.arg)
                for k in node.keywords
                if k.arg in each.params and old.may_be(scope, k.value)
            }


def assigned(old: Old, scope: Scope, target: ast.expr, source: ast.expr) -> None:
    if isinstance(target, ast.Tuple | ast.List) and isinstance(source, ast.Tuple | ast.List):
        for part, item in zip(target.elts, source.elts, strict=False):
            assigned(old, scope, part, item)
    elif isinstance(target, ast.Tuple | ast.List):
        if old.in_rows:
            mark(old, scope, target)
    elif isinstance(target, ast.Name) and old.may_be(scope, source):
        mark(old, scope, target)


def mark(old: Old, scope: Scope, target: ast.expr) -> None:
    for node in ast.walk(target):
        variable = resolve(scope, node.id) if isinstance(node, ast.Name) else None
        if isinstance(variable, tuple):
            if old.known.variables.get(variable, old.known.unknown).bits & kinds.OBS:
                old.variables.add(variable)


# --- asking --------------------------------------------------------------------------
def kept(f: Code, node: ast.expr, question: str, argument: Any) -> int:
    """Returns the place of an answer in records; 0 if `node` is never an old observation."""
    old = f.shared.old
    if old is None or f.scope.trusted or argument is MISSING:
        return 0
    if not old.may_be(f.scope, node):
        return 0
    key = (question, argument)
    if key not in f.shared.kept_fields:
        f.shared.kept_fields.append(key)
    return f.shared.kept_fields.index(key) + 2  # 1: see `rows.restore`


def answer(f: Code, op: int, register: int, obs: int, item: int, place: int) -> None:
    """Emits a question to an observation, or looks the answer up in its record."""
    if place == 0:
        f.emit(op, register, obs, item)
        return
    is_record, done, result = Label(), Label(), f.temp()
    f.emit(bc.JTAG, obs, values.T_OBS_RECORD, is_record)
    f.emit(op, result, obs, item)
    f.emit(bc.JUMP, done)
    f.place(is_record)
    f.emit(bc.FIELD, result, obs, place << 16)
    f.place(done)
    f.emit(bc.MOVE, register, result)


def any_block(f: Code, register: int, obs: int, cell: int, place: int) -> None:
    """Emits `obs.block(dx, dy, dz)` with computed offsets; `place` of all blocks."""
    if place == 0:
        f.emit(bc.BLOCK, register, obs, cell)
        return
    is_record, done, result = Label(), Label(), f.temp()
    f.emit(bc.JTAG, obs, values.T_OBS_RECORD, is_record)
    f.emit(bc.BLOCK, result, obs, cell)
    f.emit(bc.JUMP, done)
    f.place(is_record)
    f.emit(bc.FIELD, result, obs, place << 16)
    f.emit(bc.INDEX, result, result, cell)
    f.place(done)
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
