"""Lanes that step on their own: what is recorded, what is lost, and that PPO learns from it."""

import dataclasses
from typing import Any

import jax
import numpy as np
import pytest

from rlgpt_jax.rl import checkpoint, lanes_async, rollout_host
from rlgpt_jax.rl.actions import decode, empty_space
from rlgpt_jax.rl.evaluate import evaluate
from rlgpt_jax.rl.rollout_async import AsyncRollout
from rlgpt_jax.rl.train import carry_over, init_learner, train
from rlgpt_jax.rl.trial import trial
from tests.corridor import Corridor, HostCorridor
from tests.rl.macros_test import WALK, make_space
from tests.rl.own_pace import OwnPace, Together
from tests.rl.small import CONFIG, assert_same_bits

LANES, TICKS = CONFIG.ppo.num_envs, CONFIG.ppo.unroll_length
APART = dataclasses.replace(CONFIG, overlap=False)
FAR = dict(length=1000, horizon=1000)
PACES = np.repeat([1.0, 1.3, 1.6, 2.0], LANES // 4)  # seconds of a tick


def rolling(env: OwnPace, space=None, config=CONFIG, seed: int = 0) -> tuple[AsyncRollout, Any]:
    """A driver in fresh episodes, and parameters."""
    space = space or empty_space()
    learner = init_learner(env, space, config, seed)
    made = AsyncRollout(
        env, space, config, learner.key, 0, learner.lanes, learner.macros, learner.obs
    )
    return made, learner.params


def collect(made: AsyncRollout, params, count: int) -> list[Any]:
    batches = []
    while len(batches) < count:
        made.step(params)
        if made.is_whole:
            batches.append(jax.device_get(made.batch(params)))
    return batches


@pytest.mark.parametrize("space", [empty_space(), make_space(WALK)], ids=["plain", "macros"])
def test_lanes_that_answer_together_give_the_bits_of_the_host_driver(space) -> None:
    learners, metrics = [], []
    for env in (HostCorridor(num_envs=LANES), Together(num_envs=LANES)):
        seen: list[dict[str, float]] = []
        learner = init_learner(env, space, APART, 3)
        learners.append(
            train(env, space, APART, learner, 768, lambda _, m, seen=seen: seen.append(m))
        )
        metrics.append([{k: v for k, v in m.items() if "_per_" not in k and "time" not in k}
                        for m in seen])  # fmt: skip
    assert_same_bits(*learners)
    assert len(metrics[0]) == 3
    np.testing.assert_equal(*metrics)


@pytest.mark.slow
def test_networks_that_remember_record_what_the_host_driver_does() -> None:
    network = dataclasses.replace(CONFIG.network, shared=True, recurrent=8)
    config = dataclasses.replace(APART, network=network)
    learners = []
    for env in (HostCorridor(num_envs=LANES), Together(num_envs=LANES)):
        learners.append(
            train(env, empty_space(), config, init_learner(env, empty_space(), config, 0), 512)
        )
    assert_same_bits(*learners)


def test_every_tick_is_in_one_column_and_in_its_place() -> None:
    """Columns are consecutive pieces of what each lane was sent; none is missing or twice."""
    env = OwnPace(PACES, **FAR)
    batches = collect(*rolling(env), 3)
    pieces = {}
    for lane, sent in enumerate(env.sent):
        for k in range(len(sent) // TICKS):
            piece = np.array(sent[k * TICKS : (k + 1) * TICKS])
            pieces[piece.tobytes()] = lane, k
    found: dict[int, list[int]] = {lane: [] for lane in range(LANES)}
    for batch in batches:
        assert batch.decision.shape == (TICKS, LANES) and batch.decision.all()
        actions = np.asarray(decode(batch.action.primitive))
        for column in range(LANES):
            lane, k = pieces.pop(np.ascontiguousarray(actions[:, column]).tobytes())
            found[lane].append(k)
    assert all(ks == list(range(len(ks))) for ks in found.values())
    assert len(found[0]) > len(found[LANES - 1]) > 0
    assert len(pieces) < LANES  # complete, but of no whole batch yet


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
        lasts = batch.last.gps[:, 2] - gps[-1]
        assert (np.abs(lasts[~done[-1]]) <= 1.01).all()


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


def test_a_lost_episode_is_cut_and_counts_as_none() -> None:
    env = OwnPace(np.ones(LANES), lost={(2, 5)}, length=1000, horizon=12)
    (batch,) = collect(*rolling(env), 1)
    assert batch.truncated[5, 2] and not batch.terminated[5, 2]
    assert not batch.episodes.done[5, 2] and batch.episodes.done[11, 0]
    assert batch.episodes.done.sum() == LANES - 1  # lane 2 is at tick 10 of its second episode
    assert batch.final_value[5, 2] != 0.0
    assert batch.features.gps[6, 2, 2] == 0.0  # a new episode


def test_the_value_of_a_lost_episode_is_that_of_its_last_observation() -> None:
    env = OwnPace(np.ones(LANES), lost={(2, 5)}, length=1000, horizon=12)
    made, params = rolling(env)
    (batch,) = collect(made, params, 1)
    # What was seen before the tick is the last that arrived; the previous action is another.
    features = jax.tree.map(lambda x: x[5], batch.features)
    features = features._replace(previous=features.previous.copy())
    features.previous[2] = int(
        np.asarray(rollout_host.rollout.action_id(env.sent[2][5][None], np.zeros(1, int)))[0]
    )
    value = rollout_host.networks.values(CONFIG.network, params, features)[2]
    np.testing.assert_allclose(batch.final_value[5, 2], value, rtol=1e-5)


def test_ppo_learns_from_lanes_of_different_speed() -> None:
    env = OwnPace(np.repeat([1.0, 2.5], LANES // 2), lost={(0, 50), (7, 99)})
    learner = init_learner(env, empty_space(), CONFIG, 0)
    learner = train(env, empty_space(), CONFIG, learner, 10_240)
    assert learner.ticks == 10_240 and learner.num_updates == 40
    report = evaluate(
        Corridor(num_envs=LANES), empty_space(), CONFIG, learner.params, 5, num_episodes=32
    )
    assert report.success_rate > 0.9


def test_training_leaves_all_lanes_at_rest_and_can_go_on() -> None:
    env = OwnPace(PACES)
    learner = train(env, empty_space(), CONFIG, init_learner(env, empty_space(), CONFIG, 0), 512)
    assert not env.waiting
    again = train(env, empty_space(), CONFIG, learner, 256)
    assert (again.ticks, again.num_updates) == (768, 3)
    fresh = carry_over(again, env, empty_space(), (), CONFIG, seed=1)
    assert train(env, empty_space(), CONFIG, fresh, 256).num_updates == 4


def test_a_world_goes_on_during_an_update() -> None:
    """With overlap more ticks are sent than updates take; without, at most the rest of a tick."""
    totals = {}
    for overlap in (True, False):
        env = OwnPace(PACES, **FAR)
        config = dataclasses.replace(CONFIG, overlap=overlap)
        learner = init_learner(env, empty_space(), config, 0)
        seen: list[int] = []
        note = lambda *_, seen=seen, env=env: seen.append(env.total)  # noqa: E731
        train(env, empty_space(), config, learner, 768, note)
        totals[overlap] = seen
    assert all(total >= 256 * (i + 1) for i, total in enumerate(totals[True]))
    assert totals[True][0] > totals[False][0]


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
    assert other.seed == 5 and int(np.asarray(learner.lanes.episode_ticks).max()) == 0
    assert train(other, space, CONFIG, learner, 256).num_updates == 2
    nothing = OwnPace(PACES)
    networks = checkpoint.load(tmp_path / "c", nothing, space, CONFIG, begins=False)
    assert_same_bits(networks.params, learner.params)
    assert not hasattr(nothing, "state"), "no episode was begun for the networks alone"
    assert carry_over(networks, nothing, space, (), CONFIG, 1).obs is not None


def test_evaluation_runs_lost_episodes_again() -> None:
    """Every lane plays its share; one that is lost is no failure and is played once more."""
    params = init_learner(HostCorridor(num_envs=LANES), empty_space(), CONFIG, 0).params

    def run(env, **kwargs):
        return evaluate(
            env, empty_space(), CONFIG, params, 1, num_episodes=LANES + 4, task="t", **kwargs
        )

    fields = dict(length=1000, horizon=6)
    plain = run(OwnPace(PACES, **fields))
    assert plain.num_episodes == LANES + 4 and plain.mean_ticks == 6.0
    assert sum(plain.action_ticks.values()) == 6 * (LANES + 4)
    env = OwnPace(PACES, lost={(0, 3), (9, 0), (9, 2)}, **fields)
    report = run(env)
    assert (report.num_episodes, report.successes, report.mean_ticks) == (LANES + 4, 0, 6.0)
    assert len(env.sent[0]) == 12 + 4 and len(env.sent[9]) == 6 + 3 and len(env.sent[5]) == 6
    seen: list[int] = []
    env = OwnPace(np.ones(LANES), lost={(0, 3)}, **fields)
    told = run(env, on_tick=lambda env, labels, step: seen.append(len(labels)))
    assert (told.num_episodes, told.mean_ticks) == (LANES + 4, 6.0)
    assert len(seen) == 2 * (4 + 6)  # lane 0 loses an episode in each of the chunks


def test_a_trial_starts_its_macro_again_where_the_episode_was_lost() -> None:
    params = dict(length=1000, horizon=1000)
    plain = trial(OwnPace(PACES, **params), make_space(WALK), 1, CONFIG, 0, num_episodes=LANES)
    lost = {(lane, 40) for lane in range(LANES)} | {(3, 41)}
    env = OwnPace(PACES, lost=lost, **params)
    report = trial(env, make_space(WALK), 1, CONFIG, 0, num_episodes=LANES)
    assert report.ends == plain.ends == {
        "returned": LANES, "trapped": 0, "tick_limit": 0, "interrupted": 0
    }  # fmt: skip
    assert report.mean_ticks == plain.mean_ticks == 10.0
