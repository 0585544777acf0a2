"""Where animals stand at the start, in which numbers and colours."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel import spawn
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import CHICKEN, COLOUR_META, SHEEP
from rlgpt_jax.envs.voxel.terrain.biomes import get_biome
from tests.envs.voxel import worlds

TASK = Task("test", "", "beef", mobs=("cow", "sheep"), mob_range=(5, 5), wild=10, hostile=3)
LANES = 400


def start(task: Task, lanes: int = LANES, pool=None) -> spawn.Start:
    pool = pool or worlds.pool()
    seed = jnp.arange(lanes, dtype=jnp.uint32)
    return jax.jit(lambda seed: spawn.draw(pool, spawn.open_places(pool), task, seed))(seed)


@pytest.fixture(scope="module")
def wild():
    return start(TASK)


def test_the_tasks_mobs_come_first_then_animals_then_empty_entries(wild):
    kind = np.asarray(wild.mobs.kind)
    assert kind.shape == (LANES, spawn.num_mobs(TASK)) == (LANES, 15)
    assert (kind[:, :2] == [MOBS.index("cow"), MOBS.index("sheep")]).all()
    assert (kind[:, 12:] == 0).all()
    near = np.abs(np.asarray(wild.mobs.position - wild.position[:, None]))
    assert near[:, :2, ::2].max() <= 5


def test_herds_are_of_one_kind_close_together_and_by_the_biomes_weights(wild):
    kind = np.asarray(wild.mobs.kind)[:, 2:12]
    place = np.asarray(wild.mobs.position)[:, 2:12]
    for first in (0, 4, 8):  # 4, 4 and 2 animals
        herd = slice(first, first + 4)
        assert (kind[:, herd] == kind[:, first, None]).all()
        apart = place[:, herd, None, ::2] - place[:, None, herd, ::2]
        apart = np.abs((apart + 16) % 32 - 16)  # the world repeats
        assert apart.max() == 12  # 6 to each side of the herd's place
    animals = dict(get_biome("plains").animals)
    total = sum(animals.values())
    herds = kind[:, [0, 4, 8]]
    for mob, weight in animals.items():
        share = (herds == MOBS.index(mob)).mean()
        sigma = np.sqrt(weight / total / herds.size)
        assert abs(share - weight / total) < 4 * sigma


def test_animals_stand_in_cells_above_grass_within_half_a_period_of_the_player(wild):
    place = np.asarray(wild.mobs.position)
    assert (place[..., 1] == worlds.GROUND).all()
    assert (place[..., ::2] % 1 == 0.5).all()
    away = place[..., ::2] - np.asarray(wild.position)[:, None, ::2]
    assert np.abs(away).max() <= 16


def test_animals_want_grass_below_them():
    pool = worlds.pool()
    blocks = np.array(pool.blocks)
    blocks[:, 10:, :, worlds.GROUND - 1] = BLOCK_ID["sand"]
    task = dataclasses.replace(TASK, mobs=(), hostile=0)
    place = np.asarray(start(task, 40, pool.replace(blocks=jnp.asarray(blocks))).mobs.position)
    assert (place[..., 0] % 32 < 10).all()


def test_a_land_without_animals_has_none_and_a_task_without_mobs_one_empty_entry():
    assert not get_biome("desert").animals
    assert not start(dataclasses.replace(TASK, mobs=(), biome="desert"), 4).mobs.kind.any()
    empty = start(Task("test", "", "log"), 4)
    assert empty.mobs.kind.shape == (4, 1) and not empty.mobs.kind.any()


def test_sheep_come_in_six_colours(wild):
    is_sheep = np.asarray(wild.mobs.kind) == SHEEP
    colour = np.asarray(wild.mobs.variant)
    assert not colour[~is_sheep].any()
    counts = np.bincount(colour[is_sheep], minlength=16) / is_sheep.sum()
    for meta, share in zip(COLOUR_META, (0.81836, 0.05, 0.05, 0.05, 0.03, 0.00164)):
        sigma = np.sqrt(share * (1 - share) / is_sheep.sum())
        assert abs(counts[meta] - share) < 4 * sigma
    assert counts[COLOUR_META].sum() == pytest.approx(1.0)


def test_the_first_egg_takes_6000_to_12000_ticks(wild):
    is_chicken = np.asarray(wild.mobs.kind) == CHICKEN
    timer = np.asarray(wild.mobs.timer)
    assert not timer[~is_chicken].any()
    eggs = timer[is_chicken]
    assert eggs.min() >= 6000 and eggs.max() < 12_000
    assert abs(eggs.mean() - 9000) < 4 * 1732 / np.sqrt(eggs.size)
