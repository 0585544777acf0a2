"""What instructions read and write, and which registers are read later.

Sets of registers are bits of a Python integer. A call reads the registers above its new
frame's first, which may be arguments, and destroys all of them.
"""

from typing import Any

from rlgpt_jax.macros.compiler.code import Instruction, Label
from rlgpt_jax.macros.vm import bytecode as bc

Items = list[Instruction | Label]
ALL = (1 << bc.MAX_FRAME) - 1
CALLS = (bc.CALL, bc.CALLV)
LOOPS = {bc.EACH: 2, bc.RANGE: 3}  # how many registers of state
ENDS = (bc.JUMP, bc.RETURN, bc.HALT)  # what never goes on to the next instruction


def operands(item: Instruction, kind: str) -> list[Any]:
    """Returns the operands of an instruction that are of a kind, see `bytecode.OPERANDS`."""
    given = (item.a, item.b, item.c)
    return [x for x, k in zip(given, bc.OPERANDS[item.op], strict=True) if k == kind]


def reads(item: Instruction) -> int:
    """Returns the registers that an instruction may read."""
    found = 0
    for register in operands(item, "v"):
        if register >= 0:
            found |= 1 << register
    if item.op in LOOPS:
        found |= ((1 << LOOPS[item.op]) - 1) << item.a
    if item.op in CALLS:
        found |= ALL & ~((1 << (item.a + 1)) - 1)
    return found


def writes(item: Instruction) -> int:
    """Returns the registers that hold something else afterwards, whatever happens."""
    if item.op in CALLS:
        return ALL & ~((1 << item.a) - 1)
    if item.op in LOOPS:  # only if there is a next item
        return 0
    return 1 << item.a if bc.OPERANDS[item.op][0] == "d" else 0


def goal(item: Instruction, place: dict[int, int]) -> int:
    """Returns the item that an instruction may jump to inside its function; -1 if none."""
    labels = [] if item.op == bc.CALL else operands(item, "l")
    return place[id(labels[0])] if labels else -1


def live_after(items: Items) -> list[int]:
    """Returns, for each item, the registers that may be read after it."""
    place = {id(item): i for i, item in enumerate(items) if isinstance(item, Label)}
    facts = [
        None
        if isinstance(item, Label)
        else (reads(item), writes(item), goal(item, place), item.op not in ENDS)
        for item in items
    ]
    before = [0] * (len(items) + 1)
    after = [0] * len(items)
    changed = True
    while changed:
        changed = False
        for i in range(len(items) - 1, -1, -1):
            fact = facts[i]
            if fact is None:
                now = before[i + 1]
            else:
                read, written, target, falls = fact
                later = before[i + 1] if falls else 0
                if target >= 0:
                    later |= before[target]
                after[i] = later
                now = (later & ~written) | read
            if now != before[i]:
                before[i] = now
                changed = True
    return after
