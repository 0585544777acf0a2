import threading
import time

import pytest

from rlgpt_jax.agents.llm import file
from rlgpt_jax.agents.llm.base import Image, Message, Request
from rlgpt_jax.agents.llm.file import FileProvider, write_atomically


def request(key, *messages):
    return Request(key, "fast", messages or (Message("user", f"Do {key}."),))


def test_all_requests_lie_there_before_the_first_answer_and_a_thread_answers_them(tmp_path):
    keys = ["iter0/fast/a/try0", "iter0/fast/b/try0"]

    def answer():
        prompts = [tmp_path / f"{key}.request.md" for key in keys]
        while not all(p.exists() for p in prompts):
            time.sleep(0.005)
        for key, prompt in reversed(list(zip(keys, prompts, strict=True))):
            write_atomically(tmp_path / f"{key}.response.md", prompt.read_text().upper())

    thread = threading.Thread(target=answer)
    thread.start()
    heard = []
    provider = FileProvider(tmp_path, 0.005, timeout_seconds=10, model="thread")
    answers = provider.complete([request(k) for k in keys], lambda r, c: heard.append(r.key))
    thread.join()
    assert [a.text for a in answers] == [f"DO {k.upper()}." for k in keys]
    assert {(a.model, a.provider) for a in answers} == {("thread", "file")}
    assert sorted(heard) == keys


def test_a_response_that_exists_is_used_at_once_and_the_request_is_still_written(tmp_path):
    write_atomically(tmp_path / "k.response.md", "Yes.")
    (answer,) = FileProvider(tmp_path, 0.005, timeout_seconds=5).complete([request("k")])
    assert answer.text == "Yes." and answer.seconds < 1
    assert (tmp_path / "k.request.md").read_text() == "Do k."


def test_a_file_that_still_grows_is_not_taken(tmp_path):
    path = tmp_path / "k.response.md"
    stop = time.monotonic() + 0.7

    def write():
        with path.open("w") as file:
            while time.monotonic() < stop:
                file.write("more ")
                file.flush()
                time.sleep(0.001)
            file.write("end")

    thread = threading.Thread(target=write)
    thread.start()
    (answer,) = FileProvider(tmp_path, 0.25, timeout_seconds=10).complete([request("k")])
    thread.join()
    assert answer.text.endswith("end")


def test_an_empty_response_is_waited_for_and_the_timeout_names_the_file(tmp_path):
    (tmp_path / "k.response.md").touch()
    with pytest.raises(TimeoutError, match="k.response.md"):
        FileProvider(tmp_path, 0.005, timeout_seconds=0.03).complete([request("k")])


def test_several_messages_are_told_apart_by_role(tmp_path):
    write_atomically(tmp_path / "k.response.md", "Yes.")
    messages = (Message("system", "Be kind."), Message("user", "Hello."))
    FileProvider(tmp_path, 0.005).complete([request("k", *messages)])
    assert (tmp_path / "k.request.md").read_text() == "[SYSTEM]\nBe kind.\n\n[USER]\nHello."


def test_a_key_cannot_leave_the_folder(tmp_path):
    with pytest.raises(ValueError, match="not a path inside"):
        FileProvider(tmp_path / "in").complete([request("../out")])


def test_pictures_lie_beside_the_request_whose_last_lines_name_them(tmp_path):
    write_atomically(tmp_path / "iter0/critic.response.md", "Fine.")
    stale = tmp_path / "iter0/critic.request.3.png"
    stale.write_bytes(b"of an earlier start")
    other = tmp_path / "iter0/critic2.request.3.png"
    other.write_bytes(b"of another request")
    pictures = (Image("strip, tick 10", b"PNG one"), Image("after", b"PNG two"))
    FileProvider(tmp_path, 0.005).complete(
        [request("iter0/critic", Message("user", "What do you see?", pictures))]
    )
    assert (tmp_path / "iter0/critic.request.md").read_text() == (
        "What do you see?\n"
        "[picture 1: strip, tick 10, file critic.request.1.png]\n"
        "[picture 2: after, file critic.request.2.png]"
    )
    assert (tmp_path / "iter0/critic.request.1.png").read_bytes() == b"PNG one"
    assert (tmp_path / "iter0/critic.request.2.png").read_bytes() == b"PNG two"
    assert not stale.exists() and other.exists()


def test_who_sees_a_request_sees_its_pictures(tmp_path, monkeypatch):
    order = []
    monkeypatch.setattr(file, "write_atomically", lambda path, data: order.append(path.name))
    with pytest.raises(TimeoutError):
        message = Message("user", "Look.", (Image("a", b"1"),))
        FileProvider(tmp_path, 0.005, timeout_seconds=0.0).complete([request("k", message)])
    assert order == ["k.request.1.png", "k.request.md"]


def test_bytes_that_are_no_text_do_not_stop_a_run(tmp_path):
    (tmp_path / "k.response.md").write_bytes(b"\xef\xbb\xbfcaf\xe9")
    (answer,) = FileProvider(tmp_path, 0.005, timeout_seconds=5).complete([request("k")])
    assert answer.text == "caf\N{REPLACEMENT CHARACTER}"
