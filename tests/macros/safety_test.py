"""A macro's text is never run by Python, and no package code could do so."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import experiments
import rlgpt_jax
from rlgpt_jax.envs.names import MOBS, NAMES
from rlgpt_jax.macros import values
from rlgpt_jax.macros.api import prompt_text
from rlgpt_jax.macros.vm.bytecode import MAX_NAME_ID, OPERANDS, OPERATIONS, MacroSet
from tests.fuzz import attacks
from tests.macros import worlds

ROOTS = [Path(rlgpt_jax.__file__).parent, Path(experiments.__file__).parent]
# What runs text or loads objects: nowhere, not even in a tool.
RUNS = {"exec", "eval", "compile", "execfile", "__import__", "__builtins__"}
LOADS = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal",
         "runpy", "codeop", "imp", "code", "pty"}  # fmt: skip
ATTRIBUTES = {"system", "popen", "exec_module", "load_module", "__globals__", "__builtins__",
              "__subclasses__", "f_globals", "execv", "spawnv"}  # fmt: skip
# What starts programs or imports by name: only here, and what is named is our own.
STARTERS = {"importlib", "subprocess", "ctypes", "multiprocessing", "os.system"}
MAY_START = {
    "experiments/bench/compiling.py": "starts itself to measure a cold start",
    "experiments/commands.py": "imports a command named in a table of its tool",
    "experiments/checks.py": "looks whether a package is installed",
    "experiments/config_files.py": "imports a configuration of the project",
    "experiments/configs/worlds.py": "imports a file that the user names",
    "experiments/machine.py": "asks git and the versions of packages",
    "experiments/minedojo/facts.py": "asks java, gradle and the interpreter for their versions",
    "experiments/minedojo/interpreters.py": "asks interpreters for their version",
    "experiments/minedojo/probe.py": "runs in MineDojo's interpreter and asks for versions",
    "experiments/minedojo/steps.py": "runs the steps of the installation",
    "experiments/reproduce/runs.py": "asks JAX, in a process of its own, for its devices",
    "experiments/study/__main__.py": "imports a command of its own by its name",
    "experiments/study/pooled.py": "looks whether a package is installed",
    "experiments/sweep/jobs.py": "starts experiments.main with flags of its own",
    "experiments/sweep/launchers.py": "looks whether a package is installed",
    "rlgpt_jax/envs/control/packages.py": "looks whether a package is installed",
    "rlgpt_jax/envs/control/rendering.py": "looks whether a library of OpenGL is there",
    "rlgpt_jax/envs/control/worker.py": "imports the simulator that a task's record names",
    "rlgpt_jax/envs/control/workers.py": "starts the worker, a file of ours",
    "rlgpt_jax/envs/minedojo/link.py": "starts the worker, a file of ours",
    "rlgpt_jax/envs/minedojo/worker.py": "asks for the version of an installed package",
    "rlgpt_jax/envs/voxel/host.py": "addresses of arrays for a kernel",
    "rlgpt_jax/envs/voxel/large_pages.py": "tells the system about the pages of an array",
}
# Runs a Python file: the configuration or world that the user names on the command line.
MAY_RUN_A_FILE = {"experiments/configs/worlds.py": {"exec_module"}}
# Where text of models is read, attributes are looked up by names that are written out,
# except here, where the names are fields of Python's own tree or of our own classes.
READS_MODELS = ("rlgpt_jax/macros", "rlgpt_jax/agents", "rlgpt_jax/loop")
MAY_LOOK_UP = {
    "macros/compiler/tree/lift.py": "fields of Python's tree",
    "macros/compiler/tree/lower.py": "fields of Python's tree",
    "agents/llm/budget.py": "the fields of a dataclass",
    "loop/baselines/autocraft.py": "what only some of the worlds it wraps have",
    "loop/skills.py": "the fields of a dataclass",
}
COMPUTED = {"getattr", "setattr", "hasattr", "delattr"}
NAMESPACES = {"globals", "locals", "vars", "delattr"}


def shown(root: Path, path: Path) -> str:
    return f"{root.name}/{path.relative_to(root).as_posix()}"


SOURCES = {shown(root, path): path for root in ROOTS for path in sorted(root.rglob("*.py"))}


def names(path: Path) -> Iterator[str]:
    """Yields every name a file reads, imports or asks an object for, if it could run text."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Name) and node.id in RUNS | NAMESPACES:
            yield node.id
        elif isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
            yield f"os.{node.attr}" if node.attr == "system" else node.attr
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]
            yield from (alias.name for alias in node.names if alias.name in RUNS)
        elif isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            if not (isinstance(node.value, ast.Constant) and node.value.value is False):
                yield "pickle"


def computed_look_ups(path: Path) -> list[int]:
    """Returns the lines that ask for an attribute by a name that is not written out."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        and node.func.id in COMPUTED
        and not (len(node.args) > 1 and isinstance(node.args[1], ast.Constant))
    ]  # fmt: skip


def test_the_scan_finds_what_it_looks_for(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text(
        "import pickle, importlib.util\nfrom marshal import loads\nexec('1')\n"
        "x = np.load(f, allow_pickle=True)\ngetattr(x, y)\nos.system('id')\n"
    )
    assert {"pickle", "importlib", "marshal", "exec", "os.system"} <= set(names(bad))
    assert computed_look_ups(bad) == [5]


@pytest.mark.parametrize("name", SOURCES)
def test_no_file_can_run_text_or_load_objects(name):
    found = set(names(SOURCES[name]))
    allowed = MAY_RUN_A_FILE.get(name, set())
    assert not found & (RUNS | LOADS | ATTRIBUTES) - allowed, name
    if name not in MAY_START:
        assert not found & STARTERS, f"{name}: say in MAY_START why"


@pytest.mark.parametrize("name", [name for name in SOURCES if name.startswith(READS_MODELS)])
def test_text_of_models_names_no_attribute(name):
    found = set(names(SOURCES[name]))
    assert not found & (NAMESPACES | STARTERS), name
    if name.removeprefix("rlgpt_jax/") not in MAY_LOOK_UP:
        assert not computed_look_ups(SOURCES[name]), f"{name}: say in MAY_LOOK_UP why"


def test_nothing_is_allowed_that_is_not_there():
    assert all(set(names(SOURCES[name])) & STARTERS for name in MAY_START)
    assert all(computed_look_ups(SOURCES[f"rlgpt_jax/{name}"]) for name in MAY_LOOK_UP)
    assert len(SOURCES) > 100


# --- attacks -------------------------------------------------------------------------
EVERY = {f"{attack.kind}: {attack.name}": attack for attack in attacks.every()}


@pytest.mark.parametrize("name", EVERY)
def test_an_attack_is_refused_or_harmless(name):
    end = attacks.outcome(EVERY[name])
    assert end.what in (attacks.REFUSED, attacks.HARMLESS), end.why


# These must never be accepted, however much the language grows.
NEVER = ("class of obs", "globals of a helper", "frame of a generator", "throw into a generator",
         "import os", "import as math", "from import", "importlib", "module of the package",
         "numpy load", "eval as key", "eval mapped", "exec", "compile", "open", "decorator call",
         "class body", "metaclass", "with", "async for", "await", "except all",
         "match class", "bidi override", "null byte", "f-string attribute", "format of obs",
         "getattr", "setattr", "attribute of random")  # fmt: skip


@pytest.mark.parametrize("name", NEVER)
def test_what_would_reach_python_is_refused(name):
    (attack,) = [attack for attack in EVERY.values() if attack.name == name]
    assert attacks.outcome(attack).what == attacks.REFUSED


def test_there_are_attacks_of_many_classes():
    assert len(EVERY) > 200 and len({attack.kind for attack in EVERY.values()}) > 10


# --- programs ------------------------------------------------------------------------
def test_a_program_is_only_numbers():
    program = worlds.program("def macro(obs):\n    yield forward()\n")
    for array in (program.code, program.lines, program.constants):
        assert array.dtype.name == "int32"
    assert MacroSet._fields == ("code", "lines", "constants", "valid")
    assert len(OPERANDS) == len(OPERATIONS)


def test_values_of_all_kinds_survive_boxing():
    for tag in range(1, len(values.TAG_NAMES)):
        for payload in (0, 1, values.PAYLOAD):
            bits = values.box(tag, payload)
            assert (values.tag_of(bits), values.payload_of(bits)) == (tag, payload)
            assert values.as_float(bits) != values.as_float(bits), "a boxed value is a NaN"
    for number in (0.0, -0.0, 1.5, -1.5, 1e300, -1e300, float("inf"), float("nan"), 1e-40):
        assert values.tag_of(values.number(number)) == 0
    assert len(NAMES) + 100 < MAX_NAME_ID


# --- the documentation that models see -------------------------------------------------
def test_the_prompt_shows_rays_only_where_they_exist():
    paper, full = prompt_text("paper"), prompt_text("full")
    assert "obs.rays" in full and "obs.nearest" in full
    assert "obs.rays" not in paper and "obs.nearest" not in paper
    assert "obs.count" in paper and "sin cos" in paper
    assert 25 < len(paper.splitlines()) < len(full.splitlines()) < 60


def test_mobs_can_be_named():
    for mob in MOBS:
        source = f'def macro(obs):\n    if obs.sees("{mob}"):\n        yield use()\n'
        program = worlds.program(source)
        assert program.notices == ()
