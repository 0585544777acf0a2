"""Every board gets training, evaluations, configuration and videos; none of them ends a run."""

import dataclasses
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image
from tensorboardX.proto.event_pb2 import Event

from experiments import checks, tracking
from experiments.config_files import load_config
from experiments.values import ConfigError
from rlgpt_jax.loop import events
from rlgpt_jax.loop.metrics import Metrics
from rlgpt_jax.loop.record import RunFolder, write_json

CONFIG = load_config("harvest_milk")
RATES = {"success_rate": 0.25, "success_low": 0.1, "success_high": 0.5}


def values_of(folder: Path) -> list[Any]:
    """All values that TensorBoard would read, with their steps."""
    found = []
    for path in (folder / "tensorboard").glob("*"):
        data, place = path.read_bytes(), 0
        while place < len(data):
            size = int.from_bytes(data[place : place + 8], "little")
            event = Event.FromString(data[place + 12 : place + 12 + size])
            found += [(event.step, value) for value in event.summary.value]
            place += 16 + size
    return found


def scalars(folder: Path) -> list[tuple[str, int, float]]:
    return sorted(
        (v.tag, step, round(v.simple_value, 4))
        for step, v in values_of(folder) if v.HasField("simple_value")
    )  # fmt: skip


def play(
    folder: RunFolder, tracker: Any, updates: range, start: int = 0, ends: bool = False
) -> None:
    """A run as the loops tell of it: 2 updates an iteration; evaluations are files first."""
    rows = Metrics(folder, start)
    for update in updates:
        iteration = (update - 1) // 2
        metrics = {"loss": 1 / update, "entropy": float("nan"), "time_rollout": 2.0}
        rows.add(iteration, update, 64 * update, metrics)
        tracker(events.Updated(iteration, update, 64 * update, 0, 0, metrics))
        if update % 2 == 0:
            write_json(folder.iteration(iteration, "eval.json"), RATES)
            tracker(events.Evaluated(iteration, SimpleNamespace(**RATES)))  # type: ignore[arg-type]
    if ends:
        tracker(events.Finished({**RATES, "coded_parts": {"parts": []}}))
    tracker.close()


def made(folder: Path, say: Any = print, **changes: Any) -> tracking.Tracker:
    return tracking.Tracker(folder, dataclasses.replace(CONFIG, **changes), say)


def test_tensorboard_has_training_evaluations_and_the_configuration(tmp_path: Path) -> None:
    play(RunFolder(tmp_path), made(tmp_path), range(1, 5), ends=True)
    found = scalars(tmp_path)
    assert ("train/loss", 128, 0.5) in found and ("timing/time_rollout", 64, 2.0) in found
    steps = [step for name, step, _ in found if name == "eval/validation_success"]
    assert steps == [128, 256] and ("eval/held_out_success", 256, 0.25) in found
    assert len(found) == len(set(found)) and not [f for f in found if "entropy" in f[0]]
    words = [v.tensor.string_val[0].decode() for _, v in values_of(tmp_path) if v.tensor.string_val]
    assert any(f"| ppo.gamma | {CONFIG.ppo.gamma} |" in text for text in words)


def test_a_run_that_was_killed_shows_what_one_that_was_not_shows(tmp_path: Path) -> None:
    whole, killed = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "killed")
    play(whole, made(whole.root), range(1, 9), ends=True)
    play(killed, made(killed.root), range(1, 6))
    tracker = made(killed.root)
    for iteration in range(2):  # a resumed run tells again what lies in its folder
        tracker(events.Evaluated(iteration, SimpleNamespace(**RATES)))  # type: ignore[arg-type]
    play(killed, tracker, range(4, 9), start=3, ends=True)  # the last checkpoint was of update 3
    assert scalars(killed.root) == scalars(whole.root)


def test_a_video_is_a_moving_picture_of_tensorboard(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (32, 16), (i * 80, 0, 0)) for i in range(3)]
    frames[0].save(tmp_path / "success.gif", save_all=True, append_images=frames[1:])
    tracker = made(tmp_path)
    tracker(events.Finished(RATES))
    tracker(events.Drawn((tmp_path / "success.mp4",)))
    tracker.close()
    found = [v for _, v in values_of(tmp_path) if v.HasField("image")]
    assert [v.tag for v in found] == ["videos/success"] and found[0].image.width == 32
    assert found[0].image.encoded_image_string == (tmp_path / "success.gif").read_bytes()


def test_a_board_that_fails_is_left_out_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def __init__(self, *given: Any):
            self.count = 0

        def scalars(self, values: Any, ticks: int) -> None:
            self.count += 1
            if self.count == 2:
                raise ConnectionError("the service is gone\nand more")

        def close(self) -> None:
            raise AssertionError("it was left out")

    said: list[str] = []
    monkeypatch.setitem(tracking.SERVICES, "wandb", Broken)
    play(RunFolder(tmp_path), made(tmp_path, said.append, tracker="wandb"), range(1, 5))
    assert said == ["wandb is left out from here on: ConnectionError: the service is gone"]
    assert len([name for name, *_ in scalars(tmp_path) if name == "train/loss"]) == 4


def test_a_service_that_is_not_installed_is_told_before_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"wandb is not installed: pip install -e '.\[wandb\]'"):
        checks.check_start(dataclasses.replace(CONFIG, tracker="wandb"))


SERVICE = """
import sys
from pathlib import Path
import numpy as np
from experiments.films.encoding import write_mp4
from rlgpt_jax.loop.record import RunFolder
from rlgpt_jax.loop.events import Drawn
from tests.experiments.tracking_test import made, play
folder, kind = Path(sys.argv[1]), sys.argv[2]
tracker = made(RunFolder(folder).root, tracker=kind)
write_mp4(folder / "success.mp4", [np.zeros((32, 64, 3), np.uint8)] * 4)
tracker(Drawn((folder / "success.mp4",)))
play(RunFolder(folder), tracker, range(1, 5), ends=True)
"""


@pytest.mark.slow  # starts the service's own processes
@pytest.mark.parametrize("kind", ["wandb", "trackio"])
def test_a_service_takes_a_run_without_a_network(kind: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(kind) is None:
        pytest.skip(f"{kind} is not installed: pip install -e '.[{kind}]'")
    environment = {**os.environ, "TRACKIO_DIR": str(tmp_path / "trackio"), "HF_HUB_OFFLINE": "1"}
    for name in ("WANDB_MODE", "WANDB_API_KEY"):
        environment.pop(name, None)
    command = [sys.executable, "-c", SERVICE, str(tmp_path / "run"), kind]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0 and "left out" not in done.stdout, done.stdout + done.stderr
    where, files = ("run/wandb", "run-*.wandb") if kind == "wandb" else ("trackio", "*.db*")
    data = b"".join(path.read_bytes() for path in (tmp_path / where).rglob(files))
    assert b"eval/validation_success" in data and b"train/loss" in data
    assert list((tmp_path / where).rglob("*.mp4"))
