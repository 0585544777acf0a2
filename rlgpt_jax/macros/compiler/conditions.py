"""Tests: comparisons, and/or/not, conditional expressions, and jumps on them."""

import ast

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import expressions as ex
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.refusal import Refused

# Comparison -> (jump if it holds, jump if not, as a value, operands swapped)
ORDER = {
    ast.Lt: (bc.JLT, bc.JNLT, bc.LT, False),
    ast.LtE: (bc.JLE, bc.JNLE, bc.LE, False),
    ast.Gt: (bc.JLT, bc.JNLT, bc.LT, True),
    ast.GtE: (bc.JLE, bc.JNLE, bc.LE, True),
    ast.Eq: (bc.JEQ, bc.JNE, bc.EQ, False),
    ast.NotEq: (bc.JNE, bc.JEQ, bc.NE, False),
}
NEGATED = (ast.NotIn, ast.IsNot)


def jump_if(f: Code, node: ast.expr, label: Label, when: bool) -> None:
    """Compiles a jump to `label` if the truth of the expression is `when`."""
    f.at(node)
    constant = ex.constant_of(f, node)
    if constant is not ex.MISSING:
        truth = bool(constant) if isinstance(constant, float | str | tuple) else constant
        if (truth not in (None, False)) == when:
            f.emit(bc.JUMP, label)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        jump_if(f, node.operand, label, not when)
    elif isinstance(node, ast.BoolOp):
        decided_by = isinstance(node.op, ast.Or)  # the truth that ends the row early
        skip = Label()
        for part in node.values[:-1]:
            jump_if(f, part, label if decided_by == when else skip, decided_by)
        jump_if(f, node.values[-1], label, when)
        f.place(skip)
    elif isinstance(node, ast.Compare):
        compare_jump(f, node, label, when)
    else:
        f.emit(bc.JT if when else bc.JF, ex.value(f, node), label)


def compare_jump(f: Code, node: ast.Compare, label: Label, when: bool) -> None:
    """Compiles a (chained) comparison as jumps."""
    skip = Label()
    left = ex.value(f, node.left)
    for i, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
        last = i == len(node.ops) - 1
        right = part(f, right_node, op)
        goal, truth = (label, when) if last or not when else (skip, False)
        one_jump(f, (node.left if i == 0 else node.comparators[i - 1], left),
                 op, (right_node, right), goal, truth)
        left = right
    f.place(skip)


Part = tuple[ast.expr, int]


def part(f: Code, node: ast.expr, op: ast.cmpop) -> int:
    """Compiles one side of a comparison; computed rows right of `in` are not made."""
    if isinstance(op, ast.In | ast.NotIn) and isinstance(node, ast.Tuple | ast.List | ast.Set):
        return 0
    if isinstance(node, ast.Set):
        raise Refused(node, "sets are only right of `in`", "use a tuple")
    return ex.value(f, node)


def one_jump(f: Code, left: Part, op: ast.cmpop, right: Part, label: Label, when: bool) -> None:
    """Compiles one comparison as a jump to `label` if its truth is `when`."""
    f.at(left[0])
    if isinstance(op, NEGATED):
        when = not when
    if isinstance(op, ast.In | ast.NotIn):
        contains(f, left, right, label, when)
    elif isinstance(op, ast.Is | ast.IsNot):
        if f.constant(None) in (left[1], right[1]):
            f.emit(bc.JEQ if when else bc.JNE, left[1], right[1], label)
        else:
            register = f.temp()
            f.emit(bc.IS, register, left[1], right[1])
            f.emit(bc.JT if when else bc.JF, register, label)
    else:
        holds, fails, _, swapped = ORDER[type(op)]
        a, b = (right[1], left[1]) if swapped else (left[1], right[1])
        f.emit(holds if when else fails, a, b, label)


def contains(f: Code, left: Part, right: Part, label: Label, when: bool) -> None:
    """Compiles `x in y`: a sequence, a set of constants, or a part of a name."""
    item, (node, container) = left[1], right
    if isinstance(node, ast.Set | ast.Tuple | ast.List):
        constant = ex.constant_of(f, ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))
        if constant is ex.MISSING:
            one_of(f, item, node, label, when)
            return
        container = f.constant(constant)
    found = f.temp()
    text = ex.constant_of(f, left[0])
    done, is_name = Label(), Label()
    whole = ex.constant_of(f, node)
    if isinstance(text, str):
        part_of_name(f, text, container, is_name, found, item, done)
    elif isinstance(whole, str):
        raise Refused(node, "only a name in quotes can be looked for in a name",
                      'write "log" in r.block')
    else:
        f.emit(bc.IN, found, item, container)
    f.place(done)
    f.emit(bc.JT if when else bc.JF, found, label)


def part_of_name(
    f: Code, text: str, container: int, is_name: Label, found: int, item: int, done: Label
) -> None:
    """Compiles `"log" in y`: part of the name y, or an element of the sequence y."""
    f.emit(bc.JTAG, container, values.T_NAME, is_name)
    f.emit(bc.IN, found, item, container)
    f.emit(bc.JUMP, done)
    f.place(is_name)
    f.emit(bc.INSET, found, container, f.pool.later_set("in", text))


def one_of(f: Code, item: int, node: ast.expr, label: Label, when: bool) -> None:
    """Compiles `x in (a, b)` with computed a, b."""
    assert isinstance(node, ast.Set | ast.Tuple | ast.List)
    done = Label()
    for element in node.elts:
        f.emit(bc.JEQ, item, ex.value(f, element), label if when else done)
    if not when:
        f.emit(bc.JUMP, label)
    f.place(done)


# --- as values -------------------------------------------------------------------
def compare_value(f: Code, node: ast.Compare, into: int | None) -> int:
    """Compiles a comparison to 1 or 0."""
    op = node.ops[0]
    if len(node.ops) == 1 and type(op) in ORDER:
        left, right = ex.value(f, node.left), part(f, node.comparators[0], op)
        _, _, as_value, swapped = ORDER[type(op)]
        register = f.temp() if into is None else into
        f.at(node)
        f.emit(as_value, register, *((right, left) if swapped else (left, right)))
        return register
    register, done = f.target(into), Label()
    f.emit(bc.MOVE, register, f.constant(0.0))
    keep = f.top
    jump_if(f, node, done, False)
    f.top = keep
    f.emit(bc.MOVE, register, f.constant(1.0))
    f.place(done)
    return f.put(register, into)


def bool_value(f: Code, node: ast.BoolOp, into: int | None) -> int:
    """Compiles `a and b`, `a or b`: the value that decided."""
    register, done = f.target(into), Label()
    for i, operand in enumerate(node.values):
        keep = f.top
        ex.value(f, operand, register)
        f.top = keep
        if i < len(node.values) - 1:
            f.emit(bc.JF if isinstance(node.op, ast.And) else bc.JT, register, done)
    f.place(done)
    return f.put(register, into)


def if_value(f: Code, node: ast.IfExp, into: int | None) -> int:
    register, otherwise, done = f.target(into), Label(), Label()
    keep = f.top
    jump_if(f, node.test, otherwise, False)
    f.top = keep
    ex.value(f, node.body, register)
    f.emit(bc.JUMP, done)
    f.place(otherwise)
    f.top = keep
    ex.value(f, node.orelse, register)
    f.place(done)
    f.top = keep
    return f.put(register, into)
