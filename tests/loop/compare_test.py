from rlgpt_jax.loop.compare import MAX_CASES, compare, compare_cases
from rlgpt_jax.rl.evaluate.report import EpisodeEnd, EvalReport, wilson


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
        1,
        action_ticks={"old": 50, "forward": 30, "left": 20},
        action_counts={"old": 5, "forward": 30, "left": 20},
        macro_ends={"old": {}, "idle": {}},
    )
    after = report(
        1,
        action_ticks={"new": 20, "forward": 60, "left": 20},
        action_counts={"new": 2, "forward": 60, "left": 20},
        macro_ends={"new": {}},
    )
    assert compare(before, after).splitlines()[-1] == (
        "Use, in share of ticks (times chosen), before -> now: idle 0% (0) -> none; "
        "new none -> 20% (2); old 50% (5) -> none; forward 30% (30) -> 60% (60); "
        "left 20% (20) -> 20% (20)."
    )


def ended(number, success, ticks=30, start=(5, 0), **changes):
    given = dict(
        end="solved the task" if success else "dead loop", doing="walk", first_sight=3,
        distance=None,
    )  # fmt: skip
    return EpisodeEnd(number, start, success, ticks, **given | changes)


def test_episodes_are_compared_by_what_they_are_and_not_by_their_place():
    before = report(2, episodes=(ended(0, True), ended(1, True), ended(2, False), ended(3, False)))
    after = report(2, episodes=(
        ended(1, False, 200), ended(2, True), ended(3, False, first_sight=None),
        ended(0, True, start=(6, 0)), ended(9, True),
    ), goal_names=("cow",))  # fmt: skip
    assert compare_cases(before, after).splitlines() == [
        "Of the same 3 episodes, case by case: 0 solved in both, 1 newly solved, 1 newly broken, "
        "1 failed in both.",
        "Newly broken: episode 1 (tick 200, dead loop, last mostly walk, a cow was in sight, not "
        "at the end).",
        "Failed in both: episode 3 (tick 30, dead loop, last mostly walk, no cow ever in sight).",
    ]


def test_only_a_few_cases_are_named():
    both = report(0, episodes=tuple(ended(i, False, distance=2.0) for i in range(9)))
    told = compare_cases(both, both).splitlines()[-1]
    assert told.count("episode ") == MAX_CASES and told.endswith(f"; and {9 - MAX_CASES} more.")
    assert compare_cases(report(0), both) == "", "of an earlier version"
