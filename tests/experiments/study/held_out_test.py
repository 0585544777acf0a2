"""Held-out values of every iteration, on a finished run in a corridor."""

import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import flags
from experiments import run as run_command
from experiments.study import held_out
from rlgpt_jax.loop import two_loop
from rlgpt_jax.loop.record import write_json
from tests.loop import script


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations whose answers come from a script."""
    folder = tmp_path_factory.mktemp("runs") / "corridor"
    config = dataclasses.replace(flags.load_config("harvest_milk"), loop=script.CONFIG)
    write_json(folder / "config.json", {"name": "corridor", "config": dataclasses.asdict(config)})
    two_loop.run(script.CONFIG, script.tools(folder, script.Script()))
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(
        run_command, "make_tools",
        lambda config, folder, provider, offer: script.tools(folder.root, provider),
    )  # fmt: skip
    return Path(shutil.copytree(finished, tmp_path / "copy"))


def test_every_iteration_is_evaluated_and_nothing_else_is_touched(folder: Path) -> None:
    before = contents(folder)
    told: list[str] = []
    files = held_out.evaluate_run(folder, told.append)
    assert [path.parent.name for path in files] == ["0", "1"]
    reports = [json.loads(path.read_text()) for path in files]
    assert [r["split"] for r in reports] == ["eval", "eval"] and len(told) == 1
    assert {r["num_episodes"] for r in reports} == {script.CONFIG.eval_episodes}
    after = contents(folder)
    new = {f"iterations/{i}/held_out.json" for i in (0, 1)}
    assert set(after) - set(before) == new
    assert {name: after[name] for name in before} == before


def test_an_evaluation_done_anew_has_the_bits_of_the_runs_own(folder: Path) -> None:
    final = json.loads((folder / "final_eval.json").read_text())
    result = json.loads((folder / "result.json").read_text())
    best = result["best_iteration"]
    write_json(folder / "result.json", {**result, "best_iteration": 1 - best})
    write_json(folder / f"iterations/{1 - best}/held_out.json", {"not": "read"})
    files = held_out.evaluate_run(folder)
    assert json.loads(files[best].read_text()) == final


def test_what_is_there_is_not_done_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held_out.evaluate_run(folder)
    monkeypatch.setattr(held_out, "_evaluate", lambda *_: pytest.fail("evaluated again"))
    before = contents(folder)
    held_out.evaluate_run(folder)
    assert contents(folder) == before


def test_a_run_of_another_version_is_refused_and_asks_nobody(folder: Path) -> None:
    path = folder / "transcript.jsonl"
    path.write_text(path.read_text().replace('"iter1/slow"', '"iter1/planner"'))
    with pytest.raises(held_out.NotFinished, match="asks for iter1/slow"):
        held_out.evaluate_run(folder)


def test_the_command_tells_jax_of_the_runs_threads_before_it_is_imported(folder: Path) -> None:
    held_out.evaluate_run(folder)
    command = [sys.executable, "-m", "experiments.study", "held_out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "2 evaluations are there" in done.stdout


def test_runs_of_different_numbers_of_threads_are_evaluated_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    for number in (1, 2):
        write_json(tmp_path / str(number) / "result.json", {})
        write_json(tmp_path / str(number) / "version.json", {"nproc": number})
    assert held_out.main([str(tmp_path / "1"), str(tmp_path / "2")]) == 2
    assert "different numbers of threads" in capsys.readouterr().err
