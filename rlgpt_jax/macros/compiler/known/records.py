"""Keeping rays and observations that are read after their tick.

A ray or an observation is a reference into what the lane sees now. Python's would keep
its numbers, so before every tick (a `yield`, or a call of a helper that yields) each
variable that may hold one, and is read later, is turned into a record of its own.
"""

import ast

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.compiler.code import Code, Instruction, Label
from rlgpt_jax.macros.compiler.known import snapshots
from rlgpt_jax.macros.compiler.known.kinds import OBS
from rlgpt_jax.macros.compiler.known.live import live_after, writes
from rlgpt_jax.macros.compiler.known.rows import keep_row, keeper, may_hold, restore, rows_of
from rlgpt_jax.macros.compiler.tree.scopes import Scope, Variable, own_nodes, resolve
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vocabulary import RAY_FIELDS


def stale_boxes(modules: list[Scope]) -> set[Variable]:
    """Returns variables that inner functions assign and that may get older than a tick.

    Those that only ever get what a `yield` gives are always of this tick.
    """
    found: set[Variable] = set()
    for scope in (s for module in modules for s in module.every()):
        for node in own_nodes(scope.node):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Yield | ast.YieldFrom):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.For | ast.NamedExpr):
                targets = [node.target]
            for part in (part for target in targets for part in work.walk(target)):
                variable = resolve(scope, part.id) if isinstance(part, ast.Name) else None
                if isinstance(variable, tuple) and variable[1] in variable[0].boxed:
                    found.add(variable)
    return found


def boxes_of(f: Code) -> dict[int, str]:
    """Returns the registers of such variables, and the routine that keeps what is in them."""
    found: dict[int, str] = {}
    for variable in f.shared.stale_boxes:
        if variable in f.registers:
            inside = keeper(f.shared.kinds.variables.get(variable, f.shared.kinds.unknown))
            if inside or may_hold(f, variable):
                found[f.registers[variable]] = "_keep_deep" if inside else "_keep"
    return found


def keep_records(f: Code) -> None:
    """Inserts the keeping of records before every tick of a function."""
    if not f.scope.is_generator:
        return
    registers = {r for v, r in f.registers.items() if v[1] not in v[0].boxed and may_hold(f, v)}
    rows = {**rows_of(f), **boxes_of(f)}
    observations = {r for v, r in f.registers.items() if may_hold(f, v, OBS)}
    work.charge(4 * len(f.items))
    live, items, last = live_after(f.items), f.items, f.line
    f.items = []
    for i, item in enumerate(items):
        if isinstance(item, Instruction) and is_ticking(item):
            later = live[i] & ~writes(item)
            values_live = sorted(r for r in registers if later >> r & 1)
            rows_live = sorted(r for r in rows if later >> r & 1)
            note_kept(f, values_live, rows_live)
            f.line = item.line
            for register in values_live:
                keep(f, register)
            for register in rows_live:
                keep_row(f, register, rows[register])
            f.items.append(item)
            f.line = last
            if item.op == bc.YIELD:
                continue
            for register in values_live:  # perhaps no tick has passed
                if register in observations:
                    restore(f, register, f.highest)
        else:
            f.items.append(item)


def note_kept(f: Code, registers: list[int], rows: list[int]) -> None:
    """Notes which observations are kept at all, for `snapshots.py`."""
    f.shared.pinned |= {
        v for v, r in f.registers.items() if r in (*registers, *rows) and may_hold(f, v, OBS)
    }
    f.shared.pinned_rows |= bool(rows) and bool(f.shared.kinds.deep.bits & OBS)


def is_ticking(item: Instruction) -> bool:
    """Says whether a tick may pass inside an instruction."""
    if item.op == bc.CALL:
        return isinstance(item.c, Scope) and item.c.is_generator
    return item.op == bc.YIELD or (item.op == bc.CALLV and bool(item.c & bc.CALLED_FROM))


def keep(f: Code, register: int) -> None:
    """Emits what turns a register into a record of its own."""
    done, base = Label(), f.highest
    f.shared.pin_used = f.pins = True
    f.emit(bc.JFIXED, register, 0, done)
    f.emit(bc.MOVE, base + 1, register)
    f.emit(bc.CALL, base, f.shared.pin, None)
    f.emit(bc.MOVE, register, base)
    f.place(done)


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
