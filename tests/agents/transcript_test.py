import dataclasses
import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rlgpt_jax.agents.llm import disk, transcript
from rlgpt_jax.agents.llm.base import Completion, Image, Message, Request, Usage
from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.agents.llm.transcript import Recorded, Transcript, TranscriptNotWritten


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


def test_another_schema_is_refused(path):
    record(path, "a")
    path.write_text(path.read_text().replace('"schema": 2', '"schema": 9'))
    with pytest.raises(ValueError, match="schema 9"):
        transcript.read(path)


def test_the_hash_tells_roles_and_borders_of_messages_apart():
    prompts = [
        (Message("user", "ab"),),
        (Message("system", "ab"),),
        (Message("user", "a"), Message("user", "b")),
    ]
    hashes = {dataclasses.replace(request("k"), messages=p).prompt_sha256 for p in prompts}
    assert len(hashes) == 3


PICTURE = Image("before", b"\x89PNG of before")
SHOWN = Request(
    "iter0/critic", "critic",
    (Message("system", "Judge."), Message("user", "Look.", (PICTURE, Image("after", b"PNG 2")))),
    {"type": "object"},
)  # fmt: skip
FULL = Completion(
    "Bad.", "a-model", "anthropic", 1.25, Usage(1000, 50, 800, 100, 20), 0.0123, "max_tokens",
    "req_1", 2,
)  # fmt: skip


def test_pictures_tokens_price_and_schema_survive_a_round_trip(path):
    Transcript(path).append(SHOWN, FULL)
    (exchange,) = transcript.read(path)
    assert (exchange.request, exchange.answer) == (SHOWN, FULL)
    assert exchange.request.prompt_sha256 == SHOWN.prompt_sha256
    folder = path.parent / "transcript_images"
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == {
        f"{image.sha256}.png": image.data for image in SHOWN.messages[1].images
    }
    assert Transcript(path)["iter0/critic"] == exchange


def test_a_picture_is_on_disk_before_the_line_that_names_it(path, monkeypatch):
    order = []
    for name in ("write_atomically", "append"):
        real = getattr(disk, name)
        monkeypatch.setattr(
            disk, name, lambda file, data, real=real: (order.append(file.suffix), real(file, data))
        )
    Transcript(path).append(SHOWN, FULL)
    assert order == [".png", ".png", ".jsonl"]


def test_a_picture_that_is_missing_or_changed_is_told_with_its_file(path):
    Transcript(path).append(SHOWN, FULL)
    file = path.parent / "transcript_images" / f"{PICTURE.sha256}.png"
    file.write_bytes(b"something else")
    with pytest.raises(ValueError, match=f"{file.name} is not the picture 'before'"):
        transcript.read(path)
    file.unlink()
    with pytest.raises(FileNotFoundError, match=f"picture 'before', but .*{file.name} is missing"):
        Transcript(path)


def test_a_line_without_a_field_is_told(path):
    record(path, "a")
    path.write_text(path.read_text().replace('"answer"', '"reply"'))
    with pytest.raises(ValueError, match="line 1 has no 'answer'"):
        transcript.read(path)


@pytest.mark.parametrize("field, value", [("usage", 5), ("messages", [{}]), ("messages", None)])
def test_a_field_that_is_not_what_it_is_called_is_told(path, field, value):
    record(path, "a")
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}) + "\n")
    with pytest.raises(ValueError, match="line 1: the exchange 'a' holds no"):
        Replay(path)


KILLED = """
import os, signal, sys
from pathlib import Path
from rlgpt_jax.agents.llm.base import Completion, Message, Request
from rlgpt_jax.agents.llm.transcript import Recorded, Transcript

class Dies:
    def complete(self, requests, on_answer):
        on_answer(requests[1], Completion("paid for", "m", "test", 1.0))
        os.kill(os.getpid(), signal.SIGKILL)

requests = [Request(key, "fast", (Message("user", key),)) for key in ("a", "b", "c")]
Recorded(Dies(), Transcript(Path(sys.argv[1]))).complete(requests)
"""


def test_a_run_killed_between_two_answers_of_a_batch_asks_for_the_missing_ones_alone(path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, path], cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert path.with_name("transcript.jsonl.reserve").exists()
    echo = Echo()
    answers = Recorded(echo, Transcript(path)).complete([request(k) for k in "abc"])
    assert echo.asked == ["a", "c"] and answers[1].text == "paid for"
    assert [p.name for p in path.parent.iterdir()] == ["transcript.jsonl"]


def full_disk(*args):
    raise OSError(errno.ENOSPC, "No space left on device")


def half_then_full(real, written):
    """A write that fills the disk with half of a line."""

    def write(descriptor, data):
        if written:
            full_disk()
        written.append(real(descriptor, bytes(data)[: len(data) // 2]))
        return written[0]

    return write


@pytest.mark.parametrize("failing", ["write", "half write", "fsync"])
def test_a_full_disk_loses_nothing_and_what_was_paid_for_is_written_later(
    path, monkeypatch, failing
):
    record(path, "a")
    before = path.read_bytes()
    own, echo = Transcript(path), Echo()
    asked = [request(k) for k in "abc"]
    with monkeypatch.context() as patch:
        if failing == "half write":
            patch.setattr(os, "write", half_then_full(os.write, []))
        else:
            patch.setattr(os, failing, full_disk)
        with pytest.raises(TranscriptNotWritten) as error:
            Recorded(echo, own).complete(asked)
        for words in (str(path), "No space left", "in memory only: b, c"):
            assert words in str(error.value)
        assert path.read_bytes() == before
        with pytest.raises(TranscriptNotWritten):  # nor is anything asked while it is full
            Recorded(echo, own).complete([request("d")])
    assert [a.text[:11] for a in Recorded(echo, own).complete(asked)] == [
        "answer to a",
        "answer to b",
        "answer to c",
    ]
    assert echo.asked == ["b", "c"]
    assert [e.request.key for e in transcript.read(path)] == ["a", "b", "c"]


def test_a_full_disk_while_a_picture_is_written_names_the_picture_and_leaves_no_line(
    path, monkeypatch
):
    own = Transcript(path)
    path.parent.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full_disk)
        with pytest.raises(TranscriptNotWritten, match=f"{PICTURE.sha256}.png could not be wr"):
            own.append(SHOWN, FULL)
    assert not path.exists() and not list(path.parent.glob("*/*.part"))
    own.flush()
    assert transcript.read(path)[0].request == SHOWN


def test_without_room_for_the_answers_nothing_is_asked(path, monkeypatch):
    echo = Echo()
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full_disk)
        with pytest.raises(TranscriptNotWritten, match=r"0.3 MB beside .*; nothing was asked"):
            Recorded(echo, Transcript(path)).complete([request("a")])
    assert echo.asked == []


def test_the_room_that_was_held_is_given_up_for_the_answer(path, monkeypatch):
    """A disk that is full but for the reserve."""
    real, reserve = os.write, path.with_name("transcript.jsonl.reserve")
    sizes = []

    def write(descriptor, data):
        if reserve.exists():
            sizes.append(reserve.stat().st_size)
            full_disk()
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", write)
    record(path, "a")
    assert sizes and sizes[0] > len(path.read_bytes())
    assert [e.request.key for e in transcript.read(path)] == ["a"] and not reserve.exists()


def test_half_a_surrogate_pair_in_an_answer_does_not_lose_it(path):
    class Odd:
        def complete(self, requests, on_answer):
            return [Completion("fine \ud83d end", "m", "test", 0.1)]

    (answer,) = Recorded(Odd(), Transcript(path)).complete([request("a")])
    assert answer.text == "fine ? end" == transcript.read(path)[0].answer.text
