"""The command that tells about a task before it is run."""

import argparse
import types
from pathlib import Path

import numpy as np
import pytest

from experiments import flags
from experiments.configs import base
from experiments.task import __main__ as command
from experiments.task import check, starts
from experiments.values import ConfigError
from rlgpt_jax.envs.names import MOBS, NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID


def test_a_name_is_a_configuration_a_file_or_a_row(tmp_path: Path) -> None:
    line, config = check.resolve("template", [("task.horizon", "900")])
    assert config.task_record.horizon == 900
    assert line == "python -m experiments.main --config=template --config.task.horizon=900"
    path = tmp_path / "mine.py"
    path.write_text(Path(base.__file__).with_name("template.py").read_text())
    line, config = check.resolve(str(path), [])
    assert config.task_record.name == "collect_sand" and line.endswith(str(path))
    line, config = check.resolve("craft_bowl", [])
    assert config.task == "craft_bowl" and line.endswith("--config=craft_bowl")
    with pytest.raises(ConfigError, match="no such configuration"):
        check.resolve("craft_bowll", [])


def test_mistakes_end_with_code_2(capsys: pytest.CaptureFixture) -> None:
    for argv in (["check", "nothing"], ["check", "template", "--config.task.biome=x"],
                 ["check", "template", "--episodes=0"]):  # fmt: skip
        assert command.main(argv) == 2
        assert capsys.readouterr().err.startswith("error: ")


def test_the_origin_of_a_goal_is_told_in_steps() -> None:
    config = flags.load_config("template")
    assert check.origin(config.task_record) == ["  1. sand: mine sand"]
    bed = check.origin(base.for_task("craft_bed_with_crafting_table_and_shears").task_record)
    assert "  1. wool: mine" not in bed[0] and any(
        "wool: shear sheep" in line or "kill" in line for line in bed
    )
    assert bed[-1].endswith("bed: craft 1 from 3 wool + 3 planks, at a crafting table")
    near = check.origin(base.for_task("get_furnace_nearby_with_logs").task_record)
    assert near[-1].endswith("place the furnace")
    iron = "\n".join(check.origin(base.for_task("craft_iron_ingot_with_stone_pickaxe").task_record))
    assert "iron_ore: mine iron_ore with" in iron and "in a furnace, with fuel" in iron


def test_what_is_told_is_the_first_section_of_the_prompts() -> None:
    text = check.told(flags.load_config("template"))
    assert text.startswith("Collect three blocks of sand") and "\n#" not in text
    for fact in ("3 more sand", "1 wooden_shovel", "Biome: plains", "1000 ticks"):
        assert fact in text
    assert "Minecraft 1.11" not in text  # the rules of the world follow later


@pytest.mark.parametrize("pairs", [
    [("world", "minedojo"), ("minedojo.python", "/nowhere")],
    [("loop.mode", "pure_rl"), ("autocraft", "true")],
    [("reward.clip", "0.01"), ("mineclip.weights", "/nowhere"), ("mineclip.merges", "/nowhere")],
])  # fmt: skip
def test_a_task_is_looked_at_in_the_embedded_world_alone(
    pairs: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    command, config = check.resolve("harvest_milk", pairs)
    seen: list[base.Config] = []
    monkeypatch.setattr(check, "draw_and_play", lambda config, options, say: seen.append(config))
    assert check.run(command, config, argparse.Namespace()) == 0
    assert (seen[0].world, seen[0].autocraft, seen[0].reward.clip) == ("voxel", False, 0.0)


def test_the_last_lines_start_the_run() -> None:
    name = "python -m experiments.main --config=template"
    lines = check.commands(name, flags.load_config("template"))
    assert lines[0].strip() == f"{name} --config.llm.provider=file" and "pure_rl" in lines[-1]
    milk = flags.load_config("harvest_milk")
    assert check.commands("run it", milk) == ["  run it"]
    _, long = check.resolve("template", [("task.horizon", "9000")])
    assert "ticks_per_iteration=576000 or more" in check.commands(name, long)[-1]
    for fields in ([("loop.mode", "pure_rl")], []):  # nobody is asked; answers are recorded
        _, short = check.resolve("harvest_milk", [("loop.ticks_per_iteration", "1000"), *fields])
        first, second = check.commands("run it", short)
        assert first == "  run it" and second.startswith("Before that: an episode of harvest_milk")
        assert second.endswith("=12800 or more, or --config.ppo.num_envs=5 or less.")
    _, shorter = check.resolve("harvest_milk", [("loop.ticks_per_iteration", "199")])
    assert check.commands("run it", shorter)[1].endswith("12800 or more.")  # one lane is too many


def world_of(blocks: np.ndarray, mob_kind: list[int], mob_at: list[list[float]]):
    """One lane at the corner (0.5, 2, 0.5) that sees dirt and a cow."""
    seen = types.SimpleNamespace(
        ray_block=np.array([[NAME_ID["dirt"], NAME_ID["air"]]]),
        ray_entity=np.array([[NAME_ID["none"], NAME_ID["cow"]]]),
    )
    state = types.SimpleNamespace(
        blocks=blocks[None], player=types.SimpleNamespace(position=np.array([[0.5, 2.0, 0.5]])),
        mobs=types.SimpleNamespace(kind=np.array([mob_kind]), position=np.array([mob_at])),
    )  # fmt: skip
    return types.SimpleNamespace(num_envs=1, state=state, reset=lambda seed: seen)


def test_distances_go_around_the_world_and_mobs_count() -> None:
    blocks = np.zeros((32, 32, 8), np.uint8)
    blocks[30, 0, 2] = BLOCK_ID["sand"]  # 2 blocks to the west, around the edge
    cow = MOBS.index("cow")
    world = world_of(blocks, [cow, 0], [[4.5, 2.0, 0.5], [0.5, 2.0, 0.5]])
    found = starts.measure(world, ("sand",), 0)
    assert found.distance[0] == pytest.approx(np.hypot(2.0, 0.5)) and not found.in_sight[0]
    found = starts.measure(world, ("cow",), 0)
    assert found.distance[0] == 4.0 and found.in_sight[0]
    assert "10: 100%" in found.describe() and "sight of the rays at once: 100%" in found.describe()
    assert np.isinf(starts.measure(world, ("sheep", "log"), 0).distance[0])
    assert "start items" in starts.measure(world, (), 0).describe()
