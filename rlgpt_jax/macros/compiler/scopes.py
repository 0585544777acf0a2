"""Which functions a macro has, what each name means in them, and who calls whom."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from rlgpt_jax.macros.bytecode import MAX_DEPTH
from rlgpt_jax.macros.refusal import Refused

Variable = tuple["Scope", str]  # the function that owns it, its name


@dataclass(eq=False)
class Scope:
    """One function, or the module (`node` is then the Module)."""

    node: ast.Module | ast.FunctionDef
    name: str
    parent: "Scope | None"
    trusted: bool = False  # a routine of ours, not of the macro's author
    params: list[str] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    functions: dict[str, "Scope"] = field(default_factory=dict)
    constants: dict[str, object] = field(default_factory=dict)
    outer_names: set[str] = field(default_factory=set)  # declared global or nonlocal
    boxed: set[str] = field(default_factory=set)  # variables that inner functions assign
    captured: list[Variable] = field(default_factory=list)  # hidden parameters
    refers_to: set["Scope"] = field(default_factory=set)
    is_generator: bool = False
    is_value: bool = False  # used as a value, not only called
    calls_values: bool = False

    @property
    def required(self) -> int:
        """How many parameters have no default."""
        assert isinstance(self.node, ast.FunctionDef)
        return len(self.params) - len(self.node.args.defaults)

    def every(self) -> Iterator["Scope"]:
        """Yields this scope and all functions inside it."""
        yield self
        for inner in self.functions.values():
            yield from inner.every()


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a function's body, without those of inner functions."""
    todo = list(getattr(node, "body", []))
    while todo:
        item = todo.pop()
        yield item
        if not isinstance(item, ast.FunctionDef):
            todo.extend(ast.iter_child_nodes(item))


def comprehension_targets(node: ast.AST) -> set[int]:
    """Returns the ids of the nodes that comprehensions bind: no variables of ours."""
    inside: set[int] = set()
    for item in own_nodes(node):
        for part in getattr(item, "generators", []):
            inside.update(id(n) for n in ast.walk(part.target))
    return inside


def build(node: ast.Module | ast.FunctionDef, parent: Scope | None, name: str) -> Scope:
    """Reads the names of one function and of those inside it."""
    scope = Scope(node, name, parent, trusted=parent.trusted if parent else False)
    if isinstance(node, ast.FunctionDef):
        scope.params = parameters(node)
        scope.variables.update(scope.params)
    hidden = comprehension_targets(node)
    for item in sorted(own_nodes(node), key=lambda n: getattr(n, "lineno", 0)):
        if isinstance(item, ast.FunctionDef):
            if item.name in scope.functions:
                raise Refused(
                    item,
                    f"the function {item.name} is defined twice",
                    "give each function its own name",
                )
            scope.functions[item.name] = build(item, scope, item.name)
        elif isinstance(item, ast.Global | ast.Nonlocal):
            scope.outer_names.update(item.names)
        elif isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            if id(item) not in hidden:
                scope.variables.add(item.id)
        elif isinstance(item, ast.Yield | ast.YieldFrom):
            scope.is_generator = True
    scope.variables -= scope.outer_names
    for clash in scope.variables & set(scope.functions):
        raise Refused(
            scope.functions[clash].node,
            f"{clash} is a function and a variable in the same place",
            "give them two names",
        )
    return scope


def parameters(node: ast.FunctionDef) -> list[str]:
    """Returns the parameter names; refuses *args, **kwargs and decorators."""
    args = node.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        raise Refused(
            node,
            "*args, **kwargs and keyword-only parameters are not part of the language",
            "write plain parameters, with constant default values if you like",
        )
    if node.decorator_list:
        raise Refused(node, "decorators are not part of the language", "write a plain def")
    names = [arg.arg for arg in args.args]
    if len(names) > 32:
        raise Refused(node, "a function may have 32 parameters", "pass a tuple or a list")
    return names


def resolve(scope: Scope, name: str) -> Variable | Scope | None:
    """Returns what a name means: a variable, a function, or None (the macro API)."""
    here: Scope | None = scope
    skip_own = name in scope.outer_names
    while here is not None:
        if not (skip_own and here is scope):
            if name in here.variables:
                return (here, name)
            if name in here.functions:
                return here.functions[name]
        here = here.parent
    return None


def connect(module: Scope) -> None:
    """Finds captured variables and calls, and checks that no call chain has a cycle."""
    scopes = list(module.every())
    for scope in scopes:
        find_references(scope)
    values = {s for s in scopes if s.is_value}
    for scope in scopes:
        if scope.calls_values:
            scope.refers_to |= values - {scope}
    check_depth(module)
    changed = True
    while changed:
        changed = False
        for scope in scopes:
            for called in scope.refers_to:
                for variable in called.captured:
                    if variable[0] is not scope and variable not in scope.captured:
                        scope.captured.append(variable)
                        changed = True
    for scope in values:
        if scope.captured:
            names = ", ".join(name for _, name in scope.captured)
            raise Refused(
                scope.node,
                f"{scope.name} is used as a value and reads outer variables ({names})",
                "give it these as parameters, or call it by its name",
            )


def find_references(scope: Scope) -> None:
    """Notes which outer variables and which functions the scope's own code names."""
    for name in scope.outer_names:
        target = resolve(scope, name)
        if not isinstance(target, tuple):
            raise Refused(
                scope.node,
                f"no outer function or line assigns {name}",
                f"assign {name} before it is declared global or nonlocal",
            )
        target[0].boxed.add(name)
    called = {
        id(n.func) for n in own_nodes(scope.node) if isinstance(n, ast.Call)
    }
    for item in own_nodes(scope.node):
        if isinstance(item, ast.Call) and not isinstance(item.func, ast.Name | ast.Attribute):
            scope.calls_values = True
        if not isinstance(item, ast.Name):
            continue
        target = resolve(scope, item.id)
        if isinstance(target, Scope):
            scope.refers_to.add(target)
            target.is_value |= id(item) not in called
        elif target is not None:
            scope.calls_values |= id(item) in called
            if target[0] is not scope and target not in scope.captured:
                scope.captured.append(target)


def check_depth(module: Scope) -> None:
    """Refuses recursion and calls nested too deeply."""
    depth: dict[Scope, int] = {}
    path: list[Scope] = []

    def visit(scope: Scope) -> int:
        if scope in path:
            raise Refused(
                scope.node,
                f"{scope.name} calls itself (recursion is not part of the language)",
                "write a loop",
            )
        if scope not in depth:
            path.append(scope)
            deepest = max([visit(called) for called in scope.refers_to], default=0)
            path.pop()
            depth[scope] = deepest + (0 if scope.trusted else 1)
        return depth[scope]

    for scope in module.every():
        if scope is not module and visit(scope) > MAX_DEPTH:
            raise Refused(
                scope.node,
                f"calls are nested more than {MAX_DEPTH} deep",
                "put small helpers into the functions that call them",
            )
