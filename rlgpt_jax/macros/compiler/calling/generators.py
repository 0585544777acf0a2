"""Generators that run later: `g = walk(obs)` and then `obs = yield from g`.

Calling a generator makes a tuple of the function and its arguments; `yield from` calls
it. `yield from` of a row of actions does one after the other.
"""

import ast

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.calling import functions
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import loops, walks
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.compiler.pool import FunctionConstant
from rlgpt_jax.macros.compiler.tree.scopes import Scope, own_nodes, resolve
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

ROWS = (ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp)


def run_later(module: Scope) -> bool:
    """Says whether a program has a `yield from` of something but the call of a generator."""
    for scope in module.every():
        for node in own_nodes(scope.node):
            if isinstance(node, ast.YieldFrom) and not isinstance(node.value, ROWS):
                call = node.value
                if not isinstance(call, ast.Call):
                    return True
                if isinstance(call.func, ast.Name):
                    target = resolve(scope, call.func.id)
                    if isinstance(target, Scope) and not target.is_generator:
                        return True
    return False


def may_give(module: Scope, target: Scope) -> bool:
    """Says whether a function that does not yield may return a generator, or actions."""
    return any(
        isinstance(n, ast.Return) and n.value is not None and not isinstance(n.value, ast.Constant)
        for n in own_nodes(target.node)
    )


def make(f: Code, node: ast.Call, target: Scope, into: int | None) -> int:
    """Compiles a call of a generator without `yield from`."""
    if not run_later(f.scope.module):
        raise Refused(
            node,
            f"{target.name} is a generator function (it yields)",
            f"write obs = yield from {target.name}(...)",
        )
    base = functions.arguments(f, node, target)
    row = f.constant(FunctionConstant(bc.FIRST_FUNCTION + facts.function_row(f, target)))
    items = [row, *range(base + 1, base + 1 + len(target.params))]
    made = f.sequence(values.T_TUPLE, items, f.temp())
    return f.put(made, into)


def run(f: Code, node: ast.expr, into: int | None) -> int:
    """Compiles `yield from x` where x is no call of a generator."""
    result, done = f.temp(), Label()
    action = f.temp()
    f.emit(bc.MOVE, result, f.constant(None))
    if isinstance(node, ROWS):
        loops.each_of(f, node, lambda item: f.emit(bc.YIELD, action, item), Label())
        return f.put(result, into)
    later = f.kept(node)
    made = [s for s in f.scope.module.every() if s.makes_generators]
    row = Label()
    if made:
        choose(f, later, made, result, row, done)
    f.place(row)
    f.at(node)
    item, advance = walks.over_sequence(f, later, None)
    loops.run(f, advance, lambda: f.emit(bc.YIELD, action, item))
    f.place(done)
    return f.put(result, into)


def choose(f: Code, later: int, made: list[Scope], result: int, row: Label, done: Label) -> None:
    """Compiles the call of the generator that a tuple was made for."""
    is_tuple, function = Label(), f.temp()
    f.emit(bc.JTAG, later, values.T_TUPLE, is_tuple)
    f.emit(bc.JUMP, row)
    f.place(is_tuple)
    f.emit(bc.JF, later, row)
    f.emit(bc.INDEX, function, later, f.constant(0.0))
    for target in made:
        other, keep = Label(), f.top
        constant = FunctionConstant(bc.FIRST_FUNCTION + facts.function_row(f, target))
        f.emit(bc.JNE, function, f.constant(constant), other)
        base = f.temp(1 + len(target.params) + len(target.captured))
        f.emit(bc.SHAPE, later, 1 + len(target.params))
        for i in range(len(target.params)):
            f.emit(bc.INDEX, base + 1 + i, later, f.constant(float(i + 1)))
        functions.hidden(f, target, base + 1 + len(target.params))
        f.emit(bc.CALL, base, f.shared.start_of(target), target)
        f.emit(bc.MOVE, result, base)
        f.emit(bc.JUMP, done)
        f.place(other)
        f.top = keep
