"""Bounded numbers of a world with a spec: arguments of its actions, and of macros.

An action is a function of ours that clamps its arguments and makes their sequence. A macro may
declare bounded parameters behind `obs`, after RAPS (Dalal et al. 2021, arXiv 2110.15360), whose
values are read from the last columns of the view: `def push(obs, depth: (0.0, 0.2) = 0.1)`.
"""

import ast

from rlgpt_jax.envs.spec import Argument
from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Code, Label, Shared
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.compiler.tree.scopes import Scope, build
from rlgpt_jax.macros.limits import MAX_ARGUMENTS
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vocabulary import definition

ADVICE = "write a lower and an upper bound, and a default between them: depth: (0.0, 0.2) = 0.1"


def clamp(f: Code, register: int, argument: Argument) -> None:
    """Brings a number into its bounds; nan becomes the default, or what is nearest to 0."""
    usable = Label()
    f.emit(bc.JEQ, register, register, usable)
    f.emit(bc.MOVE, register, f.constant(argument.resting))
    f.place(usable)
    f.emit(bc.MAX, register, register, f.constant(argument.low))
    f.emit(bc.MIN, register, register, f.constant(argument.high))


# --- actions ---------------------------------------------------------------------
def define_actions(shared: Shared) -> None:
    """Makes a function of every action of the world, hidden ones too."""
    outside = Scope(ast.Module([], []), "", None, trusted=True)
    for action in shared.vocabulary.actions:
        scope = build(definition(action), outside, action.name)
        defaults = {a.name: a.default for a in action.arguments if a.default is not None}
        scope.defaults.update(defaults)
        shared.actions[scope] = action


def named_actions(shared: Shared, hidden: bool) -> dict[str, Scope]:
    """The functions by name; hidden actions are for trusted skills."""
    return {a.name: scope for scope, a in shared.actions.items() if hidden or not a.hidden}


def action_body(f: Code) -> None:
    """Writes the function of an action."""
    action = f.shared.actions[f.scope]
    for register, argument in enumerate(action.arguments, start=1):
        clamp(f, register, argument)
    index = f.constant(float(f.shared.vocabulary.actions.index(action)))
    made = f.sequence(values.T_MADE, [index, *range(1, len(action.arguments) + 1)], None)
    f.emit(bc.RETURN, made)


# --- parameters of a macro -----------------------------------------------------------
def bounds(node: ast.FunctionDef) -> dict[str, ast.Tuple | ast.List]:
    """The parameters whose annotation is a tuple or a list, see `lower`."""
    return node.__dict__.get("bounds", {})


def of_macro(entry: Scope, shared: Shared) -> tuple[Argument, ...]:
    """The bounded parameters of a macro. Raises `Refused` for bounds that are none."""
    assert isinstance(entry.node, ast.FunctionDef)
    outer = Code(entry.module, shared)
    found = bounds(entry.node)
    if len(found) > MAX_ARGUMENTS:
        raise Refused(
            entry.node,
            f"{entry.name} has {len(found)} bounded parameters, {MAX_ARGUMENTS} are allowed",
            "use fewer",
        )
    return tuple(argument(outer, entry, name, node) for name, node in found.items())


def argument(outer: Code, entry: Scope, name: str, node: ast.Tuple | ast.List) -> Argument:
    pair = facts.constant_row(outer, node)
    if not isinstance(pair, tuple) or [type(p) for p in pair] != [float, float]:
        raise Refused(node, f"the bounds of {name} are not two constant numbers", ADVICE)
    low, high = pair
    default = entry.defaults.get(name, (low + high) / 2)
    if not isinstance(default, float):
        raise Refused(node, f"the default of {name} is not a constant number", ADVICE)
    try:
        return Argument(name, low, high, default)
    except ValueError as error:
        raise Refused(node, str(error), ADVICE) from None


def read_arguments(f: Code, obs: int) -> dict[str, int]:
    """Reads what the macro was started with; by parameter."""
    found: dict[str, int] = {}
    for i, bounded in enumerate(f.shared.arguments):
        found[bounded.name] = f.temp()
        f.emit(bc.FIELD, found[bounded.name], obs, f.shared.vocabulary.argument(i))
        clamp(f, found[bounded.name], bounded)
    return found
