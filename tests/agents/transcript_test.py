import dataclasses

import pytest

from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.base import Completion, Message, Request
from rlgpt_jax.agents.llm.replay import MissingAnswer, Replay
from rlgpt_jax.agents.llm.transcript import Recorded, Transcript


def request(key, text="What now?"):
    return Request(key, "slow", (Message("user", text),))


class Echo:
    """Answers with the key and remembers what it was asked."""

    def __init__(self, fail_at=None):
        self.asked = []
        self.fail_at = fail_at

    def complete(self, requests, on_answer=None):
        answers = []
        for r in requests:
            if r.key == self.fail_at:
                raise ConnectionError("gone")
            self.asked.append(r.key)
            answers.append(Completion(f"answer to {r.key}\u2028é", "echo", "test", 0.5))
            if on_answer:
                on_answer(r, answers[-1])
        return answers


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run" / "transcript.jsonl"


def record(path, *keys):
    return Recorded(Echo(), Transcript(path)).complete([request(k) for k in keys])


def test_what_was_appended_is_read_back_whole(path):
    record(path, "iter0/slow", "iter0/critic")
    first, second = transcript.read(path)
    assert first.request == request("iter0/slow") and second.request.key == "iter0/critic"
    assert first.answer == Completion("answer to iter0/slow\u2028é", "echo", "test", 0.5)


@pytest.mark.parametrize("cut", [1, 7, 60])
def test_a_torn_last_line_is_cut_off_and_asked_again(path, cut):
    record(path, "a", "b")
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    echo = Echo()
    Recorded(echo, Transcript(path)).complete([request("a"), request("b")])
    assert echo.asked == ["b"]
    assert [e.request.key for e in transcript.read(path)] == ["a", "b"]


def test_a_broken_line_in_the_middle_is_an_error(path):
    record(path, "a", "b")
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first[:-9] + b"\n" + second)
    with pytest.raises(ValueError, match="line 1 is not JSON"):
        Transcript(path)


def test_answers_that_arrived_before_a_failure_are_kept(path):
    with pytest.raises(ConnectionError):
        Recorded(Echo(fail_at="b"), Transcript(path)).complete([request("a"), request("b")])
    assert [e.request.key for e in transcript.read(path)] == ["a"]


def test_a_key_twice_in_a_batch_is_an_error(path):
    with pytest.raises(ValueError, match="must differ"):
        record(path, "a", "a")


def test_a_replay_gives_the_recorded_answers_and_counts_other_prompts(path):
    record(path, "a", "b", "c")
    replay = Replay(path)
    answers = replay.complete([request("a"), request("b", "What then?"), request("c", "Hm?")])
    assert [a.text for a in answers] == [f"answer to {k}\u2028é" for k in "abc"]
    assert {(a.provider, a.model) for a in answers} == {("replay", "echo")}
    assert replay.num_mismatches == 2
    assert "-What now?\n+What then?" in replay.first_mismatch


def test_a_whole_run_is_compared_also_if_it_was_restarted(path, tmp_path):
    record(path, "a", "b")
    own = tmp_path / "own.jsonl"
    Recorded(Replay(path), Transcript(own)).complete([request("a", "Other?")])
    again = Replay(path)
    Recorded(again, Transcript(own)).complete([request("a", "Other?"), request("b")])
    compared = again.compare(transcript.read(own))
    assert (compared.num_requests, compared.num_mismatches) == (2, 1)
    assert again.num_mismatches == 0 and "+Other?" in compared.first_mismatch


def test_a_replay_without_the_key_says_what_was_recorded(path):
    record(path, "iter0/slow")
    with pytest.raises(MissingAnswer, match="for 'iter1/slow'. Recorded keys: iter0/slow"):
        Replay(path).complete([request("iter1/slow")])


def test_another_schema_is_refused(path):
    record(path, "a")
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 9'))
    with pytest.raises(ValueError, match="schema 9"):
        transcript.read(path)


def test_the_hash_tells_roles_and_borders_of_messages_apart():
    prompts = [
        (Message("user", "ab"),), (Message("system", "ab"),),
        (Message("user", "a"), Message("user", "b")),
    ]
    hashes = {dataclasses.replace(request("k"), messages=p).prompt_sha256 for p in prompts}
    assert len(hashes) == 3
