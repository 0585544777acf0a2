"""The report tells what changed, who acted and whose words are replayed, and stays small."""

import json
import re
from pathlib import Path

import pytest

from experiments.films.choose import typical
from experiments.report import controls, limits, load
from experiments.report.changes import section
from experiments.report.changes.diff import side_by_side
from experiments.report.films.videos import timeline
from experiments.report.iteration import critic
from experiments.report.load import load_run
from experiments.report.page import render
from rlgpt_jax.rl.evaluate.report import EpisodeEnd
from tests.experiments import run_folder
from tests.experiments.report.report_test import words


def test_a_difference_has_both_sides_and_leaves_out_what_is_equal() -> None:
    same = [f"line {i}" for i in range(20)]
    found = side_by_side("\n".join([*same, "a < b"]), "\n".join([*same, "a > b", "c"]))
    assert (found.removed, found.added) == (1, 2)
    assert "<del>a &lt; b</del>" in found.html and "<ins>c</ins>" in found.html
    assert "line 19" in found.html and "line 10" not in found.html
    assert side_by_side("same", "same").html == ""


def test_iterations_stand_side_by_side_with_plan_code_and_prompts(folder: Path) -> None:
    lines = [run_folder.exchange(f"iter{i}/slow", "slow") for i in range(3)]
    lines[1]["messages"][0]["text"] += "\nThe first plan found no cow."
    text = "".join(json.dumps(line) + "\n" for line in lines)
    run_folder.write(folder / "transcript.jsonl", text)
    page = render(load_run(folder))
    part = page[page.index('id="changes"') : page.index('id="iteration-0"')]
    assert "From iteration 0 to iteration 1" in part
    assert "<ins>The first plan found no cow.</ins>" in part
    assert "Code of find_cow" in part and "48.0" in part
    assert 'href="#changes"' in page


def test_a_kept_instruction_is_no_change(folder: Path) -> None:
    plan = run_folder.plan(1)
    plan["sub_actions"][0]["instruction"] = "keep"
    run_folder.write(folder / "iterations/1/plan.json", plan)
    run = load_run(folder)
    told = [section.instructions(run, index) for index in (0, 1)]
    assert told[0] == told[1]
    texts = [section.plan_text(it, told[0]) for it in run.iterations[:2]]
    assert texts[0] == texts[1] and "  Use the bucket up to ten times;" in texts[0].split("\n")


def test_a_timeline_has_a_stretch_for_every_who_and_all_ticks_for_the_script() -> None:
    runs = [
        ["find_cow", "code", 50],
        ["use", "policy", 1],
        ["jump", "policy", 9],
        ["m", "macro", 40],
    ]
    told = {"ticks": 100, "every": 2, "frames_per_second": 20, "runs": runs}
    page = timeline(told)
    assert re.findall(r'<i class="(\w+)" style="left:([\d.]+)%', page) == [
        ("code", "0.00"), ("policy", "50.00"), ("macro", "60.00"),
    ]  # fmt: skip
    assert 'data-rate="40"' in page and "the policy itself 10%" in words(page)
    attribute = re.search(r'data-runs="([^"]*)"', page)
    assert attribute and json.loads(attribute[1].replace("&quot;", '"')) == runs


def test_videos_of_iterations_lie_beside_the_page_once_it_is_full(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("success.mp4", "iteration1/success.mp4"):
        path = folder / "videos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"film")
    monkeypatch.setattr("experiments.report.films.media.INSIDE_BYTES", 5)
    page = render(load_run(folder))
    assert 'src="data:video/mp4;base64,' in page and 'src="videos/iteration1/success.mp4"' in page


def episode(number: int, success: bool, doing: str, ticks: int = 9) -> EpisodeEnd:
    return EpisodeEnd(number, None, success, ticks, "an end", doing, None, None)


def test_the_failure_that_is_filmed_is_of_the_most_frequent_kind() -> None:
    episodes = [
        episode(0, False, "rare"), episode(1, True, "", 50), episode(2, True, "", 20),
        episode(3, False, "often"), episode(4, False, "often"),
    ]  # fmt: skip
    assert typical(episodes, 4) == [episodes[2], episodes[3]]
    assert typical(episodes[:1], 4) == episodes[:1]


def test_typical_failures_are_counted(folder: Path) -> None:
    ends = [
        {"number": i, "success": False, "ticks": 100 + i, "end": "dead loop", "doing": "jump"}
        for i in range(3)
    ]
    ends.append({"number": 3, "success": True, "ticks": 9, "end": "solved the task", "doing": ""})
    report = {**run_folder.evaluation(0), "episodes": ends}
    run_folder.write(folder / "iterations/0/eval.json", report)
    told = words(render(load_run(folder)))
    assert "Typical failures" in told and re.search(r"dead loop\s+jump\s+3\s+100.0\s%\s+101", told)


def test_words_of_a_replayed_critic_about_another_run_are_told_as_such(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load.files, "CHECKOUT", tmp_path)
    own, recorded = (run_folder.exchange("iter0/critic", "critic") for _ in range(2))
    own["messages"][0]["text"] = "12 of 200 episodes succeeded"
    recorded["messages"][0]["text"] = "60 of 200 episodes succeeded"
    run_folder.write(folder / "transcript.jsonl", json.dumps(own) + "\n")
    run_folder.write(tmp_path / "recorded.jsonl", json.dumps(recorded) + "\n")
    saved = json.loads((folder / "config.json").read_text())
    saved["config"]["llm"] = {"provider": "replay", "transcript": "recorded.jsonl"}
    run_folder.write(folder / "config.json", saved)
    run_folder.write(folder / "iterations/0/critique.json", {"failure": "Only 60 of 200 <did>."})
    run = load_run(folder)
    assert critic.is_of_another_run(run, "iter0/critic")
    page = render(run)
    assert "60 of 200 &lt;did&gt;." in page and "Words of another run" in page
    recorded["messages"] = own["messages"]
    run_folder.write(tmp_path / "recorded.jsonl", json.dumps(recorded) + "\n")
    assert not critic.is_of_another_run(load_run(folder), "iter0/critic")


def test_a_smoke_run_its_command_and_its_times_are_told(folder: Path) -> None:
    saved = json.loads((folder / "config.json").read_text())
    command = "python -m experiments.main --config=harvest_milk --smoke"
    run_folder.write(folder / "config.json", {**saved, "smoke": True, "command": command})
    run_folder.write(folder / "clock.json", {"seconds": 500.0})
    start = {"seconds": 61.0, "programs": {"update": 30.0}, "late": []}
    run_folder.write(folder / "compile.json", [start, start])
    told = words(render(load_run(folder)))
    assert "numbers of this page mean nothing" in told and f"again {command}" in told
    assert re.search(r"Wall time\s+8 min 20 s", told) and "Compile time 2 min 2 s" in told
    assert f"{command} --config.loop.mode=pure_rl" in told
    version = {"commit": "0123456789abcdef", "changed_files": 1}
    run_folder.write(folder / "version.json", version)
    told = words(render(load_run(folder)))
    assert "With the code of commit 0123456789ab, with 1 changed file." in told
    run_folder.write(folder / "config.json", saved)
    told = words(render(load_run(folder)))
    assert "mean nothing" not in told and controls.NOT_RECORDED in told


def test_a_simulator_s_run_has_the_same_parts(folder: Path) -> None:
    saved = json.loads((folder / "config.json").read_text())
    saved["config"] |= {"task": "mountain_car", "world": "control"}
    run_folder.write(folder / "config.json", saved)
    end = {"number": 0, "success": False, "ticks": 999, "end": "not solved", "doing": "push",
           "facts": {"position": 0.2}}  # fmt: skip
    failures = {"episodes": {"dead_loop": 0, "other": 1}, "last": {"dead_loop": {}, "other":
                {"push": 9}}, "never_seen": 1, "actions": 9, "in_sight": 0}  # fmt: skip
    report = {
        **run_folder.evaluation(0),
        "episodes": [end],
        "failures": failures,
        "facts": {"a": 1},
    }
    run_folder.write(folder / "iterations/0/eval.json", report)
    for index in range(2):
        run_folder.write(
            folder / f"iterations/{index}/interface.json", {"note": "", "reward": None}
        )
    told = words(render(load_run(folder)))
    assert "simulators'" in told and "not solved push 1" in told and "What changed" in told
    assert "Last 100 actions of the 1 failed episodes: push 100%" in told


def test_huge_texts_are_cut_and_the_page_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PAGE_BYTES", 300_000)
    line = run_folder.exchange("iter0/slow", "slow")
    line["answer"] = "x" * 9_000_000
    run_folder.write(folder / "transcript.jsonl", json.dumps(line) + "\n")
    for number in range(20):  # macros of 20 kB each
        code = "\n".join(f"a{i} = {i}  # {'y' * 50}" for i in range(300))
        run_folder.write(folder / f"iterations/0/macros/m{number}/try0.py", code)
    page = render(load_run(folder))
    assert len(page) <= limits.PAGE_BYTES
    assert "of 9,000,000 characters are left out here" in page
