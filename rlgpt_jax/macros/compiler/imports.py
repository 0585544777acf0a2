"""Functions of a library that a macro calls by name: each is a macro of its own file.

Only those that are named are compiled into a program, as routines are. A name means what
the author made of it first, then a function of the library, then the macro API; the
library's own names are never seen by the author and the author's never by the library.
"""

import ast
from collections.abc import Callable, Collection, Mapping

from rlgpt_jax.macros.compiler.calling.arguments import named_actions
from rlgpt_jax.macros.compiler.code import Shared
from rlgpt_jax.macros.compiler.tree.modules import bound_names
from rlgpt_jax.macros.compiler.tree.scopes import Scope, build
from rlgpt_jax.macros.linked import split
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm.bytecode import LIBRARY_LINE


def needed(
    tree: ast.Module,
    called: Mapping[str, str],
    library: Mapping[str, str],
    read: Callable[[str], ast.Module],
) -> dict[str, ast.Module]:
    """Parses the functions that a tree names, and those that these name in turn.

    Args:
      called: sections of the macro (`linked.py`), name -> text. What a macro was linked with is
        found before a function of the library.
      library: name -> source text with a function of that name, linked or not.

    Raises:
      Refused: two macros would call different functions of one name, or one cannot be read.
    """
    found: dict[str, ast.Module] = {}
    wanted: dict[str, set[str]] = {}  # by a function of `found`
    owners: dict[str, tuple[str, str]] = {}  # of each: whose it is, and its text
    seen: set[tuple[str, str]] = set()
    todo = [("this code", called, names_in(tree) if called or library else set())]
    while todo:
        macro, sections, names = todo.pop()
        for name in sorted(names & (sections.keys() | library.keys())):
            own, inside = (sections[name], sections) if name in sections else split(library[name])
            owner = macro if name in sections else name
            if (name, owner) in seen:
                continue
            seen.add((name, owner))
            other, text = owners.setdefault(name, (owner, own))
            if text.rstrip() != own.rstrip():
                raise Refused(
                    None,
                    f"two different functions {name} would be called, that of "
                    f"{other} and that of {owner}",
                    "call only one of the two",
                )
            if name not in found:
                found[name] = read_function(own, read)
                wanted[name] = names_in(found[name])
                give_observation(found[name], name, library.keys() | inside.keys())
            todo.append((owner, inside, wanted[name]))
    return found


def read_function(text: str, read: Callable[[str], ast.Module]) -> ast.Module:
    """Parses a text; its lines count from `LIBRARY_LINE`, also in a refusal."""
    try:
        return ast.increment_lineno(read(text), LIBRARY_LINE)
    except Refused as refused:
        refused.line += LIBRARY_LINE if refused.line else 0
        raise


def names_in(tree: ast.Module) -> set[str]:
    """The names that a text has and does not define itself as functions."""
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - own


def blame(refused: Refused) -> Refused:
    """Says in words if a refusal comes from a function of the library."""
    if refused.line <= LIBRARY_LINE:
        return refused
    line = refused.line - LIBRARY_LINE
    return Refused(
        None,
        f"a function of the library cannot be used here, in its line {line}: {refused.reason}",
        "write this part yourself",
    )


def modules(module: Scope, trees: Mapping[str, ast.Module], shared: Shared) -> list[Scope]:
    """Returns one module per function of the library; tells each, and `module`, what it sees.

    These are the functions of the library and the actions of a world with a spec, the hidden ones
    in a trusted skill.
    """
    made = [build(tree, None, "", imported=True) for tree in trees.values()]
    functions = {name: each.functions[name] for name, each in zip(trees, made, strict=True)}
    for each in (module, *made):
        trusted = getattr(each.node, "trusted", False)
        each.imports = named_actions(shared, hidden=trusted) | functions
    return made


def check(module: Scope, name: str) -> None:
    """Refuses what can run on its own but not be called: state outside of functions.

    Constants have left `module.variables` by now.
    """
    shadowed = set(module.functions[name].params) & module.constants.keys()
    if shadowed:
        raise Refused(
            None,
            f"the library's {name} has a parameter and a constant of one name "
            f"({', '.join(sorted(shadowed))}), so it cannot be called",
            "rename one",
        )
    if module.variables:
        raise Refused(
            None,
            f"the library's {name} keeps variables outside of its functions "
            f"({', '.join(sorted(module.variables))}), so it cannot be called",
            "do without it, or move them into the function",
        )
    if not module.functions[name].is_generator:
        raise Refused(None, f"the library's {name} never yields", "do without it")


def give_observation(tree: ast.Module, name: str, library: Collection[str]) -> None:
    """Makes a function give the newest observation to its caller, whatever it returned.

    So `obs = yield from name(obs)` is right for every macro; most return nothing. The
    function and its helpers move into one of the same name that notes every observation.
    A function whose every end is `return obs` stays as it is.
    """
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    entry = next((f for f in functions if f.name == name), None)
    if entry is None:
        raise Refused(None, f"the library's {name} has no function {name}", f"write def {name}")
    args = entry.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        raise Refused(
            entry,
            f"{name} takes arguments in a way that only works within one file",
            "write plain parameters",
        )
    if not args.args or returns_observation(entry):
        return
    params = ", ".join(arg.arg for arg in entry.args.args)
    text = AROUND.format(name=name, params=params, obs=entry.args.args[0].arg)
    around = ast.parse(text).body[0]
    assert isinstance(around, ast.FunctionDef)
    for node in ast.walk(around):
        ast.copy_location(node, entry)
        hide_names(node)
    around.args.defaults = entry.args.defaults
    entry.name = HIDDEN["inner_"]
    noted = NoteYields(tree, library)
    around.body[2:2] = [noted.visit(f) for f in functions]
    tree.body = [n for n in tree.body if n not in functions] + [around]


AROUND = """
def {name}({params}):
    newest_ = {obs}
    def note_(seen_):
        nonlocal newest_
        newest_ = seen_
        return seen_
    yield from inner_({params})
    return newest_
"""
# With a space, so that no author's name is the same.
HIDDEN = {name: name.rstrip("_") + " of the library" for name in ("newest_", "note_", "inner_")}


def hide_names(node: ast.AST) -> None:
    """Gives a node of `AROUND` its hidden name."""
    if isinstance(node, ast.Name):
        node.id = HIDDEN.get(node.id, node.id)
    elif isinstance(node, ast.FunctionDef):
        node.name = HIDDEN.get(node.name, node.name)
    elif isinstance(node, ast.Nonlocal):
        node.names = [HIDDEN.get(name, name) for name in node.names]


class NoteYields(ast.NodeTransformer):
    """Turns every `yield action` into `note(yield action)`, and so with what the library's
    functions give."""

    def __init__(self, tree: ast.Module, library: Collection[str]):
        self._library = set(library) - bound_names(ast.walk(tree))

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        self.generic_visit(node)
        function = node.value.func if isinstance(node.value, ast.Call) else None
        known = isinstance(function, ast.Name) and function.id in self._library
        return self._noted(node) if known else node

    def visit_Yield(self, node: ast.Yield) -> ast.expr:
        self.generic_visit(node)
        return self._noted(node)

    @staticmethod
    def _noted(node: ast.expr) -> ast.expr:
        name = ast.copy_location(ast.Name(HIDDEN["note_"], ast.Load()), node)
        return ast.copy_location(ast.Call(name, [node], []), node)


def returns_observation(entry: ast.FunctionDef) -> bool:
    """Says whether every end of a function is `return obs`, obs being its first parameter."""
    returns, todo = [], list[ast.AST](entry.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Return):
            returns.append(node)
        elif not isinstance(node, ast.FunctionDef):
            todo.extend(ast.iter_child_nodes(node))
    first = entry.args.args[0].arg
    return isinstance(entry.body[-1], ast.Return) and all(
        isinstance(node.value, ast.Name) and node.value.id == first for node in returns
    )
