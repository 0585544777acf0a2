"""Expressions: each function returns the operand that holds the value."""

import ast
import difflib
from collections.abc import Callable

from rlgpt_jax.macros import values
from rlgpt_jax.macros.actions import ITEM_ACTIONS
from rlgpt_jax.macros.compiler import assignments, calls, conditions
from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.data import lists, loops, mappings, numbers, sets, text, within
from rlgpt_jax.macros.compiler.known import facts, kinds, rows
from rlgpt_jax.macros.compiler.pool import NO_COMPLEX, ActionConstant
from rlgpt_jax.macros.compiler.tree.scopes import MISSING, resolve
from rlgpt_jax.macros.refusal import Refused, close_names
from rlgpt_jax.macros.routines.routines import ROUTINES
from rlgpt_jax.macros.vm import bytecode as bc

BINARY = {
    ast.Add: bc.ADD,
    ast.Sub: bc.SUB,
    ast.Mult: bc.MUL,
    ast.Div: bc.DIV,
    ast.FloorDiv: bc.FLOORDIV,
    ast.Mod: bc.MOD,
}
NOT_PART = {
    ast.Starred: ("* in front of a value is", "write the values one by one, or xs + [y]"),
    ast.Slice: ("slices are", "loop over range(...) and index"),
    ast.Await: ("await is", "yield actions"),
}


def value(f: Code, node: ast.expr, into: int | None = None) -> int:
    """Compiles an expression. Returns its operand, `into` if that is given."""
    f.at(node)
    constant = facts.constant_of(f, node)
    if constant is not MISSING:
        return f.put(f.constant(constant), into)
    if isinstance(node, ast.Name):
        return f.put(name(f, node), into)
    made = None if f.scope.trusted else text.value(f, node, into)
    if made is not None:
        return made
    if isinstance(node, ast.Yield | ast.YieldFrom) and f.comprehensions:
        raise Refused(node, "yield inside a comprehension", "write a for loop")
    if type(node) in COMPILERS:
        return COMPILERS[type(node)](f, node, into)
    if isinstance(node, ast.GeneratorExp):
        raise Refused(
            node,
            "a generator expression stands alone",
            "use it in sum, min, max, any, all or for, or write a list [...]",
        )
    what, advice = NOT_PART.get(type(node), (f"{type(node).__name__} is", ""))
    raise Refused(node, f"{what} not part of the language", advice)


# --- names -----------------------------------------------------------------------
def name(f: Code, node: ast.Name) -> int:
    """Compiles reading a variable."""
    for names in reversed(f.inner_names):
        if node.id in names:
            found = names[node.id]
            return found if isinstance(found, int) else f.group(found)
    table = facts.table_of(f, node)
    if table is not None:
        return f.sequence(values.T_DICT, [f.constant(x) for x in table.pairs()], None)
    target = resolve(f.scope, node.id)
    api = (*ITEM_ACTIONS, "turn", *calls.BUILTINS, *ROUTINES)
    if target is None and node.id in api and not facts.is_absent(f, node.id):
        name = node.id.replace(" ", ".")  # of random
        raise Refused(node, f"{name} cannot be a value", "write a small helper that calls it")
    if not isinstance(target, tuple):
        raise Refused(node, f"the name {node.id} is not known here", calls.known_names(f, node.id))
    register = f.registers[target]
    owner, name_ = target
    if name_ in owner.boxed:
        register = f.temp()
        f.emit(bc.INDEX, register, f.registers[target], f.constant(0.0))
        f.emit(bc.CHECK, register)
        if target in f.shared.stale_boxes and rows.may_hold(f, target, kinds.OBS):
            return rows.restored(f, register, None)
    elif owner is f.scope and name_ not in f.assigned:
        f.may_be_unset.add(register)
        f.emit(bc.CHECK, register)
    elif (
        owner is not f.scope
        and owner.parent is not None
        and not (name_ in owner.params or name_ in f.assigned)
    ):
        f.emit(bc.CHECK, register)
        f.assigned.add(name_)
    if name_ in owner.reassigned:  # by :=, perhaps before what is read here is used
        return f.put(register, f.temp())
    return register


# --- operators -------------------------------------------------------------------
def binary(f: Code, node: ast.BinOp, into: int | None) -> int:
    if isinstance(node.op, ast.Pow):
        return numbers.power(f, node, into)
    if isinstance(node.op, ast.Mult):
        if any(facts.may_be(f, side, kinds.ROWS) for side in (node.left, node.right)):
            return lists.repeated(f, node, into)
    if type(node.op) in (ast.Add, *sets.OPERATORS):
        both = facts.kind_of(f, node.left).bits & facts.kind_of(f, node.right).bits
        if isinstance(node.op, ast.Add) and both & kinds.ROWS:
            return lists.concatenated(f, node, into)
        if not isinstance(node.op, ast.Add) and both & (kinds.SET | kinds.DICT):
            return sets.operator(f, node, into)
    if type(node.op) in (*numbers.BITS, *numbers.SHIFTS):
        return numbers.bits(f, node, into)
    if type(node.op) not in BINARY:
        raise Refused(node, "this operator is not part of the language", "use + - * / // % **")
    for side in (node.left, node.right):
        text = facts.constant_of(f, side)
        if isinstance(text, str):
            raise Refused(
                node,
                f'"{text[:40]}" is a name; names cannot be put together',
                "compare names with == or in",
            )
        if isinstance(text, tuple) or isinstance(side, ast.List):
            raise Refused(
                node, "computed lists cannot be added or multiplied", "use append in a loop"
            )
    left = value(f, node.left)
    right = value(f, node.right)
    f.at(node)
    register = f.temp() if into is None else into
    f.emit(BINARY[type(node.op)], register, left, right)
    return register


def unary(f: Code, node: ast.UnaryOp, into: int | None) -> int:
    if isinstance(node.op, ast.Invert):
        return numbers.inverted(f, node, into)
    operand = value(f, node.operand)
    if isinstance(node.op, ast.Not):
        operand = within.cells(f, node.operand, operand)
    register = f.temp() if into is None else into
    op = {ast.USub: bc.NEG, ast.UAdd: bc.NUMBER, ast.Not: bc.NOT}[type(node.op)]
    f.emit(op, register, operand)
    return register


# --- records and sequences -------------------------------------------------------
def attribute(f: Code, node: ast.Attribute, into: int | None) -> int:
    """Compiles `obs.x`, `r.distance`, `obs.rays`."""
    attr, vocabulary = node.attr, f.shared.vocabulary
    if facts.is_math(f, node.value):
        raise Refused(
            node, f"math.{attr} is not available here", calls.known_names(f, attr, own_names=False)
        )
    if attr == "rays" and vocabulary.ray_fields:
        facts.needs_rays(f, node)
        obs = value(f, node.value)
        register = f.temp() if into is None else into
        f.emit(bc.RAYS, register, obs)
        return register
    in_obs, in_ray = attr in vocabulary.fields, attr in vocabulary.ray_fields
    if not in_obs and not in_ray and isinstance(node.value, ast.Attribute | ast.Subscript):
        value(f, node.value)  # of obs.inventory.log it is the inventory that is not there
    if attr in vocabulary.questions and not in_ray:
        raise Refused(node, f"{attr} is a function", f'call it, for example obs.{attr}("log")')
    if attr in ("real", "imag") and not in_obs:
        raise Refused(node, *NO_COMPLEX)
    if not in_obs and not in_ray:
        raise Refused(node, f"there is no field {attr}", field_advice(f, attr))
    record = value(f, node.value)
    if in_obs and attr not in f.shared.kept_fields:
        f.shared.kept_fields.append(attr)
    kept = f.shared.kept_fields.index(attr) + 2 if in_obs else 0  # 1: see `rows.restore`
    obs_field = vocabulary.fields.get(attr, 0)
    ray_field = vocabulary.ray_fields.index(attr) + 1 if in_ray else 0
    return f.made(node, bc.FIELD, into, record, obs_field | ray_field << 8 | kept << 16)


# What models write -> what it is called here.
CALLED_HERE = {
    **dict.fromkeys(("health", "hp", "hearts", "hitpoints"), "obs.life"),
    **dict.fromkeys(("hunger", "saturation"), "obs.food"),
    **dict.fromkeys(("air", "breath"), "obs.oxygen"),
    **dict.fromkeys(("position", "pos", "location", "coords"), "obs.x, obs.y, obs.z"),
    **dict.fromkeys(("inventory", "items", "inv"), 'obs.count("log")'),
    **dict.fromkeys(("equipment", "hand", "main_hand", "held_item", "equipped"), "obs.held"),
    **dict.fromkeys(("rotation", "heading", "compass"), "obs.yaw, obs.pitch"),
    **dict.fromkeys(("name", "type", "kind"), ".block or .entity of a ray"),
    **dict.fromkeys(("voxels", "blocks", "front"), "obs.block(dx, dy, dz)"),
    **dict.fromkeys(("range", "depth"), ".distance of a ray"),
}


def field_advice(f: Code, attr: str) -> str:
    """Returns advice for a field that does not exist."""
    vocabulary = f.shared.vocabulary
    if vocabulary.spec is None:
        meant = difflib.get_close_matches(attr[:40], list(CALLED_HERE), n=1, cutoff=0.75)
        if meant:
            return f"write {CALLED_HERE[meant[0]]}"
    return close_names(attr, vocabulary.record_fields) or vocabulary.fields_told


def subscript(f: Code, node: ast.Subscript, into: int | None) -> int:
    if isinstance(node.slice, ast.Slice):
        return lists.slice_of(f, node, into)
    table = facts.table_of(f, node.value)
    if table is not None:
        return mappings.table_item(f, table, node.slice, None, into)
    best = lists.first_of_sorted(f, node, into)
    if best is not None:
        return best
    if facts.may_be(f, node, kinds.OBS):
        return rows.restored(f, element(f, node, None), into)
    return element(f, node, into)


def element(f: Code, node: ast.Subscript, into: int | None) -> int:
    """Compiles `xs[i]` and `d[k]`."""
    if facts.may_be(f, node.value, kinds.DICT):
        return mappings.item_of(f, node.value, node.slice, into)
    source = value(f, node.value)
    if isinstance(node.slice, ast.Constant) and isinstance(name := node.slice.value, str):
        known = name in f.shared.vocabulary.record_fields
        raise Refused(
            node,
            "records have no [...] with a name in it",
            f"write .{name}" if known else field_advice(f, name),
        )
    position = value(f, node.slice)
    return f.made(node, bc.INDEX, into, source, position)


def display(f: Code, node: ast.Tuple | ast.List, into: int | None) -> int:
    """Compiles `(a, b)` and `[a, b]` with computed parts."""
    tag = values.T_TUPLE if isinstance(node, ast.Tuple) else values.T_LIST
    if len(node.elts) > 64:
        raise Refused(node, "more than 64 computed elements", "fill a list in a loop")
    return f.sequence(tag, [value(f, item) for item in node.elts], into)


def yielded(f: Code, node: ast.Yield, into: int | None) -> int:
    """Compiles `yield action`; a yield of nothing is a noop."""
    if f.scope.parent is None:
        raise Refused(node, "yield outside of a function", "move it into the macro")
    wanted = node.value or ast.copy_location(ast.Constant(None), node)
    constant = facts.constant_of(f, wanted)
    if constant is not MISSING and not isinstance(constant, ActionConstant | None.__class__):
        raise Refused(node, "yield needs an action", "for example obs = yield forward()")
    action = value(f, wanted)
    return f.made(node, bc.YIELD, into, action)


COMPILERS: dict[type, Callable[..., int]] = {
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: conditions.compare_value,
    ast.BoolOp: conditions.bool_value,
    ast.IfExp: conditions.if_value,
    ast.Call: calls.call,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    **dict.fromkeys((ast.Tuple, ast.List), display),
    ast.ListComp: loops.list_of,
    **dict.fromkeys((ast.Dict, ast.DictComp, ast.Set, ast.SetComp), mappings.make),
    ast.Yield: yielded,
    ast.YieldFrom: calls.yield_from,
    ast.NamedExpr: assignments.named,
}
