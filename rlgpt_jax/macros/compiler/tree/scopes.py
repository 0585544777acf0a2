"""Which functions a macro has, what each name means in them, and who calls whom."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.vm.bytecode import MAX_DEPTH

Variable = tuple["Scope", str]  # the function that owns it, its name
MISSING: Any = object()  # instead of a constant, where there is none


@dataclass(eq=False)
class Scope:
    """One function, or the module (`node` is then the Module)."""

    node: ast.Module | ast.FunctionDef
    name: str
    parent: "Scope | None"
    trusted: bool = False  # a routine of ours, not of the macro's author
    imported: bool = False  # of the library, see `imports.py`
    params: list[str] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    functions: dict[str, "Scope"] = field(default_factory=dict)
    imports: dict[str, "Scope"] = field(default_factory=dict)  # of a module: the library
    constants: dict[str, Any] = field(default_factory=dict)  # names that never change
    api_values: set[str] = field(default_factory=set)  # of a module: see `function_values.py`
    outer_names: set[str] = field(default_factory=set)  # declared global or nonlocal
    global_names: set[str] = field(default_factory=set)  # declared global
    defaults: dict[str, Any] = field(default_factory=dict)  # constant default values
    reassigned: set[str] = field(default_factory=set)  # variables that := assigns
    boxed: set[str] = field(default_factory=set)  # variables that inner functions assign
    captured: list[Variable] = field(default_factory=list)  # hidden parameters
    refers_to: dict["Scope", None] = field(default_factory=dict)  # in a fixed order
    is_generator: bool = False
    is_value: bool = False  # used as a value, not only called
    calls_values: bool = False

    @property
    def positional(self) -> list[str]:
        """The parameters that arguments without a name go to."""
        args = getattr(self.node, "args", None)
        return [a.arg for a in (*args.posonlyargs, *args.args)] if args is not None else []

    def default_nodes(self) -> list[tuple[str, ast.expr]]:
        """Returns parameters and their default values."""
        args = getattr(self.node, "args", None)
        if args is None:
            return []
        names = self.positional
        plain = list(zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True))
        only = zip((arg.arg for arg in args.kwonlyargs), args.kw_defaults, strict=True)
        return plain + [(name, value) for name, value in only if value is not None]

    @property
    def is_plain(self) -> bool:
        """Says whether a call needs nothing but all parameters in their order."""
        args = getattr(self.node, "args", None)
        return (
            not self.captured
            and isinstance(args, ast.arguments)
            and not (args.vararg or args.kwarg or args.kwonlyargs)
        )

    @property
    def module(self) -> "Scope":
        return self if self.parent is None else self.parent.module

    def every(self) -> Iterator["Scope"]:
        """Yields this scope and all functions inside it."""
        yield self
        for inner in self.functions.values():
            yield from inner.every()


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """Returns the nodes of a function's body, without those of inner functions.

    Trees do not change any more when the first scope is made of them: one walk is enough.
    """
    found: list[ast.AST] | None = node.__dict__.get("own_nodes")
    if found is None:
        found, todo = [], list(getattr(node, "body", []))
        while todo:
            item = todo.pop()
            found.append(item)
            if isinstance(item, ast.FunctionDef):  # default values belong to the outer function
                todo += [d for d in (*item.args.defaults, *item.args.kw_defaults) if d]
            else:
                todo += work.children(item)
        node.__dict__["own_nodes"] = found
    work.charge(len(found))
    return found


def every_arg(args: ast.arguments) -> list[ast.arg]:
    """Returns the parameters: plain ones, *args, keyword-only ones, **kwargs."""
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [arg for arg in every if arg is not None]


def names_in(node: ast.AST) -> set[str]:
    return {n.id for n in work.walk(node) if isinstance(n, ast.Name)}


def has_stars(node: ast.Call) -> bool:
    """Says whether a call has * or ** arguments."""
    return any(isinstance(arg, ast.Starred) for arg in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    )


def comprehension_names(node: ast.AST) -> set[int]:
    """Returns the ids of the nodes that name what a comprehension binds: no variables of ours."""
    found: set[int] | None = node.__dict__.get("comprehension_names")
    if found is None:
        found = node.__dict__["comprehension_names"] = set()
        for item in own_nodes(node):
            parts = getattr(item, "generators", [])
            names = {name for part in parts for name in names_in(part.target)}
            inside = {id(n): n for n in work.walk(item)} if parts else {}
            for n in work.walk(parts[0].iter) if parts else ():
                inside.pop(id(n))
            found.update(i for i, n in inside.items() if isinstance(n, ast.Name) and n.id in names)
    return found


def build(
    node: ast.Module | ast.FunctionDef, parent: Scope | None, name: str, imported: bool = False
) -> Scope:
    """Reads the names of one function and of those inside it."""
    work.charge(100)  # of its scope, its registers and its passes
    scope = Scope(
        node, name, parent, trusted=parent.trusted if parent else False,
        imported=parent.imported if parent else imported,
    )  # fmt: skip
    if isinstance(node, ast.FunctionDef):
        scope.params = parameters(node)
        scope.variables.update(scope.params)
    hidden = comprehension_names(node)
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
            if isinstance(item, ast.Global):
                scope.global_names.update(item.names)
        elif isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            if id(item) not in hidden:
                scope.variables.add(item.id)
        elif isinstance(item, ast.NamedExpr):
            scope.reassigned.add(item.target.id)
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
    """Returns the parameter names."""
    if node.decorator_list:
        raise Refused(
            node.decorator_list[0],
            "decorators are not part of the language",
            "write a plain def, and call it where it is needed",
        )
    names = [arg.arg for arg in every_arg(node.args)]
    if len(names) > 32:
        raise Refused(node, "a function may have 32 parameters", "pass a tuple or a list")
    return names


def resolve(scope: Scope, name: str) -> Variable | Scope | None:
    """Returns what a name means: a variable, a function, or None (the macro API)."""
    here: Scope | None = scope
    imports: dict[str, Scope] = {}
    skip_own = name in scope.outer_names
    if name in scope.global_names:
        here, skip_own = scope.module, False
    while here is not None:
        imports = here.imports
        if not (skip_own and here is scope):
            if name in here.variables:
                return (here, name)
            if name in here.functions:
                return here.functions[name]
            if name in here.constants:
                return None
        here = here.parent
    return imports.get(name)


def constant_named(scope: Scope, name: str) -> Any:
    """Returns the value of a name that is assigned once, a constant; else MISSING."""
    here: Scope | None = scope
    while here is not None:
        if name in here.constants:
            return here.constants[name]
        if name in here.variables or name in here.functions:
            return MISSING
        here = here.parent
    return MISSING


def connect(module: Scope) -> None:
    """Finds captured variables and calls, and checks how deep calls can be nested."""
    scopes = list(module.every())
    for scope in scopes:
        module.variables |= scope.global_names - module.functions.keys() - module.constants.keys()
    for scope in scopes:
        find_references(scope)
    values = [s for s in scopes if s.is_value]
    for scope in scopes:
        if scope.calls_values:
            scope.refers_to.update(dict.fromkeys(values))
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
    called = {id(n.func) for n in own_nodes(scope.node) if isinstance(n, ast.Call)}
    inner = inner_names(scope.node)
    for item in own_nodes(scope.node):
        scope.calls_values |= may_call_value(scope, item, inner)
        if not isinstance(item, ast.Name):
            continue
        target = resolve(scope, item.id)
        if target is None and id(item) not in called:
            scope.module.api_values.add(item.id)
        if isinstance(target, Scope):
            scope.refers_to[target] = None
            target.is_value |= id(item) not in called
            is_library = target.module is not scope.module and not target.trusted
            if is_library and id(item) not in called:
                raise Refused(
                    item,
                    f"{item.id} is a function of the library, which can only be called",
                    f"write a helper with obs = yield from {item.id}(obs)",
                )
        elif target is not None:
            if target[0] is not scope and target not in scope.captured:
                scope.captured.append(target)


def inner_names(node: ast.AST) -> set[str]:
    """Returns the names of comprehensions and of lambdas that are compiled in place."""
    found: set[str] = set()
    for item in own_nodes(node):
        for part in getattr(item, "generators", []):
            found |= names_in(part.target)
        if isinstance(item, ast.arg):
            found.add(item.arg)
    return found


def may_call_value(scope: Scope, item: ast.AST, inner: set[str]) -> bool:
    """Says whether a node may call a function that is a value."""
    if isinstance(item, ast.keyword):
        return item.arg == "key" and not isinstance(item.value, ast.Lambda)
    if isinstance(item, ast.YieldFrom):
        call = item.value
        target = None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            target = resolve(scope, call.func.id)
        return not (isinstance(target, Scope) and target.is_generator)
    if not isinstance(item, ast.Call):
        return False
    if isinstance(item.func, ast.Name):
        target = resolve(scope, item.func.id)
        return isinstance(target, tuple) or item.func.id in inner
    return not isinstance(item.func, ast.Attribute)


def check_depth(module: Scope) -> None:
    """Refuses calls nested too deeply. Recursion ends when the cells for variables do."""
    depth: dict[Scope, int] = {}
    path: list[Scope] = []

    def visit(scope: Scope) -> int:
        if scope in path:
            return 0
        if scope not in depth:
            path.append(scope)
            work.charge(3 * len(scope.refers_to) + len(path))
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
