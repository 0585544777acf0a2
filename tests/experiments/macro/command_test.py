"""The commands for macros: arguments, exit codes, listings, counts, macros on disk."""

import io
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from experiments.macro import __main__ as command
from experiments.macro import listing
from rlgpt_jax.loop.library import store
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.vm.bytecode import Program
from tests.macros.accept_test import WALK, WRONG


# --- the command itself --------------------------------------------------------------
def test_the_commands_are_listed_and_a_slip_is_answered_with_the_nearest(
    capsys: pytest.CaptureFixture,
) -> None:
    assert command.main([]) == 2 and command.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in command.COMMANDS)
    assert command.main(["chekc"]) == 2
    assert capsys.readouterr().err == "error: no command 'chekc'. Did you mean check?\n"


def test_a_command_is_imported_only_when_it_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    made = ModuleType("experiments.macro.made")
    made.__dict__.update(
        add_arguments=lambda parser: parser.add_argument("--seconds", type=int, default=3),
        run=lambda options: options.seconds,
    )
    monkeypatch.setitem(sys.modules, "experiments.macro.made", made)
    monkeypatch.setitem(command.COMMANDS, "made", "a part")
    assert command.main(["made", "--seconds=7"]) == 7


# --- check ---------------------------------------------------------------------------
def test_a_refusal_has_line_advice_and_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    assert command.main(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    for words in ("Line 3, column", "helth", "x = obs.helth", "Instead: "):
        assert words in shown


def test_a_whole_answer_is_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"So be it.\n```python\n{WALK}```\n"))
    assert command.main(["check", "-", "--sensors=paper"]) == 0
    shown = capsys.readouterr().out
    assert "accepted: walk at sensor level paper." in shown
    assert "   1  def walk(obs):" in shown and "So be it" not in shown


def test_files_that_cannot_be_used_give_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "prose.md").write_text("```json\n{}\n```\n")
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe")
    for name, words in (
        ("absent.py", "No such file"), ("prose.md", "no ```python block"),
        ("bytes.py", "not UTF-8"),
    ):  # fmt: skip
        assert command.main(["check", str(tmp_path / name)]) == 2
        error = capsys.readouterr().err
        assert words in error and error.count("\n") == 1
    with pytest.raises(SystemExit) as stopped:
        command.main(["check", "x.py", "--sensors=most"])
    assert stopped.value.code == 2


def test_a_listing_has_every_instruction_once_below_its_source_line() -> None:
    program = parse_macro(WALK, None, "paper")
    assert isinstance(program, Program)
    lines = list(listing.lines(program))
    shown = [int(m[1]) for line in lines if (m := re.match(r" {6}(?:\w+:| {3}) *(\d+)  \w", line))]
    assert sorted(shown) == list(range(len(program.code)))
    assert [line for line in lines if re.match(r" +\d+  \S? *(def|if|for|obs)", line)]
    text = "\n".join(lines)
    for words in ("2.5", "action craft planks", "action forward", ".life", "call", "-> walk"):
        assert words in text
    numbered = [line[6:] for line in lines if re.match(r" {0,3}\d+(  |$)", line)]
    assert numbered == WALK.rstrip("\n").split("\n")
    target = re.search(r"-> (L\d+)", text)
    assert target and f"{target[1]}:" in text


# --- library -------------------------------------------------------------------------
def test_macros_are_added_listed_and_shown(
    tmp_path: Path, walk: str, capsys: pytest.CaptureFixture
) -> None:
    folder, rays = str(tmp_path / "lib"), tmp_path / "rays.py"
    rays.write_text("def see(obs):\n    r = obs.rays\n    obs = yield from walk(obs)\n")
    assert command.main(["library", "add", folder, walk, "--task=harvest_log"]) == 0
    assert command.main(["library", "add", folder, str(rays)]) == 0
    entries = {e.name: e for e in store.load(Path(folder))}
    assert entries["walk"].task == "harvest_log" and entries["walk"].source == WALK
    assert [entries[n].sensors for n in ("see", "walk")] == ["full", "paper"]
    capsys.readouterr()
    assert command.main(["library", "list", folder]) == 0
    shown = " ".join(capsys.readouterr().out.split())  # a long path wraps the line
    assert "2 macros" in shown and "Walks on." in shown
    assert command.main(["library", "show", folder, "walk"]) == 0
    assert WALK.rstrip() in capsys.readouterr().out
    assert command.main(["library", "show", folder, "wlak"]) == 2
    assert "Did you mean walk?" in capsys.readouterr().err


def test_what_is_refused_or_no_run_is_not_added(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path, folder = tmp_path / "wrong.py", tmp_path / "lib"
    path.write_text(WRONG)
    assert command.main(["library", "add", str(folder), str(path)]) == 1
    assert command.main(["library", "save", str(tmp_path), str(folder)]) == 2
    assert "holds no config.json" in capsys.readouterr().err
    assert command.main(["library", "list", str(folder)]) == 2
    assert not folder.exists()


def test_skills_are_shown_with_the_text_of_their_docstrings(capsys: pytest.CaptureFixture) -> None:
    assert command.main(["skills", "--sensors=paper"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "look_level(obs) Turns the view to level." in shown and "go_to" not in shown
    assert command.main(["skills", "go_to", "--sensors=paper"]) == 2
    assert command.main(["skills", "go_to"]) == 0
    assert "def go_to(obs, name, reach=2.5, ticks=150):" in capsys.readouterr().out
