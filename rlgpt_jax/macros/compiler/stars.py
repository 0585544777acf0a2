"""Stars in calls: `f(*place)` and `f(**options)`, for functions whose parameters are known."""

import ast
from collections.abc import Callable
from dataclasses import dataclass

from rlgpt_jax.macros.actions import PLAIN_ACTIONS
from rlgpt_jax.macros.compiler import expressions as ex
from rlgpt_jax.macros.compiler import function_values
from rlgpt_jax.macros.compiler.code import Code
from rlgpt_jax.macros.refusal import Refused


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
    """Returns a call without stars; computes what they stand for, once.

    Names that this makes are added to `f.inner_names`; the caller takes them away.

    Args:
      missing: operand of the default value of a parameter.
    """
    if not any(isinstance(arg, ast.Starred) for arg in node.args) and not any(
        keyword.arg is None for keyword in node.keywords
    ):
        return node
    f.inner_names.append({})
    args, row = positional(f, node)
    keywords, table = named(f, node)
    given = {k.arg for k in keywords}
    if row is not None:
        after = takes.positional[len(args) :]
        for i, name in enumerate(n for n in after if n not in given):
            args.append(element(f, row, i, name, takes, table, missing))
        if takes.rest is not None:
            raise Refused(
                node,
                f"* of a row of unknown length in a call of {takes.name}, which has *{takes.rest}",
                "pass the row itself as one argument",
            )
    if table is not None:
        if takes.others is not None:
            raise Refused(
                node,
                f"** of a dictionary in a call of {takes.name}, which has **{takes.others}",
                "pass the dictionary itself as one argument",
            )
        for name in takes.keywords:
            if name not in given and name not in takes.positional[: len(args)]:
                keywords.append(ast.keyword(name, entry(f, table, name, takes, missing)))
    made = ast.copy_location(ast.Call(node.func, args, keywords), node)
    return ast.fix_missing_locations(made)


def of_api(f: Code, node: ast.Call, name: str) -> ast.Call:
    """Returns a call of the API without stars."""
    if len(node.args) == 1 and isinstance(node.args[0], ast.Starred) and name in ("min", "max"):
        return ast.copy_location(ast.Call(node.func, [node.args[0].value], node.keywords), node)
    takes = function_values.api_parameters(name)
    if not takes.positional and name not in PLAIN_ACTIONS:
        return node
    return unstarred(f, node, takes, lambda _: f.constant(0.0))


def positional(f: Code, node: ast.Call) -> tuple[list[ast.expr], ast.expr | None]:
    """Returns the arguments before a row of unknown length, and that row."""
    args: list[ast.expr] = []
    row: ast.expr | None = None
    for arg in node.args:
        if row is not None:
            raise Refused(arg, "an argument behind a * argument", "write the arguments one by one")
        if not isinstance(arg, ast.Starred):
            args.append(arg)
            continue
        constant = ex.constant_of(f, arg.value)
        if isinstance(arg.value, ast.Tuple | ast.List):
            args += arg.value.elts
        elif isinstance(constant, tuple):
            whole = function_values.once(f, arg.value)
            args += [indexed(whole, i) for i in range(len(constant))]
        else:
            row = function_values.once(f, arg.value)
    return args, row


def named(f: Code, node: ast.Call) -> tuple[list[ast.keyword], ast.expr | None]:
    """Returns the keywords, and a dictionary of unknown keys."""
    keywords: list[ast.keyword] = []
    table: ast.expr | None = None
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg is not None:
            keywords.append(keyword)
        elif isinstance(value, ast.Dict) and all(isinstance(k, ast.Constant) for k in value.keys):
            for key, item in zip(value.keys, value.values, strict=True):
                assert isinstance(key, ast.Constant)
                keywords.append(ast.keyword(str(key.value), item))
        elif table is not None:
            raise Refused(node, "two ** arguments", "put them into one dictionary")
        else:
            table = function_values.once(f, value)
    return keywords, table


def indexed(row: ast.expr, i: int) -> ast.expr:
    place = ast.copy_location(ast.Constant(i), row)
    return ast.copy_location(ast.Subscript(row, place, ast.Load()), row)


def element(
    f: Code, row: ast.expr, i: int, name: str, takes: Parameters, table: ast.expr | None,
    missing: Callable[[str], int],
) -> ast.expr:  # fmt: skip
    """Returns element i of a row, or what the parameter gets if the row is shorter."""
    if name in takes.needed and table is None:
        return indexed(row, i)
    length = ast.Call(ast.Name("len", ast.Load()), [row], [])
    long = ast.Compare(length, [ast.Gt()], [ast.Constant(i)])
    other = (
        default(f, row, name, missing) if table is None else entry(f, table, name, takes, missing)
    )
    made = ast.IfExp(long, indexed(row, i), other)
    return ast.fix_missing_locations(ast.copy_location(made, row))


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
    made = function_values.named_here(f, none, missing(name))
    assert isinstance(made, ast.Name)
    f.shared.kinds.hints[made.id] = f.shared.kinds.unknown
    return made
