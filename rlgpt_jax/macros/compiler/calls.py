"""Calls: the author's functions, functions as values, actions, and obs methods."""

import ast

import numpy as np

from rlgpt_jax.envs import wiki
from rlgpt_jax.envs.base import CAMERA_CENTRE, CAMERA_STEP
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID, NAMES
from rlgpt_jax.macros.actions import (
    CRAFT_OF_NAME,
    ITEM_ACTIONS,
    PLAIN_ACTIONS,
    function_code,
    turn_code,
)
from rlgpt_jax.macros.compiler.builtins import BUILTINS, NO_BUILTIN
from rlgpt_jax.macros.compiler.calling import function_values, functions
from rlgpt_jax.macros.compiler.calling.signatures import bound
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import lists, text_tests, walks, within
from rlgpt_jax.macros.compiler.known import facts, snapshots
from rlgpt_jax.macros.compiler.pool import ActionConstant
from rlgpt_jax.macros.compiler.tree.scopes import MISSING, Scope, resolve
from rlgpt_jax.macros.refusal import Refused, close_names
from rlgpt_jax.macros.routines.routines import ROUTINES
from rlgpt_jax.macros.vm import bytecode as bc

MAX_NOTICES = 12  # of one program; looking for near names takes time
NEAR_NAMES = ("crafting_table", "furnace")


def call(f: Code, node: ast.Call, into: int | None) -> int:
    """Compiles a call."""
    f.at(node)
    func = node.func
    if isinstance(func, ast.Attribute):
        if facts.is_math(f, func.value):
            return built_in(f, node, func.attr, into)
        return method(f, node, func, into)
    if isinstance(func, ast.Name):
        target = resolve(f.scope, func.id)
        if isinstance(target, Scope):
            if target.is_generator:
                raise Refused(
                    node,
                    f"{target.name} is a generator function (it yields)",
                    f"write obs = yield from {target.name}(...); values are given with return",
                )
            return functions.user_call(f, node, target, into)
        if target is None and facts.is_api(f, func.id):
            return built_in(f, node, func.id, into)
    return function_values.value_call(f, node, 0, into)


def yield_from(f: Code, node: ast.YieldFrom, into: int | None) -> int:
    """Compiles `yield from helper(...)`: a real call."""
    inner = node.value
    if not isinstance(inner, ast.Call):
        raise Refused(
            node, "yield from needs the call of a helper", "write obs = yield from helper(obs)"
        )
    if isinstance(inner.func, ast.Name):
        target = resolve(f.scope, inner.func.id)
        if facts.is_action(f, inner.func.id):
            raise Refused(
                node,
                f"{inner.func.id}(...) is an action, not a generator",
                f"write obs = yield {inner.func.id}(...)",
            )
        if isinstance(target, Scope):
            if not target.is_generator:
                raise Refused(
                    node,
                    f"{inner.func.id} never yields",
                    f"call it without yield from: {inner.func.id}(...)",
                )
            return functions.user_call(f, inner, target, into)
        if target is None and facts.is_api(f, inner.func.id):
            f.value(inner)
            raise Refused(
                node, f"{inner.func.id} never yields", "write obs = yield from helper(obs)"
            )
    return function_values.value_call(f, inner, bc.CALLED_FROM, into)


# --- actions ---------------------------------------------------------------------
def built_in(f: Code, node: ast.Call, name: str, into: int | None) -> int:
    """Compiles a call of the macro API: an action, a builtin or a routine."""
    names = len(f.inner_names)
    node = function_values.of_api(f, node, name)
    result = api_call(f, node, name, into)
    del f.inner_names[names:]
    return result


def api_call(f: Code, node: ast.Call, name: str, into: int | None) -> int:
    if name in f.shared.vocabulary.api_actions:
        if name == "turn":
            return turn(f, node, into)
        return (movement if name in PLAIN_ACTIONS else item_action)(f, node, name, into)
    if name in BUILTINS:
        return BUILTINS[name](f, node, into)
    if f.scope.trusted and name in within.INTRINSICS:
        return within.intrinsic(f, node, name, into)
    if name in ROUTINES:
        names = function_values.api_parameters(name).positional
        given = bound(node, name, names, len(names))
        return functions.routine(f, node, name, [given[n] for n in names], into)
    if name in NO_BUILTIN:
        raise Refused(node, f"{name} is not part of the language", NO_BUILTIN[name])
    raise Refused(node, f"the function {name} is not known", known_names(f, name))


def movement(f: Code, node: ast.Call, name: str, into: int | None) -> int:
    """Compiles `forward(jump=..., sprint=...)` and the other simple actions."""
    given = bound(node, name, function_values.api_parameters(name).positional, 0)
    for flag in node.args:
        if facts.constant_of(f, flag) not in (True, False, None, MISSING):
            raise Refused(
                flag,
                f"{name} acts for one tick, and takes no number",
                f"for i in range(10): obs = yield {name}()",
            )
    code = PLAIN_ACTIONS[name]
    flags = {key: (1 if key == "jump" else 3) for key in given}
    register, done = f.target(into), Label()
    f.emit(bc.MOVE, register, f.constant(ActionConstant(code)))
    for key in sorted(given):  # jump wins over sprint: the game's action has one of them
        otherwise = Label()
        f.jump_if(given[key], otherwise, False)
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
    known = [facts.constant_of(f, part) for part in parts]
    if all(isinstance(k, float) for k in known):
        return f.put(f.constant(ActionConstant(turn_code(*map(camera_bin, known)))), into)
    yaw, pitch = (f.value(part) for part in parts)
    return f.made(node, bc.TURN, into, yaw, pitch)


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
            raise Refused(
                given,
                f"{text[:60]} cannot be crafted or smelted",
                close_names(text, CRAFT_NAMES) or "see the recipes of Minecraft 1.11",
            )
        argument = int(CRAFT_OF_NAME[NAME_ID[text]])
        return f.put(f.constant(ActionConstant(function_code(ITEM_ACTIONS[name], argument))), into)
    item = f.value(given)
    return f.made(node, bc.ITEM, into, item, ITEM_ACTIONS[name])


def named_item(f: Code, node: ast.expr, where: str) -> str | None:
    """Returns a literal name. Numbers are refused; unknown names are noted."""
    constant = facts.constant_of(f, node)
    if constant is MISSING:
        return None
    if not isinstance(constant, str):
        raise Refused(node, f"{where} needs a name in quotes", 'for example "log"')
    known = constant in NAME_ID or len(f.shared.notices) >= MAX_NOTICES
    if not (known or f.scope.trusted or f.scope.imported):
        here = wiki.known(constant, NAME_ID)
        advice = close_names(constant, NAMES) if here == constant else f'here it is "{here}"'
        note = f'line {f.line}: nothing is called "{constant[:60]}"; {advice}'.rstrip("; ")
        if note not in f.shared.notices:
            f.shared.notices.append(note)
    return constant


# --- methods ---------------------------------------------------------------------
def method(f: Code, node: ast.Call, func: ast.Attribute, into: int | None) -> int:
    """Compiles `obs.count("log")`, `cells.append(x)`, ..."""
    name, questions = func.attr, f.shared.vocabulary.questions
    if name in ("sees", "nearest") and questions:
        facts.needs_rays(f, node)
    if name == "count":
        counted = lists.count(f, node, func.value, into)
        if counted is not None:
            return counted
    if name in questions:
        return (block if name == "block" else ask)(f, node, func, into)
    if name in lists.METHODS:
        return lists.METHODS[name](f, node, func.value, into)
    if name in walks.PARTS:
        raise Refused(
            node,
            f"{name}() can only be walked through",
            f"for x in d.{name}(), or list(d.{name}())",
        )
    if name in ("startswith", "endswith"):
        return name_test(f, node, func, into)
    known = [*questions, *lists.METHODS, "startswith", "endswith"]
    of_obs = "obs has " + ", ".join(questions) if questions else f.shared.vocabulary.fields_told
    raise Refused(
        node,
        f"there is no method {name}",
        close_names(name, known)
        or of_obs
        + "; a list has append, pop, insert, remove, sort; "
        "a dictionary get, pop, setdefault, update, items, keys, values; a set add, "
        "discard, union",
    )


def ask(f: Code, node: ast.Call, func: ast.Attribute, into: int | None) -> int:
    """Compiles a question to obs about one name."""
    given = bound(node, func.attr, ["name"], 1)["name"]
    text = named_item(f, given, f"obs.{func.attr}(...)")
    if func.attr == "near" and text is not None and text not in NEAR_NAMES:
        raise Refused(
            node,
            f'obs.near knows no "{text[:60]}"',
            'use obs.near("crafting_table") or obs.near("furnace")',
        )
    obs = f.value(func.value)
    item = f.value(given)
    register = f.temp() if into is None else into
    f.at(node)
    place = snapshots.kept(f, func.value, func.attr, facts.constant_of(f, given))
    snapshots.answer(f, snapshots.QUESTIONS[func.attr], register, obs, item, place)
    return register


def block(f: Code, node: ast.Call, func: ast.Attribute, into: int | None) -> int:
    """Compiles `obs.block(dx, dy, dz)`; each offset is -1, 0 or 1."""
    given = bound(node, "obs.block", ["dx", "dy", "dz"], 3)
    obs = f.value(func.value)
    known: float | None = 0.0
    cell = f.constant(0.0)
    for axis in ("dx", "dy", "dz"):
        offset = facts.constant_of(f, given[axis])
        if isinstance(offset, float | bool) and offset not in (-1, 0, 1):
            raise Refused(
                node,
                "obs.block sees one block around the feet",
                "each of dx, dy, dz must be -1, 0 or 1",
            )
        if isinstance(offset, float | bool) and known is not None:
            known = known * 3 + offset + 1
            cell = f.constant(known)
            continue
        known = None
        operand, position = f.value(given[axis]), f.temp()
        f.emit(bc.OFFSET, position, cell, operand)
        cell = position
    register = f.temp() if into is None else into
    f.at(node)
    computed = known is None
    asked = snapshots.ALL_BLOCKS if computed else ("block", known)
    place = snapshots.kept(f, func.value, *asked)
    snapshots.answer(f, bc.BLOCK, register, obs, cell, place, of_all=computed)
    return register


def name_test(f: Code, node: ast.Call, func: ast.Attribute, into: int | None) -> int:
    """Compiles `name.endswith(word)` where the word is a variable."""
    given = bound(node, func.attr, ["text"], 1)["text"]
    known = text_tests.words_of(f, given, needed=True)
    assert known is not None
    item = f.kept(func.value)
    word, register = f.kept(given), f.temp()
    text_tests.with_word(f, known, word, item, func.attr, register)
    return f.put(register, into)


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
    builtins = (known.removeprefix("random ") for known in BUILTINS)
    known = [*sorted(own), *vocabulary.action_names, *builtins, *ROUTINES, "obs"]
    assign = "assign it first, or pass it to the function as a parameter"
    told = f"; {vocabulary.told}" if vocabulary.spec else ""
    return close_names(name, known) or assign + told
