"""The host driver: contract, memory, save and load, agreement of the ray casters."""

import dataclasses
import functools

import jax
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID, NAMES
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel import host as host_module
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.terrain.pool import load_pool
from rlgpt_jax.rl.rollout.on_host import OnHost, _reset
from tests.envs.voxel.worlds import HOST_LANES, HOST_PARAMS

N = HOST_LANES
PARAMS = dataclasses.replace(HOST_PARAMS, sea_level=16)


@functools.cache
def pool(split: str = "train"):
    return load_pool("plains", split, PARAMS)


def make_env(horizon: int = 12) -> VoxelEnv:
    task = dataclasses.replace(get_task("harvest_milk"), horizon=horizon)
    return VoxelEnv(task, PARAMS, N, pool())


@functools.cache
def host() -> HostVoxel:
    """One compiled environment for all tests; each begins with `reset`."""
    return HostVoxel(make_env())


def actions(num: int, seed: int = 0) -> np.ndarray:
    """Walking, turning, jumping, attacking and using: int32[num, N, 8]."""
    rng = np.random.default_rng(seed)
    acts = np.tile(np.array(base.NOOP, np.int32), (num, N, 1))
    acts[..., base.MOVE] = rng.integers(0, 2, (num, N))
    acts[..., base.JUMP] = rng.integers(0, 2, (num, N))
    acts[..., base.PITCH] = rng.integers(11, 15, (num, N))
    acts[..., base.YAW] = rng.integers(11, 14, (num, N))
    acts[..., base.FUNCTION] = rng.choice((0, 1, 3, 3), (num, N))
    return acts


def assert_same(one, other):
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(a, b)


def test_step_keeps_the_contract_s_types_and_resets_done_lanes():
    env = host()
    obs = env.reset(0)
    for tick, action in enumerate(actions(14), 1):
        step = env.step(action)
        assert all(isinstance(leaf, np.ndarray) for leaf in jax.tree.leaves(step))
        assert step.reward.dtype == np.float32 and step.info["busy"].dtype == bool
        done = step.terminated | step.truncated
        for new, last in zip(*map(jax.tree.leaves, (step.obs, step.final_obs)), strict=True):
            np.testing.assert_array_equal(new[~done], last[~done])
        if tick == 12:
            assert done.all() and step.truncated.any()
            assert (step.obs.position != step.final_obs.position).any(1).all()
            assert (step.obs.ray_block_distance != step.final_obs.ray_block_distance).any()
        obs = step.obs
    assert obs.position.shape == (N, 3)


def test_rays_of_both_casters_agree_along_an_episode():
    """Resets at tick 12 included: there numba casts in the reset lanes only."""
    env = host()
    by_jax = HostVoxel(make_env(), "jax")
    env.reset(3)
    ended = 0
    for action in actions(14, seed=3):
        step = env.advance(action)
        done = step.terminated | step.truncated
        cast = lambda: jax.device_get(host_module._observe(*by_jax._given, env.state))  # noqa: E731
        pairs = [(step.obs, cast())]
        if done.any():
            ended += done.sum()
            pairs.append((env.restart(done), cast()))
        for mine, other in pairs:
            np.testing.assert_array_equal(mine.position, other.position)
            assert np.mean(mine.ray_block == other.ray_block) >= 0.998
            assert np.mean(mine.ray_entity == other.ray_entity) >= 0.998
            close = np.abs(mine.ray_block_distance - other.ray_block_distance) < 1e-3
            assert close.mean() >= 0.998
    assert ended >= N


def test_worlds_stay_in_one_buffer_and_old_observations_stay_valid():
    env = host()
    env.reset(1)
    places, kept = set(), []
    for action in actions(14, seed=1):
        step = env.step(action)
        kept.append((step, jax.tree.map(np.copy, step)))
        places.add(env.state.blocks.unsafe_buffer_pointer())
    assert len(places) == 1
    for step, then in kept:
        assert_same(step, then)


def test_no_compiled_part_of_a_step_copies_the_worlds():
    env = host()
    env.reset(1)
    size = env.state.blocks.nbytes
    action, done = actions(1)[0], np.zeros(N, bool)
    for lowered in (
        host_module._advance.lower(*env._given, env.state, action),
        host_module._restart.lower(*env._given, env.state, done),
    ):
        memory = lowered.compile().memory_analysis()
        assert memory.temp_size_in_bytes < size / 2
        assert memory.alias_size_in_bytes >= size  # the donated worlds are the result's


def test_a_saved_run_goes_on_bit_for_bit():
    env = host()
    env.reset(7)
    for action in actions(5, seed=7):
        env.step(action)
    saved = env.save()
    later = actions(20, seed=8)
    first = [env.step(action) for action in later]
    env.reset(99)
    env.load(saved)
    assert_same(first, [env.step(action) for action in later])


def test_save_keeps_changed_blocks_and_little_else():
    env = host()
    env.reset(2)
    dig = np.tile(np.array(base.NOOP, np.int32), (N, 1))
    dig[:, base.PITCH] = 18  # 90 degrees down
    env.step(dig)
    dig[:, base.PITCH], dig[:, base.FUNCTION] = base.CAMERA_CENTRE, base.FN_ATTACK
    saved = env.save()
    assert len(saved["edit_cell"]) == 0
    big = HostVoxel(make_env(horizon=200))
    big.load(saved)
    for _ in range(40):  # grass by hand takes 18 ticks
        big.step(dig)
    saved = big.save()
    assert 0 < len(saved["edit_cell"]) < 50 * N
    worlds = np.array(big.state.blocks)
    big.reset(0)
    big.load(saved)
    np.testing.assert_array_equal(np.array(big.state.blocks), worlds)


def test_load_refuses_another_pool_and_another_number_of_lanes():
    env = host()
    env.reset(0)
    saved = env.save()
    task = get_task("harvest_milk")
    with pytest.raises(ValueError, match="another world pool"):
        HostVoxel(VoxelEnv(task, PARAMS, N, pool("eval"))).load(saved)
    with pytest.raises(ValueError, match="saved with 4 lanes, this environment has 3"):
        HostVoxel(VoxelEnv(task, PARAMS, 3, pool())).load(saved)


def test_misuse_is_told():
    with pytest.raises(ValueError, match="no raycaster 'gpu'"):
        HostVoxel(make_env(), "gpu")
    with pytest.raises(RuntimeError, match="call reset"):
        _ = HostVoxel(make_env()).state
    env = host()
    env.reset(0)
    with pytest.raises(ValueError, match=r"int32\[4, 8\], got \(3, 8\)"):
        env.step(np.zeros((3, 8), np.int32))


def test_the_cow_of_the_task_is_seen_by_some_lane():
    seen = [(host().reset(seed).ray_entity == NAME_ID["cow"]).any() for seed in range(5)]
    assert any(seen)


def test_another_goal_limit_start_and_range_of_mobs_compile_nothing():
    env = host()
    env.reset(0)
    env.step(actions(1)[0])
    env.restart(np.ones(N, bool))
    other_task = dataclasses.replace(
        env.env.task, goal_item="wool", goal_quantity=2, horizon=3, mob_range=(2, 2),
        start_items=(("shears", 1), ("dirt", 5)),
    )  # fmt: skip
    other = HostVoxel(VoxelEnv(other_task, PARAMS, N, pool()))
    programs = [getattr(host_module, name) for name in ("_reset", "_advance", "_restart")]
    sizes = [program._cache_size() for program in programs]
    obs = other.reset(0)
    assert [NAMES[i] for i in obs.slot_name[0, :3]] == ["shears", "dirt", ""]
    assert obs.slot_quantity[0, :2].tolist() == [1, 5]
    gap = np.abs(other.field("mobs.position")[:, 0] - other.field("player.position"))
    assert gap[:, [0, 2]].max() <= 2.0
    dones = [other.step(action).truncated.all() for action in actions(3)]
    assert dones == [False, False, True]
    assert [program._cache_size() for program in programs] == sizes
    assert env.reset(0).slot_quantity[0, :2].tolist() == [1, 0], "the first one is as it was"


def test_a_task_with_other_mobs_or_stages_is_another_program():
    pig = dataclasses.replace(host().env.task, mobs=("pig",))
    assert VoxelEnv(pig, PARAMS, N, pool()) != host().env


def test_pure_environments_that_differ_in_numbers_are_one_program_for_the_device():
    env, other = make_env(12), make_env(3)
    assert env == other and hash(env) == hash(other)
    assert env.default_params.numbers.horizon == 12 and other.default_params.numbers.horizon == 3
    OnHost(env).reset(0)
    size = _reset._cache_size()
    OnHost(other).reset(0)
    assert _reset._cache_size() == size


def test_the_pool_is_an_argument_and_no_literal_of_the_program():
    env = make_env()
    params, key = env.default_params, jax.random.key(0)
    state, _ = jax.eval_shape(env.reset, params, key)
    for made in (
        jax.make_jaxpr(env.reset)(params, key),
        jax.make_jaxpr(env.step)(params, state, actions(1)[0]),
    ):
        shapes = {np.shape(constant) for constant in made.consts}  # tables of the rules
        assert shapes and not shapes & {x.shape for x in jax.tree.leaves(params.pool)}
