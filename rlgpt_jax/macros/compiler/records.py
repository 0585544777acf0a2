"""Keeping rays and observations that are read after their tick.

A ray or an observation is a reference into what the lane sees now. Python's would keep
its numbers, so before every tick (a `yield`, or a call of a helper that yields) each
variable that may hold one, and is read later, is turned into a record of its own.
"""

import ast
from dataclasses import dataclass, field

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros import sensors, values
from rlgpt_jax.macros.compiler.code import Code, Instruction, Label
from rlgpt_jax.macros.compiler.expressions import RAY_FIELDS
from rlgpt_jax.macros.compiler.scopes import Scope, Variable, own_nodes, resolve


# --- which variables may hold a record ---------------------------------------------
@dataclass
class Records:
    """What may hold a ray or an observation; grows until nothing changes."""

    variables: set[Variable] = field(default_factory=set)
    returns: set[Scope] = field(default_factory=set)
    in_sequences: bool = False

    def size(self) -> int:
        return len(self.variables) + len(self.returns) + self.in_sequences


def find_records(module: Scope, entry: Scope) -> set[Variable]:
    """Returns all variables that may hold a ray or an observation."""
    found = Records(variables={(entry, entry.params[0])})
    scopes = [scope for scope in module.every() if not scope.trusted]
    size = -1
    while found.size() > size:
        size = found.size()
        for scope in scopes:
            for node in own_nodes(scope.node):
                note(found, scope, node)
    return found.variables


def note(found: Records, scope: Scope, node: ast.AST) -> None:
    """Follows one statement or call."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            assigned(found, scope, target, node.value)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        assigned(found, scope, node.target, node.value)
    elif isinstance(node, ast.For):
        if holds_item(found, scope, node.iter):
            mark(found, scope, node.target)
    elif isinstance(node, ast.Return) and node.value is not None:
        if holds(found, scope, node.value):
            found.returns.add(scope)
    elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        found.in_sequences |= any(holds(found, scope, item) for item in node.elts)
    elif isinstance(node, ast.ListComp):
        found.in_sequences = True
    elif isinstance(node, ast.Call):
        passed(found, scope, node)


def assigned(found: Records, scope: Scope, target: ast.expr, source: ast.expr) -> None:
    if isinstance(target, ast.Tuple | ast.List) and isinstance(source, ast.Tuple | ast.List):
        for part, item in zip(target.elts, source.elts, strict=False):
            assigned(found, scope, part, item)
    elif holds(found, scope, source) or (
        isinstance(target, ast.Tuple | ast.List) and holds_item(found, scope, source)
    ):
        mark(found, scope, target)


def mark(found: Records, scope: Scope, target: ast.expr) -> None:
    for node in ast.walk(target):
        variable = resolve(scope, node.id) if isinstance(node, ast.Name) else None
        if isinstance(variable, tuple):
            found.variables.add(variable)


def passed(found: Records, scope: Scope, node: ast.Call) -> None:
    """Follows arguments into the parameters of the function called."""
    holding = [holds(found, scope, arg) for arg in node.args]
    if isinstance(node.func, ast.Attribute):
        found.in_sequences |= node.func.attr == "append" and any(holding)
        return
    called = resolve(scope, node.func.id) if isinstance(node.func, ast.Name) else None
    targets = [called] if isinstance(called, Scope) else []
    if isinstance(called, tuple) or called is None:  # perhaps through a value
        targets = [s for s in module_of(scope).every() if s.is_value]
    for target in targets:
        for param, held in zip(target.params, holding, strict=False):
            if held:
                found.variables.add((target, param))
        for keyword in node.keywords:
            if keyword.arg in target.params and holds(found, scope, keyword.value):
                found.variables.add((target, keyword.arg))


def module_of(scope: Scope) -> Scope:
    return scope if scope.parent is None else module_of(scope.parent)


def holds(found: Records, scope: Scope, node: ast.expr) -> bool:
    """Says whether an expression's value may be a ray or an observation."""
    if isinstance(node, ast.Name):
        variable = resolve(scope, node.id)
        # Unknown names are those of comprehensions, for which this is cheap.
        return variable in found.variables or variable is None
    if isinstance(node, ast.Yield):
        return True
    if isinstance(node, ast.YieldFrom):
        return holds(found, scope, node.value)
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return node.func.attr == "nearest"
        called = resolve(scope, node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(called, Scope):
            return called in found.returns
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        return called is not None or name in ("min", "max", "next") or not name
    if isinstance(node, ast.IfExp):
        return holds(found, scope, node.body) or holds(found, scope, node.orelse)
    if isinstance(node, ast.BoolOp):
        return any(holds(found, scope, part) for part in node.values)
    if isinstance(node, ast.Subscript):
        return found.in_sequences or holds_item(found, scope, node.value)
    return False


def holds_item(found: Records, scope: Scope, node: ast.expr) -> bool:
    """Says whether iterating over an expression may give rays or observations."""
    rays = any(isinstance(n, ast.Attribute) and n.attr == "rays" for n in ast.walk(node))
    return rays or found.in_sequences


# --- where they have to be kept ----------------------------------------------------
def keep_records(f: Code, records: set[Variable]) -> None:
    """Inserts the keeping of records before every tick of a function."""
    registers = {
        f.registers[v] for v in records if v in f.registers and v[1] not in v[0].boxed
    }
    if not registers or not f.scope.is_generator:
        return
    live = live_after(f)
    kept: list[Instruction | Label] = []
    for i, item in enumerate(f.items):
        if isinstance(item, Instruction) and is_ticking(item):
            for register in sorted(registers & live[i]):
                kept.extend(keep(f, register, item.line))
        kept.append(item)
    f.items = kept


def is_ticking(item: Instruction) -> bool:
    """Says whether a tick may pass inside an instruction."""
    if item.op == bc.CALL:
        return isinstance(item.c, Scope) and item.c.is_generator
    return item.op == bc.YIELD or (item.op == bc.CALLV and bool(item.c & bc.CALLED_FROM))


def keep(f: Code, register: int, line: int) -> list[Instruction | Label]:
    """Returns instructions that turn a register into a record of its own."""
    done, base = Label(), f.highest
    f.shared.pin_used = True
    f.pins = True
    return [
        Instruction(bc.JFIXED, register, 0, done, line),
        Instruction(bc.MOVE, base + 1, register, 0, line),
        Instruction(bc.CALL, base, f.shared.pin, None, line),
        Instruction(bc.MOVE, register, base, 0, line),
        done,
    ]


def live_after(f: Code) -> list[set[int]]:
    """Returns, for each item of the code, the variables that are read after it."""
    place = {item: i for i, item in enumerate(f.items) if isinstance(item, Label)}
    live: list[set[int]] = [set() for _ in [*f.items, None]]
    out: list[set[int]] = [set() for _ in f.items]
    changed = True
    while changed:
        changed = False
        for i in reversed(range(len(f.items))):
            item = f.items[i]
            if isinstance(item, Label):
                before = live[i + 1]
            else:
                used, made, goals, falls = effects(item)
                after: set[int] = set().union(*(live[place[g]] for g in goals))
                after |= live[i + 1] if falls else set()
                out[i] = after - made
                before = (after - made) | used
            if before != live[i]:
                live[i] = set(before)
                changed = True
    return out


def effects(item: Instruction) -> tuple[set[int], set[int], list[Label], bool]:
    """Returns registers read, registers written, jump targets, and if it falls through."""
    used, made, goals = set(), set(), []
    for kind, operand in zip(bc.OPERANDS[item.op], (item.a, item.b, item.c), strict=True):
        if kind == "v" and operand >= 0:
            used.add(operand)
        elif kind == "d":
            made.add(operand)
        elif kind == "l" and item.op != bc.CALL:
            goals.append(operand)
    if item.op == bc.EACH or item.op == bc.RANGE:
        made = set()  # only written if there is a next item
    return used, made, goals, item.op not in (bc.JUMP, bc.RETURN, bc.HALT)


def pin_routine(f: Code) -> None:
    """Writes the routine that makes a record of its argument, register 1."""
    of_obs = Label()
    f.place(f.shared.pin)
    f.emit(bc.JTAG, 1, values.T_OBS, of_obs)
    fields = [(i + 1) << 8 for i in range(len(RAY_FIELDS))]
    copy_fields(f, fields, values.T_RAY_RECORD)
    f.place(of_obs)
    fields = [sensors.SCALARS.index(name) + 1 for name in f.shared.kept_fields]
    copy_fields(f, fields, values.T_OBS_RECORD)


def copy_fields(f: Code, fields: list[int], tag: int) -> None:
    first = f.temp(len(fields) + 1)
    for i, attribute in enumerate(fields):
        f.emit(bc.FIELD, first + i, 1, attribute)
    record = first + len(fields)
    f.emit(bc.ALLOC, record, len(fields) | len(fields) << 16, tag)
    for i in range(len(fields)):
        f.emit(bc.INIT, record, i, first + i)
    f.emit(bc.RETURN, record)
