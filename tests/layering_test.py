"""Imports point down only and never to tests, and no model text is executed: read from sources."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path for folder in ("rlgpt_jax", "experiments") for path in (ROOT / folder).rglob("*.py")
)
TREES = {path: ast.parse(path.read_text()) for path in FILES}
# What a file may import of ours, by the longest prefix of its module name.
ALLOWED = {
    "rlgpt_jax": (),
    "rlgpt_jax.envs": ("rlgpt_jax.envs",),
    "rlgpt_jax.envs.names": (),
    "rlgpt_jax.envs.wiki": (),
    "rlgpt_jax.envs.tasks.tasks": ("rlgpt_jax.envs.tasks.table",),
    "rlgpt_jax.envs.tasks.table": (),
    "rlgpt_jax.envs.base": (),
    "rlgpt_jax.envs.spec": (),
    "rlgpt_jax.envs.kernels": (),
    "rlgpt_jax.macros": (
        "rlgpt_jax.macros",
        "rlgpt_jax.envs.base",
        "rlgpt_jax.envs.kernels",
        "rlgpt_jax.envs.names",
        "rlgpt_jax.envs.spec",
        "rlgpt_jax.envs.wiki",
    ),
    "rlgpt_jax.macros.limits": (),
    "rlgpt_jax.rl": (
        "rlgpt_jax.rl",
        "rlgpt_jax.macros",
        "rlgpt_jax.envs.base",
        "rlgpt_jax.envs.names",
        "rlgpt_jax.envs.spec",
    ),
    "rlgpt_jax.rl.interface": (),
    "rlgpt_jax.agents": (
        "rlgpt_jax.agents",
        "rlgpt_jax.rl.interface",
        "rlgpt_jax.macros.limits",
        "rlgpt_jax.envs.names",
        "rlgpt_jax.envs.spec",
    ),
    "rlgpt_jax.loop": (
        "rlgpt_jax.loop",
        "rlgpt_jax.agents",
        "rlgpt_jax.rl",
        "rlgpt_jax.macros",
        "rlgpt_jax.envs",
    ),
    "experiments": ("experiments", "rlgpt_jax"),
}
EVERYWHERE = ("rlgpt_jax.files",)  # imports nothing of ours
IMPORT_IN_TEXT = re.compile(
    r"^ *from ((?:rlgpt_jax|experiments|tests)[\w.]*) import ([\w, ]+)", re.M
)
PRINTING = {"print", "input"}
EXECUTING = {"exec", "eval", "compile", "__import__"}
FORBIDDEN_MODULES = {"builtins", "code", "pickle", "cloudpickle", "dill", "marshal", "shelve"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST) -> list[str]:
    """Every module that the file imports, also inside functions."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            base = node.module or ""
            names += [f"{base}.{alias.name}" for alias in node.names]
    return names


def allowed_for(module: str) -> tuple[str, ...]:
    rules = [p for p in ALLOWED if module == p or module.startswith(p + ".")]
    return (*ALLOWED[max(rules, key=len)], *EVERYWHERE)


def upward(module: str, names: list[str]) -> list[str]:
    ours = [n for n in names if n.split(".")[0] in ("rlgpt_jax", "experiments", "tests")]
    ok = allowed_for(module)
    return [n for n in ours if not any(n == p or n.startswith(p + ".") for p in ok)]


def used_names(tree: ast.AST) -> set[str]:
    """Every plain name that is read: a call, or a function given another name first."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def test_files_import_only_from_layers_below_them() -> None:
    found = {str(path): upward(module_name(path), imported(tree)) for path, tree in TREES.items()}
    assert not {path: names for path, names in found.items() if names}


def test_the_check_sees_an_upward_import() -> None:
    tree = ast.parse("def f():\n    from rlgpt_jax.rl import train\n")
    assert upward("rlgpt_jax.macros.language", imported(tree)) == ["rlgpt_jax.rl.train"]
    assert upward("rlgpt_jax.macros.language", ["rlgpt_jax.envs.tasks.tasks.TASKS"])
    assert not upward("rlgpt_jax.loop.two_loop", imported(tree))
    assert upward("experiments.main", ["tests.doubles"]) == ["tests.doubles"]


def test_nothing_executes_text_or_unpickles() -> None:
    for path, tree in TREES.items():
        assert not used_names(tree) & EXECUTING, path
        assert not {name.split(".")[0] for name in imported(tree)} & FORBIDDEN_MODULES, path


def test_the_check_sees_exec_under_another_name() -> None:
    assert used_names(ast.parse("run = exec\nrun(text)")) & EXECUTING
    assert not used_names(ast.parse("re.compile(text)\njitted.lower().compile()")) & EXECUTING


def test_the_library_does_not_print() -> None:
    for path, tree in TREES.items():
        if path.is_relative_to(ROOT / "rlgpt_jax"):
            assert not used_names(tree) & PRINTING, path


@pytest.mark.parametrize(
    "package", ["envs.tasks.tasks", "envs.voxel.params", "rl.config", "rl.interface"]
)
def test_settings_are_plain_data_that_need_no_jax(package: str) -> None:
    path = ROOT / "rlgpt_jax" / (package.replace(".", "/") + ".py")
    roots = {name.split(".")[0] for name in imported(ast.parse(path.read_text()))}
    assert not roots & {"jax", "flax", "optax", "numba", "distrax"}


def test_programs_kept_as_text_import_what_there_is() -> None:
    """Other processes run them, readers copy those of docs/, and no linter reads them."""
    tests = [ast.parse(path.read_text()) for path in (ROOT / "tests").rglob("*.py")]
    nodes = [node for tree in (*TREES.values(), *tests) for node in ast.walk(tree)]
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    texts += [path.read_text() for path in (ROOT / "docs").glob("*.md")]
    found = [match for text in texts for match in IMPORT_IN_TEXT.finditer(text)]
    assert len(found) > 10
    for match in found:
        for name in match[2].split(", "):
            if not hasattr(importlib.import_module(match[1]), name):
                importlib.import_module(f"{match[1]}.{name}")  # raises where there is none
