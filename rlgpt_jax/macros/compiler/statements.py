"""Statements of a function body."""

import ast

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import conditions, loops
from rlgpt_jax.macros.compiler import expressions as ex
from rlgpt_jax.macros.compiler.code import Code, Label, Loop
from rlgpt_jax.macros.compiler.scopes import resolve
from rlgpt_jax.macros.refusal import Refused

NOT_PART = {
    ast.Try: ("try/except is", "test first: division by zero and bad indices end the macro"),
    ast.With: ("with is", "leave it out"),
    ast.ClassDef: ("classes are", "use variables, tuples and lists"),
    ast.Delete: ("del is", "assign None"),
    ast.Raise: ("raise is", "end the macro with return"),
    ast.Assert: ("assert is", "write if ...: return"),
    ast.Match: ("match is", "use if/elif"),
    ast.AsyncFunctionDef: ("async is", "write def"),
    ast.AsyncFor: ("async is", "write for"),
    ast.Import: ("import is", "only math is known, and needs no import"),
    ast.ImportFrom: ("import is", "only math is known, and needs no import"),
}
IGNORED = (ast.Pass, ast.FunctionDef, ast.Global, ast.Nonlocal)


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
    if isinstance(node, ast.Expr):
        return expression(f, node)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return assign(f, node)
    if isinstance(node, ast.AugAssign):
        return augmented(f, node)
    if isinstance(node, ast.If):
        return if_(f, node)
    if isinstance(node, ast.While):
        return while_(f, node)
    if isinstance(node, ast.For):
        return for_(f, node)
    if isinstance(node, ast.Return):
        return return_(f, node)
    if isinstance(node, ast.Break | ast.Continue):
        return leave(f, node)
    if isinstance(node, ast.Import | ast.ImportFrom) and is_math_import(node):
        return True
    what, advice = NOT_PART.get(type(node), (f"{type(node).__name__} is", ""))
    raise Refused(node, f"{what} not part of the language", advice)


def is_math_import(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.Import):
        return all(alias.name == "math" and alias.asname is None for alias in node.names)
    return node.module == "math" and all(alias.asname is None for alias in node.names)


def expression(f: Code, node: ast.Expr) -> bool:
    """Compiles an expression for its effect; docstrings and print do nothing."""
    item = node.value
    if isinstance(item, ast.Constant):
        return True
    if isinstance(item, ast.Call) and isinstance(item.func, ast.Name):
        if item.func.id == "print" and ex.is_api(f, "print"):
            f.shared.notices.append(f"line {node.lineno}: print does nothing")
            return True
        if item.func.id in ex.ACTION_NAMES and ex.is_api(f, item.func.id):
            raise Refused(node, f"{item.func.id}(...) alone does nothing",
                          f"write obs = yield {item.func.id}(...)")
    ex.value(f, item)
    return True


# --- assignment ------------------------------------------------------------------
def assign(f: Code, node: ast.Assign | ast.AnnAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if node.value is None:
        return True
    if len(targets) == 1 and isinstance(targets[0], ast.Tuple | ast.List):
        if isinstance(node.value, ast.Tuple | ast.List):
            return assign_each(f, targets[0], node.value)
    if len(targets) == 1 and isinstance(targets[0], ast.Name):
        register = plain_register(f, targets[0])
        if register is not None:
            ex.value(f, node.value, register)
            f.assigned.add(targets[0].id)
            return True
    operand = ex.value(f, node.value)
    for target in targets:
        bind(f, target, operand)
    return True


def assign_each(f: Code, target: ast.Tuple | ast.List, source: ast.Tuple | ast.List) -> bool:
    """Compiles `x, z = obs.x, obs.z`: all values first, then the names."""
    if len(target.elts) != len(source.elts):
        raise Refused(target, f"{len(source.elts)} values for {len(target.elts)} names",
                      "give every name one value")
    operands = [f.put(ex.value(f, item), f.temp()) for item in source.elts]
    for part, operand in zip(target.elts, operands, strict=True):
        bind(f, part, operand)
    return True


def plain_register(f: Code, node: ast.Name) -> int | None:
    """Returns the register of a variable that is assigned directly."""
    target = resolve(f.scope, node.id)
    if isinstance(target, tuple) and target[0] is f.scope and node.id not in f.scope.boxed:
        return f.registers[target]
    return None


def bind(f: Code, target: ast.expr, item: loops.Item) -> None:
    """Compiles giving a value to a name, a list element or a row of those."""
    if isinstance(target, ast.Name):
        assign_name(f, target, ex.group(f, item))
    elif isinstance(target, ast.Tuple | ast.List):
        count = len(target.elts)
        parts = item if isinstance(item, tuple) else loops.unpacked(f, item, count)
        if len(parts) != count:
            raise Refused(target, f"{len(parts)} values for {count} names",
                          "give every value one name")
        for part, value in zip(target.elts, parts, strict=True):
            bind(f, part, value)
    elif isinstance(target, ast.Subscript):
        owner = ex.value(f, target.value)
        position = ex.value(f, target.slice)
        f.emit(bc.STORE, owner, position, ex.group(f, item))
    elif isinstance(target, ast.Attribute):
        raise Refused(target, "fields cannot be assigned", "use a variable")
    else:
        raise Refused(target, "this cannot be assigned to", "use a variable")


def assign_name(f: Code, node: ast.Name, operand: int) -> None:
    target = resolve(f.scope, node.id)
    assert isinstance(target, tuple)
    if node.id in target[0].boxed:
        f.emit(bc.STORE, f.registers[target], f.constant(0.0), operand)
    else:
        f.put(operand, f.registers[target])
        f.assigned.add(node.id)


def augmented(f: Code, node: ast.AugAssign) -> bool:
    """Compiles `x += 1` and `cells[i] += 1`."""
    if isinstance(node.target, ast.Name):
        load: ast.expr = ast.Name(node.target.id, ast.Load())
    elif isinstance(node.target, ast.Subscript):
        owner = f.put(ex.value(f, node.target.value), f.temp())
        position = f.put(ex.value(f, node.target.slice), f.temp())
        f.inner_names.append({"target owner": owner, "target position": position})
        load = ast.Subscript(ast.Name("target owner", ast.Load()),
                             ast.Name("target position", ast.Load()), ast.Load())
    else:
        raise Refused(node, "fields cannot be assigned", "use a variable")
    if isinstance(node.op, ast.Add) and isinstance(node.value, ast.List | ast.ListComp):
        raise Refused(node, "lists cannot be added", "use append")
    sum_ = ast.BinOp(ast.copy_location(load, node), node.op, node.value)
    for part in (load, *ast.iter_child_nodes(load)):
        ast.copy_location(part, node)
    whole = ast.copy_location(sum_, node)
    if isinstance(node.target, ast.Name):
        register = plain_register(f, node.target)
        result = ex.value(f, whole, register)
        if register is None:
            assign_name(f, node.target, result)
        else:
            f.assigned.add(node.target.id)
    else:
        result = ex.value(f, whole)
        f.inner_names.pop()
        f.emit(bc.STORE, owner, position, result)
    return True


# --- control ---------------------------------------------------------------------
def if_(f: Code, node: ast.If) -> bool:
    otherwise, done = Label(), Label()
    conditions.jump_if(f, node.test, otherwise, False)
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
    forever = ex.constant_of(f, node.test) in (True, 1.0)
    before = set(f.assigned)
    body_start = Label()
    # The test stands before and after the body: one jump less in every round.
    conditions.jump_if(f, node.test, ended, False)
    f.place(body_start)
    f.loops.append(loop)
    block(f, node.body)
    f.loops.pop()
    f.place(loop.again)
    f.top = f.floor
    f.assigned = set(before)
    conditions.jump_if(f, node.test, body_start, True)
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
    hint = plain_register(f, node.target) if isinstance(node.target, ast.Name) else None
    loop = Loop(out=Label(), again=Label())
    item, advance = loops.start(f, node.iter, hint)
    first = Label()
    before, floor = set(f.assigned), f.floor
    f.floor = f.top
    f.emit(bc.JUMP, loop.again)
    f.place(first)
    if item != hint or hint is None:
        bind(f, node.target, item)
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
    result = f.constant(None) if node.value is None else ex.value(f, node.value)
    f.at(node)
    f.emit(bc.RETURN, result)
    return False


def boxes(f: Code) -> None:
    """Puts variables that inner functions assign into lists of one element."""
    for name in sorted(f.scope.boxed):
        register = f.registers[(f.scope, name)]
        start = register if name in f.scope.params else f.constant_bits(values.UNBOUND)
        ex.sequence(f, values.T_LIST, [start], register)
