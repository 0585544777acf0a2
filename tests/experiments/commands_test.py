"""Tools of several commands: help, slips, options of the command that was chosen."""

import sys
from types import ModuleType

import pytest

from experiments.commands import Tool


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Tool:
    module = ModuleType("experiments.made.second", "Does the second thing.")
    module.__dict__.update(add_arguments=lambda parser: parser.add_argument("--n", type=int))
    monkeypatch.setitem(sys.modules, "experiments.made", ModuleType("experiments.made"))
    monkeypatch.setitem(sys.modules, "experiments.made.second", module)
    return Tool("made", "A tool.\n", {"first": "one", "second": "another"})


def test_help_lists_what_the_commands_do_and_no_command_is_an_error(
    tool: Tool, capsys: pytest.CaptureFixture
) -> None:
    assert tool.choose(["--help"]) == 0 and tool.choose([]) == 2
    shown = capsys.readouterr().out
    assert shown == 2 * "A tool.\n\n  first   one\n  second  another\n"


def test_a_slip_is_answered_with_the_nearest_command(
    tool: Tool, capsys: pytest.CaptureFixture
) -> None:
    assert tool.choose(["frist", "--n=3"]) == 2
    assert capsys.readouterr().err == "error: no command 'frist'. Did you mean first?\n"


def test_the_chosen_command_alone_is_imported_and_reads_the_rest(
    tool: Tool, capsys: pytest.CaptureFixture
) -> None:
    chosen = tool.choose(["second", "--n=3"])
    assert chosen == ("second", ["--n=3"])
    module, options = tool.parse(*chosen)
    assert module.__name__ == "experiments.made.second" and options.n == 3
    with pytest.raises(SystemExit):
        tool.parse("second", ["--help"])
    shown = capsys.readouterr().out
    assert "python -m experiments.made second" in shown and "Does the second thing." in shown
