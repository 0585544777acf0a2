"""`--config.world=minedojo`: its settings, and that mistakes are found before anything starts."""

from pathlib import Path
from typing import Any

import pytest

from experiments import flags, wiring
from experiments.configs import base
from experiments.values import ConfigError
from rlgpt_jax.envs.minedojo import config as minedojo
from rlgpt_jax.loop.tools import EVAL, TRAIN, VALIDATION

START = ["--config=harvest_milk", "--config.loop.mode=pure_rl", "--config.world=minedojo"]


@pytest.fixture
def python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file that could be run."""
    file = tmp_path / "python"
    file.touch(0o755)
    monkeypatch.setenv(minedojo.PYTHON_VARIABLE, str(file))
    return file


def parse(*words: str) -> base.Config:
    return flags.parse([*START, *words]).config


def test_without_an_interpreter_nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(minedojo.PYTHON_VARIABLE, raising=False)
    with pytest.raises(ConfigError, match="python -m experiments.minedojo setup") as caught:
        parse("--config.minedojo.python=/nowhere/python")
    assert "no interpreter at /nowhere/python (minedojo.python)" in str(caught.value)


def test_lanes_are_workers_and_an_update_keeps_its_ticks(python: Path) -> None:
    config = parse("--config.minedojo.workers=4")
    assert (config.ppo.num_envs, config.ppo.unroll_length) == (64, 64)
    assert (config.rl.ppo.num_envs, config.rl.ppo.unroll_length) == (4, 1024)
    assert not wiring.uses_device(config)
    embedded = flags.parse(START[:2]).config
    assert embedded.world == "voxel" and embedded.rl.ppo == embedded.ppo


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--config.minedojo.workers=3"], "cannot share the 4096 ticks of an update"),
        (["--config.minedojo.workers=0"], "minedojo.workers=0 must be at least 1"),
        (["--config.driver=device"], "Set driver to host or auto"),
        (["--config.critic.vision=strip"], "Set critic.vision to off with world=minedojo"),
        (["--config.world.size_x=64"], "Did you mean --config.voxel.size_x"),
        (["--config.loop.ticks_per_iteration=300"], "--config.minedojo.workers=1 or less"),
    ],
)  # fmt: skip
def test_settings_that_do_not_go_together_are_told(
    python: Path, words: list[str], complaint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(*words)
    assert complaint in str(caught.value)


def test_worlds_have_the_games_in_turns_and_no_more_lanes_than_workers(
    python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    class Game:
        goal_names = ("cow",)

        def __init__(self, task: Any, num_envs: int, config: Any, launcher: Any, **options: Any):
            self.num_envs, self.options, self.is_open = num_envs, options, False
            self.launcher = launcher
            made.append(self)

        def reset(self, seed: int) -> int:
            self.is_open = True
            return seed

        def save(self) -> dict[str, int]:
            return {}

        def take_over(self, other: "Game") -> None:
            other.is_open = False

    monkeypatch.setattr(wiring, "HostMineDojo", Game)
    make = wiring.env_maker(parse())
    train, same = make(TRAIN, 2, 0), make(TRAIN, 20, 1)
    validation, held_out = make(VALIDATION, 2, 0), make(EVAL, 1, 0)
    assert train is same and train.num_envs == 2 and held_out.num_envs == 1
    assert [game.options["split"] for game in made] == [TRAIN, VALIDATION, EVAL]
    # For the videos alone: the policy sees no pictures.
    assert [game.options["image_size"] for game in made] == [None, None, (160, 256)]
    train.reset(1), validation.reset(2)
    assert [game.is_open for game in made] == [False, True, False]
    assert len({game.launcher for game in made}) == 1, "who takes games over shares the launcher"
