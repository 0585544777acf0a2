"""The structure in a PyTorch checkpoint, read without running it.

A pickle is a program: unpickling calls whatever functions it names. Here its instructions are
read by `pickletools` and carried out on plain values alone. Of calls three kinds are known
(a tensor, a parameter, an ordered dictionary); what any other call would have made is `Unknown`,
and nothing is imported or called. So a file with an optimiser or a trainer's objects beside its
weights can be read, and a hostile one does nothing.
"""

import dataclasses
import pickletools
from collections.abc import Callable
from typing import Any


class PickleError(ValueError):
    """It is no pickle, or none as PyTorch writes it."""


@dataclasses.dataclass(frozen=True)
class Named:
    """A function or class that the file names; never imported."""

    name: str


class Unknown:
    """What a call that is not known would have made."""


@dataclasses.dataclass(frozen=True)
class Storage:
    """Numbers in an entry of their own."""

    kind: str  # of `torch.FloatStorage` and its like: "FloatStorage"
    key: str  # the entry
    length: int


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A view of a storage, in elements."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


_MARK = object()
_SIMPLE = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_VALUES = {
    "BININT", "BININT1", "BININT2", "LONG1", "LONG4", "INT", "LONG", "BINFLOAT", "FLOAT",
    "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE", "BINBYTES", "SHORT_BINBYTES",
    "BINBYTES8", "BINSTRING", "SHORT_BINSTRING", "STRING", "BYTEARRAY8",
}  # fmt: skip
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_NEW = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_SET": set}
_PUT, _GET = ("BINPUT", "LONG_BINPUT", "PUT"), ("BINGET", "LONG_BINGET", "GET")


def read(data: bytes) -> Any:
    """What the pickle describes: dictionaries, lists, tuples, plain values, `Tensor`, `Unknown`.

    Raises:
      PickleError: it is broken.
    """
    machine = _Machine()
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name == "STOP":
                return machine.stack[-1]
            machine.do(opcode.name, argument)
    except PickleError:
        raise
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError) as error:
        raise PickleError(f"its structure is broken ({error})") from error
    raise PickleError("its structure has no end")


class _Machine:
    """Stack and memory of a pickle."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memory: dict[int, Any] = {}

    def do(self, name: str, argument: Any) -> None:
        if name in ("PROTO", "FRAME"):
            return
        if name in _VALUES:
            self.stack.append(argument)
        elif name in _SIMPLE:
            self.stack.append(_SIMPLE[name])
        elif name in _NEW:
            self.stack.append(_NEW[name]())
        elif name in _TUPLES:
            self.stack.append(tuple(self._take(_TUPLES[name])))
        elif name in _PUT or name == "MEMOIZE":
            self.memory[len(self.memory) if argument is None else int(argument)] = self.stack[-1]
        elif name in _GET:
            self.stack.append(self.memory[int(argument)])
        elif name in _OTHERS:
            _OTHERS[name](self, argument)
        else:
            raise PickleError(f"its structure has the instruction {name}, which PyTorch never uses")

    def _take(self, count: int) -> list[Any]:
        if count > len(self.stack):
            raise PickleError("its structure is broken (it takes what is not there)")
        taken = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return taken

    def _since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise PickleError("its structure is broken (it has an end without a beginning)")
        taken = self.stack[at + 1 :]
        del self.stack[at:]
        return taken

    def mark(self, _: Any) -> None:
        self.stack.append(_MARK)

    def pop(self, _: Any) -> None:
        self._take(1)

    def named(self, argument: str) -> None:
        self.stack.append(Named(argument.replace(" ", ".")))

    def named_by_stack(self, _: Any) -> None:
        module, name = self._take(2)
        self.stack.append(Named(f"{module}.{name}"))

    def make_tuple(self, _: Any) -> None:
        self.stack.append(tuple(self._since_mark()))

    def make_list(self, _: Any) -> None:
        self.stack.append(self._since_mark())

    def make_dict(self, _: Any) -> None:
        given = self._since_mark()
        self.stack.append(dict(zip(given[::2], given[1::2])))

    def append(self, _: Any) -> None:
        self._extend(self._take(1))

    def appends(self, _: Any) -> None:
        self._extend(self._since_mark())

    def _extend(self, values: list[Any]) -> None:
        if isinstance(self.stack[-1], list):
            self.stack[-1].extend(values)

    def add_items(self, _: Any) -> None:
        values = self._since_mark()
        if isinstance(self.stack[-1], set):
            self.stack[-1].update(values)

    def set_item(self, _: Any) -> None:
        self._update(self._take(2))

    def set_items(self, _: Any) -> None:
        self._update(self._since_mark())

    def _update(self, given: list[Any]) -> None:
        if isinstance(self.stack[-1], dict):
            self.stack[-1].update(zip(given[::2], given[1::2]))

    def call(self, _: Any) -> None:
        function, arguments = self._take(2)
        self.stack.append(_called(function, arguments))

    def call_with_keywords(self, _: Any) -> None:
        self._take(3)
        self.stack.append(Unknown())

    def build(self, _: Any) -> None:
        self._take(1)  # attributes of an object: of a state dictionary its versions

    def persistent(self, _: Any) -> None:
        (given,) = self._take(1)
        what, kind, key, _, length = given
        if what != "storage" or not isinstance(kind, Named):
            raise PickleError(f"its structure refers to {what!r}, which is no storage of numbers")
        self.stack.append(Storage(kind.name.rpartition(".")[2], str(key), int(length)))


def _called(function: Any, arguments: tuple) -> Any:
    name = function.name if isinstance(function, Named) else ""
    if name == "torch._utils._rebuild_tensor_v2" and isinstance(arguments[0], Storage):
        storage, offset, shape, strides = arguments[:4]
        return Tensor(storage, int(offset), tuple(map(int, shape)), tuple(map(int, strides)))
    if name == "torch._utils._rebuild_parameter":
        return arguments[0]
    if name == "collections.OrderedDict":
        return dict(*arguments)
    return Unknown()


_OTHERS: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": _Machine.mark, "POP": _Machine.pop, "GLOBAL": _Machine.named,
    "STACK_GLOBAL": _Machine.named_by_stack, "TUPLE": _Machine.make_tuple,
    "LIST": _Machine.make_list, "DICT": _Machine.make_dict, "APPEND": _Machine.append,
    "APPENDS": _Machine.appends, "ADDITEMS": _Machine.add_items, "SETITEM": _Machine.set_item,
    "SETITEMS": _Machine.set_items, "REDUCE": _Machine.call, "NEWOBJ": _Machine.call,
    "NEWOBJ_EX": _Machine.call_with_keywords, "BUILD": _Machine.build,
    "BINPERSID": _Machine.persistent,
}  # fmt: skip
