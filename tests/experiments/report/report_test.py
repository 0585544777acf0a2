"""A report needs nothing but its run folder, shows what is there, and escapes all text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from experiments.report import __main__ as command
from experiments.report.charts import line_chart, mark_words, smooth, ticks
from experiments.report.highlight import code
from experiments.report.load import load_run
from experiments.report.page import render, write_report
from tests.experiments import run_folder

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Checker(HTMLParser):
    """Collects ids, links and texts, and fails on tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if values.get("id"):
            self.ids.append(values["id"] or "")
        self.links += [values[k] or "" for k in ("href", "src") if values.get(k)]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def checked(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    assert not checker.open
    return checker


def words(part: str) -> str:
    """The text of a part of a page."""
    return re.sub(r"\s+", " ", " ".join(checked(f"<div>{part}</div>").words))


def test_a_page_is_well_formed_and_needs_nothing_from_outside(folder: Path) -> None:
    (folder / "videos").mkdir()
    (folder / "videos/iteration2_success.mp4").write_bytes(b"\0\1\2")
    found = checked(write_report(folder).read_text())
    assert all(link.startswith(("#", "data:")) for link in found.links)
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)
    assert len(found.ids) == len(set(found.ids))
    assert any(link.startswith("data:video/mp4;base64,AAEC") for link in found.links)


def test_a_page_tells_plan_code_fate_use_and_critique(folder: Path) -> None:
    words = " ".join(checked(render(load_run(folder))).words)
    for expected in (
        "65.5 %",
        "Obtain milk from a cow",
        "Steer so that the cow comes near",
        "Refused in line 7",
        "math.dist is not available.",
        "hypot(dx, dz)",
        "It walked 8.1 blocks.",
        "It never looks back; turn further.",
        "index 4 is outside of a tuple",
        "Half of the failed episodes",
        "Ends as soon as it has milk.",
        "Make find_cow shorter",
        "ppo.num_envs",
        "iter2/slow",
        "replay",
        "earlier code kept",
        "code accepted, 1 version(s)",
        "Environment steps per second",
    ):
        assert expected in re.sub(r"\s+", " ", words), expected


def test_the_number_at_the_top_is_the_held_out_one(folder: Path) -> None:
    final = {**run_folder.evaluation(0), "split": "eval", "success_rate": 0.123}
    run_folder.write(folder / "final_eval.json", final)
    assert "<dd>12.3\u00a0%" in render(load_run(folder))


def test_code_alone_stands_beside_the_success(folder: Path) -> None:
    words = " ".join(checked(render(load_run(folder))).words)
    assert re.search(r"Coded parts alone\s+4.5\s%\s+95 %: 2.4–8.3", words), words
    assert re.search(r"code\s+held-out\s+4.5\s%\s+\(2.4–8.3\)\s+9 / 200", words)
    run_folder.write(folder / "result.json", {"best_iteration": 2, "coded_parts": {"parts": []}})
    (folder / "coded_parts_eval.json").unlink()
    words = " ".join(checked(render(load_run(folder))).words)
    assert re.search(r"Coded parts alone\s+–\s+no code was accepted", words)
    assert not re.search(r"code\s+held-out", words)


def test_the_best_iteration_is_the_one_the_result_names(folder: Path) -> None:
    (folder / "final_eval.json").unlink()
    run_folder.write(folder / "result.json", {"best_iteration": 1})
    assert "<dd>48.0\u00a0%" in render(load_run(folder))
    run_folder.write(folder / "result.json", {"best_iteration": 0})
    assert "<dd>31.0\u00a0%" in render(load_run(folder))


def test_text_of_models_cannot_become_markup(folder: Path) -> None:
    evil = "<script>alert('x')</script>"
    run_folder.write(folder / "iterations/0/critique.json", {"failure": evil})
    run_folder.write(folder / "iterations/0/macros/milk_cow/try0.py", f"# {evil}\nx = '''{evil}")
    page = render(load_run(folder))
    assert page.count("<script") == 1 and "&lt;script&gt;" in page  # its own


def test_code_of_millions_of_characters_is_cut_and_says_so(folder: Path) -> None:
    run_folder.write(folder / "iterations/0/macros/milk_cow/try0.py", "x = 1\n" * 1_000_000)
    assert "5,940,000 of 6,000,000 characters are left out" in render(load_run(folder))


@pytest.mark.parametrize(
    "missing",
    [
        "metrics.csv",
        "transcript.jsonl",
        "version.json",
        "iterations/2/eval.json",
        "iterations/1/critique.json",
    ],
)
def test_a_killed_run_gives_a_report_of_what_it_has(folder: Path, missing: str) -> None:
    (folder / "result.json").unlink()
    (folder / missing).unlink()
    checked(render(load_run(folder)))


def test_a_run_that_has_only_begun_gives_a_report(tmp_path: Path) -> None:
    folder = run_folder.make(tmp_path, num_iterations=0, finished=False)
    assert "No iteration has been evaluated yet" in render(load_run(folder))


def test_the_command_names_the_page_or_says_what_is_needed(folder: Path, capsys) -> None:
    assert command.main([str(folder)]) == 0
    assert str(folder / "report.html") in capsys.readouterr().out
    assert command.main([str(folder / "videos")]) == 2
    assert "holds no config.json" in capsys.readouterr().err
    assert command.main([]) == 2
    assert command.main(["--help"]) == 0 and "RUN_FOLDER" in capsys.readouterr().out


def test_the_refused_line_is_marked() -> None:
    marked = [line for line in code("a = 1\nb = '<'\n", 2).split("\n") if "refused" in line]
    assert len(marked) == 1 and "&#x27;&lt;&#x27;" in marked[0]


def test_axis_marks_are_round_and_inside_the_range() -> None:
    assert ticks(0.0, 1.0, 4) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert ticks(0.0, 600_000.0, 5) == [0, 100_000, 200_000, 300_000, 400_000, 500_000, 600_000]
    assert all(-3.1 <= t <= 7.7 for t in ticks(-3.1, 7.7, 5))


def test_marks_of_an_axis_are_written_out_as_exactly_as_they_differ() -> None:
    marks = ticks(-3.24, -3.10, 5)
    assert [mark_words(m, marks) for m in marks][:2] == ["-3.225", "-3.200"]
    assert [mark_words(m, [0.0, 0.25]) for m in (0.0, 0.25)] == ["0.00", "0.25"]
    assert mark_words(200_000.0, [0.0, 200_000.0]) == "200k"


def test_smoothing_keeps_length_and_mean_of_a_constant() -> None:
    assert smooth([2.0] * 7, 3) == [2.0] * 7
    assert smooth([0.0, 3.0, 0.0], 3) == [1.5, 1.0, 1.5]


def test_a_curve_leaves_out_what_is_not_a_number() -> None:
    chart = line_chart("loss", [1.0, 2.0, 3.0], [0.5, float("nan"), 0.7])
    assert "nan" not in chart and chart.count("polyline") == 1
    assert line_chart("loss", [1.0], [float("inf")]) == ""
