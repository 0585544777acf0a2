"""The fidelity command: arguments, exit codes, what it writes."""

import argparse
import json
import types

import pytest

from tests.fidelity import __main__ as command
from tests.fidelity import run
from tests.fidelity.row import Row

GOOD = Row("drops", "gravel gives flint", "0.101", "0.1", True)
BAD = Row("drops", "glass gives | nothing", "1", "0", False)


def options(**fields):
    return argparse.Namespace(**({"only": ["drops"], "trajectory": [], "out": None} | fields))


@pytest.fixture
def checks(monkeypatch):
    """Stands in for the import of a group's module: its rows are set by the test."""
    module = types.SimpleNamespace(rows=lambda: [GOOD])
    monkeypatch.setattr(run.importlib, "import_module", lambda name: module)
    return module


def test_all_rows_hold(checks, capsys):
    assert run.run(options()) == 0
    assert "1 of 1 rows hold" in capsys.readouterr().out


def test_a_broken_bound_ends_with_1_and_is_named(checks, capsys):
    checks.rows = lambda: [GOOD, BAD]
    assert run.run(options()) == 1
    assert "BROKEN drops, glass gives | nothing: 1; must be 0" in capsys.readouterr().out


def test_an_unreadable_trajectory_ends_with_2(checks, capsys):
    def rows(files):
        raise ValueError(f"{files[0]} is no trajectory")

    checks.rows = rows
    assert run.run(options(only=["motion"], trajectory=["walk.json"])) == 2
    assert "walk.json is no trajectory" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["table.json", "table.md"])
def test_the_table_is_written(checks, tmp_path, name):
    checks.rows = lambda: [GOOD, BAD]
    run.run(options(out=tmp_path / name))
    text = (tmp_path / name).read_text()
    if name.endswith("json"):
        assert json.loads(text)["rows"][1]["rule"] == BAD.rule
    else:
        assert text.splitlines()[3] == "| drops | glass gives \\| nothing | 1 | 0 | BROKEN |"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--only=mountains"], "no group mountains"),
        (["--trajectory", "nowhere.json"], "no such file: nowhere.json"),
        (["--out=table.xls"], ".md or a .json"),
    ],
)
def test_bad_arguments_are_refused(arguments, words, capsys):
    with pytest.raises(SystemExit):
        command.parse(arguments)
    assert words in capsys.readouterr().err


def test_several_trajectories(tmp_path):
    files = [tmp_path / f"{i}.json" for i in range(3)]
    for file in files:
        file.write_text("{}")
    arguments = ["--trajectory", str(files[0]), str(files[1]), "--trajectory", str(files[2])]
    assert command.parse(arguments).trajectory == files
    with pytest.raises(SystemExit):
        command.parse(["--only=drops", "--trajectory", str(files[0])])
