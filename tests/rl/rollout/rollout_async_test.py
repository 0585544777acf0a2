"""Lanes that step on their own: what is recorded, and that PPO learns from it."""

import time
from typing import Any

import jax
import numpy as np
import pytest

from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.rollout import lanes_async
from rlgpt_jax.rl.rollout.rollout_async import AsyncRollout
from rlgpt_jax.rl.train import carry_over, init_learner, train
from rlgpt_jax.rl.worlds.minecraft import decode
from tests.corridor import Corridor, HostCorridor
from tests.rl.macros_test import WALK, make_space
from tests.rl.own_pace import OwnPace, Together
from tests.rl.small import CONFIG, assert_same_bits

LANES, TICKS = CONFIG.ppo.num_envs, CONFIG.ppo.unroll_length
FAR = dict(length=1000, horizon=1000)
PACES = np.repeat([1.0, 1.3, 1.6, 2.0], LANES // 4)  # seconds of a tick


def rolling(env: OwnPace, space=None, config=CONFIG, seed: int = 0) -> tuple[AsyncRollout, Any]:
    """A driver in fresh episodes, and parameters."""
    space = space or empty_space()
    learner = init_learner(env, space, config, seed)
    made = AsyncRollout(env, space, config, learner.key, 0, learner.rollout)
    return made, learner.params


def collect(made: AsyncRollout, params, count: int) -> list[Any]:
    batches = []
    while len(batches) < count:
        made.step(params)
        if made.is_whole:
            batches.append(jax.device_get(made.batch(params)[0]))
    return batches


def test_lanes_that_answer_together_give_the_bits_of_the_host_driver() -> None:
    space, learners, metrics = make_space(WALK), [], []
    for env in (HostCorridor(num_envs=LANES), Together(num_envs=LANES)):
        seen: list[dict[str, float]] = []
        learner = init_learner(env, space, CONFIG, 3)
        learners.append(
            train(env, space, CONFIG, learner, 768, lambda _, m, seen=seen: seen.append(m))
        )
        metrics.append([{k: v for k, v in m.items() if "_per_" not in k and "time" not in k}
                        for m in seen])  # fmt: skip
    assert_same_bits(*learners)
    assert len(metrics[0]) == 3
    ages = [(m.pop("policy_age"), m.pop("policy_age_max")) for m in metrics[1]]
    assert ages == [(0.0, 0.0)] * 3
    np.testing.assert_equal(*metrics)


def pieces(env: OwnPace) -> dict[bytes, tuple[int, int]]:
    """Lane and number of each complete segment, by the actions that were sent in it."""
    return {
        np.array(sent[k * TICKS : (k + 1) * TICKS]).tobytes(): (lane, k)
        for lane, sent in enumerate(env.sent) for k in range(len(sent) // TICKS)
    }  # fmt: skip


def places(env: OwnPace, batch: Any) -> list[tuple[int, int]]:
    """Lane and number of the segment in each column of a batch without macros."""
    known, actions = pieces(env), np.asarray(decode(batch.action.primitive))
    return [known[np.ascontiguousarray(actions[:, i]).tobytes()] for i in range(LANES)]


def test_every_tick_is_in_one_column_and_in_its_place() -> None:
    """Columns are consecutive pieces of what each lane was sent; none is missing or twice."""
    env = OwnPace(PACES, **FAR)
    batches = collect(*rolling(env), 3)
    found: dict[int, list[int]] = {lane: [] for lane in range(LANES)}
    for batch in batches:
        assert batch.decision.shape == (TICKS, LANES) and batch.decision.all()
        for lane, k in places(env, batch):
            found[lane].append(k)
    assert all(ks == list(range(len(ks))) for ks in found.values())
    assert len(found[0]) > len(found[LANES - 1]) > 0
    assert len(pieces(env)) - 3 * LANES < LANES  # complete, but of no whole batch yet


@pytest.mark.slow
def test_rows_of_a_column_follow_each_other() -> None:
    """The features of a tick are those after the tick before, also over a segment's border."""
    env = OwnPace(PACES, length=1000, horizon=9)
    made, params = rolling(env)
    for batch in collect(made, params, 3):
        gps, done = batch.features.gps[..., 2], batch.terminated | batch.truncated
        step = gps[1:] - gps[:-1]
        assert (np.abs(step[~done[:-1]]) <= 1.01).all()
        assert (batch.features.gps[1:][done[:-1]] == 0).all()
        assert np.isin(batch.episodes.ticks[batch.episodes.done], 9).all()


def test_a_lane_does_not_depend_on_when_the_others_answer() -> None:
    logs = []
    for paces in (PACES, PACES[::-1].copy()):
        env = OwnPace(paces, **FAR)
        made, params = rolling(env, make_space(WALK))
        collect(made, params, 2)
        logs.append(env.sent)
    for a, b in zip(*logs, strict=True):
        common = min(len(a), len(b))
        assert common > TICKS
        np.testing.assert_array_equal(a[:common], b[:common])


def test_one_slow_world_is_not_waited_for() -> None:
    env = OwnPace([1e6, *PACES[1:]], **FAR)
    batches = collect(*rolling(env), 3)
    assert len(batches) == 3 and env.now < 1000
    assert len(env.sent[0]) == 1


def test_a_macro_goes_on_over_the_border_of_a_segment() -> None:
    """20 ticks of walking, then 20 more, in segments of 16."""
    space = make_space(WALK.replace("10", "20"), offered=False, script=(1, 1))
    env = OwnPace(PACES, **FAR)
    made, params = rolling(env, space)
    collect(made, params, 3)
    for sent in env.sent:
        walked = np.array(sent[:40])
        assert (walked[:, 0] == 1).all()
    slow = env.sent[-1]
    assert len(slow) > 2 * TICKS


def test_new_numbers_of_ready_lanes_compile_nothing() -> None:
    env = OwnPace(PACES, **FAR)
    made, params = rolling(env)
    made.step(params)
    sizes = [f._cache_size() for f in (lanes_async._decide, lanes_async._settle)]
    collect(made, params, 2)
    assert [f._cache_size() for f in (lanes_async._decide, lanes_async._settle)] == sizes


@pytest.mark.slow  # rows and bits are tested above
def test_ppo_learns_from_lanes_of_different_speed() -> None:
    env = OwnPace(np.repeat([1.0, 2.5], LANES // 2), lost={(0, 50), (7, 99)})
    learner = init_learner(env, empty_space(), CONFIG, 0)
    learner = train(env, empty_space(), CONFIG, learner, 10_240)
    assert learner.ticks == 10_240 and learner.num_updates == 40
    report = evaluate(
        Corridor(num_envs=LANES), Policy(learner.params, empty_space(), CONFIG), 5, num_episodes=32
    )
    assert report.success_rate > 0.9


@pytest.mark.slow
def test_training_leaves_all_lanes_at_rest_and_can_go_on() -> None:
    env = OwnPace(PACES)
    learner = train(env, empty_space(), CONFIG, init_learner(env, empty_space(), CONFIG, 0), 512)
    assert not env.waiting
    again = train(env, empty_space(), CONFIG, learner, 256)
    assert (again.ticks, again.num_updates) == (768, 3)
    fresh = carry_over(again, env, empty_space(), (), CONFIG, seed=1)
    assert train(env, empty_space(), CONFIG, fresh, 256).num_updates == 4


@pytest.mark.slow
def test_lanes_are_waited_for_at_the_end_of_training_only_if_they_are_to_go_on() -> None:
    env, space = OwnPace([1e6, *PACES[1:]]), empty_space()
    learner = train(env, space, CONFIG, init_learner(env, space, CONFIG, 0), 512, rests=False)
    assert learner.ticks == 512 and env.waiting and env.now < 1000
    with pytest.raises(ValueError, match="no episodes to go on with.*rests=False"):
        train(env, space, CONFIG, learner, 256)
    fresh = carry_over(learner, env, space, (), CONFIG, seed=1)
    assert train(env, space, CONFIG, fresh, 256, rests=False).num_updates == 3


@pytest.mark.slow
def test_seconds_are_those_of_a_rollout_and_its_update() -> None:
    env, seen = OwnPace(PACES, **FAR), [time.perf_counter()]
    learner = init_learner(env, empty_space(), CONFIG, 0)

    def on_update(_, metrics: dict[str, float]) -> None:
        went_by = time.perf_counter() - seen[-1]
        parts = [metrics[f"time_{part}"] for part in ("policy", "world", "macros")]
        assert 0.0 < sum(parts) < metrics["time_rollout"]
        assert metrics["time_rollout"] + metrics["time_update"] < went_by
        seen.append(time.perf_counter())

    train(env, empty_space(), CONFIG, learner, 768, on_update)
    assert len(seen) == 4


def test_a_resumed_run_keeps_all_but_the_episodes(tmp_path) -> None:
    env, space = OwnPace(PACES), make_space(WALK)
    saved: list[Any] = []

    def on_update(learner, _) -> None:
        if not saved:
            checkpoint.save(tmp_path / "c", learner, env)
            saved.append(jax.device_get(
                (learner.params, learner.opt_state, learner.num_updates, learner.ticks,
                 learner.finished, learner.recent, jax.random.key_data(learner.key))
            ))  # fmt: skip

    train(env, space, CONFIG, init_learner(env, space, CONFIG, 4), 512, on_update)
    other = OwnPace(PACES)
    learner = checkpoint.load(tmp_path / "c", other, space, CONFIG)
    assert_same_bits(
        saved[0],
        (learner.params, learner.opt_state, learner.num_updates, learner.ticks, learner.finished,
         learner.recent, jax.random.key_data(learner.key)),
    )  # fmt: skip
    assert other.seed == 5 and int(np.asarray(learner.rollout.lanes.episode_ticks).max()) == 0
    assert train(other, space, CONFIG, learner, 256).num_updates == 2
    nothing = OwnPace(PACES)
    networks = checkpoint.load(tmp_path / "c", nothing, space, CONFIG, begins=False)
    assert_same_bits(networks.params, learner.params)
    assert not hasattr(nothing, "state"), "no episode was begun for the networks alone"
    with pytest.raises(ValueError, match="no episodes to go on with.*begins=False"):
        train(nothing, space, CONFIG, networks, 256)
    assert carry_over(networks, nothing, space, (), CONFIG, 1).rollout is not None


def test_a_world_with_other_lanes_is_refused_before_anything_is_read_into_it(tmp_path) -> None:
    env, space = OwnPace(PACES), empty_space()
    checkpoint.save(tmp_path / "c", init_learner(env, space, CONFIG, 0), env)
    for begins in (True, False):
        with pytest.raises(ValueError, match="ppo.num_envs is 16, but the environment has 8"):
            checkpoint.load(tmp_path / "c", OwnPace(PACES[::2]), space, CONFIG, begins=begins)
