"""What is told of failed episodes."""

import dataclasses
from types import SimpleNamespace

import jax
import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, RETURNED, MacroTick, link
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.evaluate.dead_loops import WINDOW, Watch, goal_distance
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.failures import describe, describe_sights, failures_of, sights_of
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.evaluate.tally import Tally
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Policy
from tests.corridor import Corridor
from tests.rl.small import CONFIG

LATER = ("failures", "goal_names", "sights", "ends_in_sight")  # fields that old files lack


def episode(labels, sights, is_dead=False):
    made = Watch()
    made.is_dead = lambda: is_dead
    for label, in_sight in zip(labels, sights, strict=True):
        made.see(label, 7.0 if in_sight else np.inf)
    return made


def test_loops_and_other_failures_are_told_apart_by_their_last_actions():
    turning = ["forward"] * 50 + ["turn_left"] * 90 + ["right"] * 10
    loop = episode(turning, [False] * 150, is_dead=True)
    found = failures_of([loop, episode(["explore"] * 50, [True] * 10 + [False] * 40)])
    words = describe(found, ("log", "log2"))
    assert words == [
        "Of the 2 failed episodes, in 1 no log or log2 ever came into sight; over all of them one "
        "was in sight in 5% of the ticks.",
        f"Last {WINDOW} actions of the 1 failed episodes that ended in a dead loop: turn_left "
        "90%, right 10%.",
        f"Last {WINDOW} actions of the 1 failed episodes that did not: explore 100%.",
    ]
    assert describe(found, ())[0].startswith(f"Last {WINDOW}")
    assert describe(failures_of([]), ("log",)) == []


def test_a_goal_is_seen_as_a_block_and_as_a_mob():
    obs = Corridor(num_envs=3).reset((), jax.random.key(0))[1]
    rays = np.zeros(np.shape(obs.ray_block), np.int32)
    blocks, mobs, near = rays.copy(), rays.copy(), np.full(rays.shape, 30.0, np.float32)
    blocks[0, 7], blocks[0, 9], mobs[2, 119] = NAME_ID["log"], NAME_ID["log"], NAME_ID["cow"]
    near[0, 7], near[0, 9], near[2, 119] = 9.0, 4.0, 6.0
    obs = obs._replace(
        ray_block=blocks, ray_entity=mobs, ray_block_distance=near, ray_entity_distance=near
    )
    assert goal_distance(obs, ("log", "cow")).tolist() == [4.0, np.inf, 6.0]
    assert goal_distance(obs, ("log",)).tolist() == [4.0, np.inf, np.inf]
    assert np.isinf(goal_distance(obs, ())).all()


def test_the_first_sight_and_the_distance_at_the_end_are_medians_of_those_that_saw():
    episodes = {"succeeded": [], "failed": []}
    for success, distances in (
        (True, (np.inf, 8.0, 2.0)), (True, (3.0, 1.0)), (False, (np.inf, np.inf)),
        (False, (np.inf, np.inf, 5.0, np.inf)), (False, (9.0, np.inf, np.inf, 6.0)),
    ):  # fmt: skip
        made = Watch()
        for distance in distances:
            made.see("forward", distance)
        episodes["succeeded" if success else "failed"].append(made)
    found = sights_of(episodes)
    assert found["failed"] == {
        "episodes": 3, "seen": 2, "seen_at_end": 1, "first_sight": 1.0, "distance": 6.0,
    }  # fmt: skip
    words = describe_sights(found, ("log",))
    assert words[0] == (
        "Of the 2 episodes that succeeded, 2 saw a log, the median one for the first time after "
        "0 ticks; at the end one was in sight in 2, 1.5 blocks away (median)."
    )
    assert words[1].startswith("Of the 3 episodes that failed, 2 saw a log")
    assert describe_sights(found, ()) == [] == describe_sights({}, ("log",))


def test_an_evaluation_counts_its_failures_and_reports_of_before_are_still_read():
    params = actor_critic.init_params(CONFIG.network, jax.random.key(0))
    env = Corridor(num_envs=8, length=1000, horizon=9)
    report = evaluate(env, Policy(params, empty_space(), CONFIG), 3, num_episodes=12)
    assert report.failures["episodes"] == {"dead_loop": 0, "other": 12}
    assert sum(report.failures["last"]["other"].values()) == 12 * 9
    assert "12 failed episodes" in report.describe()
    old = {k: v for k, v in report.to_json().items() if k not in LATER}
    assert "failed episodes" not in EvalReport.from_json(old).describe()
    assert "that failed" in report.describe() and "that failed" not in report.describe(facts=False)


def test_a_macro_counts_by_what_was_in_sight_when_it_was_started():
    program = parse_macro("def hop(obs):\n    yield jump()\n", "hop", "paper")
    rest = ("",) * (MAX_MACROS - 1)
    space = dataclasses.replace(
        empty_space(), macros=link([program]), names=("hop", *rest),
        offered=(True, *[False] * len(rest)),
    )  # fmt: skip
    tally = Tally(space, ("log",))
    tally.begin(0, 1)

    def tick(distance, ended=0, running=0, done=False):
        tally.watches[0].see("hop", distance)
        ends = MacroTick(
            None, None, None, *np.array([[ended], [1], [0], [0], [0]]), np.zeros((1, 4))
        )
        act = SimpleNamespace(macro=ends, running=np.array([running]))
        result = SimpleNamespace(act=act, episodes=SimpleNamespace(done=np.array([done])))
        tally.add_macro_ends(result, np.array([True]))

    tick(2.0, running=1)
    tick(np.inf, ended=RETURNED)  # started in sight
    tick(np.inf, ended=RETURNED)  # started and ended in one tick, out of sight
    tick(np.inf, running=1)
    tick(2.0, ended=RETURNED, running=1)  # started out of sight, and the next one in sight
    tick(np.inf, running=1, done=True)
    assert tally.ends["hop"]["returned"] == 3 and tally.ends["hop"]["interrupted"] == 1
    assert tally.ends_in_sight["hop"]["returned"] == 1
    assert tally.ends_in_sight["hop"]["interrupted"] == 1


def test_a_report_tells_starts_in_sight_of_the_goal():
    params = actor_critic.init_params(CONFIG.network, jax.random.key(0))
    report = evaluate(
        Corridor(num_envs=8), Policy(params, empty_space(), CONFIG), 3, num_episodes=8
    )
    ends = dict(returned=4, trapped=0, tick_limit=0, interrupted=2)
    near = dict(returned=1, trapped=0, tick_limit=0, interrupted=1)
    report = dataclasses.replace(report, macro_ends={"hop": ends}, goal_names=("log",))
    told = dataclasses.replace(report, ends_in_sight={"hop": near})
    first = "Macro hop: 6 activations ended; 4 returned by itself, 2 cut by the end of the episode."
    assert (
        f"{first} 2 began with a log in sight; of these 1 returned by itself, 1 cut by the end of "
        "the episode.\n"
    ) in told.describe()
    assert f"{first}\n" in report.describe() and f"{first}\n" in told.describe(facts=False)
    all_near = dataclasses.replace(report, ends_in_sight={"hop": ends})
    assert f"{first} 6 began with a log in sight.\n" in all_near.describe()
