"""Functions as values: which there are, and calls of what a variable holds.

A function that is a value is a row of the pool, and `callv` calls it if the call gives
all its parameters in their order. All else is decided where the call stands: the value
is compared with the functions that the program uses as values, and each is called by its
name, with its own keywords, defaults and outer variables.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from rlgpt_jax.macros.actions import ITEM_ACTIONS, JUMPING, PLAIN_ACTIONS
from rlgpt_jax.macros.compiler.calling.functions import parameters, user_call
from rlgpt_jax.macros.compiler.calling.signatures import (
    Parameters,
    bind,
    once,
    refuse_star,
    unstarred,
)
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.compiler.tree.scopes import Scope
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.routines.routines import ROUTINES
from rlgpt_jax.macros.vm import bytecode as bc

NO_CALL = 254  # number of parameters that no call gives: `callv` always traps


Candidate = Scope | str  # a function of the author, or of the API


def candidates(f: Code) -> list[Candidate]:
    """Returns the functions that the program uses as values."""
    module = f.scope.module
    if module not in f.shared.values:
        found: list[Candidate] = [s for s in module.every() if s.is_value]
        of_api = module.api_values & {*facts.API_VALUES, *PLAIN_ACTIONS, *ROUTINES}
        found += [name for name in sorted(of_api) if not facts.is_absent(f, name)]
        found += [s for s in f.shared.actions if s.is_value]
        f.shared.values[module] = found
    return f.shared.values[module]


def value_call(f: Code, node: ast.Call, flags: int, into: int | None) -> int:
    """Compiles `move()` where move is a variable that holds a function."""
    refuse_star(node)
    plain = True
    for keyword in node.keywords:
        constant = facts.constant_of(f, keyword.value) if keyword.arg else None
        plain = plain and keyword.arg in ("jump", "sprint") and isinstance(constant, bool)
        if constant and keyword.arg in ("jump", "sprint"):
            flags |= bc.CALL_JUMP if keyword.arg == "jump" else bc.CALL_SPRINT
    chosen = [c for c in candidates(f) if needs_name(f, node, c, flags, plain)]
    if chosen:
        return by_name(f, node, chosen, flags if plain else NO_CALL + 1, into)
    if not plain:
        raise Refused(
            node,
            "no function that is a value here takes these arguments",
            "call the function by its name",
        )
    function = f.value(node.func)
    return call_value(f, node, function, node.args, flags, into)


def call_value(
    f: Code, node: ast.Call, function: int, args: list[ast.expr], flags: int, into: int | None
) -> int:
    """Emits the call of a value that gets all its parameters in their order."""
    base = f.temp(1 + len(args))
    for i, arg in enumerate(args):
        f.value(arg, base + 1 + i)
    f.at(node)
    f.emit(bc.CALLV, base, function, len(args) | flags)
    f.top = base + 1
    return f.put(base, into)


def needs_name(f: Code, node: ast.Call, c: Candidate, flags: int, plain: bool) -> bool:
    """Says whether a call may mean the candidate, and has to be a call by its name."""
    wants_generator = bool(flags & bc.CALLED_FROM)
    if isinstance(c, Scope):
        fits = plain and not node.keywords and c.is_plain and len(node.args) == len(c.params)
        if c.is_generator != wants_generator or fits:
            return False
        takes = parameters(c)
    elif wants_generator:
        return False
    elif c in PLAIN_ACTIONS:
        return not plain and may_bind(node, api_parameters(c))
    else:
        scope = facts.api_value(f, c)
        assert scope is not None
        if plain and not node.keywords and len(node.args) == len(scope.params):
            return False
        takes = api_parameters(c)
        if not takes.positional:  # min, max and round take what they get
            return (
                plain
                and not node.keywords
                and (len(node.args) == 1 if c == "round" else len(node.args) > 0)
            )
    return may_bind(node, takes)


def may_bind(node: ast.Call, takes: Parameters) -> bool:
    """Says whether the arguments of a call fit the parameters."""
    keywords = [k for k in node.keywords if k.arg is not None]
    if len(keywords) < len(node.keywords):
        names = {k.arg for k in keywords}
        open_ = set(takes.needed) - set(takes.positional[: len(node.args)]) - names
        return (
            open_ <= set(takes.keywords)
            and len(node.args) <= len(takes.positional)
            and (takes.others is not None or names <= set(takes.keywords))
        )
    try:
        bind(node, takes)
    except Refused:
        return False
    return True


def api_parameters(name: str) -> Parameters:
    """Returns how a function of the API can be called; no parameters: one may see."""
    if name == "turn":
        return Parameters(name, ["yaw", "pitch"], ["yaw", "pitch"], [])
    if name in ITEM_ACTIONS:
        return Parameters(name, ["item"], ["item"], ["item"])
    if name in PLAIN_ACTIONS:
        keys = (["jump"] if name in JUMPING else []) + (["sprint"] if name == "forward" else [])
        return Parameters(name, keys, keys, [])
    if name in ROUTINES:
        names = list("xyzw")[: ROUTINES[name]]
        return Parameters(name, names, [], names)
    if name in facts.API_VALUES and name not in ("min", "max", "round"):
        return Parameters(name, [facts.API_VALUES[name]], [], [facts.API_VALUES[name]])
    return Parameters(name, [], [], [])


def by_name(
    f: Code, node: ast.Call, chosen: Iterable[Candidate], flags: int, into: int | None
) -> int:
    """Compiles a call as a choice between calls by name; the arguments are read once."""
    function = f.kept(node.func)
    result, done = f.temp(), Label()
    f.inner_names.append({})
    args = [once(f, arg) for arg in node.args]
    keywords = [ast.keyword(k.arg, once(f, k.value)) for k in node.keywords]
    for candidate in chosen:
        keep = f.top
        with f.unless(done, bc.JNE, function, f.constant(facts.function_constant(f, candidate))):
            func = ast.copy_location(ast.Name(str(candidate), ast.Load()), node)
            call = ast.copy_location(ast.Call(func, args, keywords), node)
            if isinstance(candidate, Scope):
                user_call(f, call, candidate, result)
            else:
                f.built_in(call, candidate, result)
        f.top = keep
    if flags == NO_CALL + 1:
        f.emit(bc.CALLV, f.temp(), function, NO_CALL)
    else:
        call_value(f, node, function, args, flags, result)
    f.place(done)
    f.inner_names.pop()
    return f.put(result, into)


def of_api(f: Code, node: ast.Call, name: str) -> ast.Call:
    """Returns a call of the API without stars."""
    takes = api_parameters(name)
    if not takes.positional and name not in PLAIN_ACTIONS:
        return node
    return unstarred(f, node, takes, lambda _: f.constant(0.0))
