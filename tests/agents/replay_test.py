"""A replay gives recorded answers, and says or refuses where the prompts differ."""

import pytest

from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.base import MISSING, Completion, Image, Message, Request, Usage
from rlgpt_jax.agents.llm.replay import MissingAnswer, PromptDiffers, Replay
from rlgpt_jax.agents.llm.transcript import Recorded, Transcript


def request(key, text="What now?", *pictures):
    images = tuple(Image(f"view {i}", data) for i, data in enumerate(pictures))
    return Request(key, "slow", (Message("user", text, images),))


def record(path, *requests):
    own = Transcript(path)
    for asked in requests:
        key = asked.key if isinstance(asked, Request) else asked
        answer = Completion(f"answer to {key}\u2028é", "echo", "test", 0.5, Usage(10, 5), 0.25)
        own.append(asked if isinstance(asked, Request) else request(asked), answer)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run" / "transcript.jsonl"


def test_a_replay_gives_the_recorded_answers_and_counts_other_prompts(path):
    record(path, "a", "b", "c")
    replay = Replay(path)
    asked = [request("a"), request("b", "What then?"), request("c", "Hm?")]
    answers = replay.complete(asked)
    assert [a.text for a in answers] == [f"answer to {k}\u2028é" for k in "abc"]
    assert {(a.provider, a.model, a.seconds) for a in answers} == {("replay", "echo", 0.0)}
    assert {(a.usage, a.price) for a in answers} == {(Usage(10, 5), 0.0)}
    compared = replay.compare(asked)
    assert compared.num_mismatches == 2
    assert "-What now?\n+What then?" in compared.first_mismatch


def test_a_whole_run_is_compared_also_if_it_was_restarted(path, tmp_path):
    record(path, "a", "b")
    own = tmp_path / "own.jsonl"
    Recorded(Replay(path), Transcript(own)).complete([request("a", "Other?")])
    again = Replay(path)
    Recorded(again, Transcript(own)).complete([request("a", "Other?"), request("b")])
    compared = again.compare([e.request for e in transcript.read(own)])
    assert (compared.num_requests, compared.num_mismatches) == (2, 1)
    assert "+Other?" in compared.first_mismatch


def test_a_strict_replay_without_the_key_says_what_was_recorded(path):
    record(path, "iter0/slow")
    with pytest.raises(MissingAnswer, match="for 'iter1/slow'. Recorded keys: iter0/slow"):
        Replay(path, strict=True).complete([request("iter1/slow")])


def test_a_lenient_replay_counts_what_was_not_recorded_also_in_a_recording_of_its_own(
    path, tmp_path
):
    record(path, "a")
    for name in ("own", "copy"):
        own = tmp_path / f"{name}.jsonl"
        replay = Replay(path)
        answers = Recorded(replay, Transcript(own)).complete([request("a"), request("b")])
        assert [(a.text, a.stop) for a in answers] == [("answer to a\u2028é", "end"), ("", MISSING)]
        compared = replay.compare([e.request for e in transcript.read(own)])
        assert (compared.num_requests, compared.num_unanswered) == (1, 1)
        path = own


def test_a_strict_replay_stops_at_the_first_prompt_that_differs_with_a_short_diff(path):
    long = "\n".join(f"line {i}" for i in range(200))
    record(path, "a", request("b", long), "c")
    strict = Replay(path, strict=True)
    assert strict.complete([request("a")])[0].text.startswith("answer to a")
    changed = long.replace("line 7", "row 7")  # 12 lines
    with pytest.raises(PromptDiffers) as error:
        strict.complete([request("b", changed), request("c", "other")])
    words = str(error.value)
    assert "'b'" in words and "-line 7\n" in words and "+row 7\n" in words
    assert "more lines" in words and len(words.splitlines()) < 35
    assert "llm.replay=lenient" in words and "other" not in words


def test_pictures_are_compared_by_content_without_their_files(path):
    record(path, request("a", "Look.", b"one", b"two"), request("b", "Look.", b"one"))
    for file in (path.parent / "transcript_images").iterdir():
        file.unlink()
    asked = [request("a", "Look.", b"one", b"2"), request("b", "Look.", b"one")]
    compared = Replay(path).compare(asked)
    assert compared.num_mismatches == 1
    assert compared.first_mismatch == "picture differs: view 1"
    with pytest.raises(PromptDiffers, match="picture differs: view 1"):
        Replay(path, strict=True).complete([request("a", "Look.", b"one", b"2")])


@pytest.mark.parametrize(
    ("pictures", "words"),
    [((), "picture is gone: view 0"), ((b"one", b"two"), "picture is new: view 1")],
)
def test_a_picture_more_or_less_is_a_difference(path, pictures, words):
    record(path, request("a", "Look.", b"one"))
    assert Replay(path).compare([request("a", "Look.", *pictures)]).first_mismatch == words


def test_a_space_at_the_end_is_a_difference_too(path):
    record(path, "a")
    compared = Replay(path).compare([request("a", "What now?\n")])
    assert "line ends or spaces" in compared.first_mismatch
