"""Lists, tuples and dictionaries of rays or observations that are read after their tick.

Before the tick the rays in them are turned into records, in place; `records.py` does so
for those in variables. It takes 6 cells for each ray, so some 60 rays can be kept.
"""

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import within
from rlgpt_jax.macros.compiler.known import kinds
from rlgpt_jax.macros.compiler.known.kinds import Kind
from rlgpt_jax.macros.compiler.tree.scopes import Variable
from rlgpt_jax.macros.vm import bytecode as bc

OF_A_TICK = kinds.RAY | kinds.OBS
ROW_TAGS = (values.T_LIST, values.T_TUPLE, values.T_DICT)


def keeper(kind: Kind) -> str:
    """Returns the routine that keeps what is inside a value, "" if nothing has to be."""
    item = kind.item
    if item is None or not kind.bits & kinds.CONTAINERS:
        return ""
    if item.bits & kinds.CONTAINERS and item.item is not None and item.item.bits & OF_A_TICK:
        return "_keep_deep"
    return "_keep" if item.bits & OF_A_TICK else ""


def may_hold(f: Code, variable: Variable, bits: int = OF_A_TICK) -> bool:
    """Says whether a variable may hold a ray or an observation itself."""
    kind = f.shared.kinds.variables.get(variable)
    return kind is None or bool(kind.bits & bits)


def rows_of(f: Code) -> dict[int, str]:
    """Returns the registers that may hold such rows, and the routine that keeps each."""
    found = dict(f.walked)
    for variable, register in f.registers.items():
        name = keeper(f.shared.kinds.variables.get(variable, kinds.NOTHING))
        if name and variable[1] not in variable[0].boxed:
            found[register] = name
    return found


def keep_row(f: Code, register: int, name: str) -> None:
    """Emits the keeping of what a register's row holds."""
    base, routine = f.highest, f.shared.routines[name]
    f.pins = True

    def enter() -> None:
        f.emit(bc.MOVE, base + 1, register)
        f.emit(bc.CALL, base, f.shared.start_of(routine), routine)

    within.by_tag(f, register, ROW_TAGS, lambda: None, enter)


def restore(f: Code, register: int, free: int) -> None:
    """Emits what undoes the keeping of an observation of this very tick.

    It was kept before a helper was called that may yield, but has not done so (yet). The
    first cell of the record is what it was made of, see `records.copy_fields`.
    """
    is_record, done = Label(), Label()
    f.emit(bc.JTAG, register, values.T_OBS_RECORD, is_record)
    f.emit(bc.JUMP, done)
    f.place(is_record)
    f.emit(bc.FIELD, free, register, 1 << 16)
    f.emit(bc.JFIXED, free, 0, done)
    f.emit(bc.MOVE, register, free)
    f.place(done)


def restored(f: Code, operand: int, into: int | None) -> int:
    """Returns an element of a row, not its record if it is of this tick."""
    register = f.put(operand, f.temp())
    restore(f, register, f.temp())
    return f.put(register, into)
