"""The constant pool of a program, and which expressions are constants."""

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rlgpt_jax.envs.names import NAME_ID, NAMES, NUM_NAMES
from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm.bytecode import MAX_CONSTANTS, MAX_NAME_ID, NAME_SET, NAME_WORDS

CONSTANT_NAMES = {"pi": math.pi, "tau": math.tau, "e": math.e, "inf": math.inf, "nan": math.nan}
MAX_TEXT = 100  # characters of a text
MAX_ROW = 512  # elements of a constant that is repeated
MIN_SET = 3  # tuples of at least so many names get a set of bits for `in`


@dataclass(frozen=True)
class ActionConstant:
    """An action without computed parts."""

    code: int


@dataclass(frozen=True)
class FunctionConstant:
    """A function as a value: an action's number, or a row of the pool."""

    payload: int


@dataclass(frozen=True)
class Table:
    """A dictionary of constants that never changes."""

    keys: tuple
    values: tuple

    def pairs(self) -> tuple:
        """Returns key, value, key, value, ..."""
        return tuple(x for pair in zip(self.keys, self.values, strict=True) for x in pair)

    def get(self, key: Any, default: Any) -> Any:
        """Returns the value of a constant key; True and 1 are one key, as in Python."""
        found = dict(zip(self.keys, self.values, strict=True))
        return found.get(key, default)


NAME_TESTS: dict[str, Callable[[str, str], bool]] = {
    "in": lambda name, text: text in name,
    "startswith": str.startswith,
    "endswith": str.endswith,
}
Lookup = Callable[[ast.expr], Any]


NO_COMPLEX = ("complex numbers are not part of the language", "use sin, cos and two variables")


class NotConstant(Exception):
    """The expression has to be computed by the macro."""


@dataclass
class Pool:
    """Cells of int32; equal values share a cell."""

    cells: list[int] = field(default_factory=list)
    known: dict[Any, int] = field(default_factory=dict)
    own_names: dict[str, int] = field(default_factory=dict)
    tests: dict[str, tuple[int, Callable[[str], bool]]] = field(default_factory=dict)

    def add_cells(self, cells: list[int]) -> int:
        """Appends cells, returns the index of the first."""
        if len(self.cells) + len(cells) > MAX_CONSTANTS:
            raise Refused(
                None,
                f"the macro has more than {MAX_CONSTANTS} cells of constants",
                "use shorter tables",
            )
        self.cells.extend(cells)
        return len(self.cells) - len(cells)

    def operand(self, value: Any) -> int:
        """Returns the operand of a constant Python value."""
        return self.bits_operand(self.bits(value))

    def bits_operand(self, bits: int) -> int:
        """Returns the operand of a constant that is no Python value."""
        key = ("value", bits)
        if key not in self.known:
            self.known[key] = self.add_cells([bits])
        return -1 - self.known[key]

    def bits(self, value: Any) -> int:
        """Returns the int32 bits of a constant Python value."""
        if value is None:
            return values.NONE
        if isinstance(value, str):
            return values.box(values.T_NAME, self.name_id(value))
        if isinstance(value, tuple):
            return values.box(values.T_TUPLE, self.tuple_address(value))
        if isinstance(value, ActionConstant):
            return values.box(values.T_ACTION, value.code)
        if isinstance(value, FunctionConstant):
            return values.box(values.T_FUNCTION, value.payload)
        return values.number(float(value))

    def name_id(self, name: str) -> int:
        """Returns a name's id; names unknown to the world get ids of this program."""
        if name in NAME_ID:
            return NAME_ID[name]
        if name not in self.own_names:
            if NUM_NAMES + len(self.own_names) >= MAX_NAME_ID:
                raise Refused(None, "too many names that are not Minecraft's", "use fewer")
            self.own_names[name] = NUM_NAMES + len(self.own_names)
        return self.own_names[name]

    def name_bits(self, ids: set[int]) -> list[int]:
        """Returns a set of names as NAME_WORDS int32."""
        words = np.zeros(NAME_WORDS, np.uint32)
        for i in ids:
            words[i // 32] |= np.uint32(1 << (i % 32))
        return [int(w) for w in words.view(np.int32)]

    def tuple_address(self, items: tuple) -> int:
        """Returns the address of a constant tuple; equal tuples are one tuple."""
        cells = tuple(self.bits(item) for item in items)
        key = ("tuple", cells)
        if key not in self.known:
            tags = {values.tag_of(c) for c in cells}
            header = len(cells)
            if tags == {values.T_NAME} and len(cells) >= MIN_SET:
                self.add_cells(self.name_bits({values.payload_of(c) for c in cells}))
                header |= NAME_SET
            self.known[key] = self.add_cells([header, *cells])
        return self.known[key]

    def later_set(self, how: str, text: str) -> int:
        """Returns the pool index of the names with `text` in, at their start or end.

        The set is filled by `fill_sets`, when all names of the program are known.
        """
        return self.named_set(f"{how} {text}", lambda name: NAME_TESTS[how](name, text))

    def named_set(self, key: str, holds: Callable[[str], bool]) -> int:
        """Returns the pool index of the names for which `holds`; one set for each key."""
        if key not in self.tests:
            self.tests[key] = (self.add_cells([0] * NAME_WORDS), holds)
        return self.tests[key][0]

    def has_rank_bit(self, k: int) -> Callable[[str], bool]:
        """Returns the test for bit k of a name's place among all names, in their order."""
        places: dict[str, int] = {}

        def holds(name: str) -> bool:
            if not places:  # by now all names are known
                places.update({n: i for i, n in enumerate(sorted({*NAMES, *self.own_names}))})
            return bool(places[name] >> k & 1)

        return holds

    def fill_sets(self) -> None:
        for index, holds in self.tests.values():
            named = [*enumerate(NAMES), *((i, name) for name, i in self.own_names.items())]
            ids = {i for i, name in named if holds(name)}
            self.cells[index : index + NAME_WORDS] = self.name_bits(ids)


def fold(node: ast.expr, lookup: Lookup) -> Any:
    """Returns the value of a constant expression, rounded to float32 at each step.

    `lookup` gives the value of names, attributes, calls and f-strings, or raises `NotConstant`.
    """
    work.charge()
    if isinstance(node, ast.Constant):
        return literal(node)
    if isinstance(node, ast.Tuple):
        return bounded(tuple(fold(item, lookup) for item in node.elts))
    if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.JoinedStr):
        return lookup(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = fold(node.operand, lookup)
        if isinstance(value, float):
            return -value
    if isinstance(node, ast.BinOp) and type(node.op) in FOLDED:
        left, right = fold(node.left, lookup), fold(node.right, lookup)
        if isinstance(left, float) and isinstance(right, float):
            with np.errstate(all="ignore"):
                result = FOLDED[type(node.op)](np.float32(left), np.float32(right))
            return values.as_float(values.number(float(result)))
        if isinstance(node.op, ast.Add) and isinstance(left, tuple) and isinstance(right, tuple):
            return bounded(left + right)
        if isinstance(node.op, ast.Add) and isinstance(left, str) and isinstance(right, str):
            if len(left) + len(right) <= MAX_TEXT:
                return left + right
        if isinstance(left, tuple) and is_whole(right) and isinstance(node.op, ast.Mult):
            if len(left) * right <= MAX_ROW:
                return bounded(left * max(0, min(int(right), MAX_ROW)))
    if isinstance(node, ast.Subscript):
        return part_of(fold(node.value, lookup), node.slice, lookup)
    raise NotConstant


def bounded(row: tuple) -> tuple:
    """Returns a constant tuple. Refuses those that hold too much, all levels together.

    A tuple may hold another one many times; what walks through it sees it as often.
    """
    todo, count = [row], 0
    while todo:
        items = todo.pop()
        count += len(items)
        if count > MAX_CONSTANTS:
            raise Refused(
                None, f"a table of more than {MAX_CONSTANTS} values", "use shorter tables"
            )
        todo += [item for item in items if isinstance(item, tuple)]
    work.charge(count)
    return row


def is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def part_of(row: Any, place: ast.expr, lookup: Lookup) -> Any:
    """Returns `row[place]` of a constant tuple; a bad index is left to the macro."""
    if not isinstance(row, tuple | str):
        raise NotConstant
    if isinstance(place, ast.Slice):
        ends = [fold(p, lookup) if p else None for p in (place.lower, place.upper, place.step)]
        if all(end is None or is_whole(end) for end in ends):
            bounds = [None if end is None else int(end) for end in ends]
            if bounds[2] != 0:
                return row[slice(*bounds)]
        raise NotConstant
    index = fold(place, lookup)
    if not is_whole(index) or not -len(row) <= index < len(row):
        raise NotConstant
    return row[int(index)]


FOLDED = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b}


def literal(node: ast.Constant) -> Any:
    """Returns the value of a literal that the language has."""
    value = node.value
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise Refused(
                node, f"a string of more than {MAX_TEXT} characters", "use item names only"
            )
        return value
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        if abs(value) > 2**127:
            raise Refused(node, "the number is too large", "numbers are float32")
        return float(value)
    if isinstance(value, complex):
        raise Refused(node, *NO_COMPLEX)
    raise Refused(
        node,
        f"a value of type {type(value).__name__} is not part of the language",
        "use numbers, True, False, None, names in quotes, tuples and short lists",
    )
