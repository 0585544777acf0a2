"""Assignments: to names, to parts of lists and dictionaries, and to rows of these."""

import ast
from typing import TypeGuard

from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.data import lists, mappings, sets, walks, within
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.compiler.tree.scopes import resolve
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


def assign(f: Code, node: ast.Assign) -> bool:
    targets = node.targets
    if isinstance(targets[0], ast.Name) and targets[0].id in f.scope.constants:
        return True  # see frozen.py
    if len(targets) == 1 and isinstance(targets[0], ast.Tuple | ast.List):
        if isinstance(node.value, ast.Tuple | ast.List) and not (
            walks.has_star(targets[0]) or walks.has_star(node.value)
        ):
            return assign_each(f, targets[0], node.value)
    if len(targets) == 1 and isinstance(targets[0], ast.Name):
        register = plain_register(f, targets[0])
        if register is not None:
            f.value(node.value, register)
            f.assigned.add(targets[0].id)
            return True
    if len(targets) == 1 and is_whole_slice(targets[0]):
        new = f.list_of(node.value, f.temp())
        within.routine_with(f, "_refill", [targets[0].value, new])
        return True
    operand = f.value(node.value)
    for target in targets:
        bind(f, target, operand)
    return True


def is_whole_slice(target: ast.expr) -> TypeGuard[ast.Subscript]:
    """Says whether a target is `xs[:]`."""
    part = target.slice if isinstance(target, ast.Subscript) else None
    return isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step)


def assign_each(f: Code, target: ast.Tuple | ast.List, source: ast.Tuple | ast.List) -> bool:
    """Compiles `x, z = obs.x, obs.z`: all values first, then the names."""
    if len(target.elts) != len(source.elts):
        raise Refused(
            target,
            f"{len(source.elts)} values for {len(target.elts)} names",
            "give every name one value",
        )
    operands = [f.kept(item) for item in source.elts]
    for part, operand in zip(target.elts, operands, strict=True):
        bind(f, part, operand)
    return True


def plain_register(f: Code, node: ast.Name) -> int | None:
    """Returns the register of a variable that is assigned directly."""
    target = resolve(f.scope, node.id)
    if isinstance(target, tuple) and target[0] is f.scope and node.id not in f.scope.boxed:
        return f.registers[target]
    return None


def bind(f: Code, target: ast.expr, item: walks.Item) -> None:
    """Compiles giving a value to a name, a list element or a row of those."""
    if isinstance(target, ast.Name):
        assign_name(f, target, f.group(item))
    elif isinstance(target, ast.Tuple | ast.List):
        for part, value in zip(target.elts, walks.parts_of(f, target, item), strict=True):
            bind(f, part.value if isinstance(part, ast.Starred) else part, value)
    elif isinstance(target, ast.Subscript):
        if isinstance(target.slice, ast.Slice):
            raise Refused(
                target,
                "slices cannot be assigned",
                "write xs = xs[:i] + new + xs[j:], or xs.clear() and xs.extend(...)",
            )
        owner = f.value(target.value)
        position = f.value(target.slice)
        mappings.store(f, target.value, owner, position, f.group(item))
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
    owner = position = 0
    if isinstance(node.target, ast.Name):
        load: ast.expr = ast.Name(node.target.id, ast.Load())
    elif isinstance(node.target, ast.Subscript):
        owner = f.kept(node.target.value)
        position = f.kept(node.target.slice)
        f.inner_names.append({"target owner": owner, "target position": position})
        f.shared.kinds.hints["target owner"] = facts.kind_of(f, node.target.value)
        load = ast.Subscript(
            ast.Name("target owner", ast.Load()),
            ast.Name("target position", ast.Load()),
            ast.Load(),
        )
    else:
        raise Refused(node, "fields cannot be assigned", "use a variable")
    adds_many = facts.may_be(f, node.value, kinds.CONTAINERS)
    if isinstance(node.op, ast.Add) and adds_many and facts.may_be(f, load, kinds.ROWS):
        result = lists.lengthened(f, node, f.value(ast.copy_location(load, node)))
        rebind(f, node, owner, position, result)
        return True
    if (
        type(node.op) in sets.OPERATORS
        and adds_many
        and facts.may_be(f, load, sets.wanted(node.op))
    ):
        rebind(f, node, owner, position, sets.changed(f, node, ast.copy_location(load, node)))
        return True
    sum_ = ast.BinOp(ast.copy_location(load, node), node.op, node.value)
    for part in (load, *ast.iter_child_nodes(load)):
        ast.copy_location(part, node)
    whole = ast.copy_location(sum_, node)
    if isinstance(node.target, ast.Name):
        register = plain_register(f, node.target)
        result = f.value(whole, register)
        if register is None:
            assign_name(f, node.target, result)
        else:
            f.assigned.add(node.target.id)
    else:
        rebind(f, node, owner, position, f.value(whole))
    return True


def rebind(f: Code, node: ast.AugAssign, owner: int, position: int, result: int) -> None:
    """Compiles the assignment of `x += 1`, or of `cells[i] += 1` at `owner[position]`."""
    if isinstance(node.target, ast.Name):
        assign_name(f, node.target, result)
    elif isinstance(node.target, ast.Subscript):
        f.inner_names.pop()
        mappings.store(f, node.target.value, owner, position, result)


def named(f: Code, node: ast.NamedExpr, into: int | None) -> int:
    """Compiles `(x := value)`. It may not be reached, so that x may stay unset."""
    known = node.target.id in f.assigned
    operand = f.value(node.value)
    assign_name(f, node.target, operand)
    if not known:
        f.assigned.discard(node.target.id)
    return f.put(operand, into)
