"""Methods and operators of sets, and `|` of dictionaries. See `mappings.py`."""

import ast
from functools import partial

from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.data import iterators, numbers, within
from rlgpt_jax.macros.compiler.data.mappings import Method, simple
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


def combined(name: str, *extra: float) -> Method:
    """Returns the compiler of `a.union(b)` and the like."""

    def compile_call(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
        if node.keywords:
            raise Refused(node, "a method of sets takes sets and lists", "write a.union(b)")
        result = f.kept(owner)
        for arg in node.args:
            other = iterators.as_row(f, arg)
            within.routine(f, name, [result, other, *map(f.constant, extra)], result)
        if not node.args:
            within.routine(f, "_copy", [result], result)
        return f.put(result, into)

    return compile_call


def difference_update(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    old = f.kept(owner)
    for arg in node.args:
        made = within.routine(f, "_common", [old, iterators.as_row(f, arg), f.constant(0.0)])
        within.routine(f, "_refill", [old, made])
    return f.put(f.constant(None), into)


OPERATORS: dict[type, tuple[str, tuple[float, ...]]] = {
    ast.BitOr: ("_union", ()),
    ast.BitAnd: ("_common", (1.0,)),
    ast.Sub: ("_common", (0.0,)),
    ast.BitXor: ("_either", ()),
}


def wanted(op: ast.operator) -> int:
    """The kinds whose values the operator puts together; others are numbers."""
    return kinds.SET | kinds.DICT if isinstance(op, ast.BitOr) else kinds.SET


def operator(f: Code, node: ast.BinOp, into: int | None) -> int:
    """Compiles `a | b`, `a & b`, `a - b`, `a ^ b` of sets, and `|` of dictionaries; of numbers
    too, where the sides may be either."""
    left = f.kept(node.left)
    right = f.kept(node.right)
    name, extra = OPERATORS[type(node.op)]
    register = f.temp()
    args = [left, right, *map(f.constant, extra)]
    usual = partial(numbers.operated, f, node.op, left, right, register)
    special = partial(within.routine, f, name, args, register)
    within.by_kind(f, left, facts.kind_of(f, node.left).bits, wanted(node.op), usual, special)
    return f.put(register, into)


def changed(f: Code, node: ast.AugAssign, load: ast.expr) -> int:
    """Compiles the new value of `a |= b` and the like, where `a` may be a set or a dictionary."""
    old = f.kept(load)
    other = f.kept(node.value)
    register = f.temp()

    def change() -> None:
        if isinstance(node.op, ast.BitOr):
            within.routine(f, "_update", [old, other], register)
            return
        name, extra = OPERATORS[type(node.op)]
        made = within.routine(f, name, [old, other, *map(f.constant, extra)])
        within.routine(f, "_refill", [old, made])
        f.emit(bc.MOVE, register, old)

    usual = partial(numbers.operated, f, node.op, old, other, register)
    within.by_kind(f, old, facts.kind_of(f, load).bits, wanted(node.op), usual, change)
    return register


METHODS: dict[str, Method] = {
    "add": simple("_add", "add", ["item"], 1),
    "discard": simple("_discard", "discard", ["item"], 1),
    "union": combined("_union"),
    "intersection": combined("_common", 1.0),
    "difference": combined("_common", 0.0),
    "difference_update": difference_update,
    "issubset": simple("_subset", "issubset", ["other"], 1),
}
