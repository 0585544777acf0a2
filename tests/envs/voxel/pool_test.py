"""The pool of worlds: splits, cache, progress."""

import dataclasses
import itertools

import numpy as np
import pytest

from rlgpt_jax.envs.voxel import pool
from rlgpt_jax.envs.voxel.params import WorldParams

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


def test_a_pool_comes_back_from_the_cache_unchanged(tmp_path, monkeypatch):
    made = pool.load_pool("forest", "train", PARAMS, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [
        pool.cache_name("forest", "train", PARAMS)
    ]
    monkeypatch.setattr(pool, "generate", None)  # must not be needed
    again = pool.load_pool("forest", "train", PARAMS, tmp_path)
    for a, b in zip((made.blocks, made.surface, made.spawnable),
                    (again.blocks, again.surface, again.spawnable)):  # fmt: skip
        np.testing.assert_array_equal(a, b)


def test_a_cut_off_cache_file_is_made_anew(tmp_path):
    made = pool.load_pool("plains", "train", PARAMS, tmp_path)
    path = tmp_path / pool.cache_name("plains", "train", PARAMS)
    path.write_bytes(path.read_bytes()[:1000])
    again = pool.load_pool("plains", "train", PARAMS, tmp_path)
    np.testing.assert_array_equal(made.blocks, again.blocks)


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
