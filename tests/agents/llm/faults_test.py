"""Every fault of the table, against a peer of each format: nothing lost, nothing asked twice."""

import dataclasses
import itertools

import pytest

from tests.doubles.services import WIRES, conversation
from tests.doubles.services.every_fault import is_right
from tests.doubles.services.faults import FAULTS


def cases():
    """By default each format meets each fault once, every other one in a stream."""
    for number, (provider, row) in enumerate(itertools.product(WIRES, FAULTS)):
        for stream, way in enumerate(("whole", "stream")):
            marks = () if number % 2 == stream else pytest.mark.slow
            name = f"{provider}-{way}-{row.name}"
            yield pytest.param(provider, bool(stream), row, marks=marks, id=name)


@pytest.mark.parametrize(("provider", "stream", "row"), cases())
def test_a_fault_ends_as_it_must(provider, stream, row, tmp_path):
    outcome = conversation.run(provider, stream, row, tmp_path)
    assert (outcome.lost, outcome.twice) == (0, 0)
    assert outcome.finished and outcome.as_sent, outcome
    assert is_right(row, outcome), outcome


def test_a_line_that_does_not_say_what_it_must_is_wrong(tmp_path):
    row = next(row for row in FAULTS if row.name == "404")
    outcome = conversation.run("anthropic", False, row, tmp_path)
    assert outcome.words.startswith("no answer to iter0/fast/") and "\n" not in outcome.words
    for change in (
        {"words": "no answer"}, {"words": outcome.words + "\nTraceback"}, {"survived": True},
        {"lost": 1}, {"twice": 1}, {"finished": False}, {"as_sent": False},
    ):  # fmt: skip
        assert not is_right(row, dataclasses.replace(outcome, **change)), change
