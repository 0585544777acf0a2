"""The page of a long task, and those of its sub-tasks, from small run folders."""

import json

import pytest

from experiments.report.page import write_report

REPORT = {
    "task": "craft_stick", "split": "eval", "num_episodes": 10, "successes": 6,
    "success_rate": 0.6, "success_low": 0.31, "success_high": 0.83, "mean_return": 1.0,
    "mean_ticks": 900.0, "action_counts": {}, "action_ticks": {}, "macro_ends": {},
    "trap_messages": {}, "dead_loop_rate": 0.1, "seed": 1,
}  # fmt: skip
PLAN = {
    "sub_tasks": [
        {"name": "get_logs", "item": "log", "quantity": 1, "needs": [], "words": "Get a log.",
         "ticks": 500, "solve": "loop"},
        {"name": "make_sticks", "item": "stick", "quantity": 4, "needs": [["log", 1]],
         "words": "Make <sticks>.", "ticks": 60, "solve": "code"},
    ],
    "reasoning": "First wood, then sticks.", "note": "", "after": {},
}  # fmt: skip


def reached(name: str, count: int) -> dict:
    return {
        "name": name, "reached": count, "reached_rate": count / 10, "reached_low": 0.2,
        "reached_high": 0.9, "mean_ticks": 450.0, "mean_starts": 1.5,
        "mean_tick": 321.0 if count else None,
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    def put(path: str, value) -> None:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(json.dumps(value))

    config = {"task": "craft_stick", "seed": 0, "loop": {"mode": "rl_gpt", "planner": True}}
    put("config.json", {"name": "craft_stick", "config": config})
    put("task_plan.json", PLAN)
    put("final_eval.json",
        REPORT | {"sub_tasks": [reached("get_logs", 9), reached("make_sticks", 0)]})  # fmt: skip
    task = {"name": "craft_stick/get_logs", "words": "Get a log", "goal_item": "log"}
    put("tasks/get_logs/task.json", task)
    put("tasks/get_logs/final_eval.json", REPORT | {"success_rate": 0.8})
    put("tasks/get_logs/iterations/0/eval.json", REPORT | {"split": "validation"})
    keys = ("planner", "task/get_logs/iter0/slow")
    lines = [
        {"key": key, "agent": "slow", "messages": [{"role": "user", "text": f"asked {key}"}],
         "answer": f"answer to {key}", "provider": "script", "model": "test", "seconds": 1.0}
        for key in keys
    ]  # fmt: skip
    (tmp_path / "transcript.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    return tmp_path


def test_a_long_task_has_a_row_per_sub_task(folder):
    page = write_report(folder).read_text()
    assert "Sub-tasks and the whole" in page and "First wood, then sticks." in page
    assert 'href="tasks/get_logs/report.html"' in page
    assert 'href="tasks/make_sticks' not in page  # not begun
    assert "80.0" in page and "90.0" in page  # alone, and reached in the whole
    assert "60.0" in page and "No iteration has been evaluated" not in page


def test_a_sub_task_has_a_page_with_its_own_part_of_the_transcript(folder):
    write_report(folder)
    page = (folder / "tasks" / "get_logs" / "report.html").read_text()
    assert "craft_stick / get_logs" in page and "Get a log" in page
    assert "answer to task/get_logs/iter0/slow" in page and "answer to planner" not in page


def test_a_run_that_has_only_planned_says_so(folder):
    (folder / "final_eval.json").unlink()
    page = write_report(folder).read_text()
    assert "The whole task has not been played yet." in page


def test_a_plan_of_the_search_says_so_and_gives_a_find_no_success_alone(folder):
    config = {"task": "craft_stick", "seed": 0, "loop": {"mode": "pure_rl", "planner": True}}
    (folder / "config.json").write_text(json.dumps({"name": "craft_stick", "config": config}))
    plan = json.dumps(PLAN).replace("get_logs", "find")
    (folder / "task_plan.json").write_text(plan)
    (folder / "tasks" / "get_logs").rename(folder / "tasks" / "find")
    page = write_report(folder).read_text()
    assert "A search over basic skills has split the task" in page and "A planner" not in page
    assert "80.0" not in page and "90.0" in page  # reached in the whole
