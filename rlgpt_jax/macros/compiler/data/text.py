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

from rlgpt_jax.envs.names import NAMES
from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import strings, within
from rlgpt_jax.macros.compiler.known import facts, kinds, possible
from rlgpt_jax.macros.compiler.pool import NotConstant
from rlgpt_jax.macros.compiler.tree.scopes import MISSING
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc

MAX_TABLE = 64  # texts that one expression may choose from
MAX_SETS = 32  # sets of names that one expression may use
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
        if node.func.id == "len" and len(node.args) == 1 and not node.keywords:
            if facts.is_api(f, "len") and facts.is_surely(f, node.args[0], kinds.NAME):
                known = chain(f, node.args[0]) or Chain(node.args[0], lambda text: text, "")
                return then(known, length, "len")
        return None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    method = node.func.attr
    if method not in strings.METHODS or node.keywords:
        return None
    args = [facts.constant_of(f, arg) for arg in node.args]
    if method in ("index", "count") and not facts.is_surely(f, node.func.value, kinds.NAME):
        return None
    if MISSING in args:
        return None
    known = chain(f, node.func.value) or Chain(node.func.value, lambda text: text, "")
    return then(known, lambda text: of_text(text, method, args), f".{method}{args}")


def then(first: Chain, function: Function, key: str) -> Chain:
    return Chain(first.base, lambda text: function(first.function(text)), first.key + key)


def of_text(text: Any, method: str, args: list[Any]) -> Any:
    if not isinstance(text, str):
        raise NotConstant
    return strings.apply(text, method, args)


def whole_text(text: Any) -> Any:
    if not isinstance(text, str):
        raise NotConstant
    return text


def length(text: Any) -> Any:
    return float(len(whole_text(text)))


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
    row = split_row(f, node)
    if row is not None:
        return f.sequence(values.T_LIST, [f.constant(item) for item in row], into)
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


def split_row(f: Code, node: ast.expr) -> tuple | None:
    """Returns the parts of `"log stone".split()`, a text that is constant."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("split", "rsplit") and not node.keywords:
            text = facts.constant_of(f, node.func.value)
            args = [facts.constant_of(f, arg) for arg in node.args]
            if isinstance(text, str) and MISSING not in args:
                try:
                    return strings.apply(text, node.func.attr, args)
                except NotConstant:
                    return None
    return None


def letters(f: Code, node: ast.expr) -> int | None:
    """Returns a tuple of the letters of a text that is known; None if it is no such text."""
    if f.scope.trusted or not facts.is_surely(f, node, kinds.NAME):
        return None
    found = possible.values_of(f, node)
    if not found or len(found) > MAX_SETS:
        return None
    if len(found) == 1:
        return f.constant(tuple(found[0]))
    operand, register, done = f.kept(node), f.temp(), Label()
    for item in found:
        with f.unless(done, bc.JNE, operand, f.constant(item)):
            f.emit(bc.MOVE, register, f.constant(tuple(item)))
    f.place(done)
    return register


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
    open_parts: list[tuple[ast.expr, str, list[Any]]] = []
    count = 1
    for part in parts:
        if isinstance(part, str) or facts.constant_of(f, part[0]) is not MISSING:
            continue
        found = possible.values_of(f, part[0])
        if found is None:
            raise Refused(
                node,
                "names cannot be put together here: what may be in the text is not known",
                ADVICE,
            )
        count *= max(len(found), 1)
        open_parts.append((*part, found))
    if count > MAX_TABLE:
        raise Refused(
            node, f"this text may be {count} different ones, {MAX_TABLE} are possible", ADVICE
        )
    operands = [f.kept(part[0]) for part in open_parts]
    register, done = f.temp(), Label()

    def choose(i: int, chosen: dict[int, Any]) -> None:
        if i == len(open_parts):
            text = assembled(f, node, parts, open_parts, chosen)
            f.emit(bc.MOVE, register, f.constant(text))
            f.emit(bc.JUMP, done)
            return
        for item in open_parts[i][2]:
            other = Label()
            f.emit(bc.JNE, operands[i], f.constant(item), other)
            choose(i + 1, {**chosen, i: item})
            f.place(other)

    choose(0, {})
    within.no_index(f, register)
    f.place(done)
    return f.put(register, into)


def assembled(
    f: Code, node: ast.expr, parts: list[strings.Part], open_parts: list, chosen: dict[int, Any]
) -> str:
    """Returns the text for one choice of values."""
    values_, made = iter(chosen.values()), ""
    try:
        for part in parts:
            if isinstance(part, str):
                made += part
                continue
            constant = facts.constant_of(f, part[0])
            made += strings.render(next(values_) if constant is MISSING else constant, part[1])
        return strings.bounded(made)
    except NotConstant:
        raise Refused(node, "this text cannot be made", ADVICE) from None


def of_name(f: Code, node: ast.expr, known: Chain, into: int | None) -> int | None:
    """Compiles a text function of a name."""
    surely = facts.is_surely(f, known.base, kinds.NAME)
    if not surely and not facts.may_be(f, known.base, kinds.NAME):
        if known.key.startswith("str") and facts.may_be(f, known.base, kinds.NUMBER):
            return number_text(f, node, known, into)
        return None
    operand = f.value(known.base)
    if not surely:
        operand = f.put(operand, f.temp())
        if known.key.startswith("str") and facts.may_be(f, known.base, kinds.NONE):
            none_as_text(f, operand)
        check_name(f, operand)
    names = domain(f, known)
    groups = grouped(universe(f) if names is None else names, known.function)
    if any(isinstance(result, tuple) for result in groups):
        raise Refused(
            node,
            "a text that is split gives a list, which cannot be kept",
            'take one part of it: name.split("_")[0]',
        )
    if all(r is SAME or r is UNDEFINED or isinstance(r, str) for r in groups):
        return renamed(f, node, known, groups, names, operand, into)
    return measured(f, node, known, groups, names, operand, into)


SAME = object()  # the function leaves a name as it is
UNDEFINED = object()  # the function is not defined for a name


def domain(f: Code, known: Chain) -> list[str] | None:
    """Returns the names that the base may be; None for any."""
    found = possible.values_of(f, known.base)
    if found is None:
        return None
    return [item for item in found if isinstance(item, str)]


def universe(f: Code) -> list[str]:
    """Returns the game's names and those that the program has so far."""
    return [*NAMES, *(n for n in (*f.shared.texts, *f.pool.own_names) if n not in NAMES_SET)]


NAMES_SET = frozenset(NAMES)


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


def check_name(f: Code, operand: int) -> None:
    """Emits a trap unless the operand is a name."""
    f.emit(bc.INSET, f.temp(), operand, f.pool.later_set("in", ""))


def none_as_text(f: Code, operand: int) -> None:
    """Makes None the name "None", as `str` does."""
    is_none, done = Label(), Label()
    f.emit(bc.JTAG, operand, values.T_NONE, is_none)
    f.emit(bc.JUMP, done)
    f.place(is_none)
    f.emit(bc.MOVE, operand, f.constant("None"))
    f.place(done)


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


def measured(
    f: Code, node: ast.expr, known: Chain, groups: dict, names: list[str] | None, operand: int,
    into: int | None,
) -> int:  # fmt: skip
    """Compiles a function to numbers or truths: a set of names for each result but one."""
    if len(groups) > MAX_SETS:
        raise Refused(node, "this text work on a name is not part of the language", ADVICE)
    ordered = sorted(groups, key=lambda result: len(groups[result]))
    if groups and set(groups) <= {True, False}:
        register = f.temp() if into is None else into
        f.emit(
            bc.INSET,
            register,
            operand,
            f.pool.named_set(known.key, lambda name: result_of(known.function, name) is True),
        )
        return register
    if names is None:
        f.shared.text_checks.append((node, lambda name: result_of(known.function, name) in groups))
    done, test, register = Label(), f.temp(), f.temp()
    for result in ordered[:-1]:
        key = f"{known.key}={result!r}" if result is not UNDEFINED else f"{known.key}=none"
        f.emit(bc.INSET, test, operand, f.pool.named_set(key, gives(known.function, result)))
        with f.unless(done, bc.JF, test):
            give(f, result, register)
    if ordered:
        give(f, ordered[-1], register)
    f.place(done)
    return f.put(register, into)


def gives(function: Function, result: Any) -> Callable[[str], bool]:
    return lambda name: result_of(function, name) == result


def give(f: Code, result: Any, register: int) -> None:
    if result is UNDEFINED:
        within.no_index(f, register)
    else:
        f.emit(bc.MOVE, register, f.constant(result))


def number_text(f: Code, node: ast.expr, known: Chain, into: int | None) -> int:
    """Compiles `str(n)` of a number with few possible values."""
    return put_together(f, node, [(known.base, "")], into)


def check(shared: Any) -> None:
    """Refuses text functions that names made later would have changed."""
    for node, is_known in shared.text_checks:
        for name in shared.pool.own_names:
            if not is_known(name):
                raise Refused(node, f'this text work does not know the name "{name[:40]}"', ADVICE)
