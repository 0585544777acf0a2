"""Answers that are written to do harm, through whole runs: loops, transcript, console, report."""

import io
import itertools
import json
from pathlib import Path

import pytest
from rich.console import Console

from experiments.progress import Display
from experiments.report.page import SCRIPT, write_report
from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.base import Completion
from rlgpt_jax.loop import two_loop
from tests.loop.script import ANSWERS, CONFIG, Script, block, tools

MILLIONS = 10_000_000  # characters of an answer
EVIL = (
    "</pre></style><script>alert(1)</script><img src=x onerror=alert(1)> \x1b]0;owned\x07\x1b[2J"
    "\x9b31m\u202e ../../../../tmp/owned \ud800 \x00 {0.__class__} [link=file:///x]y[/link]"
)
GARBAGE = (
    "x" * MILLIONS, "```" + " " * MILLIONS, "```python\n" + "x = 1\n" * (MILLIONS // 6),
    "{" * MILLIONS, '{"a":' * (MILLIONS // 5), '{"sub_actions": ' + "9" * MILLIONS + "}",
    "```\n" * (MILLIONS // 4), "[" * 200_000, "\ud800" * 1000, "\x00", EVIL, "",
    '```json\n{"sub_actions": [{"name": "../../owned", "kind": "code", "instruction": "x"}]}\n```',
    '```json\n{"sub_actions": {"a": NaN}, "training": {"ticks": Infinity}, "macros": 3}\n```',
    block("json", json.dumps({"sub_actions": [{"name": "a", "kind": "learn"}] * 100_000})),
    block("python", "def walk(obs):\n    " + "(" * 100_000),
    block("python", "def walk(obs):\n    yield forward()  # " + "x" * MILLIONS),
    block("python", "def walk(obs):\n    x = 10**10**10\n    yield open('/etc/passwd')"),
)  # fmt: skip


def poisoned(text: str) -> str:
    """The same answer, with words that do harm wherever there are words."""
    long = EVIL.replace("\ud800", "") + "long " * 1_000
    for words in ("Wait 1 tick.", "Go on.", "Stand.", "As measured.", "It is slow.", "Walk more.",
                  "It works.", "Train longer.", "Wait longer.", "Walk 3 ticks."):  # fmt: skip
        text = text.replace(words, json.dumps(long)[1:-1])
    return EVIL + "\n" + text.replace("for _", "'</pre><script>alert(2)</script>'\n    for _")


class Poisoned(Script):
    """A model whose answers are good, but for the words in them."""

    def complete(self, requests, on_answer=None):
        self.answers |= {r.key: EVIL for r in requests if r.key not in self.answers}
        return super().complete(requests, on_answer)


class Garbage(Script):
    """A model that gives one kind of garbage after the other, but for its plans if these are
    wanted: without one nobody asks for code."""

    def __init__(self, first: int, plans: bool):
        super().__init__()
        self.turn = itertools.cycle(GARBAGE[first:] + GARBAGE[:first])
        self.plans = plans

    def complete(self, requests, on_answer=None):
        self.prompts |= {r.key: r.messages[0].text for r in requests}
        good = self.answers if self.plans else {}
        texts = [good.get(r.key) if r.agent == "slow" else next(self.turn) for r in requests]
        return [Completion(text or next(self.turn), EVIL, "test", 0.0) for text in texts]


def check(model: Script, folder: Path) -> str:
    """Runs the two loops and reports on them. Returns the page."""
    out = io.StringIO()
    display = Display(Console(file=out, width=120))
    before = set(folder.parent.iterdir())
    run = folder / "run"
    two_loop.run(CONFIG, tools(run, model, on_event=display))
    (run / "config.json").write_text(json.dumps({"name": EVIL.replace("\ud800", ""), "config": {}}))
    page = write_report(run).read_text().replace(f"<script>{SCRIPT.read_text()}</script>", "")
    assert set(folder.parent.iterdir()) == before
    assert not list(Path("/tmp").glob("owned*")) and not list(folder.rglob("*owned*"))
    assert "<script" not in page and "<img src=x" not in page
    told = out.getvalue()
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\x00"} & set(told)
    assert max(map(len, told.splitlines())) < 3_000
    assert max(map(len, model.prompts.values())) < 200_000
    again = transcript.read(run / "transcript.jsonl")  # what a resumed run does
    assert {e.request.key for e in again} >= set(model.prompts)
    return page


@pytest.mark.faults
def test_words_that_do_harm_stay_words(tmp_path, ledger):
    ledger.begin("hostile answers")
    page = check(Poisoned({key: poisoned(text) for key, text in ANSWERS.items()}), tmp_path)
    assert "&lt;script&gt;alert(1)" in page
    ledger.end()


@pytest.mark.faults
@pytest.mark.parametrize(("first", "plans"), [(0, False), (0, True), (9, True)])
def test_garbage_of_millions_of_characters_ends_no_run(tmp_path, first, plans, ledger):
    ledger.begin("hostile answers")
    check(Garbage(first, plans), tmp_path)
    ledger.end()
