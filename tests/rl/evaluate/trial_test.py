"""Where a trial starts its macro, and how two versions are compared."""

import collections
import dataclasses

import pytest

from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.evaluate.approach import STRATA, Scene
from rlgpt_jax.rl.evaluate.trial import trial
from rlgpt_jax.rl.evaluate.trial_report import TrialReport, compare
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.train import init_learner
from tests.corridor import Corridor, HostCorridor
from tests.rl.macros_test import BACK, TRAP, WALK, make_space
from tests.rl.small import CONFIG

LANES = 16
ENV = Corridor(num_envs=LANES, length=12, horizon=200)
GO = "def go(obs):\n    for i in range(5):\n        obs = yield forward()\n"
ON = "def on(obs):\n    if obs.z > 4:\n        for i in range(20):\n            yield forward()\n"
SCENE = Scene("milk_bucket", play=60)
AT_ONCE = Scene("milk_bucket")


def after_go(source: str, env=ENV, scene: Scene = AT_ONCE, seed: int = 0):
    return trial(env, make_space(GO, source, script=(1,)), 2, seed, LANES, scene)


def test_a_coded_part_starts_after_those_before_it_from_a_clean_start():
    alone = trial(ENV, make_space(ON), 1, 0, LANES)
    assert alone.successes == 0 and alone.mean_ticks == 0
    report = after_go(ON)
    assert report.before == ("go",) and report.player == ""
    assert report.successes == report.num_episodes == LANES
    assert {e.ticks_before for e in report.episodes} == {5}
    assert all(set(e.actions) == {"forward"} for e in report.episodes)
    assert f"once in each of {LANES} fresh episodes, after go." in report.describe()


def test_an_episode_that_ends_before_the_part_is_told_and_not_played_again():
    report = after_go(ON, dataclasses.replace(ENV, length=4))
    assert (report.num_episodes, report.solved_before, report.over_before) == (0, LANES, 0)
    words = report.describe()
    assert f"it was not: the task was solved before in {LANES}." in words
    report = after_go(ON, dataclasses.replace(ENV, horizon=4))
    assert (report.solved_before, report.over_before) == (0, LANES)
    assert report.env_ticks == 4 * LANES
    assert TrialReport.from_json(report.to_json()) == report


@pytest.mark.parametrize(("player", "least"), [("search", 4), ("policy", 1)])
def test_a_macro_starts_in_situations_of_every_kind(player, least):
    scene = SCENE
    if player == "policy":
        params = init_learner(HostCorridor(num_envs=LANES), empty_space(), CONFIG, 0).params
        space = make_space(WALK, BACK, script=(2,))  # its script has no part in this
        scene = dataclasses.replace(SCENE, policy=Policy(params, space, CONFIG))
    report = after_go(BACK, scene=scene)
    counts = collections.Counter(e.target for e in report.episodes)
    assert report.num_episodes + report.solved_before + report.over_before == LANES
    # The corridor's cow is seen wherever the view goes along it.
    assert counts["in reach"] >= least and sum(counts.values()) >= 12
    assert all(e.ticks_before >= 5 for e in report.episodes)
    assert all(e.actions == {"back": 2} for e in report.episodes if not e.died)
    words = report.describe()
    assert "after go and then " in words and "By situation at its start (target: cow):" in words
    for stratum in STRATA:
        told = f"- target {stratum}: {counts[stratum]} of {report.num_episodes} episodes."
        assert (told in words) == (counts[stratum] > 0)
    assert words.count("(ticks of 2); ended: returned") >= 1
    assert after_go(BACK, scene=scene).episodes == report.episodes, "the same seed"
    assert after_go(BACK, scene=scene, seed=1).episodes != report.episodes


def test_worlds_on_the_host_are_played_forward_too():
    host = HostCorridor(num_envs=LANES, length=12, horizon=200)
    assert after_go(BACK, host, SCENE).episodes == after_go(BACK, scene=SCENE).episodes


def test_what_is_in_hand_is_a_situation_of_its_own():
    with_bucket = dataclasses.replace(SCENE, materials=("bucket",))  # all hold one here
    report = after_go(BACK, scene=with_bucket)
    assert all(e.materials for e in report.episodes)
    assert "materials in hand" not in report.describe()
    mixed = dataclasses.replace(
        report, episodes=(dataclasses.replace(report.episodes[0], materials=False),
                          *report.episodes[1:]))  # fmt: skip
    assert "no materials in hand: 1 of" in mixed.describe()


def test_typical_episodes_are_of_median_length_and_of_the_most_frequent_end():
    report = after_go(WALK)
    a = report.episodes[0]
    made = tuple(
        dataclasses.replace(a, number=i, ticks=ticks, end=end)
        for i, (ticks, end) in enumerate(
            [(1, "returned"), (9, "trapped"), (7, "returned"), (90, "returned"), (3, "trapped")]
        )
    )
    assert [e.ticks for e in dataclasses.replace(report, episodes=made).typical()] == [7]


def changed(report: TrialReport, num: int, **fields) -> TrialReport:
    """The report with other facts in its first `num` episodes."""
    first = tuple(dataclasses.replace(e, **fields) for e in report.episodes[:num])
    return dataclasses.replace(report, episodes=first + report.episodes[num:])


def test_a_version_that_does_worse_is_found_out():
    good, bad = after_go(WALK), after_go(TRAP)
    assert compare(bad, good)[0] and not compare(good, bad)[0]
    assert compare(bad, good)[1] == (
        f"as to 'ended by a mistake' it was better in 0 and worse in {LANES} of {LANES}"
    )
    assert compare(good, good) == (False, f"no clear difference in {LANES}")


@pytest.mark.parametrize(
    ("fields", "is_worse"),
    [
        ({"success": True}, True),
        ({"gained": {"milk_bucket": 2}}, True),
        ({"gained": {"bucket": 1}}, True),
        ({"target_after": "in reach"}, True),
        ({"end": "tick_limit"}, False),
        ({"trap": "line 1: x"}, False),
        ({"walked": 90.0, "gained": {"dirt": 3}}, False),
    ],
)
def test_the_order_of_what_counts(fields, is_worse):
    new = dataclasses.replace(after_go(BACK), materials=("iron_ingot", "bucket"))
    assert compare(new, changed(new, 2, **fields))[0] is is_worse, "more than a tenth"
    assert not compare(new, changed(new, 1, **fields))[0], "one of sixteen may be chance"


def test_what_comes_first_decides():
    new = after_go(BACK)
    # The old one solves more, but ends by mistakes.
    old = changed(changed(new, 9, success=True), 3, trap="line 1: x")
    assert not compare(new, old)[0]
