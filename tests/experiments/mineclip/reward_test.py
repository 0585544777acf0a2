"""`--config.reward.clip`: refused without its files, free when it is 0, else in training alone."""

import dataclasses
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from experiments import flags, run, wiring
from experiments.configs import base
from experiments.mineclip import reward_term
from experiments.signals import Stop
from experiments.values import ConfigError
from rlgpt_jax.envs.minedojo.turns import OnTurn
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.loop.record import RunFolder
from rlgpt_jax.rl.reward.clip import reward as reward_module
from rlgpt_jax.rl.reward.clip import weights
from rlgpt_jax.rl.reward.clip.faults import MineClipError
from rlgpt_jax.rl.reward.clip.weights import WeightsError
from rlgpt_jax.rl.reward.clip.world import AsyncClipWorld, ClipWorld
from tests.envs.voxel import worlds
from tests.rl.reward.clip import small

WORLDS = WorldParams(num_worlds=2)


def config(mineclip: dict[str, Any], **changes: Any) -> base.Config:
    ppo = {"num_envs": 2, "num_minibatches": 1}
    made = base.for_task(
        "harvest_milk", reward={"clip": 1.0}, mineclip=mineclip, ppo=ppo, **changes
    )
    return dataclasses.replace(made, voxel=WORLDS)


@pytest.mark.parametrize(
    ("mineclip", "changes", "words"),
    [
        ({}, {}, "reward.clip needs mineclip.weights"),
        ({"weights": "w.npz"}, {}, "reward.clip needs mineclip.merges.* or mineclip.texts"),
        ({"merges": "a", "texts": "b"}, {}, "mineclip.merges and mineclip.texts are both set"),
        ({"window": 33}, {}, "mineclip.window is 33; it must be an integer from 1 to 32"),
        ({"every": 0}, {}, "mineclip.every is 0"),
        ({"weights": "w", "merges": "m"}, {"driver": "device"}, "computed by the host driver"),
        (
            {"weights": "w", "merges": "m"},
            {"sight": "pixels"},
            "pictures of 160 x 256 pixels, and network.image_size is 64 x 64",
        ),
    ],
)
def test_what_is_missing_or_does_not_go_together_is_refused_at_once(
    mineclip: dict, changes: dict, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        config(mineclip, **changes)


def test_files_that_are_not_there_are_told_before_any_world_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wiring, "load_pool", lambda *_: pytest.fail("a world was made"))
    with pytest.raises(WeightsError, match="there are no weights of MineCLIP at none.npz"):
        wiring.env_maker(config({"weights": "none.npz", "merges": "none.txt"}))


def test_the_command_line_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    files = small.files(tmp_path)
    given = ["--config=harvest_milk", f"--workdir={tmp_path / 'run'}", "--config.reward.clip=1"]
    given += [f"--config.mineclip.{field}={path}" for field, path in files.items()]
    assert flags.parse(given).config.mineclip.weights == files["weights"]
    with pytest.raises(ConfigError, match=r"--config.mineclip.negatives: there is no file no\.txt"):
        flags.parse([*given, "--config.mineclip.negatives=no.txt"])


def test_worlds_of_training_tell_the_reward_and_others_are_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "load_pool", lambda *_: worlds.pool(WORLDS))
    make = wiring.env_maker(config(small.files(tmp_path)))
    world = make("train", 2, 0)
    assert isinstance(world, ClipWorld) and world.image_size == (160, 256)
    for split, lanes in (("validation", 2), ("eval", 2), ("train", 3)):
        other = make(split, lanes, 0)
        assert isinstance(other, HostVoxel) and other.image_size is None


def test_without_the_term_nothing_is_read() -> None:
    without = dataclasses.replace(
        config({"weights": "none.npz", "merges": "none.txt"}), reward=base.RewardConfig()
    )
    assert wiring.make_clip(without) is None


def test_worlds_of_training_in_minecraft_tell_the_reward_and_nothing_is_launched(
    tmp_path: Path,
) -> None:
    workers = {"python": sys.executable, "workers": 2}
    make = wiring.env_maker(config(small.files(tmp_path), world="minedojo", minedojo=workers))
    world = make("train", 2, 0)
    assert isinstance(world, AsyncClipWorld) and world.num_envs == 2
    assert isinstance(world._env, OnTurn) and make("train", 2, 1) is world
    for split, lanes in (("validation", 2), ("eval", 2), ("train", 32)):
        other = make(split, lanes, 0)
        assert isinstance(other, OnTurn) and other.num_envs == 2


def test_few_lanes_pay_for_no_more_frames_than_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = reward_term.make_clip(config(small.files(tmp_path)))
    assert clip is not None and clip.config.block == 16
    encoded = small.count_frames(monkeypatch, reward_module)
    clip.scorer.frames(np.zeros((2, 160, 256, 3), np.uint8))
    assert encoded == [2]


def started(folder: Path, files: dict[str, str]) -> Path:
    """A run folder with a configuration of these files."""
    folder.mkdir()
    saved = {"name": "harvest_milk", "config": dataclasses.asdict(config(files))}
    (folder / "config.json").write_text(json.dumps(saved))
    return folder


def test_a_resumed_run_may_name_its_files_anew_and_nothing_else_of_the_term(tmp_path: Path) -> None:
    files = small.files(tmp_path)
    folder = started(tmp_path / "run", files)
    (tmp_path / "moved").mkdir()
    moved = small.files(tmp_path / "moved")
    resume = [f"--workdir={folder}", "--resume", f"--config.mineclip.weights={moved['weights']}"]
    given = flags.parse([*resume, f"--config.mineclip.merges={moved['merges']}"]).config.mineclip
    assert (given.weights, given.merges) == (moved["weights"], moved["merges"])
    kept = [f"--config.mineclip.texts={moved['merges']}", "--config.mineclip.merges="]
    assert flags.parse([*resume, *kept]).config.mineclip.merges == ""
    with pytest.raises(ConfigError, match="mineclip.window: 16 -> 8"):
        flags.parse([*resume, "--config.mineclip.window=8"])


def test_a_resumed_run_with_weights_of_another_checkpoint_is_refused_and_keeps_its_settings(
    tmp_path: Path,
) -> None:
    files = small.files(tmp_path)
    first, folder = config(files), started(tmp_path / "run", files)
    reward_term.check_weights(first, RunFolder(folder))  # nothing has been noted
    reward_term.note_weights(first, RunFolder(folder))
    reward_term.check_weights(first, RunFolder(folder))
    other = tmp_path / "other.npz"
    weights.save(other, small.weights(small.RUNNABLE)._replace(digest="f" * 64))
    changed = config({**files, "weights": str(other)})
    settings = flags.Settings("harvest_milk", changed, folder, True, False)
    before = (folder / "config.json").read_text()
    display: Any = SimpleNamespace(say=lambda words: None)
    with pytest.raises(MineClipError, match="comes from another checkpoint than .*ffff.* and 0000"):
        run.go(settings, display, SimpleNamespace(), Stop(""))  # type: ignore[arg-type]
    assert (folder / "config.json").read_text() == before
