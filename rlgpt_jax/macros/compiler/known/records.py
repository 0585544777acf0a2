"""Keeping rays and observations that are read after their tick.

A ray or an observation is a reference into what the lane sees now. Python's would keep
its numbers, so before every tick (a `yield`, or a call of a helper that yields) each
variable that may hold one, and is read later, is turned into a record of its own.
"""

import ast
from dataclasses import dataclass, field

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.compiler.code import Code, Instruction, Label
from rlgpt_jax.macros.compiler.known import snapshots
from rlgpt_jax.macros.compiler.known.kinds import OBS
from rlgpt_jax.macros.compiler.known.rows import keep_row, keeper, may_hold, restore, rows_of
from rlgpt_jax.macros.compiler.tree.scopes import Scope, Variable, own_nodes, resolve
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vocabulary import RAY_FIELDS


# --- which variables may hold a record ---------------------------------------------
@dataclass
class Records:
    """What may hold a ray or an observation; grows until nothing changes."""

    variables: set[Variable] = field(default_factory=set)
    returns: set[Scope] = field(default_factory=set)
    in_sequences: bool = False

    def size(self) -> int:
        return len(self.variables) + len(self.returns) + self.in_sequences


def find_records(modules: list[Scope], entry: Scope) -> set[Variable]:
    """Returns all variables that may hold a ray or an observation."""
    found = Records(variables={(entry, entry.params[0])})
    scopes = [scope for module in modules for scope in module.every() if not scope.trusted]
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
        every = module_of(scope).every()
        targets = [s for s in every if s.is_value or s.makes_generators]
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


def stale_boxes(modules: list[Scope]) -> set[Variable]:
    """Returns variables that inner functions assign and that may get older than a tick.

    Those that only ever get what a `yield` gives are always of this tick.
    """
    found: set[Variable] = set()
    for scope in (s for module in modules for s in module.every()):
        for node in own_nodes(scope.node):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Yield | ast.YieldFrom):
                continue
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.For | ast.NamedExpr | ast.AnnAssign)
                else []
            )
            for target in targets:
                for part in work.walk(target):
                    variable = resolve(scope, part.id) if isinstance(part, ast.Name) else None
                    if isinstance(variable, tuple) and variable[1] in variable[0].boxed:
                        found.add(variable)
    return found


# --- where they have to be kept ----------------------------------------------------
def boxes_of(f: Code) -> dict[int, str]:
    """Returns the registers of such variables, and the routine that keeps what is in them."""
    found: dict[int, str] = {}
    for variable in f.shared.stale_boxes:
        if variable in f.registers:
            inside = keeper(f.shared.kinds.variables.get(variable, f.shared.kinds.unknown))
            if inside or may_hold(f, variable):
                found[f.registers[variable]] = "_keep_deep" if inside else "_keep"
    return found


def keep_records(f: Code, records: set[Variable]) -> None:
    """Inserts the keeping of records before every tick of a function."""
    registers = {
        f.registers[v]
        for v in records
        if v in f.registers and v[1] not in v[0].boxed and may_hold(f, v)
    }
    rows = {**rows_of(f), **boxes_of(f)}
    observations = {f.registers[v] for v in records if v in f.registers and may_hold(f, v, OBS)}
    if not (registers or rows) or not f.scope.is_generator:
        return
    live = live_after(f)
    kept: list[Instruction | Label] = []
    for i, item in enumerate(f.items):
        if isinstance(item, Instruction) and is_ticking(item):
            values_live = sorted(r for r in registers if live[i] >> r & 1)
            rows_live = sorted(r for r in rows if live[i] >> r & 1)
            note_kept(f, records | f.shared.stale_boxes, values_live, rows_live)
            for register in values_live:
                kept.extend(keep(f, register, item.line))
            for register in rows_live:
                kept.extend(keep_row(f, register, rows[register], item.line))
            kept.append(item)
            if item.op == bc.YIELD:
                continue
            for register in values_live:  # perhaps no tick has passed
                if register in observations:
                    kept.extend(restore(f, register, f.highest))
        else:
            kept.append(item)
    f.items = kept


def note_kept(f: Code, records: set[Variable], registers: list[int], rows: list[int]) -> None:
    """Notes which observations are kept at all, for `snapshots.py`."""
    f.shared.pinned |= {
        v for v in records if f.registers.get(v) in (*registers, *rows) and may_hold(f, v, OBS)
    }
    f.shared.pinned_rows |= bool(rows) and bool(f.shared.kinds.deep.bits & OBS)


def is_ticking(item: Instruction) -> bool:
    """Says whether a tick may pass inside an instruction."""
    if item.op == bc.CALL:
        return isinstance(item.c, Scope) and item.c.is_generator
    return item.op == bc.YIELD or (item.op == bc.CALLV and bool(item.c & bc.CALLED_FROM))


def keep(f: Code, register: int, line: int) -> list[Instruction | Label]:
    """Returns instructions that turn a register into a record of its own."""
    done, base = Label(), f.highest
    f.shared.grow(4)
    f.shared.pin_used = True
    f.pins = True
    return [
        Instruction(bc.JFIXED, register, 0, done, line),
        Instruction(bc.MOVE, base + 1, register, 0, line),
        Instruction(bc.CALL, base, f.shared.pin, None, line),
        Instruction(bc.MOVE, register, base, 0, line),
        done,
    ]


def live_after(f: Code) -> list[int]:
    """Returns, for each item of the code, the registers that are read after it, as bits."""
    place = {item: i for i, item in enumerate(f.items) if isinstance(item, Label)}
    steps: list[tuple[int, int, tuple[int, ...]]] = []  # read, not written, what may follow
    for i, item in enumerate(f.items):
        if isinstance(item, Label):
            steps.append((0, -1, (i + 1,)))
            continue
        used, made, goals, falls = effects(item)
        follows = tuple(place[goal] for goal in goals) + ((i + 1,) if falls else ())
        steps.append((sum(1 << r for r in used), ~sum(1 << r for r in made), follows))
    live = [0] * (len(steps) + 1)  # before each item
    out = [0] * len(steps)
    changed = True
    while changed:
        work.charge(len(steps))
        changed = False
        for i in range(len(steps) - 1, -1, -1):
            read, kept, follows = steps[i]
            after = 0
            for goal in follows:
                after |= live[goal]
            out[i] = after & kept
            before = out[i] | read
            if before != live[i]:
                live[i] = before
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
    if item.op == bc.EACH:
        used.add(item.a)
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
    fields = [
        f.shared.vocabulary.fields[name] if isinstance(name, str) else name
        for name in f.shared.kept_fields
    ]
    copy_fields(f, fields, values.T_OBS_RECORD)


def copy_fields(f: Code, fields: list, tag: int) -> None:
    """Writes the making of a record of fields (numbers) and answers (pairs)."""
    first = f.temp(len(fields) + 1)
    for i, attribute in enumerate(fields):
        if isinstance(attribute, int):
            f.emit(bc.FIELD, first + i, 1, attribute)
        else:
            keep, f.top = f.top, first + len(fields) + 1
            snapshots.keep_answer(f, first + i, *attribute)
            f.top = keep
    record = first + len(fields)
    cells = [first + i for i in range(len(fields))]
    if tag == values.T_OBS_RECORD:
        cells.insert(0, 1)  # what it was made of
    f.emit(bc.ALLOC, record, len(cells) | len(cells) << 16, tag)
    for i, cell in enumerate(cells):
        f.emit(bc.INIT, record, i, cell)
    f.emit(bc.RETURN, record)
