"""What is told of failed episodes."""

import jax
import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl import networks
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.evaluate import evaluate
from rlgpt_jax.rl.failures import WINDOW, Failures, Trace, describe, sees_goal
from rlgpt_jax.rl.report import EvalReport
from tests.corridor import Corridor
from tests.rl.small import CONFIG


def trace(labels, sights):
    made = Trace()
    for label, in_sight in zip(labels, sights, strict=True):
        made.see(label, in_sight)
    return made


def test_loops_and_other_failures_are_told_apart_by_their_last_actions():
    found = Failures()
    turning = ["forward"] * 50 + ["turn_left"] * 90 + ["right"] * 10
    found.add(trace(turning, [False] * 150), is_dead_loop=True)
    found.add(trace(["explore"] * 50, [True] * 10 + [False] * 40), is_dead_loop=False)
    words = describe(found.to_json(), ("log", "log2"))
    assert words == [
        "Of the 2 failed episodes, in 1 no log or log2 ever came into sight; over all of them one "
        "was in sight in 5% of the ticks.",
        f"Last {WINDOW} actions of the 1 failed episodes that ended in a dead loop: turn_left "
        "90%, right 10%.",
        f"Last {WINDOW} actions of the 1 failed episodes that did not: explore 100%.",
    ]
    assert describe(found.to_json(), ())[0].startswith(f"Last {WINDOW}")
    assert describe(Failures().to_json(), ("log",)) == []


def test_a_goal_is_seen_as_a_block_and_as_a_mob():
    obs = Corridor(num_envs=3).reset(jax.random.key(0))[1]
    rays = np.zeros(np.shape(obs.ray_block), np.int32)
    blocks, mobs = rays.copy(), rays.copy()
    blocks[0, 7], mobs[2, 119] = NAME_ID["log"], NAME_ID["cow"]
    obs = obs._replace(ray_block=blocks, ray_entity=mobs)
    assert sees_goal(obs, ("log", "cow")).tolist() == [True, False, True]
    assert sees_goal(obs, ("log",)).tolist() == [True, False, False]
    assert not sees_goal(obs, ()).any()


def test_an_evaluation_counts_its_failures_and_reports_of_before_are_still_read():
    params = networks.init_params(CONFIG.network, jax.random.key(0))
    env = Corridor(num_envs=8, length=1000, horizon=9)
    report = evaluate(env, empty_space(), CONFIG, params, 3, num_episodes=12)
    assert report.failures["episodes"] == {"dead_loop": 0, "other": 12}
    assert sum(report.failures["last"]["other"].values()) == 12 * 9
    assert "12 failed episodes" in report.describe()
    old = {k: v for k, v in report.to_json().items() if k not in ("failures", "goal_names")}
    assert "failed episodes" not in EvalReport.from_json(old).describe()
