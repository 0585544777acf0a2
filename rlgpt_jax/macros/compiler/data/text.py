"""Names as text: what can be told from a name when the macro is compiled.

A name is an id when a macro runs. A text function of a name with constant arguments is
a function from the known names (the game's and the program's own) to other names,
numbers or truths, so it becomes sets of names, or a short table. Names that are put
together need parts whose possible values are known.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rlgpt_jax.envs.names import NAME_ID, NAMES
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import strings, within
from rlgpt_jax.macros.compiler.known import facts, kinds
from rlgpt_jax.macros.compiler.pool import NotConstant
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

MAX_TABLE = 64  # texts that one expression may choose from
ADVICE = (
    "compare names with ==, in, startswith or endswith; a pair of numbers is a key as a tuple, "
    "(x, z)"
)
WITH_SPACES = 'leave .replace("_", " ") out: names keep their "_", so compare with "diamond_ore"'
Function = Callable[[str], Any]  # from a name; raises NotConstant where it is not defined


@dataclass
class Chain:
    """A text function of one value that is only known at run time."""

    base: ast.expr
    function: Function
    key: str  # the same for the same function


def chain(f: Code, node: ast.expr) -> Chain | None:
    """Takes `r.block.lower().split("_")[0]` apart; None if it is no text function."""
    if isinstance(node, ast.Subscript):
        inner = chain(f, node.value)
        place = facts.constant_of(f, node.slice) if inner is not None else None
        if inner is not None and isinstance(place, float) and place.is_integer():
            return then(inner, lambda row: element(row, int(place)), f"[{place}]")
        return None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "str" and len(node.args) == 1 and not node.keywords:
            if facts.is_api(f, "str"):
                known = chain(f, node.args[0]) or Chain(node.args[0], lambda text: text, "str")
                return then(known, whole_text, "str")
        return None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    method = node.func.attr
    if method not in strings.METHODS or node.keywords:
        return None
    args = [facts.constant_of(f, arg) for arg in node.args]
    if MISSING in args:
        return None
    known = chain(f, node.func.value) or Chain(node.func.value, lambda text: text, "")

    def apply(text: Any) -> Any:
        return strings.apply(whole_text(text), method, args)

    return then(known, apply, f".{method}{args}")


def then(first: Chain, function: Function, key: str) -> Chain:
    return Chain(first.base, lambda text: function(first.function(text)), first.key + key)


def whole_text(text: Any) -> Any:
    if not isinstance(text, str):
        raise NotConstant
    return text


def element(row: Any, place: int) -> Any:
    if not isinstance(row, tuple) or not -len(row) <= place < len(row):
        raise NotConstant
    return row[place]


# --- as values -------------------------------------------------------------------
def value(f: Code, node: ast.expr, into: int | None) -> int | None:
    """Compiles a text expression; None if the expression is no text."""
    if not isinstance(node, ast.JoinedStr | ast.BinOp | ast.Call | ast.Subscript):
        return None
    parts = strings.parts_of(node, lambda item: is_text(f, item))
    if parts is not None:
        return put_together(f, node, parts, into)
    known = chain(f, node)
    if known is not None:
        return of_name(f, node, known, into)
    if (
        isinstance(node, ast.JoinedStr)
        or is_text_call(f, node)
        or (
            isinstance(node, ast.BinOp)
            and any(isinstance(facts.constant_of(f, side), str) for side in (node.left, node.right))
        )
    ):
        raise Refused(node, "this text cannot be made", ADVICE)
    return None


def is_text(f: Code, node: ast.expr) -> bool:
    """Says whether an expression is surely a text, so that + puts texts together."""
    if isinstance(facts.constant_of(f, node), str) or isinstance(node, ast.JoinedStr):
        return True
    if f.scope.trusted:
        return False
    return facts.is_surely(f, node, kinds.NAME)


def is_text_call(f: Code, node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("format", "join")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("repr", "format", "chr") and facts.is_api(f, node.func.id)
    return False


def put_together(f: Code, node: ast.expr, parts: list[strings.Part], into: int | None) -> int:
    """Compiles `f"{kind}_pickaxe"`: a table of what the parts may be."""
    open_parts: list[tuple[ast.expr, list[str]]] = []
    count = 1
    for part in parts:
        if isinstance(part, str) or facts.constant_of(f, part) is not MISSING:
            continue
        found = facts.kind_of(f, part).words
        if not found or facts.may_be(f, part, kinds.NUMBER):
            raise Refused(
                node,
                "names cannot be put together here: what may be in the text is not known",
                ADVICE,
            )
        count *= len(found)
        open_parts.append((part, sorted(found)))
    if count > MAX_TABLE:
        raise Refused(
            node, f"this text may be {count} different ones, {MAX_TABLE} are possible", ADVICE
        )
    operands = [f.kept(part) for part, _ in open_parts]
    register, done = f.temp(), Label()

    def choose(i: int, chosen: list[str]) -> None:
        if i == len(open_parts):
            text = assembled(f, node, parts, chosen)
            f.emit(bc.MOVE, register, f.constant(text))
            f.emit(bc.JUMP, done)
            return
        for item in open_parts[i][1]:
            other = Label()
            f.emit(bc.JNE, operands[i], f.constant(item), other)
            choose(i + 1, [*chosen, item])
            f.place(other)

    choose(0, [])
    within.no_index(f, register)
    f.place(done)
    return f.put(register, into)


def assembled(f: Code, node: ast.expr, parts: list[strings.Part], chosen: list[str]) -> str:
    """Returns the text for one choice of values."""
    values_, made = iter(chosen), ""
    try:
        for part in parts:
            if isinstance(part, str):
                made += part
                continue
            constant = facts.constant_of(f, part)
            made += next(values_) if constant is MISSING else strings.render(constant)
        return strings.bounded(made)
    except NotConstant:
        raise Refused(node, "this text cannot be made", ADVICE) from None


def of_name(f: Code, node: ast.expr, known: Chain, into: int | None) -> int | None:
    """Compiles a text function of a name."""
    surely = facts.is_surely(f, known.base, kinds.NAME)
    if not surely and not facts.may_be(f, known.base, kinds.NAME):
        return None
    operand = f.value(known.base)
    if not surely:
        f.emit(bc.INSET, f.temp(), operand, f.pool.later_set("in", ""))  # a trap if it is no name
    words = facts.kind_of(f, known.base).words
    names = None if words is None else sorted(words)  # that the base may be; None for any
    groups = grouped(universe(f) if names is None else names, known.function)
    if any(isinstance(result, tuple) for result in groups):
        raise Refused(
            node,
            "a text that is split gives a list, which cannot be kept",
            'take one part of it: name.split("_")[0]',
        )
    if groups and set(groups) <= {True, False}:
        of_key = f.pool.named_set(known.key, lambda name: result_of(known.function, name) is True)
        return f.made(node, bc.INSET, into, operand, of_key)
    return renamed(f, node, known, groups, names, operand, into)


SAME = object()  # the function leaves a name as it is
UNDEFINED = object()  # the function is not defined for a name


def universe(f: Code) -> list[str]:
    """Returns the game's names and those that the program has so far."""
    return [*NAMES, *(n for n in (*f.shared.texts, *f.pool.own_names) if n not in NAME_ID)]


def grouped(names: list[str], function: Function) -> dict[Any, list[str]]:
    """Returns the names by what the function makes of them."""
    groups: dict[Any, list[str]] = {}
    for name in names:
        groups.setdefault(result_of(function, name), []).append(name)
    return groups


def result_of(function: Function, name: str) -> Any:
    try:
        result = function(name)
    except NotConstant:
        return UNDEFINED
    return SAME if isinstance(result, str) and result == name else result


def renamed(
    f: Code, node: ast.expr, known: Chain, groups: dict, names: list[str] | None, operand: int,
    into: int | None,
) -> int:  # fmt: skip
    """Compiles a function to names: those that change are looked for one by one."""
    if names is None:
        known_names = frozenset(universe(f))
        f.shared.text_checks.append(
            (node, lambda name: name in known_names or result_of(known.function, name) is SAME)
        )
    changed = [
        (name, result) for result, group in groups.items() for name in group if result is not SAME
    ]
    if len(changed) > MAX_TABLE:
        raise Refused(
            node,
            "this text work on a name of the game is not part of the language",
            WITH_SPACES if ".replace['_', ' ']" in known.key else ADVICE,
        )
    if not changed:
        return f.put(operand, into)
    register, done = f.temp(), Label()
    f.emit(bc.MOVE, register, operand)
    for name, result in changed:
        with f.unless(done, bc.JNE, operand, f.constant(name)):
            if result is UNDEFINED:
                within.no_index(f, register)
            f.emit(bc.MOVE, register, f.constant(None if result is UNDEFINED else result))
    f.place(done)
    return f.put(register, into)


def check(shared: Any) -> None:
    """Refuses text functions that names made later would have changed."""
    for node, is_known in shared.text_checks:
        for name in shared.pool.own_names:
            if not is_known(name):
                raise Refused(node, f'this text work does not know the name "{name[:40]}"', ADVICE)
