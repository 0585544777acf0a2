"""Fewer instructions with the same meaning, one function at a time.

Jumps go where they end, code that cannot be reached goes, a value is written where it is
wanted, a comparison and the jump on it become one. No instruction is used that the
compiler does not use, and what remains keeps its source line.

Two limits can be met later than without: steps between ticks, which get fewer, and the
heap, as registers that are no longer written may hold something else.
"""

from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.compiler.code import Code, Instruction, Label
from rlgpt_jax.macros.compiler.passes.registers import (
    ENDS,
    LOOPS,
    Items,
    goal,
    live_after,
    operands,
)
from rlgpt_jax.macros.compiler.passes.repeats import use_known
from rlgpt_jax.macros.vm import bytecode as bc

ROUNDS = 3
MAX_ITEMS = 3_000  # of a function that is worked on
MAX_HOPS = 32  # from jump to jump
OPPOSITE = {
    bc.JT: bc.JF, bc.JLT: bc.JNLT, bc.JLE: bc.JNLE, bc.JEQ: bc.JNE,
    bc.JF: bc.JT, bc.JNLT: bc.JLT, bc.JNLE: bc.JLE, bc.JNE: bc.JEQ,
}  # fmt: skip
# A test as a value -> the jump if it holds.
JUMP_OF = {bc.LT: bc.JLT, bc.LE: bc.JLE, bc.EQ: bc.JEQ, bc.NE: bc.JNE, bc.NOT: bc.JF,
           bc.TRUTH: bc.JT}  # fmt: skip
HARMLESS = (bc.MOVE, bc.IS, bc.TRUTH, bc.NOT, bc.RETAG)  # cannot trap, only write


def improve(f: Code) -> None:
    """Replaces the instructions of a function, if there is work left for it."""
    if len(f.items) > MAX_ITEMS:
        return
    for _ in range(ROUNDS):
        before = len(f.items)
        if not work.affordable(8 * before):
            break
        work.charge(8 * before)
        items = use_known(straight(f.items), f.pool)
        items = direct(items)
        f.items = without_dead(items)
        if len(f.items) == before:
            break


# --- jumps -----------------------------------------------------------------------
def straight(items: Items) -> Items:
    """Sends jumps to where they end and drops what cannot be reached."""
    place = places(items)
    items = [threaded(items, place, item) for item in items]
    items = reachable(inverted(items))
    kept: Items = []
    for i, item in enumerate(items):
        if isinstance(item, Instruction) and item.op == bc.JUMP and follows(items, i, item.a):
            continue
        kept.append(item)
    return kept


def places(items: Items) -> dict[int, int]:
    return {id(item): i for i, item in enumerate(items) if isinstance(item, Label)}


def first_from(items: Items, i: int) -> Instruction | None:
    """Returns the first instruction at or after item i."""
    return next((item for item in items[i:] if isinstance(item, Instruction)), None)


def follows(items: Items, i: int, label: Label) -> bool:
    """Says whether a label stands between item i and the next instruction."""
    for item in items[i + 1 :]:
        if isinstance(item, Instruction):
            return False
        if item is label:
            return True
    return False


def threaded(items: Items, place: dict[int, int], item: Instruction | Label) -> Instruction | Label:
    """Returns a jump with its last goal; a jump to an end becomes that end."""
    label = goal(item) if isinstance(item, Instruction) else None
    if label is None or isinstance(item, Label):
        return item
    target: Instruction | None = None
    for _ in range(MAX_HOPS):
        target = first_from(items, place[id(label)])
        if target is None or target.op != bc.JUMP:
            break
        label = target.a
    if item.op == bc.JUMP and target is not None and target.op in (bc.RETURN, bc.HALT):
        return Instruction(target.op, target.a, target.b, target.c, target.line)
    return with_goal(item, label)


def with_goal(item: Instruction, label: Label, op: int | None = None) -> Instruction:
    """Returns a jump with another goal, and perhaps another test."""
    fields = {"a": item.a, "b": item.b, "c": item.c}
    fields[next(field for field, kind in operands(item) if kind == "l")] = label
    return Instruction(item.op if op is None else op, line=item.line, **fields)


def inverted(items: Items) -> Items:
    """Replaces a jump over a jump by the opposite jump."""
    made = list(items)
    for i in range(len(items) - 2):
        item, after = made[i], made[i + 1]
        if isinstance(item, Label) or isinstance(after, Label) or after.op != bc.JUMP:
            continue
        label = goal(item)
        if item.op in OPPOSITE and label is not None and follows(made, i + 1, label):
            made[i : i + 2] = [with_goal(item, after.a, OPPOSITE[item.op]), Label()]
    return made


def reachable(items: Items) -> Items:
    """Returns the labels, and the instructions that can run."""
    place, seen, todo = places(items), set[int](), [0]
    while todo:
        i = todo.pop()
        while i < len(items) and i not in seen:
            seen.add(i)
            item = items[i]
            if isinstance(item, Instruction):
                label = goal(item)
                if label is not None:
                    todo.append(place[id(label)])
                if item.op in ENDS:
                    break
            i += 1
    return [item for i, item in enumerate(items) if isinstance(item, Label) or i in seen]


# --- values ----------------------------------------------------------------------
def direct(items: Items) -> Items:
    """Joins pairs: a result and its move, a test and the jump on it."""
    live = live_after(items)
    made: Items = []
    skip = False
    for i, item in enumerate(items):
        after = items[i + 1] if i + 1 < len(items) else None
        if skip:
            skip = False
            continue
        if isinstance(item, Instruction) and isinstance(after, Instruction):
            joined = pair(item, after, live[i + 1])
            skip = joined is not None
            item = joined or item
        made.append(item)
    return made


def pair(item: Instruction, after: Instruction, live: int) -> Instruction | None:
    """Returns one instruction for two, if that is possible; `live` is read afterwards."""
    if bc.OPERANDS[item.op][0] != "d" or item.op in LOOPS or live >> item.a & 1:
        return None
    if after.op == bc.MOVE and after.b == item.a and after.a != item.a:
        return Instruction(item.op, after.a, item.b, item.c, item.line)
    if after.op in (bc.JT, bc.JF) and after.a == item.a and item.op in JUMP_OF:
        op = JUMP_OF[item.op] if after.op == bc.JT else OPPOSITE[JUMP_OF[item.op]]
        if item.op in (bc.NOT, bc.TRUTH):
            return Instruction(op, item.b, after.b, 0, item.line)
        return Instruction(op, item.b, item.c, after.b, item.line)
    return None


def without_dead(items: Items) -> Items:
    """Drops moves and the like whose result nobody reads."""
    live = live_after(items)

    def needed(i: int, item: Instruction | Label) -> bool:
        if isinstance(item, Label) or item.op not in HARMLESS:
            return True
        return bool(live[i] >> item.a & 1) and not (item.op == bc.MOVE and item.a == item.b)

    return [item for i, item in enumerate(items) if needed(i, item)]
