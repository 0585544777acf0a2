"""Builtin functions: min, max, sum, round, ... and those of math."""

import ast
import math
from collections.abc import Callable

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import calls, loops
from rlgpt_jax.macros.compiler import expressions as ex
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.refusal import Refused

Builtin = Callable[[Code, ast.Call, int | None], int]


def operation(name: str, op: int) -> Builtin:
    """Returns the compiler of a function of one number that is one instruction."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        operand = ex.value(f, calls.bound(node, name, ["x"], 1)["x"])
        register = f.temp() if into is None else into
        f.at(node)
        f.emit(op, register, operand)
        return register

    return compile_call


def scaled(name: str, factor: float) -> Builtin:
    """Returns the compiler of `x * factor`."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        operand = ex.value(f, calls.bound(node, name, ["x"], 1)["x"])
        register = f.temp() if into is None else into
        f.emit(bc.MUL, register, operand, f.constant(factor))
        return register

    return compile_call


def round_(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `round(x)` and `round(x, digits)`."""
    given = calls.bound(node, "round", ["number", "ndigits"], 1)
    operand = ex.value(f, given["number"])
    register = f.target(into)
    digits = ex.constant_of(f, given["ndigits"]) if "ndigits" in given else 0.0
    if not isinstance(digits, float | None.__class__) or not 0 <= (digits or 0) <= 6:
        raise Refused(node, "round takes a constant number of digits, 0 to 6", "round(x)")
    scale = f.constant(10.0 ** (digits or 0))
    if digits:
        f.emit(bc.MUL, register, operand, scale)
        operand = register
    f.emit(bc.ROUND, register, operand)
    if digits:
        f.emit(bc.DIV, register, register, scale)
    return f.put(register, into)


def sign(f: Code, node: ast.Call, into: int | None) -> int:
    operand = ex.value(f, calls.bound(node, "sign", ["x"], 1)["x"])
    positive, negative = f.temp(), f.temp()
    f.emit(bc.LT, positive, f.constant(0.0), operand)
    f.emit(bc.LT, negative, operand, f.constant(0.0))
    f.emit(bc.SUB, positive, positive, negative)
    return f.put(positive, into)


def pow_(f: Code, node: ast.Call, into: int | None) -> int:
    given = calls.bound(node, "pow", ["x", "y"], 2)
    power = ast.BinOp(given["x"], ast.Pow(), given["y"])
    return ex.power(f, ast.copy_location(power, node), into)


# --- over sequences --------------------------------------------------------------
def extreme(op: int) -> Builtin:
    """Returns the compiler of `min` (op MIN) or `max` (op MAX)."""
    name = "min" if op == bc.MIN else "max"

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        options = {k.arg: k.value for k in node.keywords}
        if len(node.args) == 1 and set(options) <= {"key", "default"}:
            return best(f, node, node.args[0], options, op, into)
        if len(node.args) < 2 or set(options) - {"key"}:
            raise Refused(node, f"{name} needs numbers or one sequence",
                          f"for example {name}(a, b) or {name}(r.distance for r in obs.rays)")
        if options:
            row = ast.copy_location(ast.Tuple(node.args, ast.Load()), node)
            return best(f, node, row, options, op, into)
        operands = [ex.value(f, arg) for arg in node.args]
        register = f.temp()
        f.at(node)
        f.emit(op, register, operands[0], operands[1])
        for operand in operands[2:]:
            f.emit(op, register, register, operand)
        return f.put(register, into)

    return compile_call


def best(
    f: Code, node: ast.Call, row: ast.expr, options: dict, op: int, into: int | None
) -> int:
    """Compiles min or max of a sequence, the first of the best, with key and default."""
    result, best_score, found, score = f.temp(), f.temp(), f.temp(), f.temp()
    f.emit(bc.MOVE, found, f.constant(0.0))

    def step(item: int) -> None:
        scored = key_of(f, node, options.get("key"), item, score)
        take, leave = Label(), Label()
        f.emit(bc.JF, found, take)
        a, b = (scored, best_score) if op == bc.MIN else (best_score, scored)
        f.emit(bc.JNLT, a, b, leave)
        f.place(take)
        f.emit(bc.NUMBER, best_score, scored)
        f.emit(bc.MOVE, result, item)
        f.emit(bc.MOVE, found, f.constant(1.0))
        f.place(leave)

    loops.each_of(f, row, step, Label())
    done = Label()
    f.emit(bc.JT, found, done)
    if "default" in options:
        ex.value(f, options["default"], result)
    else:
        f.emit(bc.INDEX, result, f.constant(()), f.constant(0.0))  # traps: it is empty
    f.place(done)
    return f.put(result, into)


def key_of(f: Code, node: ast.Call, key: ast.expr | None, item: int, score: int) -> int:
    """Compiles `key(item)` for a lambda or a function of the author."""
    if key is None:
        return item
    f.inner_names.append({})
    f.comprehensions += 1
    if isinstance(key, ast.Lambda):
        if len(key.args.args) != 1 or key.args.defaults:
            raise Refused(node, "the lambda of key= takes one value", "key=lambda r: r.distance")
        f.inner_names[-1][key.args.args[0].arg] = item
        ex.value(f, key.body, score)
    else:
        f.inner_names[-1]["key item"] = item
        argument = ast.copy_location(ast.Name("key item", ast.Load()), node)
        ex.value(f, ast.copy_location(ast.Call(key, [argument], []), node), score)
    f.comprehensions -= 1
    f.inner_names.pop()
    return score


def sum_(f: Code, node: ast.Call, into: int | None) -> int:
    given = calls.bound(node, "sum", ["items", "start"], 1)
    total = f.temp()
    if "start" in given:
        ex.value(f, given["start"], total)
    else:
        f.emit(bc.MOVE, total, f.constant(0.0))
    loops.each_of(
        f, given["items"], lambda item: f.emit(bc.ADD, total, total, item), Label()
    )
    return f.put(total, into)


def quantifier(name: str, stop: bool) -> Builtin:
    """Returns the compiler of `any` (stops at a true item) or `all` (at a false one)."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        items = calls.bound(node, name, ["items"], 1)["items"]
        result, decided, done = f.temp(), Label(), Label()
        jump = bc.JT if stop else bc.JF
        loops.each_of(f, items, lambda item: f.emit(jump, item, decided), Label())
        f.emit(bc.MOVE, result, f.constant(not stop))
        f.emit(bc.JUMP, done)
        f.place(decided)
        f.emit(bc.MOVE, result, f.constant(stop))
        f.place(done)
        return f.put(result, into)

    return compile_call


def next_(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `next((r for r in ... if ...), None)`: the first item."""
    given = calls.bound(node, "next", ["items", "default"], 1)
    if not isinstance(given["items"], ast.GeneratorExp) or "default" not in given:
        raise Refused(node, "next takes a generator expression and a default",
                      "next((r for r in obs.rays if ...), None)")
    result, found, done = f.temp(), Label(), Label()

    def take(item: int) -> None:
        f.emit(bc.MOVE, result, item)
        f.emit(bc.JUMP, done)

    loops.each_of(f, given["items"], take, found)
    ex.value(f, given["default"], result)
    f.place(done)
    return f.put(result, into)


def copied(name: str) -> Builtin:
    """Returns the compiler of `list(items)`, `tuple(items)` and a bare `range(...)`."""

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        items = node if name == "range" else calls.bound(node, name, ["items"], 0).get("items")
        register = ex.sequence(f, values.T_LIST, [], None)
        if items is not None:
            loops.each_of(f, items, lambda item: f.emit(bc.APPEND, register, item, 0), Label())
        if name == "tuple":
            f.emit(bc.RETAG, register, register, values.T_TUPLE)
        return f.put(register, into)

    return compile_call


def float_(f: Code, node: ast.Call, into: int | None) -> int:
    given = calls.bound(node, "float", ["x"], 1)["x"]
    if isinstance(ex.constant_of(f, given), str):
        raise Refused(node, "a text cannot be made a number", 'write the number; "inf" is known')
    return operation("float", bc.NUMBER)(f, node, into)


BUILTINS: dict[str, Builtin] = {
    "abs": operation("abs", bc.ABS),
    "fabs": operation("fabs", bc.ABS),
    "int": operation("int", bc.TRUNC),
    "trunc": operation("trunc", bc.TRUNC),
    "floor": operation("floor", bc.FLOOR),
    "ceil": operation("ceil", bc.CEIL),
    "sqrt": operation("sqrt", bc.SQRT),
    "len": operation("len", bc.LEN),
    "bool": operation("bool", bc.TRUTH),
    "float": float_,
    "round": round_,
    "radians": scaled("radians", math.pi / 180),
    "degrees": scaled("degrees", 180 / math.pi),
    "sign": sign,
    "pow": pow_,
    "min": extreme(bc.MIN),
    "max": extreme(bc.MAX),
    "sum": sum_,
    "any": quantifier("any", True),
    "all": quantifier("all", False),
    "next": next_,
    "list": copied("list"),
    "tuple": copied("tuple"),
    "range": copied("range"),
}
NO_BUILTIN = {
    "sorted": "take the best with min(items, key=...) or loop over the items",
    "print": "leave it out; what a macro does is reported anyway",
    "enumerate": "use it in a for loop: for i, x in enumerate(items)",
    "zip": "use it in a for loop: for a, b in zip(xs, ys)",
    "reversed": "use it in a for loop: for x in reversed(items)",
    "map": "write [f(x) for x in items]",
    "filter": "write [x for x in items if ...]",
    "dict": "use a tuple of pairs, or if/elif",
    "set": "use a tuple or a list",
    "str": "names are compared as they are: r.block == \"log\"",
    "isinstance": "test a value with `is None`",
    "getattr": "write the field's name: obs.x",
    "setattr": "keep values in variables",
    "hasattr": "use the documented fields",
    "divmod": "use // and %",
    "log": "only sqrt, **, sin, cos, tan, atan2 and hypot exist",
    "exp": "only sqrt, **, sin, cos, tan, atan2 and hypot exist",
    "input": "macros get only obs",
    "open": "macros get only obs",
    "eval": "macros get only obs",
    "exec": "macros get only obs",
    "compile": "macros get only obs",
    "__import__": "nothing can be imported",
}
