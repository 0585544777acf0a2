"""Macros on disk: what is written is read back, nothing is lost, bad files are named."""

import json
from pathlib import Path

import pytest

from rlgpt_jax.loop.library import store
from rlgpt_jax.loop.library.store import Entry, LibraryError

WALK = 'def walk(obs):\n    """Walks on.\n\n    More."""\n    obs = yield forward()\n'
OTHER = "def walk(obs):\n    obs = yield back()  # walk back\n"
ROW = {"run": "a", "started": "now", "iteration": 0, "activations": 3}


def test_a_macro_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    entry = Entry("walk", WALK, "harvest_log", "full", "code", "Walk.", (ROW,))
    store.add(tmp_path / "lib", [entry])
    assert store.load(tmp_path / "lib") == (entry,)
    assert (tmp_path / "lib" / "walk.py").read_text() == WALK
    assert entry.doc == "Walks on."
    assert Entry("walk", OTHER, instruction="Go  back\nnow.").doc == "Go back now."


def test_line_ends_survive(tmp_path: Path) -> None:
    entry = Entry("walk", WALK.replace("\n", "\r\n"))
    store.add(tmp_path, [entry])
    assert store.load(tmp_path)[0].source == entry.source


def test_other_code_of_the_same_name_gets_a_number_and_the_same_code_does_not(
    tmp_path: Path,
) -> None:
    store.add(tmp_path, [Entry("walk", WALK)])
    assert store.add(tmp_path, [Entry("walk", OTHER)]) == [("walk", "walk_2")]
    assert store.add(tmp_path, [Entry("walk", OTHER)]) == [("walk", "walk_2")]
    assert store.add(tmp_path, [Entry("walk", WALK)]) == [("walk", "walk")]
    by_name = {e.name: e.source for e in store.load(tmp_path)}
    assert by_name == {"walk": WALK, "walk_2": OTHER.replace("def walk(", "def walk_2(")}


def test_a_caller_follows_what_it_calls_to_its_new_name(tmp_path: Path) -> None:
    store.add(tmp_path, [Entry("walk", WALK)])
    caller = Entry("go", "def go(obs):\n    obs = yield from walk(obs)\n    x = obs.walk\n")
    added = store.add(tmp_path, [Entry("walk", OTHER), caller])
    assert added == [("walk", "walk_2"), ("go", "go")]
    source = {e.name: e.source for e in store.load(tmp_path)}["go"]
    assert source == "def go(obs):\n    obs = yield from walk_2(obs)\n    x = obs.walk\n"


def test_what_a_macro_was_linked_with_stays_its_own(tmp_path: Path) -> None:
    """Also where other code of that name is in the library by now, under a number."""
    go = "def go(obs):\n    obs = yield from walk(obs)\n"
    linked = f"{go}# --- called above: walk ---\n{WALK}"
    entries = [Entry("walk", WALK), Entry("go", linked), Entry("walk", OTHER), Entry("go", linked)]
    added = store.add(tmp_path, entries)
    assert added == [("walk", "walk"), ("go", "go"), ("walk", "walk_2")]
    assert {e.name: e.source for e in store.load(tmp_path)}["go"] == linked


def test_records_join_and_a_row_of_the_same_iteration_is_replaced(tmp_path: Path) -> None:
    newer, later = {**ROW, "activations": 5}, {**ROW, "iteration": 1}
    for row in (ROW, later, newer):
        store.add(tmp_path, [Entry("walk", WALK, record=(row,))])
    assert store.load(tmp_path)[0].record == (later, newer)


def test_a_number_skips_names_that_the_code_uses(tmp_path: Path) -> None:
    store.add(tmp_path, [Entry("walk", WALK)])
    source = "def walk_2(obs):\n    yield back()\n\ndef walk(obs):\n    yield from walk_2(obs)\n"
    assert store.add(tmp_path, [Entry("walk", source)]) == [("walk", "walk_3")]
    assert "def walk_3(obs):\n    yield from walk_2(obs)" in store.load(tmp_path)[1].source


def broken(folder: Path, **changes: object) -> None:
    store.add(folder, [Entry("walk", WALK)])
    path = folder / "walk.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, '"version": 1'),
        ({"more": 1}, "more are missing or unknown"),
        ({"task": 3}, "task has the wrong kind"),
        ({"record": {}}, "record has the wrong kind"),
        ({"record": [1]}, "record holds what is no object"),
        ({"name": "run"}, "file and name must agree"),
        ({"sha256": "0"}, "not the code that its record belongs to"),
    ],
)
def test_a_bad_json_file_is_named_with_what_is_wrong(
    tmp_path: Path, changes: dict, words: str
) -> None:
    broken(tmp_path, **changes)
    with pytest.raises(LibraryError, match="walk") as error:
        store.load(tmp_path)
    assert words in str(error.value)


def test_all_bad_files_are_told_at_once(tmp_path: Path) -> None:
    store.add(tmp_path, [Entry("walk", WALK), Entry("go", WALK.replace("walk", "go"))])
    (tmp_path / "go.json").write_text("{")
    (tmp_path / "walk.py").unlink()
    with pytest.raises(LibraryError) as error:
        store.load(tmp_path)
    assert "go.json: cannot be read" in str(error.value)
    assert "there is no walk.py" in str(error.value)
    with pytest.raises(LibraryError, match="no such folder"):
        store.load(tmp_path / "nothing")


def test_a_kill_between_code_and_json_leaves_a_library_that_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(tmp_path, [Entry("walk", WALK)])

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "write_json", killed)
    with pytest.raises(KeyboardInterrupt):
        store.add(tmp_path, [Entry("walk", OTHER)])
    assert [e.source for e in store.load(tmp_path)] == [WALK]
    assert store.unfinished(tmp_path) == ["walk_2.py"]
    monkeypatch.undo()
    assert store.add(tmp_path, [Entry("walk", OTHER)]) == [("walk", "walk_2")]
    assert len(store.load(tmp_path)) == 2 and not store.unfinished(tmp_path)


def test_a_copy_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = (Entry("go", WALK.replace("walk", "go")), Entry("walk", WALK))
    store.copy(entries, tmp_path / "copy")
    assert store.load(tmp_path / "copy") == entries
    write = store.write
    names: list[str] = []

    def killed(folder: Path, entry: Entry) -> None:
        names.append(entry.name)
        if len(names) == 2:
            raise KeyboardInterrupt
        write(folder, entry)

    monkeypatch.setattr(store, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        store.copy(entries, tmp_path / "torn")
    assert not (tmp_path / "torn").exists()
