"""Python's text functions on constants, with bounds on what they may make.

Nothing here runs the author's code: format specifications are checked against a short
list, and no result is longer than `MAX_TEXT`.
"""

import ast
import re
from collections.abc import Callable
from typing import Any

from rlgpt_jax.macros.compiler.pool import MAX_TEXT, NotConstant

SPEC = re.compile(r"[<>^]?[+]?0?\d{0,2}(\.\d)?[dfs]?")
FIELD = re.compile(r"\{([A-Za-z0-9_]{0,20})(?::([^{}]{0,8}))?\}")
PERCENT = re.compile(r"%(?:([+]?0?\d{0,2}(?:\.\d)?)([sdif])|(%))")
# Methods of names: name -> the function, its least and its most constant arguments.
METHODS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "lower": (str.lower, 0, 0),
    "upper": (str.upper, 0, 0),
    "casefold": (str.casefold, 0, 0),
    "capitalize": (str.capitalize, 0, 0),
    "title": (str.title, 0, 0),
    "isdigit": (str.isdigit, 0, 0),
    "isalpha": (str.isalpha, 0, 0),
    "islower": (str.islower, 0, 0),
    "isupper": (str.isupper, 0, 0),
    "strip": (str.strip, 0, 1),
    "lstrip": (str.lstrip, 0, 1),
    "rstrip": (str.rstrip, 0, 1),
    "removeprefix": (str.removeprefix, 1, 1),
    "removesuffix": (str.removesuffix, 1, 1),
    "startswith": (str.startswith, 1, 1),
    "endswith": (str.endswith, 1, 1),
    "find": (str.find, 1, 1),
    "rfind": (str.rfind, 1, 1),
    "index": (str.index, 1, 1),
    "count": (str.count, 1, 1),
    "replace": (str.replace, 2, 3),
    "split": (str.split, 0, 2),
    "rsplit": (str.rsplit, 0, 2),
    "partition": (str.partition, 1, 1),
    "rpartition": (str.rpartition, 1, 1),
}
NUMBER = re.compile(r"[+-]?\d{1,9}(\.\d{0,9})?")
Part = str | tuple[ast.expr, str]  # text, or a value with its format specification


def bounded(text: Any) -> Any:
    """Returns a text that is short enough."""
    if isinstance(text, str) and len(text) > MAX_TEXT:
        raise NotConstant
    return text


def render(value: Any, spec: str = "") -> str:
    """Returns a constant as text. Whole numbers are written without a point."""
    if not SPEC.fullmatch(spec):
        raise NotConstant
    if isinstance(value, str) or value is None or isinstance(value, bool):
        if spec and not (isinstance(value, str) and spec.rstrip("s").lstrip("<>^").isdigit()):
            raise NotConstant
        return bounded(format(str(value), spec))
    if not isinstance(value, float) or abs(value) > 2**24:
        raise NotConstant
    number = int(value) if value.is_integer() and not spec.endswith("f") else value
    if not spec and isinstance(number, float):
        raise NotConstant  # the digits of a float32 are not those of Python's float
    try:
        return bounded(format(number, spec))
    except ValueError:
        raise NotConstant from None


def apply(text: str, method: str, args: list[Any]) -> Any:
    """Returns `text.method(*args)`; numbers of arguments are counts."""
    function, low, high = METHODS[method]
    if not low <= len(args) <= high:
        raise NotConstant
    try:
        counts = [int(a) if isinstance(a, float) else a for a in args]
        result = function(text, *counts)
    except (TypeError, ValueError, OverflowError):
        raise NotConstant from None
    if isinstance(result, list | tuple):
        return tuple(result)
    if isinstance(result, int) and not isinstance(result, bool):
        return float(result)
    return bounded(result)


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
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            row = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return percent(node.left.value, row)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        text = node.func.value
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            if node.func.attr == "format":
                return formatted(text.value, node)
            if node.func.attr == "join" and len(node.args) == 1:
                return joined_row(text.value, node.args[0])
    return None


def joined(node: ast.JoinedStr) -> list[Part] | None:
    parts: list[Part] = []
    for item in node.values:
        if isinstance(item, ast.Constant):
            parts.append(str(item.value))
        elif isinstance(item, ast.FormattedValue):
            if item.conversion not in (-1, ord("s")):
                return None
            spec = joined(item.format_spec) if isinstance(item.format_spec, ast.JoinedStr) else []
            if spec is None or any(not isinstance(p, str) for p in spec):
                return None
            parts.append((item.value, "".join(p for p in spec if isinstance(p, str))))
    return parts


def added(node: ast.expr, is_text: Callable[[ast.expr], bool]) -> list[Part]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    return parts_of(node, is_text) or [(node, "")]


def percent(text: str, row: list[ast.expr]) -> list[Part] | None:
    """Takes `"%s_%d" % (a, b)` apart."""
    parts: list[Part] = []
    at, used = 0, 0
    for found in PERCENT.finditer(text):
        parts.append(text[at : found.start()])
        at = found.end()
        if found.group(3):
            parts.append("%")
            continue
        if used == len(row):
            return None
        spec = found.group(1) + ("" if found.group(2) in "si" else found.group(2))
        parts.append((row[used], spec))
        used += 1
    rest = text[at:]
    return None if used < len(row) or "%" in rest else [*parts, rest]


def formatted(text: str, node: ast.Call) -> list[Part] | None:
    """Takes `"{}_{b}".format(a, b=b)` apart."""
    parts: list[Part] = []
    keywords = {k.arg: k.value for k in node.keywords}
    at, used = 0, 0
    for found in FIELD.finditer(text):
        parts.append(text[at : found.start()])
        at = found.end()
        name = found.group(1)
        if not name or name.isdigit():
            place = int(name) if name else used
            used += 1
            if place >= len(node.args):
                return None
            parts.append((node.args[place], found.group(2) or ""))
        elif name in keywords:
            parts.append((keywords[name], found.group(2) or ""))
        else:
            return None
    rest = text[at:]
    if any(mark in p for p in [*parts, rest] if isinstance(p, str) for mark in "{}"):
        return None
    return [*parts, rest]


def joined_row(text: str, row: ast.expr) -> list[Part] | None:
    """Takes `"_".join((a, b))` apart."""
    if not isinstance(row, ast.Tuple | ast.List):
        return None
    parts: list[Part] = []
    for i, item in enumerate(row.elts):
        parts += [text] if i else []
        parts.append((item, ""))
    return parts


def fold_text(node: ast.expr, fold: Callable[[ast.expr], Any]) -> str:
    """Returns a text that is put together from constants."""

    def is_text(item: ast.expr) -> bool:
        try:
            return isinstance(fold(item), str)
        except NotConstant:
            return False

    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return repeated(fold(node.left), fold(node.right))
    parts = parts_of(node, is_text)
    if parts is None:
        raise NotConstant
    return bounded(
        "".join(part if isinstance(part, str) else render(fold(part[0]), part[1]) for part in parts)
    )


def repeated(left: Any, right: Any) -> str:
    """Returns `"ab" * 3`, or `3 * "ab"`."""
    text, count = (left, right) if isinstance(left, str) else (right, left)
    if not isinstance(text, str) or not isinstance(count, float) or not count.is_integer():
        raise NotConstant
    if len(text) * count > MAX_TEXT:
        raise NotConstant
    return text * int(count)


def fold_method(node: ast.Call, fold: Callable[[ast.expr], Any]) -> Any:
    """Returns `"log".upper()`, `"{}_{}".format(...)` and `"_".join(...)` of constants."""
    assert isinstance(node.func, ast.Attribute)
    method = node.func.attr
    if method in ("format", "join"):
        return fold_text(node, fold)
    if method not in METHODS or method in ("split", "rsplit", "partition", "rpartition"):
        raise NotConstant
    text = fold(node.func.value)
    if not isinstance(text, str) or node.keywords:
        raise NotConstant
    return apply(text, method, [fold(arg) for arg in node.args])
