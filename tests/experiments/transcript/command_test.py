"""`experiments.transcript` shows, compares and prices what is in a transcript."""

import csv
import json
from pathlib import Path

import pytest

from experiments.transcript import __main__ as command
from rlgpt_jax.agents.llm.base import Completion, Image, Message, Request, Usage
from rlgpt_jax.agents.llm.exchange import images_folder
from rlgpt_jax.agents.llm.prices import price
from rlgpt_jax.agents.llm.transcript import Transcript

MODEL = "claude-sonnet-5-5"
PICTURE = Image("strip", b"PNG of a strip")


def fill(path: Path, **changes: str) -> Path:
    """Two iterations, one of them with a picture; `changes` are other answers by agent."""
    transcript = Transcript(path)
    for number in (0, 1):
        for agent, usage, cost in (
            ("slow", Usage(1000, 100), 0.25), ("fast", Usage(2000, 300), 0.5),
            ("critic", None, None),
        ):  # fmt: skip
            images = (PICTURE,) if agent == "critic" else ()
            key = f"iter{number}/{agent}" + "/walk/try0" * (agent == "fast")
            text = "Look [here]:\nbe \x1b[31mkind.\n" + "x" * 334  # 360 characters
            answer = changes.get(agent, "Yes, [bold]I[/bold] will.\nSo be it." + " " * 2)
            transcript.append(
                Request(key, agent, (Message("user", text, images),)),
                Completion(
                    answer, MODEL, "anthropic" if usage else "file", 2.5, usage, cost,
                    "max_tokens" if agent == "fast" else "end", "req_7", number,
                ),
            )  # fmt: skip
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return fill(tmp_path / "run" / "transcript.jsonl").parent


def called(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str]:
    code = command.main([str(word) for word in argv])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def cells(words: str, name: str) -> list[list[str]]:
    """The columns after `name` in the lines that hold it."""
    return [line.split(name, 1)[1].split() for line in words.splitlines() if f" {name} " in line]


def test_the_listing_has_a_line_per_exchange(run: Path, capsys) -> None:
    code, words = called(capsys, "show", run)
    lines = {line.split()[0]: line for line in words.splitlines()}
    assert code == 0 and {"iter0/slow", "iter1/fast/walk/try0", "iter1/critic"} <= set(lines)
    assert f"1,000       100  $0.2500  2.5 s  {MODEL} (anthropic)" in lines["iter0/slow"]
    assert "≈1,600" in lines["iter0/critic"] and "1 picture" in lines["iter0/critic"]
    assert "stopped: max_tokens, 1 retry" in lines["iter1/fast/walk/try0"]
    assert "6 exchanges" in words and "be kind" not in words


def test_pages_show_prompt_answer_and_where_the_pictures_are(run: Path, capsys) -> None:
    _, words = called(capsys, "show", run, "--full", "--key=iter0/c*")
    file = images_folder(run / "transcript.jsonl") / f"{PICTURE.sha256}.png"
    assert file.is_file() and f"[picture strip: {file}]" in words
    assert "Look [here]:" in words and "[bold]I[/bold] will." in words and "[USER]" in words
    assert "\x1b[31m" not in words and "iter0/slow" not in words and "(estimated)" in words
    file.unlink()
    assert "(the file is missing)" in called(capsys, "show", run, "--full", "--agent=critic")[1]


def test_answers_alone_leave_the_prompts_out(run: Path, capsys) -> None:
    _, words = called(capsys, "show", run / "transcript.jsonl", "--answers-only", "--agent=slow")
    assert words.count("So be it.") == 2 and "Look" not in words
    assert "req_7" in words and "1,000 + 100 tokens (counted)" in words


def test_the_cost_table_has_the_figures_of_every_iteration_and_agent(run: Path, capsys) -> None:
    _, words = called(capsys, "cost", run)
    assert words.split()[:4] == ["slow", "fast", "critic", "total"]
    assert cells(words, "calls") == [["1", "1", "1", "3"]] * 2 + [["2", "2", "2", "6"]]
    one = ["1,000", "2,000", "≈1,600", "≈4,600"]
    assert cells(words, "input tokens") == [one, one, ["2,000", "4,000", "≈3,200", "≈9,200"]]
    assert cells(words, "output tokens")[2] == ["200", "600", "≈20", "≈820"]
    assert cells(words, "price")[:3] == [["$0.2500", "$0.5000", "–", "–"]] * 2 + [
        ["$0.5000", "$1.00", "–", "–"]
    ]
    assert "≈ estimated" in words and "the price is not known" in words


def test_another_model_prices_every_call_by_itself(run: Path, capsys, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    code, words = called(capsys, "cost", run, "--model=gpt-6-sol", f"--csv={file}")
    rows = list(csv.DictReader(file.open()))
    assert code == 0 and "gpt-6-sol would have cost" in words
    assert [(r["iteration"], r["agent"], r["calls"]) for r in rows[:3]] == [
        ("0", "slow", "1"), ("0", "fast", "1"), ("0", "critic", "1"),
    ]  # fmt: skip
    expected = price("openai", "gpt-6-sol", Usage(2000, 300))
    assert float(rows[1]["price"]) == pytest.approx(expected)
    assert [r["estimated"] for r in rows[:3]] == ["False", "False", "True"]
    assert rows[2]["input_tokens"] == "1600" and float(rows[2]["price"]) > 0


def test_two_runs_are_compared_by_key(run: Path, capsys, tmp_path: Path) -> None:
    other = fill(tmp_path / "other" / "transcript.jsonl", slow="No.").parent
    Transcript(other / "transcript.jsonl").append(
        Request("iter2/slow", "slow", (Message("user", "?"),)), Completion("!", "m", "file", 1.0)
    )
    code, words = called(capsys, "diff", run, other)
    assert code == 1 and words.count("--- answer to") == 2 and "--- prompt" not in words
    assert "+No." in words and "-So be it." in words
    assert f"only in {other}/transcript.jsonl: iter2/slow" in words
    assert "0 of 6 prompts and 2 of 6 answers differ; 0 keys are only in" in words
    assert "2 of 6 answers" in called(capsys, "diff", run, other)[1].splitlines()[-1]


def test_a_replay_is_compared_with_its_recording(run: Path, capsys, tmp_path: Path) -> None:
    own = tmp_path / "own"
    for line in map(json.loads, (run / "transcript.jsonl").read_text().splitlines()):
        image = Image("strip", b"another strip") if line["agent"] == "critic" else None
        message = Message("user", line["messages"][0]["text"], (image,) if image else ())
        Transcript(own / "transcript.jsonl").append(
            Request(line["key"], line["agent"], (message,)),
            Completion(line["answer"], "m", "replay", 0.0),
        )
    llm = {"provider": "replay", "transcript": str(run / "transcript.jsonl")}
    (own / "config.json").write_text(json.dumps({"config": {"llm": llm}}))
    code, words = called(capsys, "diff", own)
    assert code == 1 and words.count("picture differs: strip") == 2
    assert "--- prompt of iter0/critic" in words
    assert "2 of 6 prompts and 0 of 6 answers differ" in words


@pytest.mark.parametrize("name", ["show", "diff", "cost"])
def test_what_holds_no_transcript_is_told(name: str, capsys, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("")
    (tmp_path / "b.jsonl").write_text('{"schema": 5}\n')
    extra = [tmp_path / "b.jsonl"] * (name == "diff")
    for path, words in (
        (tmp_path / "nowhere", "there is no such folder or file"),
        (tmp_path, "holds no transcript.jsonl. Give one of: a.jsonl, b.jsonl."),
        (tmp_path / "a.jsonl", "holds no exchange yet"),
        (tmp_path / "b.jsonl", "line 1 has schema 5"),
    ):
        code, told = called(capsys, name, path, *extra)
        assert code == 2 and told.startswith("error: ") and words in told


def test_arguments_that_fit_nothing_are_told(run: Path, capsys, tmp_path: Path) -> None:
    for argv, words in (
        (("show", run, "--key=iter7/*"), "--key=iter7/*: no such key"),
        (("show", run, "--agent=sloww"), "Did you mean slow"),
        (("cost", run, "--model=nonsense"), "no price is known. Try: claude-"),
        (("cost", run, f"--csv={tmp_path}/no/table.csv"), "table.csv: No such file or directory."),
        (("diff", run), "no config.json that would name its recording"),
        (("list", run), "no command 'list'"),
    ):
        code, told = called(capsys, *argv)
        assert code == 2 and words in told, argv
    (run / "config.json").write_text(json.dumps({"config": {"llm": {"provider": "file"}}}))
    assert "is no replay (llm.provider=file)" in called(capsys, "diff", run)[1]
    (run / "config.json").write_text('{"config"')
    code, told = called(capsys, "diff", run)
    assert code == 2 and told.startswith(f"error: {run}/config.json is damaged")
