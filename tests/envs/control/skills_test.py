"""Trusted skills of the shipped worlds are macros that models' macros may call."""

import ast

import pytest

from rlgpt_jax.envs.control.table import TASKS
from rlgpt_jax.macros import api
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.skills import skills
from rlgpt_jax.macros.vm.bytecode import Program

SPECS = {task.spec.name: task.spec for task in TASKS.values()}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("level", ["paper", "full"])
def test_every_skill_compiles_and_is_told(spec, level):
    sources = skills.sources(level, spec)
    assert set(sources) == set(dict(spec.skills))
    documented = {f.signature.partition("(")[0]: f.doc for f in skills.documented(level, spec)}
    for name, text in sources.items():
        given = ", ".join(["0"] * (len(ast.parse(text.strip()).body[0].args.args) - 1))
        call = f"def go(obs):\n    obs = yield from {name}(obs, {given})\n"
        program = parse_macro(call, "go", level, sources, spec)
        assert isinstance(program, Program), program
        assert len(documented[name]) > 20
    hidden = [action.name for action in spec.actions if action.hidden]
    told = api.prompt_text(level, skills.documented(level, spec), spec)
    assert not [name for name in hidden if f"- {name}(" in told]
    for name in hidden:
        refused = parse_macro(f"def go(obs):\n    yield {name}(0, 0, 0)\n", "go", level, {}, spec)
        assert not isinstance(refused, Program)
