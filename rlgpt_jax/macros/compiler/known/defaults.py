"""Dictionaries that make missing entries, and deques of a greatest length.

`defaultdict`, `Counter` and `deque(maxlen=...)` behave so under the name that they are
assigned to, in the function itself and in those inside it. Under another name they are a
plain dictionary, whose missing keys end the macro; a deque of a greatest length may not
get another name.
"""

import ast
from dataclasses import dataclass

from rlgpt_jax.macros.compiler.code import Code, Label
from rlgpt_jax.macros.compiler.data import within
from rlgpt_jax.macros.compiler.known import facts
from rlgpt_jax.macros.compiler.known.frozen import READERS
from rlgpt_jax.macros.compiler.tree.scopes import Scope, Variable, own_nodes, resolve
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm import bytecode as bc


@dataclass(frozen=True)
class Maker:
    """How a variable's container was made."""

    kind: str  # defaultdict, Counter or deque
    call: ast.Call


def find(modules: list[Scope]) -> dict[Variable, Maker]:
    """Returns the variables that only ever hold such containers."""
    found: dict[Variable, Maker] = {}
    others: set[Variable] = set()
    for scope in (s for module in modules for s in module.every()):
        others.update((scope, name) for name in scope.params)
        for node in own_nodes(scope.node):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                maker = maker_of(scope, node.value)
                for target in targets:
                    variable = resolve(scope, target.id) if isinstance(target, ast.Name) else None
                    if isinstance(variable, tuple):
                        if maker is None or found.get(variable, maker).kind != maker.kind:
                            others.add(variable)
                        else:
                            found[variable] = maker
    kept = {v: maker for v, maker in found.items() if v not in others}
    check_deques(modules, {v for v, maker in found.items() if maker.kind == "deque"}, kept)
    return kept


def maker_of(scope: Scope, node: ast.expr) -> Maker | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    name = node.func.id
    if resolve(scope, name) is not None or name not in ("defaultdict", "Counter", "deque"):
        return None
    return Maker(name, node) if name != "deque" or longest(node) is not None else None


def longest(node: ast.Call) -> ast.expr | None:
    """Returns the greatest length of `deque(items, n)`, None if there is none."""
    for keyword in node.keywords:
        if keyword.arg == "maxlen":
            return keyword.value
    return node.args[1] if len(node.args) > 1 else None


def check_deques(modules: list[Scope], deques: set[Variable], kept: dict[Variable, Maker]) -> None:
    """Refuses a deque of a greatest length that may be reached under another name."""
    for scope in (s for module in modules for s in module.every()) if deques else ():
        harmless: set[int] = set()
        for node in own_nodes(scope.node):
            if isinstance(node, ast.Attribute | ast.Subscript):
                harmless.add(id(node.value))
            elif isinstance(node, ast.For | ast.comprehension):
                harmless.add(id(node.iter))
            elif isinstance(node, ast.If | ast.While | ast.IfExp):
                harmless.add(id(node.test))
            elif isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp):
                harmless.update(id(part) for part in ast.iter_child_nodes(node))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in READERS and resolve(scope, node.func.id) is None:
                    harmless.update(id(arg) for arg in node.args)
        for node in own_nodes(scope.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                variable = resolve(scope, node.id)
                if variable in deques and (id(node) not in harmless or variable not in kept):
                    raise Refused(
                        node,
                        f"{node.id} is a deque with maxlen and gets another name",
                        "use a list, and after append: if len(xs) > n: xs.pop(0)",
                    )


def of_name(f: Code, node: ast.expr) -> Maker | None:
    """Returns how the container of a name was made, if it is one of these."""
    if isinstance(node, ast.Name) and not f.scope.trusted:
        node = f.shared.aliases.get(node.id, node)
    if isinstance(node, ast.Name) and not any(node.id in names for names in f.inner_names):
        variable = resolve(f.scope, node.id)
        return f.shared.makers.get(variable) if isinstance(variable, tuple) else None
    return None


# --- dictionaries ----------------------------------------------------------------------


PLAIN = {"int": 0.0, "float": 0.0, "bool": False}


def item(f: Code, maker: Maker, owner: ast.expr, key: ast.expr, into: int | None) -> int | None:
    """Compiles `d[key]` with a missing entry made; None if it is not to be made."""
    if maker.kind == "Counter":
        return within.routine_with(f, "_dict_get", [owner, key, f.constant(0.0)], into)
    factory = maker.call.args[0] if maker.call.args else None
    if maker.kind != "defaultdict" or factory is None or facts.constant_of(f, factory) is None:
        return None
    if isinstance(factory, ast.Name) and factory.id in PLAIN and facts.is_api(f, factory.id):
        return within.routine_with(
            f, "_setdefault", [owner, key, f.constant(PLAIN[factory.id])], into
        )
    made = ast.copy_location(ast.Call(factory, [], []), key)
    return within.routine_with(f, "_setdefault", [owner, key, made], into)


# --- deques --------------------------------------------------------------------------
def shortened(f: Code, maker: Maker | None, row: int, left: bool = False) -> None:
    """Drops the element at the other end after `append`, if a deque is too long."""
    limit = longest(maker.call) if maker is not None and maker.kind == "deque" else None
    if limit is None:
        return
    length, done = f.temp(), Label()
    f.emit(bc.LEN, length, row)
    f.emit(bc.JLE, length, f.value(limit), done)
    within.routine(f, "_pop", [row, f.constant(-1.0 if left else 0.0)])
    f.place(done)
