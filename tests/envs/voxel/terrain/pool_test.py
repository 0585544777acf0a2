"""The pool of worlds: splits, cache, progress."""

import dataclasses
import errno
import itertools

import numpy as np
import pytest

from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.terrain import pool

PARAMS = WorldParams(size_x=32, size_z=32, size_y=32, sea_level=12, num_worlds=2)


def test_no_world_seed_is_in_two_splits():
    splits = [
        {pool.world_seed(biome, split, i) for biome in ("plains", "forest") for i in range(2000)}
        for split in pool.SPLITS
    ]
    assert [len(seeds) for seeds in splits] == [4000] * len(pool.SPLITS)
    assert len(set().union(*splits)) == 4000 * len(pool.SPLITS)
    # Disjoint for any number of worlds, not only for these: the lowest bits differ.
    assert [{seed % 4 for seed in seeds} for seeds in splits] == [{0}, {1}, {2}]


def test_pools_of_different_splits_hold_other_worlds():
    pools = [pool.load_pool("plains", split, PARAMS) for split in pool.SPLITS]
    for first, second in itertools.combinations(pools, 2):
        for one, other in itertools.product(np.asarray(first.blocks), np.asarray(second.blocks)):
            assert (one != other).mean() > 0.001


def test_pools_of_other_numbers_hold_other_worlds(tmp_path):
    pools = [
        np.asarray(pool.load_pool("plains", "eval", PARAMS, tmp_path, number=number).blocks)
        for number in (0, 1, 1)
    ]
    assert (pools[1] == pools[2]).all() and len(list(tmp_path.iterdir())) == 2
    for one, other in itertools.product(pools[0], pools[1]):
        assert (one != other).mean() > 0.001


def test_a_pool_comes_back_from_the_cache_unchanged(tmp_path, monkeypatch):
    made = pool.load_pool("forest", "train", PARAMS, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [
        pool.cache_name("forest", "train", PARAMS)
    ]
    monkeypatch.setattr(pool, "generate", None)  # must not be needed
    again = pool.load_pool("forest", "train", PARAMS, tmp_path)
    for name in ("blocks", "light", "surface", "spawnable"):
        np.testing.assert_array_equal(getattr(made, name), getattr(again, name))


def cut(path):
    path.write_bytes(path.read_bytes()[:1000])


def flip_a_bit(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def empty(path):
    path.write_bytes(b"")


def unsigned(path):
    """A valid archive of the right arrays, one cell changed, without a checksum."""
    with np.load(path) as file:
        arrays = dict(file)
    arrays["blocks"][0, 0, 0, 0] += 1
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def of_other_shape(path):
    """A sound file of worlds that are one layer too low."""
    with np.load(path) as file:
        worlds = pool.World(**file)
    pool._write(path, worlds._replace(blocks=worlds.blocks[..., :-1]))


def of_other_type(path):
    with np.load(path) as file:
        worlds = pool.World(**file)
    pool._write(path, worlds._replace(surface=worlds.surface.astype(np.int64)))


@pytest.mark.parametrize(
    "damage", [cut, flip_a_bit, empty, unsigned, of_other_shape, of_other_type]
)
def test_a_damaged_cache_file_is_made_anew(tmp_path, damage):
    made = pool.load_pool("plains", "train", PARAMS, tmp_path)
    path = tmp_path / pool.cache_name("plains", "train", PARAMS)
    sound = path.read_bytes()
    damage(path)
    told = []
    again = pool.load_pool("plains", "train", PARAMS, tmp_path, lambda *now: told.append(now))
    assert told == [(1, 2), (2, 2)]  # made, not read
    np.testing.assert_array_equal(made.blocks, again.blocks)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert len(path.read_bytes()) == len(sound)
    pool.load_pool("plains", "train", PARAMS, tmp_path, lambda *now: told.append(now))
    assert told[2:] == [(2, 2)]  # the new file is sound


def test_a_full_disk_costs_the_cache_and_not_the_run(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pool.os, "fsync", full)
    with pytest.warns(UserWarning, match="not kept in .*No space left on device"):
        made = pool.load_pool("plains", "train", PARAMS, tmp_path)
    assert made.blocks.shape == (2, 32, 32, 32)
    assert list(tmp_path.iterdir()) == []


def test_a_cache_folder_that_cannot_be_made_is_done_without(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(UserWarning, match="not kept in"):
        made = pool.load_pool("plains", "train", PARAMS, tmp_path / "file" / "cache")
    assert made.spawnable.any()


def test_cache_names_tell_pools_apart():
    others = [
        ("forest", "train", PARAMS),
        ("plains", "eval", PARAMS),
        ("plains", "train", dataclasses.replace(PARAMS, size_x=48)),
        ("plains", "train", dataclasses.replace(PARAMS, sea_level=13)),
        ("plains", "train", dataclasses.replace(PARAMS, num_worlds=3)),
    ]
    names = {pool.cache_name(*other) for other in [("plains", "train", PARAMS), *others]}
    assert len(names) == len(others) + 1


def test_progress_is_told_for_every_world():
    told = []
    pool.load_pool("plains", "train", PARAMS, None, lambda *now: told.append(now))
    assert told == [(1, 2), (2, 2)]


def test_unknown_split_and_biome_are_refused():
    with pytest.raises(ValueError, match="no split 'test'. Try: train, eval, validation"):
        pool.load_pool("plains", "test", PARAMS)
    with pytest.raises(ValueError, match="no biome 'moon'"):
        pool.load_pool("moon", "train", PARAMS)


def test_a_cache_name_changes_with_the_generator(monkeypatch):
    before = pool.cache_name("plains", "train", PARAMS)
    for name, value in (("OPACITY", pool.OPACITY + 1), ("VEINS", ()), ("_SOURCES", ("noise",))):
        with monkeypatch.context() as changed:
            changed.setattr(pool, name, value)
            pool._mark.cache_clear()
            assert pool.cache_name("plains", "train", PARAMS) != before
    pool._mark.cache_clear()
    assert pool.cache_name("plains", "train", PARAMS) == before
