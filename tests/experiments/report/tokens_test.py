"""The part of a report about tokens."""

import json
from pathlib import Path

import pytest

from experiments.report.load import load_run
from experiments.report.page import render
from experiments.report.tokens import tokens
from tests.experiments import run_folder
from tests.experiments.report.report_test import checked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = run_folder.make(tmp_path / "run")
    counted = {
        **run_folder.exchange("iter1/fast/find_cow/try0", "fast"), "schema": 2,
        "provider": "anthropic", "price": 1.5,
        "usage": {"input_tokens": 12345, "output_tokens": 678, "cached_tokens": 0,
                  "cache_write_tokens": 0, "reasoning_tokens": 0},
    }  # fmt: skip
    odd = {**counted, "key": "task/<b>x</b>/iter0/slow", "agent": "slow<i>"}
    with (made / "transcript.jsonl").open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in (counted, odd))
    return made


def test_every_iteration_has_its_figures_by_agent(folder: Path) -> None:
    section = tokens(load_run(folder))
    words = [word.strip() for word in checked(section).words if word.strip()]
    start = words.index("Iteration 1")
    assert words[start : start + 9] == [
        "Iteration 1", "calls", "1", "1", "2", "input tokens", "≈12", "12,345", "≈12,357",
    ]  # fmt: skip
    assert "$1.50" in words and "≈$3.00" in words and "Total" in words
    assert "≈ estimated: nobody counted" in section
    assert f"python -m experiments.transcript cost {folder} --model=NAME" in section


def test_the_section_is_part_of_the_page_and_of_its_links(folder: Path) -> None:
    page = render(load_run(folder))
    assert tokens(load_run(folder)) in page and 'href="#tokens"' in page
    assert "<b>x</b>" not in page and "slow<i>" not in page and "slow&lt;i&gt;" in page


def test_a_run_that_asked_nobody_has_no_such_part(folder: Path) -> None:
    (folder / "transcript.jsonl").unlink()
    page = render(load_run(folder))
    assert 'id="tokens"' not in page and "#tokens" not in page
