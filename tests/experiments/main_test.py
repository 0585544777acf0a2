"""The main entry at tiny size: it finishes, tells what it did, and survives kills.

One undisturbed run is made per session; killed runs must end with its bits.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.rl.ppo import ppo
from rlgpt_jax.rl.rollout import rollout_host
from tests.experiments import answers
from tests.experiments.report.report_test import checked

ROOT = Path(__file__).parents[2]
TIMEOUT = 600  # seconds; a cold start compiles for about a minute
# The sizes of `tests.envs.voxel.worlds.HOST_PARAMS`, whose tick is compiled for other tests too.
SMALL = (
    "--config.loop.ticks_per_iteration=1024", "--config.loop.checkpoint_every=1",
    "--config.loop.trial_episodes=4", "--config.loop.eval_episodes=4",
    "--config.ppo.num_envs=4", "--config.ppo.unroll_length=64", "--config.voxel.size_y=40",
    "--config.voxel.sea_level=16", "--config.voxel.num_worlds=2", "--config.voxel.max_mobs=3",
    "--config.voxel.max_items=4",
)  # fmt: skip


def command(folder: Path, *flags: str) -> list[str]:
    return [sys.executable, "-m", "experiments.main", f"--workdir={folder}", *flags]


def start_flags(transcript: Path) -> tuple[str, ...]:
    return ("--config=harvest_milk", "--smoke", f"--config.llm.transcript={transcript}", *SMALL)


def run(*arguments: str) -> str:
    done = subprocess.run(
        arguments, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="session")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return answers.write(tmp_path_factory.mktemp("transcript") / "small.jsonl")


@pytest.fixture(scope="session")
def undisturbed(transcript: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A finished run and what it printed."""
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    return folder, run(*command(folder, *start_flags(transcript)))


def bits(folder: Path) -> dict[str, str]:
    """Hashes of all that a resumed run must repeat exactly."""
    files = [
        "metrics.csv",
        *(str(p.relative_to(folder)) for p in folder.glob("iterations/**/*") if p.is_file()),
    ]
    found = {name: _hash((folder / name).read_bytes()) for name in sorted(files)}
    result = json.loads((folder / "result.json").read_text())
    del result["wall_seconds"]
    assert len(result["params_sha256"]) == 64
    found["result"] = _hash(json.dumps(result, sort_keys=True).encode())
    return found


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def kill_when(folder: Path, flags: tuple[str, ...], is_time: Callable[[], bool]) -> None:
    """Starts a run and kills it without warning once `is_time()`."""
    with (folder.parent / f"{folder.name}.log").open("w") as log:
        process = subprocess.Popen(
            command(folder, *flags), cwd=ROOT, stdout=log, stderr=log, start_new_session=True
        )
        deadline = time.monotonic() + TIMEOUT
        while not is_time():
            assert process.poll() is None, f"it ended first:\n{Path(log.name).read_text()[-3000:]}"
            assert time.monotonic() < deadline, "the moment of the kill never came"
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def num_rows(folder: Path) -> int:
    path = folder / "metrics.csv"
    return path.read_bytes().count(b"\n") - 1 if path.exists() else 0


def test_a_smoke_run_finishes_and_names_what_it_made(undisturbed: tuple[Path, str]) -> None:
    folder, words = undisturbed
    assert f"Report: {folder}/report.html" in words
    assert re.search(r"Final success: [\d.]+% \(95 % interval [\d.]+% to [\d.]+%", words)
    assert "refused wander, version 1" in words and "steps/s" in words
    assert "10 of 10 prompts differ from the recorded ones" in words
    assert words.rstrip().splitlines()[-1].startswith("Final success")


def test_the_run_folder_is_whole(undisturbed: tuple[Path, str]) -> None:
    folder, _ = undisturbed
    config = json.loads((folder / "config.json").read_text())["config"]
    result = json.loads((folder / "result.json").read_text())
    assert result["sight"] == config["sight"] == "blind_code"
    for name in ("final_eval.json", "coded_parts_eval.json"):
        found = json.loads((folder / name).read_text())
        counts = np.array(list(found["by_world"].values()))
        assert counts.sum(axis=0).tolist() == [found["successes"], found["num_episodes"]]
    assert config["ppo"]["unroll_length"] == 64
    version = json.loads((folder / "version.json").read_text())
    assert version["nproc"] and version["packages"]["jax"]
    for name in ("plan.json", "eval.json", "critique.json", "macros/milk_cow/try0.trial.json"):
        assert (folder / "iterations/0" / name).exists()
    assert (folder / "iterations/0/macros/wander/try0.refusal.json").exists()
    assert list(folder.glob("tensorboard/*")) and list(folder.glob("checkpoints/1/*"))
    videos = list(folder.glob("videos/*.mp4"))
    assert videos and all(path.with_suffix(".gif").exists() for path in videos)
    checked((folder / "report.html").read_text())


def test_nothing_is_compiled_in_training_after_its_first_update(
    undisturbed: tuple[Path, str],
) -> None:
    """Nor is the world, the policy or the update compiled again anywhere in the run."""
    start = json.loads((undisturbed[0] / "compile.json").read_text())[0]
    late = start["late"]  # evaluations and drawing compile their own programs when they come
    assert late and not [words for words in late if "training" in words], late
    again = {words.rpartition(": ")[2] for words in late}
    steps = (rollout_host.decide, rollout_host.end_tick, ppo.update)
    assert not again & {"advance", "restart", *(step.__name__ for step in steps)}, late


@pytest.mark.slow  # `study/held_out_test.py` tests the command without a run
def test_held_out_values_come_from_the_checkpoints_with_the_bits_of_the_run(
    undisturbed: tuple[Path, str], tmp_path: Path
) -> None:
    """The best iteration's is not copied here but evaluated anew."""
    folder = tmp_path / "copy"
    shutil.copytree(undisturbed[0], folder)
    result = json.loads((folder / "result.json").read_text())
    best = result["best_iteration"]
    other = {**result, "best_iteration": 1 - best}
    (folder / "result.json").write_text(json.dumps(other))
    (folder / f"iterations/{1 - best}/held_out.json").write_text("{}")
    run(sys.executable, "-m", "experiments.study", "held_out", str(folder))
    made = json.loads((folder / f"iterations/{best}/held_out.json").read_text())
    assert made == json.loads((folder / "final_eval.json").read_text())
    assert json.loads((folder / "result.json").read_text()) == other


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "while macros are tried": lambda f: any(f.glob("iterations/0/macros/*/try0.trial.json")),
    "in the first training": lambda f: num_rows(f) >= 2,
    "after the first evaluation": lambda f: (f / "iterations/0/eval.json").exists(),
    "in the second training": lambda f: num_rows(f) >= 6,
}


@pytest.mark.slow  # `tests/loop` kills runs in one process, which is quicker
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_that_is_resumed_ends_with_the_same_bits(
    moment: str, undisturbed: tuple[Path, str], transcript: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    kill_when(folder, start_flags(transcript), lambda: MOMENTS[moment](folder))
    assert not (folder / "result.json").exists()
    run(*command(folder, "--resume"))
    assert bits(folder) == bits(undisturbed[0])


@pytest.mark.slow
def test_a_run_killed_again_and_again_ends_with_the_same_bits(
    undisturbed: tuple[Path, str], transcript: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    kill_when(folder, start_flags(transcript), lambda: num_rows(folder) >= 1)
    for rows in (3, 5, 7):
        kill_when(folder, ("--resume",), lambda rows=rows: num_rows(folder) >= rows)
    run(*command(folder, "--resume"))
    assert bits(folder) == bits(undisturbed[0])


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["pure_rl", "pure_code"])
def test_the_other_modes_take_the_same_path(mode: str, transcript: Path, tmp_path: Path) -> None:
    flags = (*start_flags(transcript), f"--config.loop.mode={mode}")
    words = run(*command(tmp_path / mode, *flags))
    assert f"mode {mode}" in words.rstrip().splitlines()[-1]
    checked((tmp_path / mode / "report.html").read_text())
