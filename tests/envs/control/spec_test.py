"""Rows of the table hold together; none of their packages is needed."""

import ast
from collections.abc import Iterator

import numpy as np
import pytest

from rlgpt_jax.envs.control.table import TASKS, get_task
from rlgpt_jax.envs.control.task import ControlTask


@pytest.fixture(params=TASKS)
def task(request: pytest.FixtureRequest) -> ControlTask:
    return TASKS[request.param]


def test_the_table_has_the_worlds_of_the_paper() -> None:
    kitchen = {f"kitchen_{k}" for k in ("microwave", "kettle", "light_switch", "slide_cabinet")}
    assert set(TASKS) == {"mountain_car", "car_racing", "assembly", "peg_insert_side", *kitchen}
    with pytest.raises(ValueError, match="kitchen_kettle"):
        get_task("kitchen_fridge")


def test_skills_have_names_of_their_own_and_fields_have_ranges_and_words(task: ControlTask) -> None:
    names = [action.name for action in task.spec.actions] + [name for name, _ in task.spec.skills]
    assert len(set(names)) == len(names)
    for field in task.spec.fields:
        assert field.low < field.high and field.meaning, field
    assert task.spec.continuous is not None and not task.spec.continuous.hidden


def test_doing_nothing_is_allowed(task: ControlTask) -> None:
    row = task.spec.idle
    assert row.shape == (task.spec.columns,) and row.dtype == np.float32
    assert row[0] == 0  # the first action
    for value, argument in zip(row[1:], task.spec.actions[0].arguments):
        assert argument.low <= value <= argument.high


def reads(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "obs":
                yield node.attr


def test_skills_read_fields_do_actions_and_tell_their_steps(task: ControlTask) -> None:
    fields = {field.name for field in task.spec.fields}
    actions = {action.name: action for action in task.spec.actions}
    for name, source in task.spec.skills:
        (function,) = ast.parse(source).body
        assert isinstance(function, ast.FunctionDef) and function.name == name
        assert "steps" in ast.get_docstring(function).split("\n\n")[0]
        assert set(reads(function)) <= fields
        for node in ast.walk(function):
            if isinstance(node, ast.Yield):
                action = actions[node.value.func.id]
                assert len(node.value.args) == len(action.arguments)
