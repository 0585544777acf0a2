"""Powers, bit operations and random numbers."""

import ast
from collections.abc import Callable

from rlgpt_jax.macros.compiler.calling import functions
from rlgpt_jax.macros.compiler.calling.signatures import bound
from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.data import iterators, within
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

Builtin = Callable[[Code, ast.Call, int | None], int]
# Operator -> coefficients of `_bits`.
BITS = {ast.BitAnd: (0.0, 1.0), ast.BitOr: (1.0, -1.0), ast.BitXor: (1.0, -2.0)}
SHIFTS = {ast.LShift: bc.MUL, ast.RShift: bc.FLOORDIV}


# --- powers ---------------------------------------------------------------------
def power(f: Code, node: ast.BinOp, into: int | None) -> int:
    """Compiles `x ** n`: products for small whole n, a square root for 0.5."""
    exponent = facts.constant_of(f, node.right)
    if not isinstance(exponent, float | bool) or not is_easy(float(exponent)):
        if isinstance(exponent, float) and not exponent.is_integer():
            raise Refused(
                node, "powers are whole, or 0.5", "multiply, or use sqrt: x ** 1.5 is x * sqrt(x)"
            )
        return functions.routine(f, node, "pow", [node.left, node.right], into)
    base = f.value(node.left)
    f.at(node)
    register = f.target(into)
    if abs(exponent) == 0.5:
        f.emit(bc.SQRT, register, base)
    elif exponent == 0:
        f.emit(bc.NUMBER, register, base)
        f.emit(bc.MOVE, register, f.constant(1.0))
    else:
        f.emit(bc.NUMBER, register, base)
        for _ in range(int(abs(exponent)) - 1):
            f.emit(bc.MUL, register, register, base)
    if exponent < 0:
        f.emit(bc.DIV, register, f.constant(1.0), register)
    return f.put(register, into)


def is_easy(exponent: float) -> bool:
    return abs(exponent) == 0.5 or (exponent == int(exponent) if abs(exponent) <= 8 else False)


# --- bits ------------------------------------------------------------------------
def bits(f: Code, node: ast.BinOp, into: int | None) -> int:
    """Compiles `a & b`, `a | b`, `a ^ b`, `a << n` and `a >> n` of whole numbers."""
    register = f.temp()
    left, right = (whole(f, f.value(side)) for side in (node.left, node.right))
    f.at(node)
    if type(node.op) in BITS:
        return whole_bits(f, node.op, left, right, into)
    within.routine(f, "pow", [f.constant(2.0), right], register)
    f.emit(SHIFTS[type(node.op)], register, left, register)
    return f.put(register, into)


def whole_bits(f: Code, op: ast.operator, left: int, right: int, into: int | None) -> int:
    one, both = BITS[type(op)]
    return within.routine(f, "_bits", [left, right, f.constant(one), f.constant(both)], into)


def operated(f: Code, op: ast.operator, left: int, right: int, into: int) -> None:
    """Compiles `-`, `&`, `|` or `^` of operands that are there already."""
    if isinstance(op, ast.Sub):
        f.emit(bc.SUB, into, left, right)
    else:
        whole_bits(f, op, whole(f, left), whole(f, right), into)


def whole(f: Code, operand: int) -> int:
    """Checks a side of a bit operation, which must be a whole number."""
    register = f.temp()
    f.emit(bc.WHOLE, register, operand)
    return register


def inverted(f: Code, node: ast.UnaryOp, into: int | None) -> int:
    """Compiles `~a`: -a - 1."""
    register = f.temp()
    f.emit(bc.NEG, register, whole(f, f.value(node.operand)))
    f.emit(bc.SUB, register, register, f.constant(1.0))
    return f.put(register, into)


# --- random numbers ------------------------------------------------------------------
def random(name: str, names: list[str]) -> Builtin:
    """Returns the compiler of a random function that is one routine."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        given = bound(node, name, ["state", *names], 1 + len(names))
        args: list[ast.expr | int] = [given[n] for n in ("state", *names)]
        if name in ("random.choice", "random.shuffle"):
            args[1] = iterators.as_row(f, given["items"])
        return within.routine_with(f, "_" + name.split(".")[1], args, into)

    return compile_call


def seed(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles the seed of `lower.random_state`."""
    return within.routine_with(f, "_seed", list(node.args), into)


NUMBER_BUILTINS: dict[str, Builtin] = {
    "random random": random("random.random", []),
    "random randint": random("random.randint", ["a", "b"]),
    "random uniform": random("random.uniform", ["a", "b"]),
    "random choice": random("random.choice", ["items"]),
    "random shuffle": random("random.shuffle", ["items"]),
    "random seed": seed,
}
