"""What a damaged run folder is mended to, without a run: `tests/faults` injects into runs."""

import errno
import json
import os
from pathlib import Path

import pytest

from rlgpt_jax.agents.llm import disk
from rlgpt_jax.loop import checkpoints, mend
from rlgpt_jax.loop.metrics import Metrics
from rlgpt_jax.loop.record import RunFolder, read_json, write_json
from rlgpt_jax.rl import checkpoint
from tests.experiments import answers

ROWS = b"iteration,update,ticks,loss\n0,1,64,0.5\n0,2,128,0.25\n"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """Two checkpoints of one iteration, as `checkpoints.save` leaves them, and its evaluation."""
    run = RunFolder(tmp_path / "run")
    for update in (1, 2):
        name = f"update_{update:06d}"
        path = run.path("checkpoints", 0, name)
        path.mkdir(parents=True)
        position = {"folder": name, "start_ticks": 0, "ticks": 64 * update, "update": update}
        rows = b"".join(ROWS.splitlines(keepends=True)[: 1 + update])
        (path / "arrays").write_bytes(bytes(1000))
        (path / "metrics.csv").write_bytes(rows)
        write_json(path / checkpoints.POSITION, position)
        (path / checkpoint.HASHES).write_text(json.dumps(checkpoint._hashes(path)))
        write_json(run.path("checkpoints", 0, "latest.json"), position)
    run.path("metrics.csv").write_bytes(ROWS + b"0,3,192,0.125\n")
    return run


def look_over(folder: RunFolder) -> str:
    return "\n".join(mend.look_over(folder, asks_again=True))


def test_a_whole_folder_is_left_as_it_is(folder):
    before = {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file()}
    assert look_over(folder) == ""
    assert before == {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("how", ["cut", "gone", "more"])
def test_a_damaged_checkpoint_falls_back_to_the_one_before(folder, how):
    arrays = folder.path("checkpoints/0/update_000002/arrays")
    if how == "gone":
        arrays.unlink()
    else:
        arrays.write_bytes(bytes(500 if how == "cut" else 1001))
    write_json(folder.iteration(0, "coded_parts_eval.json"), {})
    words = look_over(folder)
    assert "update_000002 is damaged" in words and "goes on from update_000001" in words
    now = checkpoints.position(folder, 0)
    assert now is not None and (now.update, now.ticks) == (1, 64)
    assert folder.path("checkpoints/0/update_000002.damaged").is_dir()
    assert not folder.iteration(0, "coded_parts_eval.json").exists()  # of networks after it
    Metrics(folder, now.update)
    assert folder.path("metrics.csv").read_bytes() == ROWS[: ROWS.rindex(b"0,2")]
    assert look_over(folder) == ""


@pytest.mark.parametrize("content", ["", "{", "[]", '{"folder": "update_000009"}'])
def test_a_damaged_pointer_is_made_again_from_the_checkpoints(folder, content):
    latest = folder.path("checkpoints/0/latest.json")
    before = latest.read_bytes()
    latest.write_text(content)
    assert "latest.json is damaged" in look_over(folder)
    assert latest.read_bytes() == before


def test_without_a_whole_checkpoint_training_begins_anew(folder):
    for path in folder.root.glob("checkpoints/0/*/arrays"):
        path.unlink()
    assert "begins anew" in look_over(folder)
    assert checkpoints.position(folder, 0) is None


@pytest.mark.parametrize("content", [b"", b"\x00\xff,,", ROWS[:40], ROWS + b"x,y,z,w\n"])
def test_rows_that_were_lost_come_from_the_checkpoint(folder, content):
    folder.path("metrics.csv").write_bytes(content)
    assert "2 rows are taken from the last checkpoint" in look_over(folder)
    assert folder.path("metrics.csv").read_bytes() == ROWS
    assert folder.path("metrics.csv.damaged").read_bytes() == content


@pytest.mark.parametrize("file", ["eval.json", "cases.json", "macros/walk/try0.trial.json"])
@pytest.mark.parametrize("content", ["", "{", "{}", "null", "[[[["])
def test_what_cannot_be_read_is_set_aside_and_told(folder, file, content):
    path = folder.iteration(0, file)
    disk.write_atomically(path, content)
    assert f"{path} is damaged and is now {path.name}.damaged" in look_over(folder)
    assert not path.exists()


def test_a_line_of_a_replay_that_cannot_be_read_is_asked_again(folder):
    path = answers.write(folder.transcript)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b'{"key": 3\n', *lines[4:]]))
    assert "1 lines could not be read" in look_over(folder)
    assert path.read_bytes() == b"".join(lines[:3] + lines[4:])


def test_a_full_disk_is_named_with_what_is_needed(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_json(path, {"x": 1})

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for name in ("fsync", "posix_fallocate"):
        monkeypatch.setattr(os, name, full)
    for write in (lambda: write_json(path, {"x": 2}), lambda: disk.check_room(path, 5_000_000)):
        with pytest.raises(OSError, match="No space left on device") as error:
            write()
        words = disk.words_of(error.value)
        assert words.startswith(f"{path}: ") and "MB are needed" in words and "\n" not in words
    assert read_json(path) == {"x": 1} and list(tmp_path.iterdir()) == [path]
