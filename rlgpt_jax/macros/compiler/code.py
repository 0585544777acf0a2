"""The instructions of one function while they are written."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rlgpt_jax.envs.spec import Action, Argument
from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.compiler.known.kinds import Kinds
from rlgpt_jax.macros.compiler.pool import Pool
from rlgpt_jax.macros.compiler.tree.scopes import Scope, Variable
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vocabulary import Vocabulary


@dataclass(eq=False)
class Label:
    """A place that jumps go to."""

    pc: int = -1


@dataclass
class Instruction:
    """One instruction; operands may be labels until the program is assembled."""

    op: int
    a: Any = 0
    b: Any = 0
    c: Any = 0
    line: int = 0


@dataclass
class Shared:
    """What all functions of one program share."""

    pool: Pool
    vocabulary: Vocabulary
    actions: dict[Scope, Action] = field(default_factory=dict)  # of a world with a spec
    arguments: tuple[Argument, ...] = ()  # of the macro, see `arguments.py`
    starts: dict[Scope, Label] = field(default_factory=dict)
    rows: dict[Scope, int] = field(default_factory=dict)  # pool rows of function values
    routines: dict[str, Scope] = field(default_factory=dict)
    used: list[Scope] = field(default_factory=list)  # functions to compile
    values: dict[Scope, list] = field(default_factory=dict)  # see `function_values.py`
    api_values: dict[str, Scope] = field(default_factory=dict)  # the API's, as values
    texts: tuple[str, ...] = ()  # the names in quotes of the source
    text_checks: list[tuple] = field(default_factory=list)  # see `text.check`
    entry: Scope | None = None  # the macro itself
    notices: list[str] = field(default_factory=list)
    kept_fields: list[Any] = field(default_factory=list)  # what is kept of an old obs: names
    # of numbers, or questions and their arguments, see `snapshots.py`
    stale_boxes: set[Variable] = field(default_factory=set)  # see `records.stale_boxes`
    pinned: set[Variable] = field(default_factory=set)  # variables whose obs is kept
    pinned_rows: bool = False  # rows are kept that may hold observations
    kinds: Kinds = field(default_factory=Kinds)  # what values may be
    pin: Label = field(default_factory=Label)
    pin_used: bool = False
    size: int = 0  # instructions so far, in all functions

    def grow(self, count: int) -> None:
        """Counts new instructions of the program."""
        work.charge(4 * count)
        self.size += count
        if self.size > bc.MAX_CODE - 64:
            raise Refused(
                None, f"the macro has more than {bc.MAX_CODE} instructions", "write a shorter macro"
            )

    def again(self, known: Kinds) -> None:
        """Forgets the code, to compile it again; functions keep their rows of the pool."""
        self.kinds = known
        self.starts, self.used = {}, []
        for scope in self.rows:
            self.start_of(scope)
        self.pin, self.pin_used, self.size = Label(), False, 0
        self.text_checks = []

    def start_of(self, scope: Scope) -> Label:
        """Returns where a function starts; it will be compiled."""
        if scope not in self.starts:
            self.starts[scope] = Label()
            self.used.append(scope)
        return self.starts[scope]


@dataclass
class Loop:
    """Where `break` and `continue` of a loop go."""

    out: Label
    again: Label
    breaks: list[set[str]] = field(default_factory=list)  # names assigned at each break


class Code:
    """Writes one function; `program.py` gives it what compiles its parts, which call each other.

    Registers: 0 the link, then hidden parameters... parameters and variables, then
    temporaries, which are used like a stack: `top` is the first free one.
    """

    value: ClassVar[Callable[..., int]]  # an expression: `expressions.value`
    built_in: ClassVar[Callable[..., int]]  # a call of the API: `calls.built_in`
    list_of: ClassVar[Callable[..., int]]  # a comprehension: `loops.list_of`
    jump_if: ClassVar[Callable[..., None]]  # a test: `conditions.jump_if`
    block: ClassVar[Callable[..., bool]]  # statements: `statements.block`

    def __init__(self, scope: Scope, shared: Shared):
        self.scope = scope
        self.shared = shared
        self.pool = shared.pool
        self.items: list[Instruction | Label] = []
        self.line = 0
        self.loops: list[Loop] = []
        self.inner_names: list[dict[str, Any]] = []  # of comprehensions and our own
        self.comprehensions = 0  # how many we are in
        self.registers: dict[Variable, int] = {}
        for variable in [(scope, p) for p in scope.params] + scope.captured:
            self.registers[variable] = len(self.registers) + 1
        for name in sorted(scope.variables - set(scope.params)):
            self.registers[(scope, name)] = len(self.registers) + 1
        self.num_variables = len(self.registers)
        self.top = self.floor = self.highest = self.num_variables + 1
        self.assigned = set(scope.params)
        self.may_be_unset: set[int] = set()
        self.walked: dict[int, str] = {}  # registers of loops over rows of rays, `rows.py`
        self.pins = False  # records are kept, see `records.py`

    # --- writing -----------------------------------------------------------------
    def emit(self, op: int, a: Any = 0, b: Any = 0, c: Any = 0) -> None:
        self.shared.grow(1)
        self.items.append(Instruction(op, a, b, c, self.line))

    def place(self, label: Label) -> None:
        self.items.append(label)

    @contextlib.contextmanager
    def unless(self, done: Label, jump: int, *operands: Any) -> Iterator[None]:
        """A block that a jump leaves out; its end goes to `done`."""
        other = Label()
        self.emit(jump, *(*operands, other))
        yield
        self.emit(bc.JUMP, done)
        self.place(other)

    def at(self, node: ast.AST) -> None:
        """Says which source line the next instructions belong to."""
        if not self.scope.trusted:
            self.line = getattr(node, "lineno", self.line)

    # --- registers ---------------------------------------------------------------
    def temp(self, count: int = 1) -> int:
        """Returns the first of `count` new temporaries."""
        first = self.top
        self.top += count
        self.highest = max(self.highest, self.top)
        if self.highest > bc.MAX_FRAME - 8:
            raise Refused(
                self.scope.node,
                "the function has too many variables or too long expressions",
                "split it into helpers",
            )
        return first

    def target(self, into: int | None) -> int:
        """Returns a register that several instructions may write before the last."""
        return into if into is not None and into > self.num_variables else self.temp()

    def put(self, operand: int, into: int | None) -> int:
        """Brings an operand into the wanted register, if there is one."""
        if into is None or into == operand:
            return operand
        self.emit(bc.MOVE, into, operand)
        return into

    def kept(self, node: ast.expr) -> int:
        """Returns a temporary with the value of an expression."""
        operand = self.value(node)
        return self.put(operand, self.temp())

    def made(self, node: ast.AST, op: int, into: int | None, b: int, c: Any = 0) -> int:
        """Emits one instruction for a part of the source. Returns where its result is."""
        register = self.temp() if into is None else into
        self.at(node)
        self.emit(op, register, b, c)
        return register

    def constant(self, value: Any) -> int:
        return self.pool.operand(value)

    def constant_bits(self, bits: int) -> int:
        return self.pool.bits_operand(bits)

    @property
    def frame(self) -> int:
        """How many registers the function uses; keeping records needs two more."""
        return self.highest + (2 if self.pins else 0)

    # --- records and sequences -----------------------------------------------------
    def sequence(self, tag: int, items: list[int], into: int | None) -> int:
        """Makes a tuple, a list or a record of operands."""
        grows = tag in (values.T_LIST, values.T_DICT, values.T_SET)
        room = max(len(items), bc.LIST_ROOM) if grows else len(items)
        register = self.temp()
        self.emit(bc.ALLOC, register, len(items) | room << 16, tag)
        for i, item in enumerate(items):
            self.emit(bc.INIT, register, i, item)
        return self.put(register, into)

    def group(self, items: Any) -> int:
        """Makes a tuple of loop items (nested Python tuples of registers)."""
        if isinstance(items, int):
            return items
        return self.sequence(values.T_TUPLE, [self.group(item) for item in items], None)
