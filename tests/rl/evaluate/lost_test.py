"""Episodes that are lost with their workers: cut, counted, played again, but not for ever."""

from typing import Any

import jax
import numpy as np
import pytest

from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.chain.evaluate import evaluate_chain
from rlgpt_jax.rl.chain.rule import Goal
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.lost import TooManyLost
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.evaluate.trial import trial
from rlgpt_jax.rl.evaluate.trial_report import TrialReport
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.networks import features as features_of
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import HostCorridor
from tests.rl.chain.chain_test import chain_of, coded
from tests.rl.macros_test import WALK, make_space
from tests.rl.own_pace import OwnPace
from tests.rl.rollout.rollout_async_test import FAR, LANES, PACES, collect, rolling
from tests.rl.small import CONFIG

SHORT = dict(length=1000, horizon=6)
OFTEN = {(0, tick) for tick in range(3, 200, 4)}  # 50 times in lane 0, which ends no episode before


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
        np.asarray(features_of.action_id(env.sent[2][5][None], np.zeros(1, int)))[0]
    )
    value = actor_critic.values(CONFIG.network, params, features)[2]
    np.testing.assert_allclose(batch.final_value[5, 2], value, rtol=1e-5)


def test_training_tells_how_many_episodes_were_lost() -> None:
    def counts(env) -> list[float | None]:
        seen: list[Any] = []
        learner = init_learner(env, empty_space(), CONFIG, 0)
        train(env, empty_space(), CONFIG, learner, 512, lambda _, m: seen.append(m.get("lost")))
        return seen

    assert counts(OwnPace(np.ones(LANES), lost={(2, 5), (9, 5), (2, 20)}, **FAR)) == [2.0, 1.0]
    assert counts(HostCorridor(num_envs=LANES)) == [None, None]


def judge(env, **kwargs) -> EvalReport:
    """An evaluation of a policy that never arrives."""
    params = init_learner(HostCorridor(num_envs=LANES), empty_space(), CONFIG, 0).params
    return evaluate(
        env, Policy(params, empty_space(), CONFIG), 1, num_episodes=LANES + 4, task="t", **kwargs
    )


def test_evaluation_runs_lost_episodes_again() -> None:
    """Every lane plays its share; one that is lost is no failure and is played once more."""
    plain = judge(OwnPace(PACES, **SHORT))
    assert plain.num_episodes == LANES + 4 and plain.mean_ticks == 6.0
    assert sum(plain.action_ticks.values()) == 6 * (LANES + 4)
    env = OwnPace(PACES, lost={(0, 3), (9, 0), (9, 2)}, **SHORT)
    report = judge(env)
    assert (report.num_episodes, report.successes, report.mean_ticks) == (LANES + 4, 0, 6.0)
    assert len(env.sent[0]) == 12 + 4 and len(env.sent[9]) == 6 + 3 and len(env.sent[5]) == 6
    assert (plain.lost, report.lost) == (0, 3)
    seen: list[int] = []
    env = OwnPace(np.ones(LANES), lost={(0, 3)}, **SHORT)
    told = judge(env, on_tick=lambda env, labels, step: seen.append(len(labels)))
    assert (told.num_episodes, told.mean_ticks, told.lost) == (LANES + 4, 6.0, 2)
    assert len(seen) == 2 * (4 + 6)  # lane 0 loses an episode in each of the chunks


@pytest.mark.parametrize(
    "listens",
    [
        pytest.param(False, id="at its own pace"),
        pytest.param(True, id="in lockstep", marks=pytest.mark.slow),
    ],
)
def test_an_evaluation_whose_games_keep_dying_ends_with_an_error(listens) -> None:
    on_tick = (lambda env, labels, step: None) if listens else None
    env = OwnPace(np.ones(LANES), lost=OFTEN, **SHORT)
    # Lane 0 has ended none; the others have theirs, of which lanes 1 to 3 have two.
    ended = LANES - 1 if listens else LANES + 2
    with pytest.raises(TooManyLost, match=f"24 episodes were lost .* {ended} of 20 came"):
        judge(env, on_tick=on_tick)


def test_a_report_tells_of_losses_where_there_are_any() -> None:
    plain = judge(OwnPace(PACES, **SHORT))
    report = judge(OwnPace(PACES, lost={(0, 3), (9, 0)}, **SHORT))
    assert "played again" not in plain.describe()
    assert report.describe().endswith("2 episodes were lost with a broken game and played again.")
    old = {k: v for k, v in plain.to_json().items() if k != "lost"}
    assert EvalReport.from_json(old) == plain
    assert EvalReport.from_json(report.to_json()).lost == 2


def try_out(env) -> TrialReport:
    return trial(env, make_space(WALK), 1, 0, num_episodes=LANES)


def test_a_trial_starts_its_macro_again_where_the_episode_was_lost() -> None:
    plain = try_out(OwnPace(PACES, **FAR))
    # The macro walks from tick 0 to 9, and in the episode that follows a loss too.
    lost = {(lane, 2) for lane in range(LANES)} | {(3, 9)}
    report = try_out(OwnPace(PACES, lost=lost, **FAR))
    assert report.ends == plain.ends == {
        "returned": LANES, "trapped": 0, "tick_limit": 0, "interrupted": 0
    }  # fmt: skip
    assert report.mean_ticks == plain.mean_ticks == 10.0
    assert (plain.lost, report.lost) == (0, LANES + 1)
    assert "played again" not in plain.describe()
    assert f"{LANES + 1} episodes were lost" in report.describe()
    old = {k: v for k, v in plain.to_json().items() if k != "lost"}
    assert TrialReport.from_json(old) == plain


def test_a_trial_whose_games_keep_dying_ends_with_an_error() -> None:
    with pytest.raises(TooManyLost, match="20 episodes were lost .* 15 of 16 came"):
        try_out(OwnPace(PACES, lost=OFTEN, **FAR))


def test_a_long_task_plays_lost_episodes_again_but_not_for_ever() -> None:
    chain = chain_of(coded(Goal("only", "milk_bucket", 1, (), 30, False), WALK))

    def play(lost):
        env = OwnPace(np.ones(LANES), lost=lost, **SHORT)
        return evaluate_chain(
            env, chain, CONFIG, 1, num_episodes=LANES, task="t", split="eval"
        ).whole

    report = play({(0, 3), (4, 5)})
    assert (report.num_episodes, report.mean_ticks, report.lost) == (LANES, 6.0, 2)
    with pytest.raises(TooManyLost, match="20 episodes were lost .* 15 of 16 came"):
        play(OFTEN)
