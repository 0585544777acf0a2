from rlgpt_jax.loop.compare import compare
from rlgpt_jax.rl.report import EvalReport, wilson


def report(successes, **changes):
    low, high = wilson(successes, 200)
    given = dict(
        task="t", split="validation", num_episodes=200, successes=successes,
        success_rate=successes / 200, success_low=low, success_high=high, mean_return=0.0,
        mean_ticks=160.0, action_counts={}, action_ticks={}, macro_ends={}, trap_messages={},
        dead_loop_rate=0.25, seed=0,
    )  # fmt: skip
    return EvalReport(**given | changes)


def test_the_first_iteration_has_nothing_to_compare_with():
    assert compare(None, report(3)) == ""


def test_success_ticks_and_dead_loops_stand_side_by_side():
    told = compare(report(60), report(160, mean_ticks=90.0, dead_loop_rate=0.0))
    assert "Success: 60 of 200 (30%, 95 % interval 24% to 37%) before, 160 of 200 (80%" in told
    assert "now; the intervals do not overlap." in told
    assert "Ticks per episode: 160 before, 90 now." in told
    assert "Dead loops: 25% of the episodes before, 0% now." in told
    assert "the intervals overlap." in compare(report(60), report(62))


def test_macros_come_first_then_what_changed_most():
    before = report(
        1, action_ticks={"old": 50, "forward": 30, "left": 20},
        action_counts={"old": 5, "forward": 30, "left": 20}, macro_ends={"old": {}, "idle": {}},
    )
    after = report(
        1, action_ticks={"new": 20, "forward": 60, "left": 20},
        action_counts={"new": 2, "forward": 60, "left": 20}, macro_ends={"new": {}},
    )
    assert compare(before, after).splitlines()[-1] == (
        "Use, in share of ticks (times chosen), before -> now: idle 0% (0) -> none; "
        "new none -> 20% (2); old 50% (5) -> none; forward 30% (30) -> 60% (60); "
        "left 20% (20) -> 20% (20)."
    )
