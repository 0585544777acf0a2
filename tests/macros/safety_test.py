"""A macro's text is never run by Python, and no package code could do so."""

import ast
from pathlib import Path

import rlgpt_jax.macros
from rlgpt_jax.envs.names import MOBS, NAMES
from rlgpt_jax.macros import values
from rlgpt_jax.macros.bytecode import MAX_NAME_ID, OPERANDS, OPERATIONS, MacroSet
from rlgpt_jax.macros.library import ACTIONS, FIELDS, FUNCTIONS, prompt_text
from tests.macros import worlds

PACKAGE = Path(rlgpt_jax.macros.__file__).parent
FORBIDDEN = {"exec", "eval", "compile", "__import__", "pickle", "marshal", "importlib",
             "subprocess", "os", "ctypes", "globals", "setattr"}  # fmt: skip


def named(path: Path) -> set[str]:
    """Returns every name a file calls, reads or imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
            names.update(alias.name for alias in node.names)
    return names


def test_no_file_of_the_package_can_run_text():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 15
    for path in files:
        assert not named(path) & FORBIDDEN, path


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
def test_every_documented_example_is_accepted():
    for entry in (*ACTIONS, *FIELDS, FUNCTIONS):
        for example in entry.examples:
            line = f"obs = yield {example}" if entry in ACTIONS else f"x = {example}"
            worlds.program(f"def macro(obs):\n    {line}\n    yield noop()\n")


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
