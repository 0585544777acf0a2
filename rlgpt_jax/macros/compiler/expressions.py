"""Expressions: each function returns the operand that holds the value."""

import ast
import difflib
from collections.abc import Callable
from typing import Any

from rlgpt_jax.macros import values
from rlgpt_jax.macros.actions import ITEM_ACTIONS, PLAIN_ACTIONS, PLAIN_NAMES
from rlgpt_jax.macros.compiler import (
    assignments,
    calls,
    conditions,
    function_values,
    kinds,
    lists,
    loops,
    mappings,
    numbers,
    rows,
    sets,
    strings,
    text,
)
from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.pool import (
    CONSTANT_NAMES,
    NO_COMPLEX,
    ActionConstant,
    FunctionConstant,
    NotConstant,
    Table,
    fold,
)
from rlgpt_jax.macros.compiler.scopes import MISSING, Scope, constant_named, resolve
from rlgpt_jax.macros.refusal import Refused, close_names
from rlgpt_jax.macros.routines.routines import ROUTINES
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vocabulary import ACTION_NAMES

BINARY = {
    ast.Add: bc.ADD,
    ast.Sub: bc.SUB,
    ast.Mult: bc.MUL,
    ast.Div: bc.DIV,
    ast.FloorDiv: bc.FLOORDIV,
    ast.Mod: bc.MOD,
}
NOT_PART = {
    ast.Starred: ("* in front of a value is", "write the values one by one"),
    ast.Slice: ("slices are", "loop over range(...) and index"),
    ast.Await: ("await is", "yield actions"),
}


def value(f: Code, node: ast.expr, into: int | None = None) -> int:
    """Compiles an expression. Returns its operand, `into` if that is given."""
    f.at(node)
    constant = constant_of(f, node)
    if constant is not MISSING:
        return f.put(f.constant(constant), into)
    if isinstance(node, ast.Name):
        return f.put(name(f, node), into)
    made = None if f.scope.trusted else text.value(f, node, into)
    if made is not None:
        return made
    if isinstance(node, ast.BinOp):
        return binary(f, node, into)
    if isinstance(node, ast.UnaryOp):
        return unary(f, node, into)
    if isinstance(node, ast.Compare):
        return conditions.compare_value(f, node, into)
    if isinstance(node, ast.BoolOp):
        return conditions.bool_value(f, node, into)
    if isinstance(node, ast.IfExp):
        return conditions.if_value(f, node, into)
    if isinstance(node, ast.Call):
        return calls.call(f, node, into)
    if isinstance(node, ast.Attribute):
        return attribute(f, node, into)
    if isinstance(node, ast.Subscript):
        return subscript(f, node, into)
    if isinstance(node, ast.Tuple | ast.List):
        return display(f, node, into)
    if isinstance(node, ast.ListComp):
        return loops.list_of(f, node, into)
    if isinstance(node, ast.Dict | ast.DictComp | ast.Set | ast.SetComp):
        return mappings.make(f, node, into)
    if isinstance(node, ast.Yield | ast.YieldFrom) and f.comprehensions:
        raise Refused(node, "yield inside a comprehension", "write a for loop")
    if isinstance(node, ast.Yield):
        return yielded(f, node, into)
    if isinstance(node, ast.YieldFrom):
        return calls.yield_from(f, node, into)
    if isinstance(node, ast.NamedExpr):
        return assignments.named(f, node, into)
    if isinstance(node, ast.GeneratorExp):
        raise Refused(
            node,
            "a generator expression stands alone",
            "use it in sum, min, max, any, all or for, or write a list [...]",
        )
    what, advice = NOT_PART.get(type(node), (f"{type(node).__name__} is", ""))
    raise Refused(node, f"{what} not part of the language", advice)


# --- constants -------------------------------------------------------------------
def constant_of(f: Code, node: ast.expr) -> Any:
    """Returns the constant value of an expression, or MISSING."""
    try:
        return fold(node, lambda part: looked_up(f, part))
    except NotConstant:
        return MISSING


def looked_up(f: Code, node: ast.expr) -> Any:
    """Returns the constant that a name, an attribute, a call or a text stands for."""
    if isinstance(node, ast.Name):
        return named_constant(f, node.id)
    if isinstance(node, ast.JoinedStr | ast.BinOp):
        return strings.fold_text(node, lambda part: fold(part, lambda p: looked_up(f, p)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return strings.fold_method(node, lambda part: fold(part, lambda p: looked_up(f, p)))
    if isinstance(node, ast.Attribute) and is_math(f, node.value):
        if node.attr in CONSTANT_NAMES:
            return CONSTANT_NAMES[node.attr]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if is_api(f, node.func.id) and not is_absent(f, node.func.id):
            return constant_call(node, lambda part: fold(part, lambda p: looked_up(f, p)))
    raise NotConstant


def named_constant(f: Code, name: str) -> Any:
    if any(name in names for names in f.inner_names):
        raise NotConstant
    found = resolve(f.scope, name)
    if isinstance(found, Scope):
        return FunctionConstant(bc.FIRST_FUNCTION + function_row(f, found))
    if found is not None:
        raise NotConstant
    constant = constant_named(f.scope, name)
    if isinstance(constant, Table):
        raise NotConstant
    if constant is not MISSING:
        return constant
    if name in CONSTANT_NAMES and name != "e":
        return CONSTANT_NAMES[name]
    if is_absent(f, name):
        raise NotConstant
    if name in PLAIN_ACTIONS:
        return FunctionConstant(PLAIN_NAMES.index(name))
    scope = function_values.api_value(f, name)
    if scope is not None:
        return FunctionConstant(bc.FIRST_FUNCTION + function_row(f, scope))
    raise NotConstant


def constant_call(node: ast.Call, value_of: Callable[[ast.expr], Any]) -> Any:
    """Returns the value of `forward()` or `float("inf")`."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in PLAIN_ACTIONS and not node.args and not node.keywords:
        return ActionConstant(PLAIN_ACTIONS[name])
    if name == "str" and len(node.args) == 1 and not node.keywords:
        return strings.render(value_of(node.args[0]))
    if name in ("int", "float") and len(node.args) == 1 and not node.keywords:
        text = value_of(node.args[0])
        if isinstance(text, str) and strings.NUMBER.fullmatch(text):
            if name == "float" or text.lstrip("+-").isdigit():
                return float(text)
    if name == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        text = node.args[0].value
        if isinstance(text, str) and text.lower().lstrip("+-") in ("inf", "infinity", "nan"):
            return float(text)
    raise NotConstant


def function_row(f: Code, scope: Scope) -> int:
    """Returns the pool index of a function's row (start, parameters, frame size)."""
    f.shared.start_of(scope)
    if scope not in f.shared.rows:
        f.shared.rows[scope] = f.pool.add_cells([0, 0, 0])
    return f.shared.rows[scope]


def is_api(f: Code, name: str) -> bool:
    """Says whether a name is not the author's own, so that it may be the API's."""
    return (
        resolve(f.scope, name) is None
        and constant_named(f.scope, name) is MISSING
        and not any(name in names for names in f.inner_names)
    )


def is_absent(f: Code, name: str) -> bool:
    """Says whether a name is an action of Minecraft in a world that is not."""
    return name in ACTION_NAMES and name not in f.shared.vocabulary.api_actions


def is_action(f: Code, name: str) -> bool:
    """Says whether a name means an action of the world."""
    target = resolve(f.scope, name)
    if isinstance(target, Scope):
        return target in f.shared.actions
    return name in f.shared.vocabulary.api_actions and is_api(f, name)


def is_math(f: Code, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "math" and is_api(f, "math")


# --- names -----------------------------------------------------------------------
def name(f: Code, node: ast.Name) -> int:
    """Compiles reading a variable."""
    for names in reversed(f.inner_names):
        if node.id in names:
            found = names[node.id]
            return found if isinstance(found, int) else group(f, found)
    table = mappings.table_of(f, node)
    if table is not None:
        return mappings.of_table(f, table, None)
    target = resolve(f.scope, node.id)
    api = (*ITEM_ACTIONS, "turn", *calls.BUILTINS, *ROUTINES)
    if target is None and node.id in api and not is_absent(f, node.id):
        name = node.id.replace(" ", ".")  # of random
        raise Refused(node, f"{name} cannot be a value", "write a small helper that calls it")
    if not isinstance(target, tuple):
        raise Refused(node, f"the name {node.id} is not known here", known_names(f, node.id))
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


def known_names(f: Code, name: str, own_names: bool = True) -> str:
    """Returns advice for a name that nothing is called."""
    vocabulary = f.shared.vocabulary
    scope = f.scope if own_names else None
    if name in ("np", "numpy", "time", "minedojo", "env", "self"):
        return "nothing can be imported; only the documented actions, fields and math exist"
    if name in vocabulary.fields:
        return f"write obs.{name}"
    if name in vocabulary.ray_fields:
        return f"write .{name} behind a ray"
    own: list[str] = []
    while scope is not None:
        own += [n for n in (*scope.variables, *scope.functions) if n.isidentifier()]
        scope = scope.parent
    builtins = (known.removeprefix("random ") for known in calls.BUILTINS)
    known = [*sorted(own), *vocabulary.action_names, *builtins, *ROUTINES, "obs"]
    assign = "assign it first, or pass it to the function as a parameter"
    told = f"; {vocabulary.told}" if vocabulary.spec else ""
    return close_names(name, known) or assign + told


def group(f: Code, items: Any) -> int:
    """Makes a tuple of loop items (nested Python tuples of registers)."""
    if isinstance(items, int):
        return items
    return sequence(f, values.T_TUPLE, [group(f, item) for item in items], None)


# --- operators -------------------------------------------------------------------
def binary(f: Code, node: ast.BinOp, into: int | None) -> int:
    if isinstance(node.op, ast.Pow):
        return power(f, node, into)
    if isinstance(node.op, ast.Mult) and lists.multiplies(f, node):
        return lists.repeated(f, node, into)
    if isinstance(node.op, ast.Add) and lists.adds(f, node):
        return lists.concatenated(f, node, into)
    if type(node.op) in sets.OPERATORS:
        both = mappings.kind_of(f, node.left).bits & mappings.kind_of(f, node.right).bits
        if both & (kinds.SET | kinds.DICT):
            return sets.operator(f, node, into)
    if numbers.is_bits(node):
        return numbers.bits(f, node, into)
    if type(node.op) not in BINARY:
        raise Refused(node, "this operator is not part of the language", "use + - * / // % **")
    for side in (node.left, node.right):
        text = constant_of(f, side)
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


def power(f: Code, node: ast.BinOp, into: int | None) -> int:
    """Compiles `x ** n`: products for small whole n, a square root for 0.5."""
    exponent = constant_of(f, node.right)
    if not isinstance(exponent, float | bool) or not is_easy(float(exponent)):
        return calls.routine(f, node, "pow", [node.left, node.right], into)
    base = value(f, node.left)
    f.at(node)
    register = f.target(into)
    if abs(exponent) == 0.5:
        f.emit(bc.SQRT, register, base)
    elif exponent == 0:
        f.emit(bc.NUMBER, register, base)
        f.emit(bc.MOVE, register, f.constant(1.0))
    else:
        f.emit(bc.NUMBER, register, base)
        for _ in range(int(abs(exponent)) - 1):
            f.emit(bc.MUL, register, register, base)
    if exponent < 0:
        f.emit(bc.DIV, register, f.constant(1.0), register)
    return f.put(register, into)


def is_easy(exponent: float) -> bool:
    return abs(exponent) == 0.5 or (exponent == int(exponent) if abs(exponent) <= 8 else False)


def unary(f: Code, node: ast.UnaryOp, into: int | None) -> int:
    if isinstance(node.op, ast.Invert):
        return numbers.inverted(f, node, into)
    operand = value(f, node.operand)
    if isinstance(node.op, ast.Not):
        operand = mappings.view(f, node.operand, operand)
    register = f.temp() if into is None else into
    op = {ast.USub: bc.NEG, ast.UAdd: bc.NUMBER, ast.Not: bc.NOT}[type(node.op)]
    f.emit(op, register, operand)
    return register


# --- records and sequences -------------------------------------------------------
def attribute(f: Code, node: ast.Attribute, into: int | None) -> int:
    """Compiles `obs.x`, `r.distance`, `obs.rays`."""
    attr, vocabulary = node.attr, f.shared.vocabulary
    if is_math(f, node.value):
        raise Refused(
            node, f"math.{attr} is not available here", known_names(f, attr, own_names=False)
        )
    if attr == "rays" and vocabulary.ray_fields:
        return needs_rays(f, node) or rays(f, node, into)
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
    register = f.temp() if into is None else into
    f.at(node)
    f.emit(bc.FIELD, register, record, obs_field | ray_field << 8 | kept << 16)
    return register


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


def needs_rays(f: Code, node: ast.AST) -> int:
    """Refuses rays at sensor level `paper`. Returns 0."""
    if f.shared.vocabulary.sensors == "paper":
        raise Refused(
            node,
            "this agent has no rays: obs.rays, obs.sees and obs.nearest do not exist here",
            "use obs.block(dx, dy, dz) and obs.near(...)",
        )
    return 0


def rays(f: Code, node: ast.Attribute, into: int | None) -> int:
    obs = value(f, node.value)
    register = f.temp() if into is None else into
    f.emit(bc.RAYS, register, obs)
    return register


def subscript(f: Code, node: ast.Subscript, into: int | None) -> int:
    if isinstance(node.slice, ast.Slice):
        return lists.slice_of(f, node, into)
    table = mappings.table_of(f, node.value)
    if table is not None:
        return mappings.table_item(f, table, node.slice, None, into)
    best = lists.first_of_sorted(f, node, into)
    if best is not None:
        return best
    if mappings.may_be(f, node, kinds.OBS):
        return rows.restored(f, element(f, node, None), into)
    return element(f, node, into)


def element(f: Code, node: ast.Subscript, into: int | None) -> int:
    """Compiles `xs[i]` and `d[k]`."""
    if mappings.may_be(f, node.value, kinds.DICT):
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
    register = f.temp() if into is None else into
    f.at(node)
    f.emit(bc.INDEX, register, source, position)
    return register


def display(f: Code, node: ast.Tuple | ast.List, into: int | None) -> int:
    """Compiles `(a, b)` and `[a, b]` with computed parts."""
    if loops.has_star(node):
        return lists.with_stars(f, node, into)
    tag = values.T_TUPLE if isinstance(node, ast.Tuple) else values.T_LIST
    if len(node.elts) > 64:
        raise Refused(node, "more than 64 computed elements", "fill a list in a loop")
    return sequence(f, tag, [value(f, item) for item in node.elts], into)


def sequence(f: Code, tag: int, items: list[int], into: int | None) -> int:
    """Makes a tuple, a list or a record of operands."""
    grows = tag in (values.T_LIST, values.T_DICT, values.T_SET)
    room = max(len(items), bc.LIST_ROOM) if grows else len(items)
    register = f.temp()
    f.emit(bc.ALLOC, register, len(items) | room << 16, tag)
    for i, item in enumerate(items):
        f.emit(bc.INIT, register, i, item)
    return f.put(register, into)


def yielded(f: Code, node: ast.Yield, into: int | None) -> int:
    """Compiles `yield action`; a yield of nothing is a noop."""
    if f.scope.parent is None:
        raise Refused(node, "yield outside of a function", "move it into the macro")
    if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
        called = resolve(f.scope, node.value.func.id)
        if isinstance(called, Scope) and called.is_generator:
            raise Refused(
                node,
                f"{called.name} is a generator function",
                f"write obs = yield from {called.name}(...)",
            )
    wanted = node.value or ast.copy_location(ast.Constant(None), node)
    constant = constant_of(f, wanted)
    if constant is not MISSING and not isinstance(constant, ActionConstant | None.__class__):
        raise Refused(node, "yield needs an action", "for example obs = yield forward()")
    action = value(f, wanted)
    register = f.temp() if into is None else into
    f.at(node)
    f.emit(bc.YIELD, register, action)
    return register
