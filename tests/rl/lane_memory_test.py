"""What lanes take, and the refusals of lanes that do not fit; nothing large is allocated."""

import dataclasses

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.rl import devices, index_range, lane_memory
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.rollout.rollout_host import rollout_host
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor, HostCorridor
from tests.envs.voxel import worlds
from tests.rl.small import CONFIG

SPACE = empty_space()
ENV = Corridor(num_envs=16)


def with_ppo(**ppo):
    return dataclasses.replace(CONFIG, ppo=dataclasses.replace(CONFIG.ppo, **ppo))


def measured(env=ENV, config=CONFIG, on_device=True) -> lane_memory.Memory:
    found = lane_memory.measure(env, SPACE, config, on_device)
    assert found is not None
    return found


def nbytes(tree) -> int:
    return sum(np.asarray(x).nbytes for x in jax.tree.leaves(tree))


def test_worlds_batch_and_networks_are_counted_by_the_byte():
    learner = init_learner(ENV, SPACE, CONFIG, 0)
    found = measured()
    assert found.per_lane["world"] * 16 == nbytes(learner.rollout.env_state)
    assert found.fixed["networks"] == 4 * nbytes(learner.params)
    assert measured(on_device=False).per_lane["world"] == 2 * found.per_lane["world"]


def test_the_batch_is_counted_by_the_byte():
    learner = init_learner(ENV, SPACE, CONFIG, 0)
    world = lane_memory.on_host.as_host(ENV, learner.rollout.env_state)
    policy = Policy(learner.params, SPACE, CONFIG)
    _, batch, _ = rollout_host(world, policy, learner.rollout, jax.random.key(0))
    rows = nbytes(batch._replace(carried=None, frames=None))
    assert measured().per_lane["batch"] * 16 == rows


def test_worlds_of_the_embedded_kind_and_their_pool_are_counted():
    env = VoxelEnv(get_task("harvest_milk"), worlds.PARAMS, 4, worlds.pool())
    found = measured(env, with_ppo(num_envs=4))
    size = worlds.PARAMS.size_x * worlds.PARAMS.size_z * worlds.PARAMS.size_y
    assert size < found.per_lane["world"] < size + 4096
    assert found.largest["worlds"] == size
    assert found.fixed["pool of worlds"] >= 2 * 2 * size  # two worlds, blocks and light
    on_host = measured(HostVoxel(env), with_ppo(num_envs=4), on_device=False)
    assert on_host.per_lane["world"] == found.per_lane["world"]


def test_a_world_of_unknown_size_is_not_measured():
    assert lane_memory.measure(HostCorridor(num_envs=16), SPACE, CONFIG, False) is None


def test_longer_rollouts_and_fewer_minibatches_take_more():
    base = measured().lane
    assert measured(config=with_ppo(unroll_length=32)).lane > base
    assert measured(config=with_ppo(num_minibatches=1)).lane > base
    wide = dataclasses.replace(CONFIG.network, fusion_width=256)
    assert measured(config=dataclasses.replace(CONFIG, network=wide)).lane > base


def test_lanes_that_fit_are_as_many_as_the_budget_holds():
    found = measured()
    lanes = found.lanes_in(1e9)
    assert found.total(lanes) <= 1e9 < found.total(lanes + 1)
    assert found.lanes_in(0.0) == 0


def test_a_proposed_number_of_lanes_can_be_dealt():
    assert lane_memory.fitting(with_ppo(), 1001, 1) == 1001
    assert lane_memory.fitting(with_ppo(), 1001, 8) == 1000
    assert lane_memory.fitting(with_ppo(groups=16), 15, 8) == 0


def test_lanes_that_do_not_fit_are_refused_with_those_that_do(monkeypatch):
    budget = 0.6 * measured(on_device=False).total(16) / lane_memory.SHARE
    monkeypatch.setattr(lane_memory, "available", lambda *_: (budget, "a test"))
    compiled = []
    monkeypatch.setattr(actor_critic, "init_params", lambda *_: compiled.append(1))
    with pytest.raises(ValueError, match="ppo.num_envs=16 needs .* at most") as refused:
        init_learner(ENV, SPACE, CONFIG, 0)
    assert not compiled
    most = int(str(refused.value).split("at most ")[1].split(",")[0])
    fits = measured(on_device=False).total
    assert fits(most) <= lane_memory.SHARE * budget < fits(most + 2)


def test_memory_of_a_device_comes_first_and_that_of_the_machine_is_shared(monkeypatch):
    class Device:
        device_kind = "X1"

        def memory_stats(self):
            return {"bytes_limit": 7_000_000_000, "bytes_in_use": 1}

    host, where = lane_memory.available(True, 4)
    assert "machine" in where and 0 < host < 1e14
    monkeypatch.setattr(jax, "local_devices", lambda: [Device()])
    assert lane_memory.available(True, 4) == (7e9, "what JAX has of X1")
    assert "machine" in lane_memory.available(False, 1)[1]


# --- indices of 32 bits ------------------------------------------------------------
PER_LANE = 96**3
MOST = (2**31 - 1) // PER_LANE  # 2,427


def test_lanes_beyond_32_bits_are_refused_where_a_trial_failed(monkeypatch):
    monkeypatch.setattr(index_range, "is_right_beyond", lambda: False)
    index_range.check("worlds", PER_LANE, MOST)
    with pytest.raises(ValueError, match=f"2,428 lanes .* at most {MOST:,} lanes per device"):
        index_range.check("worlds", PER_LANE, MOST + 1)


def test_lanes_beyond_32_bits_are_allowed_where_the_trial_went_well(monkeypatch):
    tried = []
    monkeypatch.setattr(index_range, "is_right_beyond", lambda: tried.append(1) or True)
    index_range.check("worlds", PER_LANE, MOST)
    assert not tried, "nothing is tried where it is not needed"
    index_range.check("worlds", PER_LANE, 10 * MOST)
    assert tried


def test_the_trial_finds_writes_in_the_wrong_place(monkeypatch):
    lanes = np.array([0, 3, 4])
    assert index_range.tried(5, 8, lanes)
    edit = index_range._edit
    wrapped = lambda blocks, cell, byte: edit(blocks, (cell[0] % 4, *cell[1:]), byte)  # noqa: E731
    monkeypatch.setattr(index_range, "_edit", wrapped)
    assert not index_range.tried(5, 8, lanes)


def test_the_check_of_a_run_looks_at_worlds_and_batches(monkeypatch):
    """A device has its own part of the lanes, and there it counts."""
    seen = []
    monkeypatch.setattr(index_range, "check", lambda *args: seen.append(args))
    monkeypatch.setattr(devices, "mesh_of", lambda *_: type("Mesh", (), {"size": 4}))
    lane_memory.check(ENV, SPACE, CONFIG, True)
    assert [(what, lanes) for what, _, lanes in seen] == [("worlds", 4), ("batch", 4)]
    assert seen[1][1] == CONFIG.ppo.unroll_length * 120  # the rays are the longest part of a row


def test_a_run_that_fits_is_trained():
    learner = init_learner(ENV, SPACE, CONFIG, 0)
    assert train(ENV, SPACE, CONFIG, learner, 1).num_updates == 1
