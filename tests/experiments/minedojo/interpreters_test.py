"""Which Python the environment is made with."""

import sys
from pathlib import Path

import pytest

from experiments.minedojo import interpreters
from experiments.values import ConfigError
from tests.experiments.minedojo import fake_python


@pytest.fixture
def shelf(monkeypatch, tmp_path) -> Path:
    """A machine without any Python: a folder on PATH, an empty pyenv and an empty uv."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    return tmp_path


def test_the_first_version_of_the_recipe_is_preferred_wherever_it_is(shelf):
    fake_python.write(shelf / "bin/python3.11", (3, 11, 7))
    fake_python.write(shelf / "uv/cpython-3.10.4-linux/bin/python3", (3, 10, 4))
    assert interpreters.find().version == (3, 10, 4)
    right = fake_python.write(shelf / "pyenv/versions/3.9.18/bin/python", (3, 9, 18))
    assert interpreters.find() == interpreters.Interpreter(str(right), (3, 9, 18), True)
    assert interpreters.find("3.11").version == (3, 11, 7)
    assert interpreters.find("3.10.4").version == (3, 10, 4)


def test_a_shim_that_does_not_run_and_a_python_without_ensurepip_are_passed_over(shelf):
    fake_python.write(shelf / "bin/python3.9", (3, 9, 1), silent=True)
    bare = fake_python.write(shelf / "bin/python3.10", (3, 10, 1), has_ensurepip=False)
    with pytest.raises(ConfigError, match=r"no ensurepip.*apt install python3\.10-venv"):
        interpreters.find()
    fake_python.write(shelf / "bin/python3.11", (3, 11, 7))
    assert interpreters.find().version == (3, 11, 7)
    with pytest.raises(ConfigError, match="no ensurepip"):
        interpreters.find(str(bare))


def test_a_path_and_a_command_can_be_given(shelf):
    mine = fake_python.write(shelf / "own/snake", (3, 10, 2))
    fake_python.write(shelf / "bin/python3.9", (3, 9, 1))
    assert interpreters.find(str(mine)).version == (3, 10, 2)
    assert interpreters.find("python3.9").version == (3, 9, 1)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("", r"no Python 3\.9, 3\.10 or 3\.11 on PATH.*pyenv install 3\.9"),
        ("3.9", r"no Python 3\.9 on PATH"), ("3.12", "client needs Python 3.9, 3.10 or 3.11"),
        ("3", "client needs Python"), ("nothing/here", "does not run as a Python"),
        ("old", r"this is Python 3\.8\.18; .* needs 3\.9"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_line_with_the_way_out(shelf, asked, words):
    fake_python.write(shelf / "bin/old", (3, 8, 18))
    with pytest.raises(ConfigError, match=words) as error:
        interpreters.find(asked)
    assert "\n" not in str(error.value)


def test_the_others_are_named_where_the_wanted_version_is_not_there(shelf):
    fake_python.write(shelf / "bin/python3.11", (3, 11, 7))
    with pytest.raises(ConfigError, match=r"\(.*/bin/python3\.11 is 3\.11\.7\)"):
        interpreters.find("3.9")


def test_a_real_interpreter_answers_the_probe():
    told = interpreters.probe(sys.executable)
    assert tuple(told["version"]) == sys.version_info[:3]
    assert told["packages"]["numpy"].startswith("2.") and "minedojo" not in told["packages"]
    told = interpreters.probe(sys.executable, with_import=True)
    assert told["import_error"].startswith("ModuleNotFoundError: No module named 'minedojo'")
