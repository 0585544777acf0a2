"""From settings to worlds: the code that lets agents see is the one that was asked for."""

import dataclasses
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiments import machine, wiring
from experiments.configs import base
from experiments.values import ConfigError
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.loop.baselines.autocraft import Autocraft
from rlgpt_jax.rl.config import PPOConfig
from tests.envs.voxel import worlds

WORLDS = WorldParams(num_worlds=2)


def config(driver: str, pictures: bool = False, **senses: str) -> base.Config:
    changes: dict[str, Any] = {}
    if pictures:
        changes = {"sight": "pixels", "network": {"image_size": (16, 32)}}
    made = base.for_task("harvest_milk", driver=driver, senses=senses, **changes)
    return dataclasses.replace(made, voxel=WORLDS)


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Callable[[base.Config], Any]:
    """A training world of two lanes in a small pool."""
    monkeypatch.setattr(wiring, "load_pool", lambda *_: worlds.pool(WORLDS))
    return lambda given: wiring.env_maker(given)("train", 2, 0)


def test_only_held_out_worlds_are_those_of_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def load_pool(biome, split, params, folder, told, number):
        asked.append((split, number))
        return worlds.pool(WORLDS)

    monkeypatch.setattr(wiring, "load_pool", load_pool)
    make = wiring.env_maker(dataclasses.replace(config("host"), seed=7))
    for split in ("train", "validation", "eval"):
        make(split, 2, 0)
    assert asked == [("train", 0), ("validation", 0), ("eval", 7)]


def test_a_host_world_sees_by_what_is_chosen(make: Callable[[base.Config], Any]) -> None:
    drawn = {}
    for kind in ("auto", "jax"):
        world = make(config("host", pictures=True, renderer=kind, raycaster=kind))
        assert isinstance(world, HostVoxel)
        drawn[kind] = world._draw.__name__, world._numba_rays, world.image_size
    assert drawn["auto"] == ("_drawn_by_numba", True, (16, 32))
    assert drawn["jax"] == ("_drawn_by_jax", False, (16, 32))
    assert make(config("host")).image_size is None


def test_a_world_on_the_device_sees_by_what_is_chosen(make: Callable[[base.Config], Any]) -> None:
    world = make(config("device", pictures=True, renderer="jax"))
    assert isinstance(world, VoxelEnv)
    assert world._image_size == (16, 32)
    assert make(config("device"))._image_size is None


@pytest.mark.parametrize("field", ["renderer", "raycaster"])
def test_code_that_a_driver_lacks_is_refused_before_any_world_is_made(field: str) -> None:
    with pytest.raises(ValueError, match=f"senses.{field} is 'numba'.*set driver to host"):
        wiring.env_maker(config("device", **{field: "numba"}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"devices": 99}, "Set driver to device, or devices to auto"),
        ({"driver": "device", "devices": 99}, "JAX has"),
        ({"ppo": PPOConfig(num_envs=2**20)}, "num_envs=1,048,576 lanes .* GB .* Lower them"),
        ({"voxel": WorldParams(num_worlds=10**7)}, "num_worlds=10,000,000, need more than"),
    ],
)
def test_what_this_machine_cannot_is_one_line_before_anything_is_made(
    changes: dict[str, Any], words: str
) -> None:
    wiring.check_machine(config("host"))
    with pytest.raises(ConfigError, match=words):
        wiring.check_machine(dataclasses.replace(config("host"), **changes))


def test_files_that_are_not_tracked_are_no_changed_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("code.py", "of_mine.py"):
        (tmp_path / name).write_text("1")
    for words in ("init -q", "add code.py"):
        subprocess.run(["git", "-C", str(tmp_path), *words.split()], check=True)
    monkeypatch.setattr(machine.files, "CHECKOUT", tmp_path)
    monkeypatch.setenv("NPROC", "1")
    assert machine.describe()["changed_files"] == 1


def test_automatic_crafting_is_around_every_world(make: Callable[[base.Config], Any]) -> None:
    given = dataclasses.replace(
        config("auto"), autocraft=True, loop=dataclasses.replace(base.LoopConfig(), mode="pure_rl")
    )
    world = make(given)
    assert isinstance(world, Autocraft) and isinstance(world._env, HostVoxel)
    assert not wiring.uses_device(given)


@pytest.mark.parametrize("changes", [{"autocraft": True}, {"loop": {"planner": True}}])
def test_a_task_that_basic_skills_do_not_solve_is_refused(changes: dict[str, Any]) -> None:
    task = base.Task("get_string", "get string", "string")
    loop = {"mode": "pure_rl", **changes.pop("loop", {})}
    given = base.for_task("harvest_milk", loop=loop, **changes)
    object.__setattr__(given, "task", task)  # which the task's own checks refuse too
    with pytest.raises(ConfigError, match="no basic skill gives string, the goal of get_string"):
        wiring.check_machine(given)
