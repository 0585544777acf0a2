import time

import pytest

from rlgpt_jax.agents import parse
from rlgpt_jax.agents.prompt_state import Refusal

CODE = "def a(obs):\n    yield noop()\n"


@pytest.mark.parametrize(
    "answer",
    [
        f"Here.\n```python\n{CODE}```\nIt ends.",
        f"```json\n{{}}\n```\n```py\n{CODE}```",
        f"```\n{CODE}```",
        f"```python\n{CODE}",  # cut off before the closing fence
        f"```Python title=x\r\n{CODE}```".replace("\n", "\r\n").replace("\r\r", "\r"),
        CODE,
        f"```python\n{CODE}```\n```python\ndef b(obs):\n    yield\n```",  # the first counts
    ],
)
def test_the_first_python_block_is_the_code(answer):
    assert parse.python_source(answer) == CODE


def test_a_fence_inside_a_line_does_not_end_the_block():
    source = 'def a(obs):\n    x = "```"\n    yield noop()\n'
    assert parse.python_source(f"```python\n{source}```") == source


def test_an_answer_without_code_is_refused_with_what_to_do():
    answer = parse.python_source("I would rather not.")
    assert isinstance(answer, Refusal) and "```python block" in answer.reason


@pytest.mark.parametrize(
    "answer",
    [
        'Because.\n```json\n{"a": 1}\n```\nDone.',
        '```\n{"a": 1}\n```',
        'It is {"a": 1} and nothing else',
        '```json\nThe plan: {"a": 1} as asked\n```',
    ],
)
def test_the_first_object_is_found_and_text_around_it_is_ignored(answer):
    assert parse.json_object(answer) == {"a": 1}


def test_broken_json_is_refused_with_its_line():
    with pytest.raises(parse.Wrong, match="line [23]"):
        parse.json_object('```json\n{\n "a": 1,\n}\n```')


def test_deep_nesting_is_a_refusal_and_no_crash():
    for text in ('{"a":' + "[" * 100_000, "no braces"):
        with pytest.raises(parse.Wrong):
            parse.json_object(text)


@pytest.mark.parametrize("text", ["```" + " " * 500_000, "```" + "a" * 500_000, "```\n" * 100_000])
def test_a_line_of_many_characters_is_read_in_one_go(text):
    began = time.process_time()
    with pytest.raises(parse.Wrong):
        parse.json_object(text)
    assert isinstance(parse.python_source(text), Refusal)
    assert time.process_time() - began < 2  # hours, if every split of it is tried


def test_a_number_of_too_many_digits_is_a_refusal():
    with pytest.raises(parse.Wrong, match="beyond reason"):
        parse.json_object('{"a": ' + "9" * 5000 + "}")


def test_an_object_of_too_many_characters_is_refused_with_their_number():
    with pytest.raises(parse.Wrong, match="50,009 characters; write at most"):
        parse.json_object('{"a": "' + "x" * 50_000 + '"}')


def test_half_a_surrogate_pair_which_no_file_can_hold_is_a_refusal():
    with pytest.raises(parse.Wrong, match="half a surrogate pair"):
        parse.json_object(r'{"a": ["x \ud83d"]}')
    assert parse.json_object(r'{"a": "x \ud83d\ude00"}') == {"a": "x \U0001f600"}
