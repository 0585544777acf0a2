"""A small, always equal part of `python -m tests.fuzz texts`."""

import argparse
import itertools
import random

import pytest

from rlgpt_jax.macros.vm import bytecode
from tests.fuzz import mutate, random_syntax, random_texts, trial
from tests.fuzz.corpus import corpus as whole_corpus

INPUTS, GROUPS = 600, 2


@pytest.fixture(scope="module")
def corpus() -> list[str]:
    return [text for text in whole_corpus() if len(text) < 1_500]  # a few seconds in all


@pytest.mark.parametrize(
    "group", [0, *(pytest.param(g, marks=pytest.mark.slow) for g in range(1, GROUPS))]
)
def test_random_texts_are_refused_in_words_or_run_within_their_bounds(group, corpus, tmp_path):
    tally = random_texts.Tally()
    for number, kind, text in random_texts.inputs(group, corpus):
        wrong = random_texts.tried(tally, number, kind, text)
        assert not wrong, f"seed {group}, input {number}, {kind}:\n{text[:3_000]}\n{wrong}"
        if number + 1 == INPUTS // GROUPS:
            break
    assert tally.inputs == INPUTS // GROUPS
    assert tally.accepted > tally.inputs / 50 and tally.refused > tally.inputs / 4
    assert tally.ticks > 100
    assert tally.work < 1.2 * bytecode.MAX_WORK
    assert tally.large == 0
    assert len(tally.kinds) >= 6


def test_the_same_seed_makes_the_same_texts(corpus):
    first = [text for _, _, text in itertools.islice(random_texts.inputs(3, corpus), 40)]
    again = [text for _, _, text in itertools.islice(random_texts.inputs(3, corpus), 40)]
    assert first == again and len(set(first)) > 35


@pytest.mark.parametrize("change", mutate.CHANGES)
def test_every_change_changes_texts_of_the_corpus(change, corpus):
    rng = random.Random(1)
    texts = rng.sample(corpus, 20)
    changed = sum(mutate.CHANGES[change](rng, text, corpus) != text for text in texts)
    assert changed > 12


def test_random_syntax_draws_most_of_the_grammar():
    rng = random.Random(0)
    text = "\n".join(random_syntax.program(rng) for _ in range(300))
    words = ("match ", "lambda", "async ", "class ", "try:", "with ", "yield from", "await ", ":=",
             "nonlocal ", "import ", "f'", "{", "**", "assert ", "raise", "del ", "@")  # fmt: skip
    assert [word for word in words if word not in text] == []


@pytest.mark.slow
def test_the_command_counts_and_a_finding_is_kept(capsys, tmp_path, monkeypatch):
    parser = argparse.ArgumentParser()
    random_texts.add_arguments(parser)
    options = parser.parse_args(["--inputs=20", f"--out={tmp_path}"])
    assert random_texts.run(options) in (0, 1)  # 1 if the machine was too busy for the time bound
    assert "20 inputs" in capsys.readouterr().out

    def escape(*_: object, **__: object) -> None:
        raise trial.Escaped("on purpose")

    monkeypatch.setattr(random_texts, "one", escape)
    options = parser.parse_args(["--inputs=2", f"--out={tmp_path / 'found'}"])
    assert random_texts.run(options) == 1
    assert "2 crashes" in capsys.readouterr().out
    assert len(list((tmp_path / "found").glob("*.error.txt"))) == 2
