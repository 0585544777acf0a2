"""The author's functions: parameters of every sort, calls by name.

Outer variables are hidden parameters, so a function can be called as long as the one
that it stands in has not ended.
"""

from __future__ import annotations

import ast

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.calling.signatures import Parameters, bind, unstarred
from rlgpt_jax.macros.compiler.code import Code, Shared
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.compiler.tree.scopes import MISSING, Scope, resolve
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


# --- definitions -----------------------------------------------------------------
def settle_defaults(module: Scope, shared: Shared) -> None:
    """Finds the default values, which have to be constants. Raises `Refused`."""
    for scope in module.every():
        if scope.parent is None:
            continue
        outer = Code(scope.parent, shared)
        for name, value in scope.default_nodes():
            scope.defaults[name] = facts.constant_of(outer, value)
            if scope.defaults[name] is MISSING:
                raise Refused(
                    value,
                    f"the default value of {name} is computed, it has to be a constant",
                    f"write {name}=None, and inside: if {name} is None: {name} = ...",
                )


# --- calls by name ---------------------------------------------------------------
def parameters(scope: Scope) -> Parameters:
    """Returns how a function can be called."""
    assert isinstance(scope.node, ast.FunctionDef)
    args = scope.node.args
    positional = scope.positional
    keywords = [arg.arg for arg in (*args.args, *args.kwonlyargs)]
    optional = {name for name, _ in scope.default_nodes()}
    needed = [n for n in (*positional, *keywords) if n not in optional]
    return Parameters(
        scope.name, positional, keywords, list(dict.fromkeys(needed)),
        args.vararg.arg if args.vararg else None, args.kwarg.arg if args.kwarg else None,
    )  # fmt: skip


def user_call(f: Code, node: ast.Call, target: Scope, into: int | None) -> int:
    """Compiles a call by name: arguments go where the new frame's parameters are."""

    def missing(param: str) -> int:
        """What a parameter gets that is not given."""
        return f.constant(target.defaults[param])

    takes, names = parameters(target), len(f.inner_names)
    base = f.temp(1 + len(target.params) + len(target.captured))
    given = bind(unstarred(f, node, takes, missing), takes)
    for i, param in enumerate(target.params, base + 1):
        if param in given:
            f.value(given[param], i)
        else:
            f.put(missing(param), i)
    hidden(f, target, base + 1 + len(target.params))
    del f.inner_names[names:]
    f.at(node)
    f.emit(bc.CALL, base, f.shared.start_of(target), target)
    f.top = base + 1
    return f.put(base, into)


def hidden(f: Code, target: Scope, first: int) -> None:
    """Passes the outer variables of a function on."""
    for j, variable in enumerate(target.captured):
        register = f.registers.get(variable)
        if register is None:  # the function that it belongs to is not running
            f.emit(bc.MOVE, first + j, f.constant_bits(values.UNBOUND))
            continue
        if f.scope.parent is None or (variable[0] is f.scope and variable[1] not in f.assigned):
            f.may_be_unset.add(register)
        f.emit(bc.MOVE, first + j, register)


def refuse_escape(f: Code, node: ast.expr | None) -> None:
    """Refuses returning a function that reads variables of the one that returns."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    for part in parts:
        target = resolve(f.scope, part.id) if isinstance(part, ast.Name) else None
        if isinstance(target, Scope):
            lost = [name for owner, name in target.captured if owner is f.scope]
            if lost:
                raise Refused(
                    part,
                    f"the function that {f.scope.name} returns reads {lost[0]}, which is gone then",
                    f"give it {lost[0]} as a parameter, or write the function where it is used",
                )


def routine(f: Code, node: ast.AST, name: str, args: list[ast.expr], into: int | None) -> int:
    """Compiles a call of a routine of `routines.py`."""
    made = ast.Call(ast.Name(name, ast.Load()), args, [])
    call = ast.copy_location(made, node)
    return user_call(f, call, f.shared.routines[name], into)
