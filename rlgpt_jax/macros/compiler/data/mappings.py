"""Dictionaries and sets.

Both are cells in the order in which things were added: key, value, key, value, ... or
the elements. The routines of `containers.py` search them. Dictionaries that
never change are `Table`s in the pool, see `frozen.py`.
"""

import ast
from collections.abc import Callable
from functools import partial

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.calling.signatures import bound
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import loops, within
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.compiler.pool import Table
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

# --- dictionaries of constants ----------------------------------------------------


def table_item(
    f: Code, known: Table, key: ast.expr, other: ast.expr | None, into: int | None
) -> int:
    """Compiles `table[key]`, or `table.get(key, other)` if `other` is given."""
    constant = facts.constant_of(f, key)
    pairs = f.constant(known.pairs())
    if constant is not MISSING:
        found = known.get(constant, MISSING)
        if found is not MISSING:
            return f.put(f.constant(found), into)
    if other is None:
        return within.routine_with(f, "_pair_at", [pairs, key], into)
    return within.routine_with(f, "_pair_get", [pairs, key, other], into)


# --- making them ------------------------------------------------------------------
def make(f: Code, node: ast.expr, into: int | None) -> int:
    """Compiles a display or comprehension of a dictionary or a set."""
    if isinstance(node, ast.Dict):
        return dict_display(f, node, into)
    if isinstance(node, ast.DictComp):
        made = f.sequence(values.T_DICT, [], None)
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        clauses = ast.copy_location(ast.GeneratorExp(pair, node.generators), node)
        loops.each_pair(f, clauses, lambda k, v: put(f, made, k, v))
        return f.put(made, into)
    made = f.sequence(values.T_SET, [], None)
    if isinstance(node, ast.SetComp):
        loops.each_of(f, node, lambda item: add(f, made, item))
    elif isinstance(node, ast.Set):
        for element in node.elts:
            keep = f.top
            add(f, made, f.value(element))
            f.top = keep
    return f.put(made, into)


def dict_display(f: Code, node: ast.Dict, into: int | None) -> int:
    keys = [facts.constant_of(f, key) if key else MISSING for key in node.keys]
    if len(node.keys) > 64:
        raise Refused(
            node,
            "a dictionary of more than 64 entries that is not constant",
            "fill it in a loop, or use a tuple of pairs",
        )
    if MISSING not in keys and len(set(keys)) == len(keys):
        cells: list[int] = []
        for key, value in zip(keys, node.values, strict=True):
            cells += [f.constant(key), f.kept(value)]
        return f.sequence(values.T_DICT, cells, into)
    made = f.sequence(values.T_DICT, [], None)
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
    if facts.is_surely(f, owner_node, kinds.DICT):
        return within.routine_with(f, "_dict_at", [owner_node, key], into)
    owner = f.kept(owner_node)
    position = f.kept(key)
    return within.either(f, bc.INDEX, (owner, position), owner_node, kinds.DICT, "_dict_at", into)


def store(f: Code, node: ast.expr, owner: int, position: int, value: int) -> None:
    """Compiles `owner[position] = value`; `node` is the owner's expression."""
    usual = partial(f.emit, bc.STORE, owner, position, value)
    if not facts.may_be(f, node, kinds.DICT):
        usual()
        return
    special = partial(within.routine, f, "_dict_put", [owner, position, value])
    within.by_kind(f, owner, facts.kind_of(f, node).bits, kinds.DICT, usual, special)


def length(f: Code, node: ast.expr, into: int | None) -> int:
    """Compiles `len(x)`."""
    known = facts.table_of(f, node)
    if known is not None:
        return f.put(f.constant(float(len(known.keys))), into)
    operand = f.value(node)
    cells = within.cells(f, node, operand)
    register = f.temp()
    f.emit(bc.LEN, register, cells)
    if facts.may_be(f, node, kinds.DICT):

        def halve() -> None:
            f.emit(bc.MUL, register, register, f.constant(0.5))

        within.by_tag(f, operand, [values.T_DICT], lambda: None, halve)
    return f.put(register, into)


def found_in(f: Code, node: ast.expr, found: int, item: int, container: int) -> None:
    """Compiles the `in` of an item and a container that may be a dictionary or a set."""
    bits = facts.kind_of(f, node).bits
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


def simple(name: str, what: str, names: list[str], required: int, *extra: float) -> Method:
    """Returns the compiler of a method that is one routine; what is missing is None.

    The routine gets `extra` behind its arguments.
    """

    def compile_call(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
        given = bound(node, what, names, required)
        args = [given.get(n, f.constant(None)) for n in names]
        return within.routine_with(f, name, [owner, *args, *map(f.constant, extra)], into)

    return compile_call


def get(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `d.get(key, other)`."""
    given = bound(node, "get", ["key", "default"], 1)
    other = given.get("default", ast.copy_location(ast.Constant(None), node))
    known = facts.table_of(f, owner)
    if known is not None:
        return table_item(f, known, given["key"], other, into)
    return within.routine_with(f, "_dict_get", [owner, given["key"], other], into)


def update(f: Code, node: ast.Call, owner: ast.expr, into: int | None) -> int:
    """Compiles `d.update(other, a=1)` and `s.update(items)`."""
    made = f.kept(owner)
    for arg in node.args:
        update_with(f, owner, made, arg)
    for keyword in node.keywords:
        if keyword.arg is None:
            raise Refused(node, "** in calls of update", "write d.update(other)")
        within.routine_with(f, "_dict_put", [made, f.constant(keyword.arg), keyword.value])
    return f.put(f.constant(None), into)


def update_with(f: Code, owner: ast.expr, made: int, items: ast.expr) -> None:
    if facts.may_be(f, items, kinds.DICT) or facts.table_of(f, items) is not None:
        within.routine_with(f, "_update", [made, items])
    elif facts.may_be(f, owner, kinds.SET) and not facts.may_be(f, owner, kinds.DICT):
        loops.each_of(f, items, lambda item: add(f, made, item))
    else:
        loops.each_pair(f, items, lambda k, v: put(f, made, k, v))


METHODS: dict[str, Method] = {
    "get": get,
    "setdefault": simple("_setdefault", "setdefault", ["key", "default"], 1),
    "popitem": simple("_popitem", "popitem", [], 0),
    "update": update,
}
