import json
import subprocess
import sys

import pytest

from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.metrics import Metrics
from rlgpt_jax.loop.record import FolderNotHeld, RunFolder, held, read_json, read_rows, write_json


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


def add(folder, updates, start=0):
    rows = Metrics(folder, start)
    for update in updates:
        values = {"loss": 1 / (update + 2), "success_rate": float("nan"), "time_rollout": 0.25}
        rows.add(update // 4, update, 64 * update, values)


def test_a_file_that_exists_stays_whole_when_a_write_fails(folder):
    path = folder.path("a", "b.json")
    write_json(path, {"x": 1})
    with pytest.raises(ValueError):
        write_json(path, {"x": float("nan")})
    assert read_json(path) == {"x": 1}
    assert read_json(folder.path("none.json")) is None


def test_two_processes_never_run_in_one_folder(folder):
    hold = (
        "import sys\nfrom pathlib import Path\nfrom rlgpt_jax.loop.record import held\n"
        "with held(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", hold, str(folder.root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        in_use = pytest.raises(FolderNotHeld, match=f"in use by process {other.pid} on")
        with in_use, held(folder.root):
            pass
        other.kill()
    with held(folder.root):  # a process that was killed holds nothing
        pass


def test_a_folder_that_cannot_be_written_is_one_error(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(FolderNotHeld, match="Choose another --workdir"), held(tmp_path / "file"):
        pass


def test_wall_time_adds_up_over_starts(folder):
    for _ in range(2):
        with RunFolder(folder.root).timed("train"):
            pass
    assert set(folder.seconds()) == {"train"}
    write_json(folder.path("timing.json"), {"train": 5.0})
    with folder.timed("train"):
        pass
    assert folder.seconds()["train"] >= 5.0


def test_metrics_keep_wall_clock_numbers_apart(folder):
    add(folder, range(1, 3))
    text = folder.path("metrics.csv").read_text()
    assert (
        text == "iteration,update,ticks,loss,success_rate\n0,1,64,0.3333333333333333,\n"
        "0,2,128,0.25,\n"
    )
    assert "0,1,64,0.25\n" in folder.path("timing.csv").read_text()


def test_rows_after_the_checkpoint_are_cut_and_the_rest_is_as_without_a_kill(folder, tmp_path):
    add(folder, range(1, 8))
    with folder.path("metrics.csv").open("a") as file:
        file.write("1,8,51")  # torn by a kill
    add(folder, range(5, 10), start=4)
    other = RunFolder(tmp_path / "other")
    add(other, range(1, 10))
    for name in ("metrics.csv", "timing.csv"):
        assert folder.path(name).read_bytes() == other.path(name).read_bytes()


def test_a_cut_to_the_start_removes_all_rows(folder):
    add(folder, range(1, 4))
    Metrics(folder, 0)
    assert read_rows(folder.path("metrics.csv")) == []


def test_other_columns_than_the_files_are_an_error(folder):
    add(folder, range(1, 2))
    with pytest.raises(ValueError, match="begun by another version"):
        Metrics(folder, 1).add(0, 2, 128, {"entropy": 1.0})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mode", "pure"),
        ("num_tries", 0),
        ("eval_episodes", 2.0),
        ("pure_code_plan", "mine"),
        ("num_iterations", True),
    ],
)
def test_a_bad_setting_names_its_field(field, value):
    with pytest.raises(ValueError, match=f"loop.{field} is"):
        LoopConfig(**{field: value})


def test_only_own_pure_code_plans_have_keys_of_their_own():
    assert LoopConfig(mode="pure_code").key_prefix == ""
    own = LoopConfig(mode="pure_code", pure_code_plan="own")
    assert (own.key_prefix, own.agents_mode) == ("pure_code/", "pure_code")
    assert LoopConfig(pure_code_plan="own").key_prefix == ""


def test_json_is_readable_and_keeps_letters(folder):
    write_json(folder.path("a.json"), {"word": "é"})
    text = folder.path("a.json").read_text()
    assert "é" in text and json.loads(text) == {"word": "é"}
