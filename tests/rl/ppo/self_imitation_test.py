"""Self-imitation: what is stored, what a pass does, and that it is part of a checkpoint."""

import dataclasses
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.actions import HybridAction, empty_space
from rlgpt_jax.rl.config import RewardConfig, RLConfig
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.ppo import self_imitation
from rlgpt_jax.rl.ppo.optimizer import TrainState, make_optimizer
from rlgpt_jax.rl.ppo.self_imitation import Imitation
from rlgpt_jax.rl.rollout.one_tick import Batch, Episodes
from rlgpt_jax.rl.train import carry_over, init_learner, train
from tests.corridor import Corridor, HostCorridor
from tests.plane import SPEC, Plane
from tests.rl import small
from tests.rl.small import assert_same_bits

LENGTH, N = 48, 3
SPACE, WORLD = empty_space(), dict(num_envs=16, length=4, horizon=12)
ENV = Corridor(**WORLD)


def with_ppo(config: RLConfig = small.CONFIG, **fields: Any) -> RLConfig:
    return dataclasses.replace(config, ppo=dataclasses.replace(config.ppo, **fields))


def stored(imitation: Imitation) -> list[list[int]]:
    """The numbers of the ticks that the stored trajectories are made of, the oldest first."""
    total = int(imitation.lengths.sum())
    at = (imitation.head - total + np.arange(total)) % len(imitation.rows.action.macro)
    numbers = imitation.rows.action.macro[at]
    np.testing.assert_array_equal(imitation.rows.features.gps[at, 0], numbers)
    ends = np.cumsum(imitation.lengths)[:-1]
    return [part.tolist() for part in np.split(numbers, ends) if len(part)]


def batch_of(decision: np.ndarray, reward: np.ndarray, success: np.ndarray, late: np.ndarray,
             first: int = 0, clip: Any = None) -> Batch:  # fmt: skip
    """Ticks [T, N] in which every tick and lane has a number of its own, in features and action."""
    number = N * first + np.arange(decision.size, dtype=np.int32).reshape(decision.shape)
    blank = jax.tree.map(
        lambda x: np.zeros((*number.shape, *x.shape[1:]), x.dtype), actor_critic.dummy_features()
    )
    gps = np.repeat(number[..., None], 3, -1).astype(np.float32)
    features = blank._replace(gps=gps, lead=np.zeros(number.shape, np.uint8))
    zeros = np.zeros(number.shape, np.float32)
    return Batch(
        features=features, action=HybridAction(np.zeros((*number.shape, 2), np.int32), number),
        log_prob=zeros, decision=decision, reward=reward, terminated=success,
        truncated=late, final_value=zeros, carried=None, clip=clip,
        episodes=Episodes(success | late, success, zeros, zeros),
    )  # fmt: skip


def brute_force(decision, reward, success, late, length, trajectories, rows) -> list[list[int]]:
    """The definition, lane by lane and tick by tick, with lists."""
    kept: list[tuple[list[int], float]] = []
    going: list[list[int]] = [[] for _ in range(N)]
    total = np.zeros(N, np.float32)
    for tick in range(len(decision)):
        for lane in range(N):
            going[lane] += [N * tick + lane] * int(decision[tick, lane])
            total[lane] += reward[tick, lane]
            if not (success | late)[tick, lane]:
                continue
            returns = np.array([r for _, r in kept], np.float32)
            least = returns.mean() + 2.0 * returns.std() if kept else 0.0
            if going[lane] and (success[tick, lane] or total[lane] >= least):
                kept.append((going[lane][-length:], total[lane]))
                while len(kept) > trajectories or sum(len(t) for t, _ in kept) > rows:
                    kept.pop(0)
            going[lane], total[lane] = [], 0.0
    return [trajectory for trajectory, _ in kept]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([1, 4, 12, LENGTH]), st.sampled_from([9, 15, 60]))
def test_what_is_stored_is_that_of_the_definition_however_ticks_are_cut(seed, cut, rows):
    rng, shape = np.random.default_rng(seed), (LENGTH, N)
    decision = rng.random(shape) < 0.6
    success, late = rng.random((2, *shape)) < [[[0.08]], [[0.15]]]
    late &= ~success
    reward = rng.normal(size=shape).astype(np.float32)
    config = with_ppo(num_envs=N, imitation_every=1, imitation_trajectories=5, imitation_rows=rows)
    imitation = self_imitation.empty(config)
    for at in range(0, LENGTH, cut):
        part = slice(at, at + cut)
        ticks = (decision[part], reward[part], success[part], late[part])
        self_imitation.add(imitation, batch_of(*ticks, first=at))
    assert stored(imitation) == brute_force(decision, reward, success, late, rows // N, 5, rows)


def test_a_world_with_a_clip_reward_is_judged_by_that_alone():
    """Two episodes of one tick in each lane: later ones have the higher return, of which one is
    enough to raise what is needed, and the lower CLIP return."""
    always, never = np.ones((2, N), bool), np.zeros((2, N), bool)
    reward = np.repeat([[0.0], [9.0]], N, 1).astype(np.float32)
    clip = np.repeat([[0.5], [0.1]], N, 1).astype(np.float32)
    config = with_ppo(num_envs=N, imitation_every=1, imitation_rows=60)
    for told, expected in ((None, [[0], [1], [2], [3]]), (clip, [[0], [1], [2]])):
        imitation = self_imitation.empty(config)
        self_imitation.add(imitation, batch_of(always, reward, never, always, clip=told))
        assert stored(imitation) == expected


def test_a_pass_makes_what_is_stored_likelier_and_leaves_the_critic():
    config = with_ppo(
        num_envs=N, imitation_every=1, imitation_batch=8, imitation_rows=60, learning_rate=1e-2
    )
    yes = np.ones((16, N), bool)
    batch = batch_of(
        yes, np.ones(yes.shape, np.float32), (np.arange(16) % 8 == 7)[:, None] & yes, ~yes
    )
    batch = batch._replace(action=batch.action._replace(macro=np.zeros(yes.shape, np.int32)))
    imitation = self_imitation.empty(config)
    self_imitation.add(imitation, batch)
    assert imitation.lengths.sum() == 48
    params = actor_critic.init_params(config.network, jax.random.key(0))
    before = jax.device_get(params)
    state, losses = TrainState(params, make_optimizer(config.ppo).init(params)), []
    masks = SPACE.arrays().masks
    for i in range(10):
        key = jax.random.key(i)
        state, loss = self_imitation._one_pass(
            config.ppo, config.network, imitation, state, masks, key
        )
        losses.append(loss)
    # Primitives alone, at first each as likely as another: 12 times 3 of them.
    assert 0.3 * np.log(36) < losses[0] < np.log(36) + 0.1 and losses[-1] < 0.2
    assert_same_bits(jax.device_get(state.params.critic), before.critic)
    assert not np.asarray(jax.tree.leaves(state.opt_state[1][0].mu.critic)[0]).any()
    assert int(state.opt_state[1][0].count) == 10 * (48 // 8)


IMITATING = with_ppo(imitation_every=2, imitation_batch=50, imitation_rows=2_000)


def collect(config: RLConfig, num_ticks: int, env: Any = ENV) -> tuple[Any, list[dict]]:
    seen: list[dict] = []
    learner = init_learner(env, SPACE, config, 3)
    return train(env, SPACE, config, learner, num_ticks, lambda _, m: seen.append(m)), seen


@pytest.fixture(scope="module")
def first_update():
    """Before the first pass."""
    return collect(IMITATING, 256)


def test_without_a_pass_nothing_else_changes(first_update):
    off, plain = collect(small.CONFIG, 256)
    on, seen = first_update
    assert off.imitation is None and not any("imitation" in name for name in plain[0])
    assert_same_bits(on.params, off.params)
    assert on.imitation.lengths.sum() == seen[-1]["imitation_rows"] > 0
    assert seen[-1]["imitation_trajectories"] > 0 and np.isnan(seen[-1]["imitation_loss"])


@pytest.mark.parametrize("kind", ["host", pytest.param("device", marks=pytest.mark.slow)])
def test_a_resumed_run_gives_the_same_bits(kind, tmp_path):
    """The pass after update 4 needs what the first three updates have stored."""
    config = dataclasses.replace(IMITATING, driver=kind)
    make = HostCorridor if kind == "host" else Corridor
    env, other = make(**WORLD), make(**WORLD)
    learner, _ = collect(config, 3 * 256, env)
    checkpoint.save(tmp_path / "c", learner, env)
    restored = checkpoint.load(tmp_path / "c", other, SPACE, config)
    assert_same_bits(restored, learner)
    assert restored.imitation.lengths.sum() > 50 and restored.imitation.taken.any()
    seen: list[dict] = []
    straight = train(env, SPACE, config, learner, 2 * 256)
    again = train(other, SPACE, config, restored, 2 * 256, lambda _, m: seen.append(m))
    assert_same_bits(again, straight)
    assert [np.isfinite(m["imitation_loss"]) for m in seen] == [True, False]


def test_new_episodes_keep_what_is_stored_unless_a_macro_has_changed(first_update):
    learner, _ = first_update
    assert learner.imitation.taken.any() and learner.imitation.lengths.any()
    same = carry_over(learner, ENV, SPACE, (), IMITATING, seed=1).imitation
    assert stored_rows(same) == stored_rows(learner.imitation) > 0 and not same.taken.any()
    other = carry_over(learner, ENV, SPACE, (2,), IMITATING, seed=1).imitation
    assert stored_rows(other) == 0 and learner.imitation.taken.any()


def stored_rows(imitation: Imitation) -> int:
    return int(imitation.lengths.sum())


def test_networks_that_need_more_than_a_row_are_refused():
    wanted = dataclasses.replace(small.NETWORK, image_size=(16, 16))
    with pytest.raises(ValueError, match=r"network.image_size is .* unset with ppo.imit"):
        dataclasses.replace(IMITATING, network=wanted, observation=("rgb",))


def test_lanes_that_step_on_their_own_and_several_devices_are_refused():
    with pytest.raises(ValueError, match=r"ppo.imitation_every is 2.*MineDojo.*Set it to 0\."):
        self_imitation.check(IMITATING, True, None)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("lanes",))
    with pytest.raises(ValueError, match="several devices.*or devices to 1"):
        self_imitation.check(IMITATING, False, mesh)
    self_imitation.check(small.CONFIG, True, mesh)
    with pytest.raises(ValueError, match="ppo.imitation_rows is 2; it must be at least ppo.num"):
        with_ppo(imitation_every=1, imitation_rows=2)


@pytest.mark.slow
def test_worlds_with_a_spec_are_imitated_too():
    config, space = dataclasses.replace(IMITATING, spec=SPEC), empty_space(SPEC)
    learner = init_learner(Plane(), space, config, 0)
    seen: list[dict] = []
    learner = train(Plane(), space, config, learner, 4 * 256, lambda _, m: seen.append(m))
    assert np.isfinite(seen[-1]["imitation_loss"]) and learner.imitation.rows.action.primitive.any()


@pytest.mark.slow
def test_it_learns_from_the_few_successes_that_it_had():
    """Coming nearer is not rewarded, and PPO's own steps are small."""
    reward = RewardConfig(distance=0.0)
    slow = dataclasses.replace(with_ppo(learning_rate=3e-4, num_epochs=1), reward=reward)
    rates = []
    for every in (0, 2):
        _, seen = collect(with_ppo(slow, imitation_every=every, imitation_batch=100), 7_680)
        rates.append(np.mean([m["success_rate"] for m in seen[-5:]]))
    assert rates[1] > rates[0] + 0.1
