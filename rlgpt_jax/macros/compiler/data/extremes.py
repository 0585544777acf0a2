"""`min` and `max`, and the keys that they and `sorted` compare."""

import ast
from collections.abc import Callable

from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import loops, within
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


def extreme(op: int) -> Callable[[Code, ast.Call, int | None], int]:
    """Returns the compiler of `min` (op MIN) or `max` (op MAX)."""
    name = "min" if op == bc.MIN else "max"

    def compile_call(f: Code, node: ast.Call, into: int | None) -> int:
        options = {k.arg: k.value for k in node.keywords}
        if len(node.args) == 1 and set(options) <= {"key", "default"}:
            return best(f, node, node.args[0], options, op, into)
        if len(node.args) < 2 or set(options) - {"key"}:
            raise Refused(
                node,
                f"{name} needs numbers or one sequence",
                f"for example {name}(a, b) or {name}(r.distance for r in obs.rays)",
            )
        compared = kinds.ROWS | kinds.NAME
        if options or all(facts.may_be(f, arg, compared) for arg in node.args):
            row = ast.copy_location(ast.Tuple(node.args, ast.Load()), node)
            return best(f, node, row, options, op, into)
        operands = [f.value(arg) for arg in node.args]
        register = f.temp()
        f.at(node)
        f.emit(op, register, operands[0], operands[1])
        for operand in operands[2:]:
            f.emit(op, register, register, operand)
        return f.put(register, into)

    return compile_call


def best(
    f: Code, node: ast.Call, row: ast.expr, options: dict, op: int, into: int | None,
    last: bool = False,
) -> int:  # fmt: skip
    """Compiles min or max of a sequence, with key and default; the first of equal ones.

    Scores are numbers or rows of numbers. With `last`, the last of equal ones is taken.
    """
    key = key_option(f, options)
    rows = scores_rows(f, row, key)
    result, best_score, found, score = f.temp(), f.temp(), f.temp(), f.temp()
    f.emit(bc.MOVE, found, f.constant(0.0))

    def step(item: int) -> None:
        scored = key_of(f, node, key, item, score, row)
        take, leave = Label(), Label()
        f.emit(bc.JF, found, take)
        a, b = (scored, best_score) if (op == bc.MIN) != last else (best_score, scored)
        if rows:
            f.emit(bc.JT if last else bc.JF, within.routine(f, "_less", [a, b]), leave)
        else:
            f.emit(bc.JLT if last else bc.JNLT, a, b, leave)
        f.place(take)
        f.emit(bc.MOVE if rows else bc.NUMBER, best_score, scored)
        f.emit(bc.MOVE, result, item)
        f.emit(bc.MOVE, found, f.constant(1.0))
        f.place(leave)

    loops.each_of(f, row, step)
    done = Label()
    f.emit(bc.JT, found, done)
    if "default" in options:
        f.value(options["default"], result)
    else:
        within.no_index(f, result)
    f.place(done)
    return f.put(result, into)


def key_option(f: Code, options: dict) -> ast.expr | None:
    """Returns the expression of key=; key=None is none."""
    key = options.get("key")
    return None if key is None or facts.constant_of(f, key) is None else key


def scores_rows(f: Code, items: ast.expr, key: ast.expr | None) -> bool:
    """Says whether what is compared may be tuples or lists."""
    known = f.shared.kinds
    item = known.item(facts.kind_of(f, items))
    if key is None:
        score = item
    elif isinstance(key, ast.Lambda):
        score = facts.kind_of(f, key.body)
    else:
        known.hints["key item"] = item
        made = ast.Call(key, [ast.Name("key item", ast.Load())], [])
        score = facts.kind_of(f, made)
    return bool(score.bits & (kinds.ROWS | kinds.NAME))


def key_of(
    f: Code, node: ast.Call, key: ast.expr | None, item: int, score: int, items: ast.expr
) -> int:
    """Compiles `key(item)` for a lambda or a function; `items` is what is iterated."""
    if key is None:
        return item
    f.shared.kinds.hints["key item"] = f.shared.kinds.item(facts.kind_of(f, items))
    f.inner_names.append({})
    f.comprehensions += 1
    if isinstance(key, ast.Lambda):
        if len(key.args.args) != 1 or key.args.defaults:
            raise Refused(node, "the lambda of key= takes one value", "key=lambda r: r.distance")
        f.inner_names[-1][key.args.args[0].arg] = item
        f.value(key.body, score)
    else:
        f.inner_names[-1]["key item"] = item
        argument = ast.copy_location(ast.Name("key item", ast.Load()), node)
        f.put(f.value(ast.copy_location(ast.Call(key, [argument], []), node)), score)
    f.comprehensions -= 1
    f.inner_names.pop()
    return score
