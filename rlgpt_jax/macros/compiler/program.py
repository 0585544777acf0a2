"""From a checked tree to a `Program`: compiles every function and assembles them."""

import ast
from collections.abc import Mapping
from functools import cache

import numpy as np

from rlgpt_jax.macros import values
from rlgpt_jax.macros.compiler import calls, conditions, expressions, imports, statements, work
from rlgpt_jax.macros.compiler.calling import arguments, function_values, functions
from rlgpt_jax.macros.compiler.code import Code, Instruction, Label, Shared
from rlgpt_jax.macros.compiler.data import loops, text
from rlgpt_jax.macros.compiler.known import flow, frozen, records, snapshots
from rlgpt_jax.macros.compiler.pool import Pool
from rlgpt_jax.macros.compiler.tree.lower import FIRST_OBS, lower
from rlgpt_jax.macros.compiler.tree.scopes import Scope, build, connect
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.routines.routines import ROUTINE_SOURCE
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vocabulary import Vocabulary

Code.value, Code.built_in, Code.list_of = expressions.value, calls.built_in, loops.list_of
Code.jump_if, Code.block = conditions.jump_if, statements.block


def compile_program(
    tree: ast.Module, source: str, name: str | None, vocabulary: Vocabulary,
    library: Mapping[str, ast.Module],
) -> bc.Program:  # fmt: skip
    """Compiles a macro, and what it calls of the library. Raises `Refused`."""
    notices: list[str] = []
    outside = {*library, *(action.name for action in vocabulary.actions)}
    tree = lower(tree, vocabulary, notices, outside)
    library = {key: lower(text, vocabulary, [], outside) for key, text in library.items()}
    module = build(tree, None, "")
    shared_texts = names_in_quotes([tree, *library.values()])
    shared = Shared(Pool(), vocabulary, routines=routines(), notices=notices, texts=shared_texts)
    arguments.define_actions(shared)
    imported = imports.modules(module, library, shared)
    frozen.freeze(module, shared)
    for library_module, function in zip(imported, library, strict=True):
        frozen.freeze(library_module, shared)
        imports.check(library_module, function)
    for each in (*imported, module):
        functions.settle_defaults(each, shared)
        connect(each)
    entry = shared.entry = find_entry(module, name)
    shared.arguments = arguments.of_macro(entry, shared)
    modules = [module, *imported]
    shared.kinds = flow.infer(modules, entry, shared)
    shared.stale_boxes = records.stale_boxes(modules)
    code = compile_code(module, shared)
    if shared.pinned or shared.pinned_rows:
        known = flow.infer(modules, entry, shared, shared.pinned)
        if snapshots.asked(modules, shared, known):
            shared.again(known)
            code = compile_code(module, shared)
    return assemble(code, shared, entry.name, source)


def compile_code(module: Scope, shared: Shared) -> list[Code]:
    """Compiles all functions of a program; those of ours that it uses come last."""
    assert shared.entry is not None
    code = [compile_module(module, shared.entry, shared)]
    compile_used(code, shared)
    for scope in module.every():
        if scope is not module:
            shared.start_of(scope)  # never called, but must be part of the language
    compile_used(code, shared)
    for f in code:
        records.keep_records(f)
    compile_used(code, shared)
    if shared.pin_used:
        scope = Scope(ast.Module([], []), "keep", None, trusted=True, params=["record"])
        code.append(Code(scope, shared))
        records.pin_routine(code[-1])
    return code


def compile_used(code: list[Code], shared: Shared) -> None:
    """Compiles functions that others call, and what these call; after the module's code."""
    while len(code) <= len(shared.used):
        code.append(compile_function(shared.used[len(code) - 1], shared))


def names_in_quotes(trees: list[ast.Module]) -> tuple[str, ...]:
    """Returns the texts of a program that can be names."""
    found = [n.value for tree in trees for n in work.walk(tree) if isinstance(n, ast.Constant)]
    return tuple(dict.fromkeys(t for t in found if isinstance(t, str) and len(t) <= 100))


@cache
def routines() -> dict[str, Scope]:
    """Returns the functions of `routines.py`, which no compilation changes."""
    before = work.spent()
    tree = ast.parse(ROUTINE_SOURCE)
    module = Scope(tree, "", None, trusted=True)
    for node in tree.body:
        assert isinstance(node, ast.FunctionDef)
        module.functions[node.name] = build(node, module, node.name)
    connect(module)
    work.charge(before - work.spent())  # made once, not a part of any one compilation
    return module.functions


def find_entry(module: Scope, name: str | None) -> Scope:
    """Returns the macro itself: the function called `name`, or the last that takes obs."""
    named = [s for s in module.functions.values() if s.name.isidentifier()]
    takers = [s for s in named if s.params and not unbounded(s)]
    if name is not None and name in module.functions:
        entry = module.functions[name]
    elif name is not None:
        known = ", ".join(s.name for s in named) or "none"
        raise Refused(
            None,
            f"there is no function {name} (functions here: {known})",
            f"write def {name}(obs):",
        )
    elif takers:
        called = [s for s in takers if s.params[0] == "obs"] or takers
        entry = called[-1]
    else:
        known = ", ".join(s.name for s in named)
        raise Refused(
            named[0].node if named else None,
            "there is no function that takes obs "
            "and nothing else" + (f" (functions here: {known})" if known else ""),
            "write def NAME(obs):",
        )
    if not entry.params or unbounded(entry):
        raise Refused(
            entry.node,
            f"{entry.name} must take one argument, the observation",
            f"write def {entry.name}(obs):",
        )
    if not entry.is_generator:
        raise Refused(
            entry.node,
            f"{entry.name} never yields, so it never acts",
            "write obs = yield forward() and the like, or obs = yield from helper(obs)",
        )
    return entry


def unbounded(scope: Scope) -> bool:
    """Says whether a function needs more than an observation and bounded parameters."""
    assert isinstance(scope.node, ast.FunctionDef)
    required = len(scope.positional) - len(scope.node.args.defaults)
    return bool(set(scope.positional[1:required]) - arguments.bounds(scope.node).keys())


# --- functions -------------------------------------------------------------------
def compile_module(module: Scope, entry: Scope, shared: Shared) -> Code:
    """Compiles the lines outside of functions and the call of the macro."""
    f = Code(module, shared)
    assert isinstance(module.node, ast.Module)
    f.inner_names.append({FIRST_OBS: f.constant_bits(values.box(values.T_OBS))})
    statements.boxes(f)
    for node in module.node.body:
        if isinstance(node, ast.If | ast.For | ast.While | ast.Return):
            raise Refused(
                node,
                "outside of functions only assignments are possible",
                "move this line into the macro",
            )
        statements.statement(f, node)
    f.top = f.floor
    given = arguments.read_arguments(f, f.inner_names[0][FIRST_OBS])
    f.inner_names.append({f"argument {name}": register for name, register in given.items()})
    keywords = [ast.keyword(name, ast.Name(f"argument {name}", ast.Load())) for name in given]
    obs = ast.Name(FIRST_OBS, ast.Load())
    call = ast.YieldFrom(ast.Call(ast.Name(entry.name, ast.Load()), [obs], keywords))
    for part in ast.walk(call):
        ast.copy_location(part, entry.node)
    f.value(call)
    finish(f)
    return f


def compile_function(scope: Scope, shared: Shared) -> Code:
    f = Code(scope, shared)
    if scope in shared.actions:
        arguments.action_body(f)
        return f
    f.at(scope.node)
    assert isinstance(scope.node, ast.FunctionDef)
    statements.boxes(f)
    f.block(scope.node.body)
    finish(f)
    return f


def finish(f: Code) -> None:
    """Ends a function; variables that may be read unset start with a mark."""
    if f.scope.parent is None:
        f.emit(bc.HALT)
    else:
        f.emit(bc.RETURN, f.constant(None))
    if f.may_be_unset:
        unset = f.constant_bits(values.UNBOUND)
        marks = [Instruction(bc.MOVE, r, unset, 0, f.line) for r in sorted(f.may_be_unset)]
        f.shared.grow(len(marks))
        f.items = [*marks, *f.items]


# --- assembly --------------------------------------------------------------------
def assemble(code: list[Code], shared: Shared, name: str, source: str) -> bc.Program:
    """Gives every label its place and every function its frame."""
    instructions: list[Instruction] = []
    for f in code:
        if f.scope in shared.starts:
            shared.starts[f.scope].pc = len(instructions)
        for item in f.items:
            if isinstance(item, Label):
                item.pc = len(instructions)
                continue
            if item.op == bc.ALLOC:  # it may move the heap, as far as the current frame reaches
                item.c |= f.frame << 4
            elif item.op == bc.APPEND:
                item.c = f.frame
            instructions.append(item)
    assert all(label.pc >= 0 for label in shared.starts.values())
    check_stack(code)
    sizes = {f.scope: f.frame for f in code}
    pin_size = code[-1].frame
    for item in instructions:
        if item.op == bc.CALL:
            item.c = pin_size if item.c is None else sizes[item.c]
    for scope, row in shared.rows.items():
        count = len(scope.params) if scope.is_plain else function_values.NO_CALL
        shape = count | (bc.CALLED_FROM if scope.is_generator else 0)
        shared.pool.cells[row : row + 3] = [shared.starts[scope].pc, shape, sizes[scope]]
    text.check(shared)
    shared.pool.fill_sets()
    program = bc.Program(
        name=name,
        source=source,
        sensors=shared.vocabulary.sensors,
        notices=tuple(dict.fromkeys(shared.notices))[:20],
        code=np.array([row_of(item) for item in instructions], np.int32),
        lines=np.array([item.line for item in instructions], np.int32),
        constants=np.array(shared.pool.cells, np.int32),
        arguments=shared.arguments,
        spec=shared.vocabulary.spec,
    )
    bc.verify(program)
    return program


def row_of(item: Instruction) -> list[int]:
    return [item.op, *(x.pc if isinstance(x, Label) else x for x in (item.a, item.b, item.c))]


def check_stack(code: list[Code]) -> None:
    """Refuses macros whose deepest chain of calls does not fit into the stack."""
    of_scope = {f.scope: f for f in code}
    depth: dict[Scope, int] = {}
    path: list[Scope] = []

    def size(f: Code) -> int:
        if f.scope in path:  # recursion: it ends when the cells do
            return 0
        if f.scope not in depth:
            path.append(f.scope)
            called = [i.c for i in f.items if isinstance(i, Instruction) and i.op == bc.CALL]
            frames = [size(of_scope[s] if s is not None else code[-1]) for s in set(called)]
            if any(isinstance(i, Instruction) and i.op == bc.CALLV for i in f.items):
                frames += [size(of_scope[s]) for s in of_scope if s.is_value and s is not f.scope]
            depth[f.scope] = f.frame + max(frames, default=0)
            path.pop()
        return depth[f.scope]

    if size(code[0]) > bc.STACK_CELLS:
        raise Refused(
            None,
            f"the functions need {size(code[0])} cells for variables, {bc.STACK_CELLS} are there",
            "use fewer variables and shorter chains of helpers",
        )
