"""Statements of a function body."""

import ast
from collections.abc import Callable

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import assignments, tries
from rlgpt_jax.macros.compiler.calling import functions
from rlgpt_jax.macros.compiler.code import Code, Label, Loop
from rlgpt_jax.macros.compiler.data import iterators, within
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.compiler.tree import lower
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

NOT_PART = {
    ast.With: ("with is", "write the lines of its block without it"),
    ast.ClassDef: (
        "classes are",
        "keep the values in variables, in tuples or in a dictionary, and write functions",
    ),
    ast.AsyncWith: ("async is", "write the lines of its block without it"),
    ast.AsyncFor: ("async is", "write for"),
}
IGNORED = (ast.Pass, ast.Global, ast.Nonlocal, ast.FunctionDef)


def block(f: Code, body: list[ast.stmt]) -> bool:
    """Compiles statements. Returns whether the end can be reached."""
    for i, node in enumerate(body):
        if not statement(f, node):
            for late in body[i + 1 :]:  # never runs, but must be part of the language
                statement(f, late)
            return False
    return True


def statement(f: Code, node: ast.stmt) -> bool:
    """Compiles one statement. Returns whether the next one can be reached."""
    f.at(node)
    f.top = f.floor
    if isinstance(node, IGNORED):
        return True
    if type(node) in COMPILERS:
        return COMPILERS[type(node)](f, node)
    what, advice = NOT_PART.get(type(node), (f"{type(node).__name__} is", ""))
    raise Refused(node, f"{what} not part of the language", advice)


def give_up(f: Code, node: ast.Assert | ast.Raise) -> bool:
    """Compiles `assert` and `raise`: the macro ends, also from inside a helper."""
    goes_on = Label()
    if isinstance(node, ast.Assert):
        f.jump_if(node.test, goes_on, True)
    elif not f.scope.imported:
        f.shared.notices.append(f"line {node.lineno}: raise ends the macro")
    f.at(node)
    f.emit(bc.HALT)
    f.place(goes_on)
    return isinstance(node, ast.Assert)


def expression(f: Code, node: ast.Expr) -> bool:
    """Compiles an expression for its effect; docstrings do nothing."""
    item = node.value
    if isinstance(item, ast.Constant):
        return True
    if isinstance(item, ast.Call) and isinstance(item.func, ast.Name):
        if facts.is_action(f, item.func.id):
            raise Refused(
                node,
                f"{item.func.id}(...) alone does nothing",
                f"write obs = yield {item.func.id}(...)",
            )
    f.value(item)
    return True


def delete(f: Code, node: ast.Delete) -> bool:
    for target in node.targets:
        if not isinstance(target, ast.Subscript) or isinstance(target.slice, ast.Slice):
            raise Refused(target, "del of this is not part of the language", "assign None")
        within.routine_with(f, "_pop", [target.value, target.slice])
    return True


# --- control ---------------------------------------------------------------------
def if_(f: Code, node: ast.If) -> bool:
    otherwise, done = Label(), Label()
    f.jump_if(node.test, otherwise, False)
    before = set(f.assigned)
    reached = block(f, node.body)
    after = set(f.assigned)
    f.assigned = before
    if node.orelse:
        if reached:
            f.emit(bc.JUMP, done)
        f.place(otherwise)
        other = block(f, node.orelse)
    else:
        f.place(otherwise)
        other = True
    f.place(done)
    if reached and other:
        f.assigned &= after
    elif reached:
        f.assigned = after
    return reached or other


def while_(f: Code, node: ast.While) -> bool:
    loop = Loop(out=Label(), again=Label())
    ended = Label()
    forever = facts.constant_of(f, node.test) in (True, 1.0)
    before = set(f.assigned)
    body_start = Label()
    # The test stands before and after the body: one jump less in every round.
    f.jump_if(node.test, ended, False)
    f.place(body_start)
    f.loops.append(loop)
    block(f, node.body)
    f.loops.pop()
    f.place(loop.again)
    f.top = f.floor
    f.assigned = set(before)
    f.jump_if(node.test, body_start, True)
    f.place(ended)
    reached = not forever
    if node.orelse:
        reached = block(f, node.orelse) and reached
    f.place(loop.out)
    return finish_loop(f, loop, reached)


def finish_loop(f: Code, loop: Loop, reached: bool) -> bool:
    """Joins what is assigned at the loop's normal end and at its breaks."""
    ways = loop.breaks + ([f.assigned] if reached else [])
    if ways:
        f.assigned = set.intersection(*ways)
    return bool(ways)


def for_(f: Code, node: ast.For) -> bool:
    hint = assignments.plain_register(f, node.target) if isinstance(node.target, ast.Name) else None
    loop = Loop(out=Label(), again=Label())
    item, advance = iterators.start(f, node.iter, hint)
    first = Label()
    before, floor = set(f.assigned), f.floor
    f.floor = f.top
    f.emit(bc.JUMP, loop.again)
    f.place(first)
    if item != hint or hint is None:
        assignments.bind(f, node.target, item)
    elif isinstance(node.target, ast.Name):
        f.assigned.add(node.target.id)
    f.loops.append(loop)
    block(f, node.body)
    f.loops.pop()
    f.place(loop.again)
    f.assigned = before
    f.at(node)
    advance(first)
    f.floor = floor
    reached = block(f, node.orelse) if node.orelse else True
    f.place(loop.out)
    return finish_loop(f, loop, reached)


def leave(f: Code, node: ast.Break | ast.Continue) -> bool:
    if not f.loops:
        raise Refused(node, "break or continue outside of a loop", "end the macro with return")
    loop = f.loops[-1]
    if isinstance(node, ast.Break):
        loop.breaks.append(set(f.assigned))
        f.emit(bc.JUMP, loop.out)
    else:
        f.emit(bc.JUMP, loop.again)
    return False


def return_(f: Code, node: ast.Return) -> bool:
    functions.refuse_escape(f, node.value)
    if f.scope is f.shared.entry and node.value is not None and lower.makes_text(node.value):
        if not lower.has_effect(node.value):  # nobody gets what the macro returns
            node = ast.copy_location(ast.Return(None), node)
    result = f.constant(None) if node.value is None else f.value(node.value)
    f.at(node)
    f.emit(bc.RETURN, result)
    return False


def boxes(f: Code) -> None:
    """Puts variables that inner functions assign into lists of one element."""
    for name in sorted(f.scope.boxed):
        register = f.registers[(f.scope, name)]
        start = register if name in f.scope.params else f.constant_bits(values.UNBOUND)
        f.sequence(values.T_LIST, [start], register)


COMPILERS: dict[type, Callable[..., bool]] = {
    ast.Expr: expression,
    ast.Assign: assignments.assign,
    ast.AugAssign: assignments.augmented,
    ast.If: if_,
    ast.While: while_,
    ast.For: for_,
    ast.Return: return_,
    ast.Try: tries.try_,
    **dict.fromkeys((ast.Assert, ast.Raise), give_up),
    ast.Delete: delete,
    **dict.fromkeys((ast.Break, ast.Continue), leave),
}
