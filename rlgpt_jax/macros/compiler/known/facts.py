"""What is known of an expression before it is compiled: a constant, a table, its kinds."""

import ast
from collections.abc import Callable
from typing import Any

from rlgpt_jax.macros.actions import ITEM_ACTIONS, PLAIN_ACTIONS, PLAIN_NAMES
from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.data import strings
from rlgpt_jax.macros.compiler.known import kinds
from rlgpt_jax.macros.compiler.pool import (
    CONSTANT_NAMES,
    ActionConstant,
    FunctionConstant,
    NotConstant,
    Table,
    fold,
)
from rlgpt_jax.macros.compiler.tree.scopes import MISSING, Scope, build, constant_named, resolve
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.routines.routines import ROUTINES
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vocabulary import ACTION_NAMES

# Functions of the API that can be values, as they are called with `callv`.
API_VALUES = {
    "turn": "yaw, pitch",
    **dict.fromkeys(ITEM_ACTIONS, "item"),
    **dict.fromkeys(("abs", "int", "float", "bool", "round", "floor", "ceil", "sqrt", "len",
                     "sum", "any", "all", "radians", "degrees", "sign", "list", "tuple"), "x"),
    **dict.fromkeys(("min", "max"), "x, y"),
}  # fmt: skip


def api_value(f: Code, name: str) -> Scope | None:
    """Returns the function that stands for one of the API when it is a value."""
    if name in ROUTINES:
        return f.shared.routines[name]
    if name not in API_VALUES or is_absent(f, name):
        return None
    if name not in f.shared.api_values:
        params = API_VALUES[name]
        made = ast.parse(f"def {name}_value({params}):\n    return {name}({params})").body[0]
        assert isinstance(made, ast.FunctionDef)
        outside = Scope(ast.Module([], []), "", None, trusted=True)
        f.shared.api_values[name] = build(made, outside, name)
    return f.shared.api_values[name]


def kind_of(f: Code, node: ast.expr) -> kinds.Kind:
    """Returns what an expression may be; routines of ours say it themselves."""
    return kinds.NOTHING if f.scope.trusted else f.shared.kinds.of(f.scope, node)


def may_be(f: Code, node: ast.expr, bits: int) -> bool:
    return bool(kind_of(f, node).bits & bits)


def is_surely(f: Code, node: ast.expr, bits: int) -> bool:
    known = kind_of(f, node).bits & ~kinds.OLD
    return bool(known & bits) and not known & ~bits


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
        known = constant_of(f, key), constant_of(f, value)
        if MISSING in known:
            return MISSING
        pairs[known[0]] = known[1]
    return Table(tuple(pairs), tuple(pairs.values()))


def constant_of(f: Code, node: ast.expr) -> Any:
    """Returns the constant value of an expression, or MISSING."""
    try:
        return fold(node, lambda part: looked_up(f, part))
    except NotConstant:
        return MISSING


def constant_row(f: Code, node: ast.Tuple | ast.List | ast.Set) -> Any:
    """Returns a display of constants as a tuple, or MISSING."""
    return constant_of(f, ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))


def looked_up(f: Code, node: ast.expr) -> Any:
    """Returns the constant that a name, an attribute, a call or a text stands for."""
    if isinstance(node, ast.Name):
        return named_constant(f, node.id)
    if isinstance(node, ast.JoinedStr):
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
        return function_constant(f, found)
    if found is not None:
        raise NotConstant
    constant = constant_named(f.scope, name)
    if isinstance(constant, Table):
        raise NotConstant
    if constant is not MISSING:
        return constant
    if name in CONSTANT_NAMES and name != "e":
        return CONSTANT_NAMES[name]
    function = None if is_absent(f, name) else function_constant(f, name)
    if function is None:
        raise NotConstant
    return function


def function_constant(f: Code, function: Scope | str) -> FunctionConstant | None:
    """Returns a function as a value; None for a name of the API that cannot be one."""
    if isinstance(function, str) and function in PLAIN_ACTIONS:
        return FunctionConstant(PLAIN_NAMES.index(function))
    scope = api_value(f, function) if isinstance(function, str) else function
    if scope is None:
        return None
    f.shared.start_of(scope)
    if scope not in f.shared.rows:  # of the pool: start, parameters, frame size
        f.shared.rows[scope] = f.pool.add_cells([0, 0, 0])
    return FunctionConstant(bc.FIRST_FUNCTION + f.shared.rows[scope])


def constant_call(node: ast.Call, value_of: Callable[[ast.expr], Any]) -> Any:
    """Returns the value of `forward()` or `float("inf")`."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in PLAIN_ACTIONS and not node.args and not node.keywords:
        return ActionConstant(PLAIN_ACTIONS[name])
    if name == "str" and len(node.args) == 1 and not node.keywords:
        return strings.render(value_of(node.args[0]))
    if name == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        text = node.args[0].value
        if isinstance(text, str) and text.lower().lstrip("+-") in ("inf", "infinity", "nan"):
            return float(text)
    raise NotConstant


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


def needs_rays(f: Code, node: ast.AST) -> None:
    """Refuses rays at sensor level `paper`."""
    if f.shared.vocabulary.sensors == "paper":
        raise Refused(
            node,
            "this agent has no rays: obs.rays, obs.sees and obs.nearest do not exist here",
            "use obs.block(dx, dy, dz) and obs.near(...)",
        )
