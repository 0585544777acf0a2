"""A program as text: every source line with the instructions that it became.

    12       jnlt   r5, 2.5 -> L3        instruction 12 jumps to L3 unless r5 < 2.5
    r3 := field r1.distance              register 3 gets the field

Registers r1, r2, ... hold the parameters, then the variables, then intermediate values.
"""

import ast
from collections.abc import Iterator

import numpy as np

from rlgpt_jax.envs.names import NAMES, NUM_NAMES
from rlgpt_jax.macros import values
from rlgpt_jax.macros.actions import ITEM_ACTIONS, PLAIN_NAMES, TABLE
from rlgpt_jax.macros.sensors import SCALARS
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.rl.evaluate.activation import action_words

RAY_FIELDS = ("block", "entity", "distance", "yaw", "pitch")


def lines(program: bc.Program) -> Iterator[str]:
    """The whole listing, line by line."""
    yield summary(program)
    for notice in program.notices:
        yield f"notice: {notice}"
    yield ""
    text = Operands(program)
    source = program.source.rstrip("\n").split("\n")
    where = np.array(program.lines)
    for number, line in enumerate(source, 1):
        yield f"{number:>4}  {line}".rstrip()
        yield from text.instructions(np.flatnonzero(where == number))
    rest = np.flatnonzero((where < 1) | (where > len(source)))
    if len(rest):
        yield ""
        yield "      routines and functions of the library"
        yield from text.instructions(rest)
    yield ""
    yield "constants"
    yield from constants(program)


def summary(program: bc.Program) -> str:
    size = len(program.source.encode())
    used = (
        ("instructions", len(program.code), bc.MAX_CODE),
        ("cells of constants", len(program.constants), bc.MAX_CONSTANTS),
        ("bytes of source", size, bc.MAX_SOURCE),
    )
    words = ", ".join(f"{count:,} of {limit:,} {what}" for what, count, limit in used)
    return f"accepted: {program.name} at sensor level {program.sensors}. {words}."


def constants(program: bc.Program) -> Iterator[str]:
    """The values that instructions name, each once."""
    used: set[int] = set()
    for op, *operands in program.code.tolist():
        kinds = zip(bc.OPERANDS[op], operands, strict=True)
        used.update(-1 - x for kind, x in kinds if kind == "v" and x < 0)
    for index in sorted(used):
        yield f"  c{index:<4} {constant(program, index)}"


def constant(program: bc.Program, index: int) -> str:
    return decoded(program, int(program.constants[index]))


def decoded(program: bc.Program, bits: int) -> str:
    """A cell's value as the macro's author would write it."""
    tag, payload = values.tag_of(bits), values.payload_of(bits)
    if tag == values.T_NUMBER:
        return f"{values.as_float(bits):g}"
    if tag == values.T_NAME:
        return f'"{NAMES[payload]}"' if payload < NUM_NAMES else f"own name {payload - NUM_NAMES}"
    if tag == values.T_ACTION:
        return f"action {action_words(TABLE[payload])}"
    if tag == values.T_FUNCTION:
        return PLAIN_NAMES[payload] if payload < bc.FIRST_FUNCTION else "a function"
    if tag in (values.T_TUPLE, values.T_LIST) and payload < len(program.constants):
        count = int(program.constants[payload]) & 0xFFFF
        cells = program.constants[payload + 1 : payload + 1 + count]
        return "(" + ", ".join(decoded(program, int(cell)) for cell in cells) + ")"
    return values.TAG_NAMES[tag]


class Operands:
    """Names for what the instructions of one program name."""

    def __init__(self, program: bc.Program):
        self._program = program
        targets: set[int] = set()
        self._functions: dict[int, str] = {}
        for op, *operands in program.code.tolist():
            for kind, operand in zip(bc.OPERANDS[op], operands, strict=True):
                if kind == "l" and op == bc.CALL:
                    self._functions[operand] = self._function_at(operand)
                elif kind == "l":
                    targets.add(operand)
        self._labels = {pc: f"L{i}" for i, pc in enumerate(sorted(targets), 1)}

    def _function_at(self, pc: int) -> str:
        """The name of the function whose first instruction is at `pc`."""
        line = int(self._program.lines[pc])
        around = [
            node.name
            for node in ast.walk(ast.parse(self._program.source))
            if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
        ]
        return around[-1] if around else f"function {pc}"

    def instructions(self, places: np.ndarray) -> Iterator[str]:
        for pc in places.tolist():
            if pc in self._functions:
                yield f"      {self._functions[pc]}:"
            label = f"{self._labels[pc]}:" if pc in self._labels else ""
            yield f"      {label:<5}{pc:>5}  {self._instruction(pc)}"

    def _instruction(self, pc: int) -> str:
        op, a, b, c = self._program.code[pc].tolist()
        name, kinds = bc.OPERATIONS[op], bc.OPERANDS[op]
        made, read, goal = "", [], ""
        for kind, operand in zip(kinds, (a, b, c), strict=True):
            if kind == "d":
                made = f"r{operand} := "
            elif kind == "v":
                read.append(self._value(operand))
            elif kind == "l":
                known = self._labels if op != bc.CALL else self._functions
                goal = f" -> {known[operand]}"
            elif kind in "ft":
                read.append(f"r{operand}..")
            elif kind == "i":
                read.append(self._immediate(op, operand))
        return f"{made}{name} {', '.join(read)}{goal}".rstrip()

    def _value(self, operand: int) -> str:
        return f"r{operand}" if operand >= 0 else constant(self._program, -1 - operand)

    @staticmethod
    def _immediate(op: int, operand: int) -> str:
        if op == bc.FIELD:
            # One attribute may be asked of an observation or of a ray.
            seen = [(operand & 0xFF, SCALARS), (operand >> 8 & 0xFF, RAY_FIELDS)]
            names = [table[i - 1] for i, table in seen if 0 < i <= len(table)]
            return "." + "/".join(dict.fromkeys(names))
        if op == bc.ITEM:
            return next((n for n, code in ITEM_ACTIONS.items() if code == operand), str(operand))
        if op in (bc.JTAG, bc.RETAG):
            return values.TAG_NAMES[operand]
        return f"#{operand}"
