"""Forward facts: copies, values that were computed before, and kinds of values.

A register that holds a copy is read where it came from, so that the copy may become
needless. An instruction that was run before on the same operands becomes a copy: what a
lane sees does not change between two ticks, so `obs.nearest("log")` is looked for once.
Where ways join, what all of them know is known; where a loop begins, nothing is.
"""

from functools import lru_cache

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Instruction, Label
from rlgpt_jax.macros.compiler.passes.registers import CALLS, ENDS, Items, goal, may_write, operands
from rlgpt_jax.macros.compiler.pool import Pool
from rlgpt_jax.macros.vm import bytecode as bc

# Operations whose result depends on their operands and the lane's view alone. Not those
# on sequences, which may change in between.
PURE = frozenset(
    (*range(bc.ADD, bc.WHOLE + 1), bc.LT, bc.LE, bc.INSET, bc.FIELD, bc.RAYS, bc.COUNT, bc.NEAR,
     bc.SEES, bc.NEAREST, bc.OFFSET, bc.BLOCK, bc.TURN, bc.ITEM)
)  # fmt: skip
# Kinds; a rounded number may be too large for `whole`, which is below 1e9.
NAME, NUMBER, ROUNDED, WHOLE = "name", "number", "rounded", "whole"
ROUNDINGS = (bc.ROUND, bc.FLOOR, bc.CEIL, bc.TRUNC)
KIND_OF = {
    **dict.fromkeys((*range(bc.ADD, bc.WHOLE + 1), bc.COUNT), NUMBER),
    **dict.fromkeys(ROUNDINGS, ROUNDED),
    **dict.fromkeys((bc.WHOLE, bc.LEN, bc.LT, bc.LE, bc.EQ, bc.NE, bc.IS, bc.TRUTH, bc.NOT,
                     bc.IN, bc.INSET, bc.OFFSET), WHOLE),
    bc.BLOCK: NAME,
}  # fmt: skip
# Operations that give back what is of one of these kinds.
NEEDLESS = {
    bc.NUMBER: (NUMBER, ROUNDED, WHOLE),
    bc.WHOLE: (WHOLE,),
    **dict.fromkeys(ROUNDINGS, (ROUNDED, WHOLE)),
}
RAY_NAMES = (1 << 8, 2 << 8)  # operands of field: block and entity of a ray
Key = tuple[int, int, int]


MAX_FACTS = 60  # then all is forgotten: each is looked at again at every instruction


class Facts:
    """What is known at one place of the code."""

    def __init__(self) -> None:
        self.copies: dict[int, int] = {}  # register -> the register or constant it equals
        self.results: dict[Key, int] = {}  # instruction -> register with its result
        self.kinds: dict[int, str] = {}  # register -> what it holds

    def copy(self) -> "Facts":
        made = Facts()
        made.copies, made.results = dict(self.copies), dict(self.results)
        made.kinds = dict(self.kinds)
        return made

    def keep_common(self, other: "Facts") -> None:
        """Drops what the other does not know."""
        self.copies = dict(self.copies.items() & other.copies.items())
        self.results = dict(self.results.items() & other.results.items())
        self.kinds = dict(self.kinds.items() & other.kinds.items())

    def forget(self, written: int) -> None:
        """Drops what depends on registers (bits) that are written."""
        if not written:
            return
        self.copies = {
            r: x for r, x in self.copies.items()
            if not (written >> r & 1 or (x >= 0 and written >> x & 1))
        }  # fmt: skip
        self.kinds = {r: kind for r, kind in self.kinds.items() if not written >> r & 1}
        self.results = {
            key: r for key, r in self.results.items()
            if not (written >> r & 1 or written & registers_of(*key))
        }  # fmt: skip

    def __len__(self) -> int:
        return len(self.copies) + len(self.results) + len(self.kinds)


@lru_cache(maxsize=4_096)
def registers_of(op: int, b: int, c: int) -> int:
    """Returns the registers that an operation reads, as bits."""
    return sum({1 << r for r in values_of(op, b, c) if r >= 0})


def values_of(op: int, b: int, c: int) -> list[int]:
    """Returns those of the operands b, c that are values."""
    return [x for x, kind in zip((b, c), bc.OPERANDS[op][1:], strict=True) if kind == "v"]


def use_known(items: Items, pool: Pool) -> Items:
    """Returns the items with copies read at their source and known results not made again."""
    jumps: dict[int, int] = {}  # label -> jumps to it that have not been passed
    for item in items:
        label = goal(item) if isinstance(item, Instruction) else None
        if label is not None:
            jumps[id(label)] = jumps.get(id(label), 0) + 1
    arriving: dict[int, list[Facts]] = {label: [] for label in jumps}
    facts: Facts | None = Facts()  # None where the code above does not go on
    made: Items = []
    for item in items:
        if isinstance(item, Label):
            if id(item) in jumps:
                ways = arriving[id(item)] + ([facts] if facts is not None else [])
                facts = Facts() if jumps[id(item)] or not ways else ways[0].copy()
                for way in ways[1:]:
                    facts.keep_common(way)
            made.append(item)
            continue
        if facts is None or len(facts) > MAX_FACTS:
            facts = Facts()
        label = goal(item)
        short = simpler(with_sources(item, facts.copies), facts, pool)
        if short is not None:
            made.append(short)
            note(facts, short, pool)
        if label is not None:  # a jump that fell away makes what is known no less true
            jumps[id(label)] -= 1
            arriving[id(label)].append(facts.copy())
        if short is not None and short.op in ENDS:
            facts = None
    return made


def with_sources(item: Instruction, copies: dict[int, int]) -> Instruction:
    """Returns an instruction that reads copies at their source."""
    fields = {"a": item.a, "b": item.b, "c": item.c}
    for field, kind in operands(item):
        if kind == "v":
            fields[field] = copies.get(fields[field], fields[field])
    return Instruction(item.op, line=item.line, **fields)


def simpler(item: Instruction, facts: Facts, pool: Pool) -> Instruction | None:
    """Returns an instruction in its shortest form; None if it does nothing."""
    if item.op in PURE and (item.op, item.b, item.c) in facts.results:
        source = facts.results[item.op, item.b, item.c]
        return Instruction(bc.MOVE, item.a, source, 0, item.line)
    if item.op in NEEDLESS and kind_of(item.b, facts, pool) in NEEDLESS[item.op]:
        return Instruction(bc.MOVE, item.a, item.b, 0, item.line)
    if item.op == bc.JTAG:
        kind = kind_of(item.a, facts, pool)
        if kind is not None:
            has_it = item.b == (values.T_NAME if kind == NAME else values.T_NUMBER)
            return Instruction(bc.JUMP, item.c, 0, 0, item.line) if has_it else None
    return item


def kind_of(operand: int, facts: Facts, pool: Pool) -> str | None:
    """Returns what an operand holds, None if that is not known."""
    if operand >= 0:
        return facts.kinds.get(operand)
    bits = pool.cells[-1 - operand]
    tag = values.tag_of(bits)
    if tag == values.T_NUMBER:
        number = values.as_float(bits)
        return WHOLE if abs(number) < 1e9 and number == int(number) else NUMBER
    return NAME if tag == values.T_NAME else None


def note(facts: Facts, item: Instruction, pool: Pool) -> None:
    """Adds what is known after an instruction."""
    if item.op in CALLS or item.op == bc.YIELD:
        facts.results.clear()  # a tick may have passed
    kind = KIND_OF.get(item.op)
    if item.op == bc.MOVE:
        kind = kind_of(item.b, facts, pool)
    elif item.op == bc.FIELD and item.c in RAY_NAMES:
        kind = NAME
    facts.forget(may_write(item))
    if kind is not None:
        facts.kinds[item.a] = kind
    if item.op == bc.MOVE and item.a != item.b:
        facts.copies[item.a] = item.b
    elif item.op in PURE and item.a not in values_of(item.op, item.b, item.c):
        facts.results[item.op, item.b, item.c] = item.a
