"""Which episodes and which moments are shown: rules on hand-made episodes."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.evaluate.activation import action_words
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.keyframes import Batch, Episode, Recorder, pick_failure, pick_success
from rlgpt_jax.rl.evaluate.moments import NUM_MOMENTS, choose
from rlgpt_jax.rl.policy import Policy
from tests.rl.evaluate.evaluate_test import params
from tests.rl.scripted import Scripted, press
from tests.rl.small import CONFIG

USE, ATTACK = base.FN_USE, base.FN_ATTACK
FAR = ("grass", 9.0)


def record(ticks, success=False):
    """An episode of one lane from (crosshair, action, changes of the observation) per tick;
    the last entry is the end."""
    recorder = Recorder(("cow",))
    recorder.start(7)
    world = Scripted([[seen] for seen, _, _ in ticks])
    for at, (_, action, changes) in enumerate(ticks):
        obs = world.observation(at, **{k: v for k, v in changes.items() if k != "slot"})
        obs.slot_name[0, 0] = NAME_ID[changes.get("slot", "bucket")]
        if at == len(ticks) - 1:
            recorder.end(0, success, False, obs)
        else:
            recorder.tick(obs, ["primitive"], act_of(action), np.array([True]))
    recorder.finish()
    return recorder.success or recorder.failure


def act_of(action):
    return SimpleNamespace(action=action[None], slot=np.array([0]), decided=np.array([True]))


def walk(num, seen=FAR, action=None, **changes):
    return [(seen, press() if action is None else action, changes)] * num


def end(seen=FAR, **changes):
    return [(seen, press(), changes)]


def short(ticks, presses, success=False, dead=False, lane=0):
    """Only what the choice of an episode looks at."""
    rows = [
        SimpleNamespace(
            takes=np.ones(8, bool),
            action=np.tile(press(ATTACK if at < presses else 0), (8, 1)),
            aimed=SimpleNamespace(word=lambda lane: "nothing"),
        )
        for at in range(ticks)
    ]
    return Episode(Batch(0, 1, rows), lane, ticks, success, dead, rows[-1])


def test_the_success_is_the_median_in_ticks_of_equal_ones_the_first_lane():
    episodes = [
        short(3, 0, True, lane=0), short(5, 0, True, lane=3), short(5, 0, True, lane=2),
        short(9, 0, True, lane=5), short(1, 0, False, lane=1),
    ]  # fmt: skip
    assert pick_success(episodes).lane == 2
    assert pick_success(episodes[1:4]).lane == 3  # of three the middle one
    assert pick_success(episodes[4:]) is None and pick_success([]) is None


def test_the_failure_is_the_median_in_acting_without_gain_then_in_ticks():
    quiet, usual, busy = (short(9, n, lane=5 - n) for n in (0, 2, 5))
    assert pick_failure([busy, quiet, usual, short(9, 9, True, lane=6)]) is usual
    longer = short(12, 2, lane=0)
    assert pick_failure([quiet, usual, longer, busy]) is usual
    assert pick_failure([longer, usual, short(10, 2, lane=7)]).ticks == 10
    assert pick_failure([short(9, 9, True)]) is None


def test_presses_that_gained_an_item_do_not_make_an_episode_bad():
    fruitful, vain = short(9, 3, lane=0), short(9, 2, lane=1)
    for at in range(4):
        fruitful.batch.items.setdefault(0, []).append((at, Counter(log=at)))
    assert fruitful.vain_presses() == 0 and vain.vain_presses() == 2
    assert pick_failure([vain, fruitful]) is fruitful


def milking():
    """Sees the cow at tick 3, uses on grass twice, comes near, milks it in the last tick."""
    grass, cow = ("grass", 3.0), ("cow", 2.0)
    return record(
        walk(3) + walk(20, ("cow", 12.0)) + walk(2, grass, press(USE)) + walk(30, ("cow", 5.0))
        + walk(1, cow, press(USE)) + end(cow, slot="milk_bucket"),
        success=True,
    )  # fmt: skip


def test_moments_are_the_events_in_their_order():
    moments = choose(milking(), "cow")
    why = {m.tick: m.why for m in moments}
    assert len(moments) == NUM_MOMENTS and list(why) == sorted(why)
    assert why[0] == "start" and why[56] == "end: success"
    assert why[3] == "first sight of cow, 12.0 blocks"
    assert why[24] == "use, 2 of 3 times like this"
    assert why[55] == "this tick gains 1 milk_bucket; nearest to cow, 2.0 blocks"
    assert [tick for tick, words in why.items() if not words] == [13, 39, 47]


def test_a_moment_tells_action_crosshair_and_what_changed():
    moments = {m.tick: m for m in choose(milking(), "cow")}
    press_on_grass, last, end_ = moments[24], moments[55], moments[56]
    assert press_on_grass.does == "use"
    assert press_on_grass.crosshair == "grass at 3.0 blocks, in reach" and press_on_grass.in_reach
    assert last.crosshair == "cow at 2.0 blocks, in reach" and last.changed == "same place"
    assert end_.does == "" and end_.changed == "+1 milk_bucket, -1 bucket, same place"
    assert moments[0].changed == "" and not moments[0].in_reach


def test_life_and_way_are_told():
    episode = record(walk(5) + walk(3, life=14.0, position=3.0) + end(life=14.0))
    moments = {m.tick: m for m in choose(episode, "cow")}
    assert moments[4].why == "loses life in this tick"
    after = moments[min(t for t in moments if t > 4)]
    assert "life 20 \N{RIGHTWARDS ARROW} 14" in after.changed and "moved 61" in after.changed


def test_a_press_is_shown_where_the_view_stands_still():
    grass = ("grass", 3.0)
    episode = record(
        walk(10, grass, press(ATTACK, yaw=14)) + walk(5, ("dirt", 2.0), press(ATTACK))
        + walk(4) + end()
    )  # fmt: skip
    moment = next(m for m in choose(episode, "cow") if m.why.startswith("attack, "))
    # Turned to the right it hits nothing that the script has, 10 of 15 times.
    assert moment.tick < 10 and moment.why.startswith("attack, 10 of 15 times like this")
    assert moment.does == (
        "turn right 30\N{DEGREE SIGN}, attack (then on nothing within 32 blocks)"
    )
    still = record(walk(3, grass, press(ATTACK)) + walk(9) + end())
    assert any(m.does == "attack" for m in choose(still, "cow"))


def test_a_short_episode_has_fewer_moments_and_none_twice():
    moments = choose(record(walk(2) + end()), "cow")
    assert [m.tick for m in moments] == [0, 1, 2]
    assert [m.tick for m in choose(record(walk(50) + end()), "cow", 2)] == [0, 50]


def test_what_is_left_is_filled_up_evenly():
    ticks = [m.tick for m in choose(record(walk(70) + end()), "cow")]
    assert len(ticks) == NUM_MOMENTS
    gaps = np.diff(ticks)
    assert gaps.max() <= 2 * gaps.min() + 1


def test_an_action_in_words():
    assert action_words(press(), numbers=True) == "nothing"
    action = press(ATTACK, yaw=10, pitch=13, move=1, jump=1)
    assert action_words(action, numbers=True) == (
        "forward, jump, turn left 30\N{DEGREE SIGN}, look down 15\N{DEGREE SIGN}, attack"
    )
    assert action_words(press(base.FN_EQUIP, slot_arg=3), numbers=True) == "equip slot 3"
    assert action_words(press(base.FN_CRAFT, craft_arg=0), numbers=True).startswith("craft ")


def evaluated(script, wins=(), num_episodes=4):
    env = Scripted(script, wins)
    recorder = Recorder(env.goal_names)
    report = evaluate(
        env,
        Policy(params(), empty_space(), CONFIG),
        3,
        num_episodes=num_episodes,
        recorder=recorder,
        task="t",
    )
    return report, recorder


def test_an_evaluation_is_recorded_as_it_was():
    script = [[("grass", 1.0 + t / 10), ("cow", 2.0)] for t in range(12)]
    report, recorder = evaluated(script, wins=(1,))
    best, worst = recorder.success, recorder.failure
    assert (best.lane, best.ticks, best.success) == (1, 12, True)
    assert (worst.lane, worst.ticks, worst.success) == (0, 12, False)
    assert best.batch is worst.batch and best.batch.number == 0
    distances = [worst.row(at).sight.distance[0] for at in range(13)]
    np.testing.assert_allclose(distances, [*(1.0 + t / 10 for t in range(12)), 2.1], rtol=1e-6)
    assert len(worst.presses()) > 0
    assert report.num_episodes == 4


def test_recording_changes_nothing_and_repeats_itself():
    script = [[("grass", 3.0), ("cow", 2.0)]] * 15
    plain = evaluate(
        Scripted(script), Policy(params(), empty_space(), CONFIG), 3, num_episodes=4, task="t"
    )
    first, one = evaluated(script)
    second, two = evaluated(script)
    assert plain == first == second
    assert choose(one.failure, "cow") == choose(two.failure, "cow")


@pytest.mark.parametrize("wins", [(), (0, 1)])
def test_there_may_be_no_best_or_no_worst(wins):
    _, recorder = evaluated([[("grass", 3.0), ("cow", 2.0)]] * 3, wins)
    assert (recorder.success is None, recorder.failure is None) == (not wins, bool(wins))


def test_both_come_from_the_first_batch_that_has_them():
    recorder = Recorder(("cow",))
    for number, success in enumerate([False, False, True, True]):
        recorder.start(seed=number)
        world = Scripted([[FAR]] * 3)
        for at in range(2):
            recorder.tick(world.observation(at), ["nothing"], act_of(press()), np.array([True]))
        recorder.end(0, success, False, world.observation(2))
        recorder.finish()
    assert (recorder.failure.batch.number, recorder.success.batch.number) == (0, 2)
    assert recorder.success.batch.seed == 2
