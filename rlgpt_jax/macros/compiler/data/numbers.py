"""Bit operations, more of `math`, random numbers, and tests of what a value is."""

import ast
import math
from collections.abc import Callable

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.calling import functions
from rlgpt_jax.macros.compiler.calling.signatures import bound
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import iterators, loops, within
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

Builtin = Callable[[Code, ast.Call, int | None], int]
# Operator -> coefficients of `_bits`, and the operation on truths.
BITS = {
    ast.BitAnd: ((0.0, 1.0), bc.MIN),
    ast.BitOr: ((1.0, -1.0), bc.MAX),
    ast.BitXor: ((1.0, -2.0), bc.NE),
}
SHIFTS = {ast.LShift: bc.MUL, ast.RShift: bc.FLOORDIV}
TRUTHS = ("on_ground", "in_water")


# --- powers ---------------------------------------------------------------------
def power(f: Code, node: ast.BinOp, into: int | None) -> int:
    """Compiles `x ** n`: products for small whole n, a square root for 0.5."""
    exponent = facts.constant_of(f, node.right)
    if not isinstance(exponent, float | bool) or not is_easy(float(exponent)):
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
def is_bits(node: ast.BinOp) -> bool:
    return type(node.op) in BITS or type(node.op) in SHIFTS


def bits(f: Code, node: ast.BinOp, into: int | None) -> int:
    """Compiles `a & b`, `a | b`, `a ^ b`, `a << n` and `a >> n` of whole numbers."""
    register = f.temp()
    if type(node.op) in BITS and is_truth(f, node.left) and is_truth(f, node.right):
        left, right = f.kept(node.left), f.value(node.right)
        f.emit(BITS[type(node.op)][1], register, left, right)
        return f.put(register, into)
    left, right = (whole(f, f.value(side)) for side in (node.left, node.right))
    f.at(node)
    if type(node.op) in BITS:
        return whole_bits(f, node.op, left, right, into)
    within.routine(f, "pow", [f.constant(2.0), right], register)
    f.emit(SHIFTS[type(node.op)], register, left, register)
    return f.put(register, into)


def whole_bits(f: Code, op: ast.operator, left: int, right: int, into: int | None) -> int:
    one, both = BITS[type(op)][0]
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


def is_truth(f: Code, node: ast.expr) -> bool:
    """Says whether an expression is surely True or False."""
    if isinstance(node, ast.Compare) or isinstance(facts.constant_of(f, node), bool):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.BoolOp):
        return all(is_truth(f, part) for part in node.values)
    if isinstance(node, ast.BinOp):
        return type(node.op) in BITS and is_truth(f, node.left) and is_truth(f, node.right)
    if isinstance(node, ast.Attribute):
        return node.attr in TRUTHS
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("near", "sees", "startswith", "endswith")
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and (node.func.id in ("any", "all", "bool"))
    )


def inverted(f: Code, node: ast.UnaryOp, into: int | None) -> int:
    """Compiles `~a`: -a - 1."""
    register = f.temp()
    f.emit(bc.NEG, register, whole(f, f.value(node.operand)))
    f.emit(bc.SUB, register, register, f.constant(1.0))
    return f.put(register, into)


# --- math ------------------------------------------------------------------------
def divmod_(f: Code, node: ast.Call, into: int | None) -> int:
    given = bound(node, "divmod", ["x", "y"], 2)
    x, y = (f.kept(given[name]) for name in ("x", "y"))
    parts = f.temp(2)
    f.emit(bc.FLOORDIV, parts, x, y)
    f.emit(bc.MOD, parts + 1, x, y)
    return f.sequence(values.T_TUPLE, [parts, parts + 1], into)


def log(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `math.log(x)` and `math.log(x, base)`."""
    given = bound(node, "log", ["x", "base"], 1)
    register = within.routine_with(f, "_log", [given["x"]], f.temp())
    if "base" in given:
        base = within.routine_with(f, "_log", [given["base"]])
        f.emit(bc.DIV, register, register, base)
    return f.put(register, into)


def isclose(f: Code, node: ast.Call, into: int | None) -> int:
    given = bound(node, "isclose", ["a", "b", "rel_tol", "abs_tol"], 2)
    args = [given["a"], given["b"], given.get("rel_tol", f.constant(1e-9)),
            given.get("abs_tol", f.constant(0.0))]  # fmt: skip
    return within.routine_with(f, "_isclose", args, into)


def tested(name: str, op: int) -> Builtin:
    """Returns the compiler of isnan, isinf and isfinite."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        operand = f.value(bound(node, name, ["x"], 1)["x"])
        register = f.temp()
        f.emit(bc.ABS, register, operand)
        other = register if name == "isnan" else f.constant(math.inf)
        f.emit(op, register, register, other)
        return f.put(register, into)

    return compile_call


def prod(f: Code, node: ast.Call, into: int | None) -> int:
    given = bound(node, "prod", ["items", "start"], 1)
    total = f.temp()
    if "start" in given:
        f.value(given["start"], total)
    else:
        f.emit(bc.MOVE, total, f.constant(1.0))
    loops.each_of(f, given["items"], lambda item: f.emit(bc.MUL, total, total, item), Label())
    return f.put(total, into)


# --- what a value is ----------------------------------------------------------------
TYPES = {
    "str": (values.T_NAME,),
    "tuple": (values.T_TUPLE,),
    "list": (values.T_LIST,),
    "dict": (values.T_DICT,),
    "set": (values.T_SET,),
}


def isinstance_(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `isinstance(x, (int, float))`, `isinstance(x, str)` and the like."""
    given = bound(node, "isinstance", ["x", "type"], 2)
    names = type_names(given["type"])
    numbers = {"int", "float", "bool"} & set(names)
    if not names or set(names) - numbers - TYPES.keys():
        raise Refused(
            node,
            "isinstance knows int and float together, str, tuple, list, dict, set",
            "write isinstance(x, (int, float)), or compare with None",
        )
    if numbers and not numbers >= {"int", "float"}:
        raise Refused(
            node,
            f"isinstance cannot tell {numbers.pop()} from other numbers: all are "
            "32 bit floats, True is 1",
            "write isinstance(x, (int, float))",
        )
    tags = [tag for name in names for tag in TYPES.get(name, (values.T_NUMBER,))]
    return has_tag(f, given["x"], tags, into)


def type_names(node: ast.expr) -> list[str]:
    """Returns the names of types; nothing if something else is among them."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts = [node.left, node.right]
    elif isinstance(node, ast.Tuple):
        parts = node.elts
    else:
        return [node.id] if isinstance(node, ast.Name) else []
    found = [type_names(part) for part in parts]
    return [name for names in found for name in names] if all(found) else []


def callable_(f: Code, node: ast.Call, into: int | None) -> int:
    item = bound(node, "callable", ["x"], 1)["x"]
    return has_tag(f, item, [values.T_FUNCTION], into)


def has_tag(f: Code, node: ast.expr, tags: list[int], into: int | None) -> int:
    operand, register, found = f.value(node), f.temp(), Label()
    operand = f.put(operand, f.temp())
    f.emit(bc.MOVE, register, f.constant(True))
    for tag in sorted(set(tags)):
        f.emit(bc.JTAG, operand, tag, found)
    f.emit(bc.MOVE, register, f.constant(False))
    f.place(found)
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


def randrange(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `random.randrange(stop)` and `random.randrange(start, stop)`."""
    if not 2 <= len(node.args) <= 3 or node.keywords:
        raise Refused(
            node, "random.randrange takes a stop, or a start and a stop", "random.randrange(0, n)"
        )
    low: ast.expr | int = node.args[1] if len(node.args) == 3 else f.constant(0.0)
    register = f.temp()
    f.emit(bc.SUB, register, f.value(node.args[-1]), f.constant(1.0))
    return within.routine_with(f, "_randint", [node.args[0], low, register], into)


def seed(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles the first seed, which is ours; the author's are left out."""
    if not isinstance(node.args[0], ast.Name):
        return within.routine_with(f, "_seed", list(node.args), into)
    f.shared.notices.append(
        f"line {f.line}: random.seed does nothing; every run of a macro has its own numbers"
    )
    return f.put(f.constant(None), into)


NUMBER_BUILTINS: dict[str, Builtin] = {
    "divmod": divmod_,
    "log": log,
    "isclose": isclose,
    "isnan": tested("isnan", bc.NE),
    "isinf": tested("isinf", bc.EQ),
    "isfinite": tested("isfinite", bc.LT),
    "prod": prod,
    "isinstance": isinstance_,
    "callable": callable_,
    "random random": random("random.random", []),
    "random randint": random("random.randint", ["a", "b"]),
    "random uniform": random("random.uniform", ["a", "b"]),
    "random choice": random("random.choice", ["items"]),
    "random shuffle": random("random.shuffle", ["items"]),
    "random randrange": randrange,
    "random seed": seed,
}
