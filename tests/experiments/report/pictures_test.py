"""The report shows what the critic saw, beside its words, and what keys were pressed on."""

import base64
from pathlib import Path
from typing import Any

import pytest

from experiments.report.load import load_run
from experiments.report.page import render
from tests.experiments import run_folder
from tests.experiments.report.report_test import checked

MOMENT = {
    "tick": 3, "why": "first <use>", "does": "use", "crosshair": "cow at 2.0 blocks, in reach",
    "in_reach": True, "changed": "+1 milk_bucket",
}  # fmt: skip
NO_BEST: dict[str, Any] = {
    "which": "success", "note": "No episode succeeded.", "moments": [],
    "pictures": [],
}  # fmt: skip
WORST: dict[str, Any] = {
    "which": "failure", "note": "", "episode": 4, "lane": 4, "success": False, "ticks": 200,
    "dead_loop": True, "presses": {"use": {"cow in reach": 1}}, "moments": [MOMENT],
    "pictures": [
        {"file": f"failure_{part}.png", "words": "w"} for part in ("before", "after", "strip")
    ],
}  # fmt: skip


def draw(folder: Path, *episodes: dict[str, Any]) -> Path:
    root = folder / "iterations/0/frames"
    index = {"schema": 1, "vision": "strip", "target": "cow", "num_episodes": 8}
    run_folder.write(root / "frames.json", {**index, "episodes": list(episodes)})
    for entry in episodes:
        for picture in entry["pictures"]:
            (root / picture["file"]).write_bytes(picture["file"].encode())
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return draw(run_folder.make(tmp_path / "run"), NO_BEST, WORST)


def test_pictures_stand_before_the_critic_s_words_inside_the_page(folder: Path) -> None:
    page = render(load_run(folder))
    found = checked(page)
    inside = [base64.b64decode(x.split(",")[1]) for x in found.links if "image/png" in x]
    assert sorted(inside) == [b"failure_after.png", b"failure_before.png", b"failure_strip.png"]
    words = " ".join(found.words)
    assert "No episode succeeded" in words and "dead loop" in words
    assert "The critic was shown these pictures" in words
    assert words.index("What it looked like") < words.index("Half of the failed episodes")


def test_a_strip_is_told_in_words_too_and_text_stays_text(folder: Path) -> None:
    page = render(load_run(folder))
    assert "first &lt;use&gt;" in page and "<use>" not in page
    words = " ".join(checked(page).words)
    assert "cow at 2.0 blocks" in words and "+1 milk_bucket" in words


def test_an_episode_that_was_not_drawn_says_why(tmp_path: Path) -> None:
    note = "The episode did not repeat exactly, so it is not drawn."
    folder = draw(run_folder.make(tmp_path), NO_BEST, {**WORST, "note": note, "pictures": []})
    assert note in render(load_run(folder))


def test_a_run_without_pictures_has_no_such_part(tmp_path: Path) -> None:
    assert "What it looked like" not in render(load_run(run_folder.make(tmp_path)))


def test_presses_are_shares_of_their_key(tmp_path: Path) -> None:
    folder = run_folder.make(tmp_path)
    places = {f"block{i} in reach": 10 for i in range(7)}
    report = {**run_folder.evaluation(0), "presses": {"attack": {"grass in reach": 30, **places}}}
    run_folder.write(folder / "iterations/0/eval.json", report)
    words = " ".join(checked(render(load_run(folder))).words)
    assert "attack: pressed in 100 ticks" in words and "30.0" in words
    assert "other things" in words and "20.0" in words
