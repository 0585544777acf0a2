"""Python's text functions on constants, with bounds on what they may make.

Nothing here runs the author's code, and no result is longer than `MAX_TEXT`.
"""

import ast
from collections.abc import Callable
from typing import Any

from rlgpt_jax.macros.compiler.pool import MAX_TEXT, NotConstant

# Methods of names: name -> the function, its least and its most constant arguments.
METHODS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "lower": (str.lower, 0, 0),
    "upper": (str.upper, 0, 0),
    "strip": (str.strip, 0, 1),
    "startswith": (str.startswith, 1, 1),
    "endswith": (str.endswith, 1, 1),
    "replace": (str.replace, 2, 2),
    "split": (str.split, 0, 1),
}
Part = str | ast.expr  # text, or a value


def bounded(text: str) -> str:
    """Returns a text that is short enough."""
    if len(text) > MAX_TEXT:
        raise NotConstant
    return text


def render(value: Any) -> str:
    """Returns a constant as text. Whole numbers are written without a point."""
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**24:
        return str(int(value))
    raise NotConstant  # the digits of a float32 are not those of Python's float


def apply(text: str, method: str, args: list[Any]) -> Any:
    """Returns `text.method(*args)`."""
    function, low, high = METHODS[method]
    if not low <= len(args) <= high:
        raise NotConstant
    try:
        result = function(text, *args)
    except (TypeError, ValueError):
        raise NotConstant from None
    return tuple(result) if isinstance(result, list) else result


# --- what a text is put together from ----------------------------------------------
def parts_of(node: ast.expr, is_text: Callable[[ast.expr], bool]) -> list[Part] | None:
    """Returns the parts of a text that is put together; None if it is something else.

    Args:
      is_text: says whether an expression is surely a text, for `+`.
    """
    if isinstance(node, ast.JoinedStr):
        return joined(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if is_text(node.left) or is_text(node.right):
            return added(node.left, is_text) + added(node.right, is_text)
    return None


def joined(node: ast.JoinedStr) -> list[Part] | None:
    parts: list[Part] = []
    for item in node.values:
        if isinstance(item, ast.Constant):
            parts.append(str(item.value))
        elif isinstance(item, ast.FormattedValue):
            if item.conversion != -1 or item.format_spec is not None:
                return None
            parts.append(item.value)
    return parts


def added(node: ast.expr, is_text: Callable[[ast.expr], bool]) -> list[Part]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    return parts_of(node, is_text) or [node]


def fold_text(node: ast.JoinedStr, fold: Callable[[ast.expr], Any]) -> str:
    """Returns an f-string of constants."""
    parts = joined(node)
    if parts is None:
        raise NotConstant
    return bounded("".join(p if isinstance(p, str) else render(fold(p)) for p in parts))


def fold_method(node: ast.Call, fold: Callable[[ast.expr], Any]) -> Any:
    """Returns `"log".upper()` of constants."""
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr not in METHODS or node.func.attr == "split" or node.keywords:
        raise NotConstant
    text = fold(node.func.value)
    if not isinstance(text, str):
        raise NotConstant
    result = apply(text, node.func.attr, [fold(arg) for arg in node.args])
    return bounded(result) if isinstance(result, str) else result
