"""How functions can be called, which argument goes to which parameter, and ** in calls."""

import ast
from collections.abc import Callable
from dataclasses import dataclass

from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.compiler.known.kinds import of_constant
from rlgpt_jax.macros.compiler.tree.scopes import MISSING, has_stars
from rlgpt_jax.macros.refusal import Refused, close_names


@dataclass
class Parameters:
    """How a function can be called."""

    name: str
    positional: list[str]
    keywords: list[str]  # those that can be given by name
    needed: list[str]  # those without a default value
    rest: str | None = None  # of *args
    others: str | None = None  # of **kwargs


def unstarred(
    f: Code, node: ast.Call, takes: Parameters, missing: Callable[[str], int]
) -> ast.Call:
    """Returns a call without `**`; computes what it stands for, once.

    Names that this makes are added to `f.inner_names`; the caller takes them away.

    Args:
      missing: operand of the default value of a parameter.
    """
    refuse_star(node)
    keywords = [k for k in node.keywords if k.arg is not None]
    tables = [k.value for k in node.keywords if k.arg is None]
    if not tables:
        return node
    if len(tables) > 1 or takes.others is not None:
        raise Refused(
            node,
            f"** of a dictionary in a call of {takes.name} that has more of them",
            "pass the dictionary itself as one argument",
        )
    f.inner_names.append({})
    table = once(f, tables[0])
    given = {k.arg for k in keywords} | set(takes.positional[: len(node.args)])
    for name in takes.keywords:
        if name not in given:
            keywords.append(ast.keyword(name, entry(f, table, name, takes, missing)))
    made = ast.copy_location(ast.Call(node.func, node.args, keywords), node)
    return ast.fix_missing_locations(made)


def refuse_star(node: ast.Call) -> None:
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            raise Refused(
                arg,
                "* in calls is not part of the language",
                "write the arguments one by one: f(xs[0], xs[1])",
            )


def entry(
    f: Code, table: ast.expr, name: str, takes: Parameters, missing: Callable[[str], int]
) -> ast.expr:
    """Returns what a dictionary has for a parameter, or its default value."""
    key = ast.Constant(name)
    made: ast.expr
    if name in takes.needed:
        made = ast.Subscript(table, key, ast.Load())
    else:
        has = ast.Compare(key, [ast.In()], [table])
        other = default(f, table, name, missing)
        made = ast.IfExp(has, ast.Subscript(table, key, ast.Load()), other)
    return ast.fix_missing_locations(ast.copy_location(made, table))


def default(f: Code, place: ast.expr, name: str, missing: Callable[[str], int]) -> ast.expr:
    none = ast.copy_location(ast.Constant(None), place)
    made = named_here(f, none, missing(name))
    f.shared.kinds.hints[made.id] = f.shared.kinds.unknown
    return made


def once(f: Code, node: ast.expr) -> ast.expr:
    """Returns an expression for a value that is computed now and used several times."""
    if isinstance(node, ast.Constant | ast.Name):
        return node
    return named_here(f, node, f.kept(node))


def named_here(f: Code, node: ast.expr, operand: int) -> ast.Name:
    """Returns a name of our own for an operand that has the kind of `node`."""
    hints = f.shared.kinds.hints
    name = f"value {len(hints)}"
    constant = facts.constant_of(f, node)
    hints[name] = (
        of_constant(constant) if constant is not MISSING else f.shared.kinds.of(f.scope, node)
    )
    f.inner_names[-1][name] = operand
    return ast.copy_location(ast.Name(name, ast.Load()), node)


def bind(node: ast.Call, takes: Parameters) -> dict[str, ast.expr]:
    """Returns argument expressions by parameter; the call has no `**` any more."""
    given = dict(zip(takes.positional, node.args, strict=False))
    rest = node.args[len(takes.positional) :]
    names = list(dict.fromkeys([*takes.positional, *takes.keywords]))
    wanted = f"{takes.name}({', '.join(names)})"
    if takes.rest is not None:
        given[takes.rest] = ast.copy_location(ast.Tuple(rest, ast.Load()), node)
    elif rest:
        raise Refused(
            node,
            f"{takes.name} was given {len(node.args)} arguments, it takes {len(takes.positional)}",
            f"write {wanted}",
        )
    others: list[ast.keyword] = []
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg in takes.keywords and keyword.arg not in given:
            given[keyword.arg] = keyword.value
        elif takes.others is None or keyword.arg in given:
            raise Refused(
                node,
                f"{takes.name} has no free parameter {keyword.arg}",
                close_names(keyword.arg, names) or f"write {wanted}",
            )
        else:
            others.append(keyword)
    if takes.others is not None:
        keys: list[ast.expr | None] = [ast.Constant(k.arg) for k in others]
        made = ast.Dict(keys, [k.value for k in others])
        given[takes.others] = ast.fix_missing_locations(ast.copy_location(made, node))
    for missing in takes.needed:
        if missing not in given:
            raise Refused(node, f"{takes.name} needs the argument {missing}", f"write {wanted}")
    return given


def bound(node: ast.Call, what: str, names: list[str], required: int) -> dict[str, ast.expr]:
    """Returns the argument expressions of a call of the API by parameter."""
    if has_stars(node):
        raise Refused(
            node, "* and ** in calls are not part of the language", "write the arguments one by one"
        )
    return bind(node, Parameters(what, names, names, names[:required]))
