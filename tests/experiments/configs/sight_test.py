"""What code and policy see is one choice, of runs of now and of before."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from experiments import flags
from experiments.config_tree import differences
from experiments.configs import base, sight
from experiments.task_fields import override
from experiments.values import ConfigError

PURE = "--config.loop.mode=pure_rl"


def parsed(*argv: str) -> base.Config:
    return flags.parse(["--config=harvest_milk", PURE, *argv]).config


def test_pixels_bring_the_fields_of_the_shipped_configuration() -> None:
    shipped = flags.load_config("harvest_milk_pixels")
    changed = differences(parsed("--config.sight=pixels"), shipped)
    assert sorted(words.partition(":")[0] for words in changed) == [
        "llm.transcript",
        "loop.mode",
        "loop.ticks_per_iteration",
    ]


def test_going_back_from_pixels_takes_their_fields_away() -> None:
    shipped = flags.load_config("harvest_milk_pixels")
    assert sight.seeing(sight.seeing(parsed(), "pixels"), "blind_code") == parsed()
    rays = sight.seeing(shipped, "rays")
    assert rays.sensors == "full" and rays.network.image_size == ()
    assert rays.loop == shipped.loop


def test_other_fields_of_the_command_line_come_after_the_sight() -> None:
    config = parsed("--config.ppo.num_epochs=7", "--config.network.image_size=32,32",
                    "--config.sight=pixels")  # fmt: skip
    assert (config.ppo.num_epochs, config.network.image_size) == (7, (32, 32))
    assert config.ppo.learning_rate == sight.PIXELS["ppo"]["learning_rate"]


def test_what_the_policy_sees_must_be_the_sight() -> None:
    with pytest.raises(ConfigError, match="rgb is what the policy sees with sight=pixels"):
        parsed("--config.observation=compass,rgb", "--config.network.image_size=64,64")
    with pytest.raises(ConfigError, match="do not go together"):
        parsed("--config.sight=pixels", "--config.observation=compass,rays")
    with pytest.raises(ConfigError, match=r"=ray: .*Choose from: rays, blind_code, pixels\."):
        parsed("--config.sight=ray")


def test_shipped_tasks_are_blind_code_and_tasks_of_one_s_own_have_rays() -> None:
    for name in flags.config_names():
        config = flags.load_config(name)
        sees = {"rays": "rays", "pixels": "pixels"}.get(name.rpartition("_")[2], "blind_code")
        others = {"craft_wooden_pickaxe": "rays", "car_racing_seeing": "rays"}
        expected = {**others, "template": "rays"}.get(name, sees)
        assert config.sight == expected, name
        assert config.sensors == ("full" if expected == "rays" else "paper")
    assert parsed("--config.task.horizon=400").sight == "blind_code"  # a row that was changed


@pytest.mark.parametrize("sensors", [{}, {"sensors": "full"}])
def test_runs_of_before_there_was_a_sight_are_not_resumed(tmp_path: Path, sensors: dict) -> None:
    data: dict[str, Any] = dataclasses.asdict(flags.load_config("harvest_milk"))
    del data["sight"]
    data["macros"] |= sensors
    (tmp_path / "config.json").write_text(json.dumps({"name": "harvest_milk", "config": data}))
    with pytest.raises(ConfigError, match="started by an earlier version.*new run folder"):
        flags.parse([f"--workdir={tmp_path}", "--resume"])


def test_a_simulator_without_pictures_refuses_pixels_as_a_setting() -> None:
    with pytest.raises(ConfigError, match="sight=pixels: only for Minecraft"):
        override(flags.load_config("kitchen_kettle"), [("sight", "pixels")])
