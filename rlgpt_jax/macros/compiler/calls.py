"""Calls: the author's functions, functions as values, actions, and obs methods."""

import ast

import numpy as np

from rlgpt_jax.envs.base import CAMERA_CENTRE, CAMERA_STEP
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID, NAMES
from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros.actions import (
    CRAFT_OF_NAME,
    FN_CRAFT,
    ITEM_ACTIONS,
    JUMPING,
    PLAIN_ACTIONS,
    function_code,
    turn_code,
)
from rlgpt_jax.macros.compiler import conditions
from rlgpt_jax.macros.compiler import expressions as ex
from rlgpt_jax.macros.compiler.builtins import BUILTINS, NO_BUILTIN
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.pool import ActionConstant
from rlgpt_jax.macros.compiler.scopes import Scope, resolve
from rlgpt_jax.macros.refusal import Refused, close_names
from rlgpt_jax.macros.routines import ROUTINES

NEAR_NAMES = ("crafting_table", "furnace")


def call(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles a call."""
    f.at(node)
    func = node.func
    if isinstance(func, ast.Attribute):
        if ex.is_math(f, func.value):
            return built_in(f, node, func.attr, into)
        return method(f, node, func, into)
    if isinstance(func, ast.Name):
        target = resolve(f.scope, func.id)
        if isinstance(target, Scope):
            if target.is_generator:
                raise Refused(node, f"{func.id} is a generator function (it yields)",
                              f"write obs = yield from {func.id}(...)")
            return user_call(f, node, target, into)
        if target is None and ex.is_api(f, func.id):
            return built_in(f, node, func.id, into)
    return value_call(f, node, 0, into)


def yield_from(f: Code, node: ast.YieldFrom, into: int | None) -> int:
    """Compiles `yield from helper(...)`: a real call."""
    inner = node.value
    if not isinstance(inner, ast.Call):
        raise Refused(node, "yield from needs a call of a helper generator",
                      "for example obs = yield from walk(obs, 5)")
    if isinstance(inner.func, ast.Name):
        target = resolve(f.scope, inner.func.id)
        if isinstance(target, Scope):
            if not target.is_generator:
                raise Refused(node, f"{inner.func.id} never yields",
                              f"call it without yield from: {inner.func.id}(...)")
            return user_call(f, inner, target, into)
        if inner.func.id in (*PLAIN_ACTIONS, *ITEM_ACTIONS, "turn") and target is None:
            raise Refused(node, f"{inner.func.id}(...) is an action, not a generator",
                          f"write obs = yield {inner.func.id}(...)")
    return value_call(f, inner, bc.CALLED_FROM, into)


# --- the author's functions ------------------------------------------------------
def bound(node: ast.Call, what: str, names: list[str], required: int) -> dict[str, ast.expr]:
    """Returns argument expressions by parameter name."""
    if any(isinstance(arg, ast.Starred) for arg in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        raise Refused(node, "* and ** in calls are not part of the language",
                      "write the arguments one by one")
    given = dict(zip(names, node.args, strict=False))
    wanted = f"{what}({', '.join(names)})"
    if len(node.args) > len(names):
        raise Refused(node, f"{what} was given {len(node.args)} arguments, it takes {len(names)}",
                      f"write {wanted}")
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg not in names or keyword.arg in given:
            raise Refused(node, f"{what} has no free parameter {keyword.arg}",
                          close_names(keyword.arg, names) or f"write {wanted}")
        given[keyword.arg] = keyword.value
    for missing in names[:required]:
        if missing not in given:
            raise Refused(node, f"{what} needs the argument {missing}", f"write {wanted}")
    return given


def user_call(f: Code, node: ast.Call, target: Scope, into: int | None) -> int:
    """Compiles a call by name: arguments go where the new frame's parameters are."""
    assert isinstance(target.node, ast.FunctionDef)
    given = bound(node, target.name, target.params, target.required)
    defaults = target.node.args.defaults
    base = f.temp(1 + len(target.params) + len(target.captured))
    for i, param in enumerate(target.params):
        if param in given:
            ex.value(f, given[param], base + 1 + i)
        else:
            default = defaults[i - target.required]
            constant = ex.constant_of(f, default)
            if constant is ex.MISSING:
                raise Refused(default, "a default value has to be a constant",
                              "use None and test for it")
            f.put(f.constant(constant), base + 1 + i)
    for j, variable in enumerate(target.captured):
        if variable[0] is f.scope and variable[1] not in f.assigned:
            f.may_be_unset.add(f.registers[variable])
        f.emit(bc.MOVE, base + 1 + len(target.params) + j, f.registers[variable])
    f.at(node)
    f.emit(bc.CALL, base, f.shared.start_of(target), target)
    f.top = base + 1
    return f.put(base, into)


def value_call(f: Code, node: ast.Call, flags: int, into: int | None) -> int:
    """Compiles `move()` where move is a variable that holds a function."""
    function = ex.value(f, node.func)
    for keyword in node.keywords:
        constant = ex.constant_of(f, keyword.value)
        if keyword.arg not in ("jump", "sprint") or not isinstance(constant, bool):
            raise Refused(node, "a function that is a value takes no keywords but jump=True",
                          "pass the arguments in order")
        if constant:
            flags |= bc.CALL_JUMP if keyword.arg == "jump" else bc.CALL_SPRINT
    base = f.temp(1 + len(node.args))
    for i, arg in enumerate(node.args):
        ex.value(f, arg, base + 1 + i)
    f.at(node)
    f.emit(bc.CALLV, base, function, len(node.args) | flags)
    f.top = base + 1
    return f.put(base, into)


def routine(f: Code, node: ast.AST, name: str, args: list[ast.expr], into: int | None) -> int:
    """Compiles a call of a routine of `routines.py`."""
    made = ast.Call(ast.Name(name, ast.Load()), args, [])
    return user_call(f, ast.copy_location(made, node), f.shared.routines[name], into)


# --- actions ---------------------------------------------------------------------
def built_in(f: Code, node: ast.Call, name: str, into: int | None) -> int:
    """Compiles a call of the macro API: an action, a builtin or a routine."""
    if name in PLAIN_ACTIONS:
        return movement(f, node, name, into)
    if name == "turn":
        return turn(f, node, into)
    if name in ITEM_ACTIONS:
        return item_action(f, node, name, into)
    if name in BUILTINS:
        return BUILTINS[name](f, node, into)
    if name in ROUTINES:
        names = ["x", "y"][: ROUTINES[name]]
        given = bound(node, name, names, len(names))
        return routine(f, node, name, [given[n] for n in names], into)
    if name in NO_BUILTIN:
        raise Refused(node, f"{name} is not part of the language", NO_BUILTIN[name])
    raise Refused(node, f"the function {name} is not known", ex.known_names(name))


def movement(f: Code, node: ast.Call, name: str, into: int | None) -> int:
    """Compiles `forward(jump=..., sprint=...)` and the other simple actions."""
    names = [*(["jump"] if name in JUMPING else []), *(["sprint"] if name == "forward" else [])]
    given = bound(node, name, names, 0)
    code = PLAIN_ACTIONS[name]
    flags = {key: (1 if key == "jump" else 3) for key in given}
    register, done = f.target(into), Label()
    f.emit(bc.MOVE, register, f.constant(ActionConstant(code)))
    for key in sorted(given):  # jump wins over sprint: the game's action has one of them
        otherwise = Label()
        conditions.jump_if(f, given[key], otherwise, False)
        f.emit(bc.MOVE, register, f.constant(ActionConstant(code + flags[key])))
        f.emit(bc.JUMP, done)
        f.place(otherwise)
    f.place(done)
    return f.put(register, into)


def turn(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles `turn(yaw, pitch)`: degrees, rounded to bins of 15."""
    given = bound(node, "turn", ["yaw", "pitch"], 0)
    zero = ast.copy_location(ast.Constant(0), node)
    parts = [given.get("yaw", zero), given.get("pitch", zero)]
    known = [ex.constant_of(f, part) for part in parts]
    if all(isinstance(k, float) for k in known):
        return f.put(f.constant(ActionConstant(turn_code(*map(camera_bin, known)))), into)
    yaw, pitch = (ex.value(f, part) for part in parts)
    register = f.temp() if into is None else into
    f.at(node)
    f.emit(bc.TURN, register, yaw, pitch)
    return register


def camera_bin(degrees: float) -> int:
    """Returns the camera bin 0..24 nearest to a turn in degrees."""
    bins = np.rint(np.float32(degrees) * np.float32(1.0 / CAMERA_STEP))
    return 12 if np.isnan(bins) else int(np.clip(bins, -12, 12)) + CAMERA_CENTRE


def item_action(f: Code, node: ast.Call, name: str, into: int | None) -> int:
    """Compiles `craft("planks")`, `equip(tool)`, ..."""
    given = bound(node, name, ["item"], 1)["item"]
    text = named_item(f, given, f"{name}(...)")
    if name == "craft" and text is not None:
        if text not in CRAFT_NAMES:
            raise Refused(given, f"{text[:60]} cannot be crafted or smelted",
                          close_names(text, CRAFT_NAMES) or "see the recipes of Minecraft 1.11")
        argument = int(CRAFT_OF_NAME[NAME_ID[text]])
        return f.put(f.constant(ActionConstant(function_code(FN_CRAFT, argument))), into)
    item = ex.value(f, given)
    register = f.temp() if into is None else into
    f.at(node)
    f.emit(bc.ITEM, register, item, ITEM_ACTIONS[name])
    return register


def named_item(f: Code, node: ast.expr, where: str) -> str | None:
    """Returns a literal name. Numbers are refused; unknown names are noted."""
    constant = ex.constant_of(f, node)
    if constant is ex.MISSING:
        return None
    if not isinstance(constant, str):
        raise Refused(node, f"{where} needs a name in quotes", 'for example "log"')
    if constant not in NAME_ID and not f.scope.trusted:
        advice = close_names(constant, NAMES)
        note = f'line {f.line}: nothing is called "{constant[:60]}"; {advice}'.rstrip("; ")
        if note not in f.shared.notices:
            f.shared.notices.append(note)
    return constant


# --- methods ---------------------------------------------------------------------
def method(f: Code, node: ast.Call, func: ast.Attribute, into: int | None) -> int:
    """Compiles `obs.count("log")`, `cells.append(x)`, ..."""
    name = func.attr
    if name in ("sees", "nearest"):
        ex.needs_rays(f, node)
    if name in ("count", "near", "sees", "nearest"):
        return ask(f, node, func, into)
    if name == "block":
        return block(f, node, func, into)
    if name == "append":
        item = bound(node, "append", ["item"], 1)["item"]
        owner = ex.value(f, func.value)
        f.emit(bc.APPEND, owner, ex.value(f, item), 0)
        return f.put(f.constant(None), into)
    if name in ("startswith", "endswith"):
        return name_test(f, node, func, into)
    known = [*ex.OBS_METHODS, "append", "startswith", "endswith"]
    raise Refused(node, f"there is no method {name}",
                  close_names(name, known) or "obs has " + ", ".join(ex.OBS_METHODS)
                  + "; a list has append")


def ask(f: Code, node: ast.Call, func: ast.Attribute, into: int | None) -> int:
    """Compiles a question to obs about one name."""
    given = bound(node, func.attr, ["name"], 1)["name"]
    text = named_item(f, given, f"obs.{func.attr}(...)")
    if func.attr == "near" and text is not None and text not in NEAR_NAMES:
        raise Refused(node, f'obs.near knows no "{text[:60]}"',
                      'use obs.near("crafting_table") or obs.near("furnace")')
    obs = ex.value(f, func.value)
    item = ex.value(f, given)
    op = {"count": bc.COUNT, "near": bc.NEAR, "sees": bc.SEES, "nearest": bc.NEAREST}
    register = f.temp() if into is None else into
    f.at(node)
    f.emit(op[func.attr], register, obs, item)
    return register


def block(f: Code, node: ast.Call, func: ast.Attribute, into: int | None) -> int:
    """Compiles `obs.block(dx, dy, dz)`; each offset is -1, 0 or 1."""
    given = bound(node, "obs.block", ["dx", "dy", "dz"], 3)
    obs = ex.value(f, func.value)
    known: float | None = 0.0
    cell = f.constant(0.0)
    for axis in ("dx", "dy", "dz"):
        offset = ex.constant_of(f, given[axis])
        if isinstance(offset, float | bool) and offset not in (-1, 0, 1):
            raise Refused(node, "obs.block sees one block around the feet",
                          "each of dx, dy, dz must be -1, 0 or 1")
        if isinstance(offset, float | bool) and known is not None:
            known = known * 3 + offset + 1
            cell = f.constant(known)
            continue
        known = None
        operand, position = ex.value(f, given[axis]), f.temp()
        f.emit(bc.OFFSET, position, cell, operand)
        cell = position
    register = f.temp() if into is None else into
    f.at(node)
    f.emit(bc.BLOCK, register, obs, cell)
    return register


def name_test(f: Code, node: ast.Call, func: ast.Attribute, into: int | None) -> int:
    """Compiles `r.block.endswith("log")`: a set of names made at parse time."""
    given = bound(node, func.attr, ["text"], 1)["text"]
    text = ex.constant_of(f, given)
    if not isinstance(text, str):
        raise Refused(node, f"{func.attr} needs a text in quotes", "")
    item = ex.value(f, func.value)
    register = f.temp() if into is None else into
    f.emit(bc.INSET, register, item, f.pool.later_set(func.attr, text))
    return register
