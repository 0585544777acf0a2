"""Dictionaries and sets.

Both are cells in the order in which things were added: key, value, key, value, ... or
the elements. The routines of `containers.py` search them. Dictionaries that
never change are `Table`s in the pool, see `frozen.py`.
"""

import ast
from collections.abc import Callable
from typing import Any

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import calls, defaults, kinds, loops, within
from rlgpt_jax.macros.compiler import expressions as ex
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.pool import Table
from rlgpt_jax.macros.compiler.scopes import MISSING, constant_named
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


def kind_of(f: Code, node: ast.expr) -> kinds.Kind:
    """Returns what an expression may be; routines of ours say it themselves."""
    return kinds.NOTHING if f.scope.trusted else f.shared.kinds.of(f.scope, node)


def may_be(f: Code, node: ast.expr, bits: int) -> bool:
    return bool(kind_of(f, node).bits & bits)


def is_surely(f: Code, node: ast.expr, bits: int) -> bool:
    known = kind_of(f, node).bits
    return bool(known & bits) and not known & ~bits


TAGS = {
    kinds.NAME: values.T_NAME,
    kinds.TUPLE: values.T_TUPLE,
    kinds.LIST: values.T_LIST,
    kinds.DICT: values.T_DICT,
    kinds.SET: values.T_SET,
}


def by_kind(
    f: Code, operand: int, known: int, wanted: int,
    usual: Callable[[], object], special: Callable[[], object],
) -> None:  # fmt: skip
    """Compiles `special` for values of the wanted kinds and `usual` for others.

    The tag is tested at run time if the known kinds leave it open.
    """
    if not known & ~wanted:
        special()
        return
    is_special, done = Label(), Label()
    for bit, tag in TAGS.items():
        if known & wanted & bit:
            f.emit(bc.JTAG, operand, tag, is_special)
    usual()
    f.emit(bc.JUMP, done)
    f.place(is_special)
    special()
    f.place(done)


# --- dictionaries of constants ----------------------------------------------------
def table_of(f: Code, node: ast.expr) -> Table | None:
    """Returns the constant dictionary that a name or a display stands for."""
    if isinstance(node, ast.Name):
        if any(node.id in names for names in f.inner_names):
            return None
        constant = constant_named(f.scope, node.id)
        return constant if isinstance(constant, Table) else None
    made = table(f, node)
    return made if isinstance(made, Table) else None


def table(f: Code, node: ast.expr) -> Any:
    """Returns a dictionary display of constants as a `Table`; else MISSING."""
    if not isinstance(node, ast.Dict) or None in node.keys:
        return MISSING
    pairs = {}
    for key, value in zip(node.keys, node.values, strict=True):
        assert key is not None
        known = ex.constant_of(f, key), ex.constant_of(f, value)
        if MISSING in known:
            return MISSING
        pairs[known[0]] = known[1]
    return Table(tuple(pairs), tuple(pairs.values()))


def table_item(
    f: Code, known: Table, key: ast.expr, other: ast.expr | None, into: int | None
) -> int:
    """Compiles `table[key]`, or `table.get(key, other)` if `other` is given."""
    constant = ex.constant_of(f, key)
    pairs = f.constant(known.pairs())
    if constant is not MISSING:
        found = known.get(constant, MISSING)
        if found is not MISSING:
            return f.put(f.constant(found), into)
    if other is None:
        return within.routine_with(f, "_pair_at", [pairs, key], into)
    register, missing, done = f.target(into), Label(), Label()
    item = f.put(ex.value(f, key), f.temp())
    default = ex.value(f, other)
    f.emit(bc.IN, register, item, f.constant(known.keys))
    f.emit(bc.JF, register, missing)
    within.routine(f, "_pair_at", [pairs, item], register)
    f.emit(bc.JUMP, done)
    f.place(missing)
    f.emit(bc.MOVE, register, default)
    f.place(done)
    return f.put(register, into)


# --- making them ------------------------------------------------------------------
def make(f: Code, node: ast.expr, into: int | None) -> int:
    """Compiles a display or comprehension of a dictionary or a set."""
    if isinstance(node, ast.Dict):
        return dict_display(f, node, into)
    if isinstance(node, ast.DictComp):
        made = ex.sequence(f, values.T_DICT, [], None)
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        clauses = ast.copy_location(ast.GeneratorExp(pair, node.generators), node)
        loops.each_pair(f, clauses, lambda k, v: put(f, made, k, v))
        return f.put(made, into)
    made = ex.sequence(f, values.T_SET, [], None)
    if isinstance(node, ast.SetComp):
        loops.each_of(f, node, lambda item: add(f, made, item), Label())
    elif isinstance(node, ast.Set):
        for element in node.elts:
            if isinstance(element, ast.Starred):
                loops.each_of(f, element.value, lambda item: add(f, made, item), Label())
            else:
                keep = f.top
                add(f, made, ex.value(f, element))
                f.top = keep
    return f.put(made, into)


def of_table(f: Code, known: Table, into: int | None) -> int:
    """Makes a dictionary with the pairs of a table."""
    return ex.sequence(f, values.T_DICT, [f.constant(x) for x in known.pairs()], into)


def dict_display(f: Code, node: ast.Dict, into: int | None) -> int:
    keys = [ex.constant_of(f, key) if key else MISSING for key in node.keys]
    if len(node.keys) > 64:
        raise Refused(
            node,
            "a dictionary of more than 64 entries that is not constant",
            "fill it in a loop, or use a tuple of pairs",
        )
    if MISSING not in keys and len(set(keys)) == len(keys):
        cells: list[int] = []
        for key, value in zip(keys, node.values, strict=True):
            cells += [f.constant(key), f.put(ex.value(f, value), f.temp())]
        return ex.sequence(f, values.T_DICT, cells, into)
    made = ex.sequence(f, values.T_DICT, [], None)
    for key_node, value in zip(node.keys, node.values, strict=True):
        keep = f.top
        if key_node is None:
            within.routine_with(f, "_update", [made, value])
        else:
            within.routine_with(f, "_dict_put", [made, key_node, value])
        f.top = keep
    return f.put(made, into)


def put(f: Code, owner: int, key: int, value: int) -> None:
    keep = f.top
    within.routine(f, "_dict_put", [owner, key, value])
    f.top = keep


def add(f: Code, owner: int, item: int) -> None:
    keep = f.top
    within.routine(f, "_add", [owner, item])
    f.top = keep


# --- reading and writing ------------------------------------------------------------
def item_of(f: Code, owner_node: ast.expr, key: ast.expr, into: int | None) -> int:
    """Compiles `d[k]` where d may be a dictionary."""
    maker = defaults.of_name(f, owner_node)
    if maker is not None:
        made = defaults.item(f, maker, owner_node, key, into)
        if made is not None:
            return made
    if is_surely(f, owner_node, kinds.DICT):
        return within.routine_with(f, "_dict_at", [owner_node, key], into)
    owner = f.put(ex.value(f, owner_node), f.temp())
    position = f.put(ex.value(f, key), f.temp())
    register = f.temp()
    by_kind(
        f,
        owner,
        kind_of(f, owner_node).bits,
        kinds.DICT,
        lambda: f.emit(bc.INDEX, register, owner, position),
        lambda: within.routine(f, "_dict_at", [owner, position], register),
    )
    return f.put(register, into)


def store(f: Code, node: ast.expr, owner: int, position: int, value: int) -> None:
    """Compiles `owner[position] = value`; `node` is the owner's expression."""
    if not may_be(f, node, kinds.DICT):
        f.emit(bc.STORE, owner, position, value)
        return
    by_kind(
        f,
        owner,
        kind_of(f, node).bits,
        kinds.DICT,
        lambda: f.emit(bc.STORE, owner, position, value),
        lambda: within.routine(f, "_dict_put", [owner, position, value]),
    )


def view(f: Code, node: ast.expr, operand: int) -> int:
    """Returns the operand, or a view of its cells if it may be a dictionary or a set."""
    bits = kind_of(f, node).bits
    tags = [
        tag for bit, tag in ((kinds.DICT, values.T_DICT), (kinds.SET, values.T_SET)) if bits & bit
    ]
    return within.view(f, operand, tuple(tags), others=True) if tags else operand


def length(f: Code, node: ast.expr, into: int | None) -> int:
    """Compiles `len(x)`."""
    known = table_of(f, node)
    if known is not None:
        return f.put(f.constant(float(len(known.keys))), into)
    operand = ex.value(f, node)
    cells = view(f, node, operand)
    register = f.temp()
    f.emit(bc.LEN, register, cells)
    if may_be(f, node, kinds.DICT):
        done, is_dict = Label(), Label()
        f.emit(bc.JTAG, operand, values.T_DICT, is_dict)
        f.emit(bc.JUMP, done)
        f.place(is_dict)
        f.emit(bc.MUL, register, register, f.constant(0.5))
        f.place(done)
    return f.put(register, into)


def found_in(f: Code, node: ast.expr, found: int, item: int, container: int) -> None:
    """Compiles the `in` of an item and a container that may be a dictionary or a set."""
    bits = kind_of(f, node).bits
    is_dict, is_set, done = Label(), Label(), Label()
    if bits & kinds.DICT:
        f.emit(bc.JTAG, container, values.T_DICT, is_dict)
    if bits & kinds.SET:
        f.emit(bc.JTAG, container, values.T_SET, is_set)
    f.emit(bc.IN, found, item, container)
    f.emit(bc.JUMP, done)
    if bits & kinds.DICT:
        f.place(is_dict)
        within.routine(f, "_dict_has", [container, item], found)
        f.emit(bc.JUMP, done)
    if bits & kinds.SET:
        cells = f.temp()
        f.place(is_set)
        f.emit(bc.RETAG, cells, container, values.T_LIST)
        f.emit(bc.IN, found, item, cells)
    f.place(done)


# --- methods ------------------------------------------------------------------------
Method = Callable[[Code, ast.Call, ast.expr, int | None], int]


def simple(name: str, what: str, names: list[str], required: int) -> Method:
    """Returns the compiler of a method that is one routine; what is missing is None."""

    def compile_call(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
        given = calls.bound(node, what, names, required)
        args = [given.get(n, f.constant(None)) for n in names]
        return within.routine_with(f, name, [owner, *args], into)

    return compile_call


def get(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `d.get(key, other)`."""
    given = calls.bound(node, "get", ["key", "default"], 1)
    other = given.get("default", ast.copy_location(ast.Constant(None), node))
    known = table_of(f, owner)
    if known is not None:
        return table_item(f, known, given["key"], other, into)
    return within.routine_with(f, "_dict_get", [owner, given["key"], other], into)


def update(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `d.update(other, a=1)` and `s.update(items)`."""
    made = f.put(ex.value(f, owner), f.temp())
    maker = defaults.of_name(f, owner)
    counts = maker is not None and maker.kind == "Counter"
    for arg in node.args:
        if not counts:
            update_with(f, owner, made, arg)
        elif may_be(f, arg, kinds.DICT):
            raise Refused(node, "update of a Counter with a dictionary", "add up in a for loop")
        else:
            defaults.count_in(f, made, arg)
    for keyword in node.keywords:
        if keyword.arg is None:
            raise Refused(node, "** in calls of update", "write d.update(other)")
        within.routine_with(f, "_dict_put", [made, f.constant(keyword.arg), keyword.value])
    return f.put(f.constant(None), into)


def update_with(f: Code, owner: ast.expr, made: int, items: ast.expr) -> None:
    if may_be(f, items, kinds.DICT) or table_of(f, items) is not None:
        within.routine_with(f, "_update", [made, items])
    elif may_be(f, owner, kinds.SET) and not may_be(f, owner, kinds.DICT):
        loops.each_of(f, items, lambda item: add(f, made, item), Label())
    else:
        loops.each_pair(f, items, lambda k, v: put(f, made, k, v))


def fromkeys(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `dict.fromkeys(items, value)`."""
    if not (isinstance(owner, ast.Name) and owner.id == "dict" and ex.is_api(f, "dict")):
        raise Refused(node, "there is no method fromkeys", "write dict.fromkeys(items, value)")
    given = calls.bound(node, "fromkeys", ["items", "value"], 1)
    other = given.get("value", ast.copy_location(ast.Constant(None), node))
    value = f.put(ex.value(f, other), f.temp())
    made = ex.sequence(f, values.T_DICT, [], None)
    loops.each_of(f, given["items"], lambda item: put(f, made, item, value), Label())
    return f.put(made, into)


def popitem(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `d.popitem()`, and `d.popitem(last=False)` of an OrderedDict."""
    last = calls.bound(node, "popitem", ["last"], 0).get("last")
    if last is None or ex.constant_of(f, last) in (True, 1.0):
        return within.routine_with(f, "_popitem", [owner], into)
    return within.routine_with(f, "_pop_end", [owner, last], into)


METHODS: dict[str, Method] = {
    "move_to_end": simple("_move_to_end", "move_to_end", ["key", "last"], 1),
    "fromkeys": fromkeys,
    "get": get,
    "setdefault": simple("_setdefault", "setdefault", ["key", "default"], 1),
    "popitem": popitem,
    "update": update,
}
