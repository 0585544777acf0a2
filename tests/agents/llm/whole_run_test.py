"""A whole run of the two loops through a real SDK, a bad network and a kill in its middle."""

import collections

import pytest

from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.base import ProviderError
from rlgpt_jax.agents.llm.calls import Limits
from rlgpt_jax.agents.llm.connect import connect
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.loop import two_loop
from rlgpt_jax.loop.record import read_json
from tests.doubles.services import WIRES
from tests.doubles.services.server import Fault, Peer
from tests.doubles.services.wire import Answer
from tests.loop.script import CONFIG, Script, tools

BAD_NETWORK = (
    Fault("overloaded", status=529),
    Fault("asks to wait", status=429, headers=(("retry-after-ms", "20"),)),
    Fault("dropped", drop="before"),
    Fault("cut", drop="body"),
    Fault("proxy", page="<html>Sign in</html>"),
    Fault("broken", event_status=500),
)


class Listening:
    """The written answers, kept by the whole text of what was asked."""

    def __init__(self):
        self.script = Script()
        self.answers = {}
        self.requests = []

    def complete(self, requests, on_answer=None):
        completions = self.script.complete(requests, on_answer)
        self.requests += requests
        for request, completion in zip(requests, completions, strict=True):
            prompt = "\n\n".join(message.text for message in request.messages)
            assert self.answers.setdefault(prompt, completion.text) == completion.text
        return completions


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run without a network: its folder, the answer to each of its prompts, and these."""
    listening, path = Listening(), tmp_path_factory.mktemp("whole")
    two_loop.run(CONFIG, tools(path, listening))
    return path, listening.answers, listening.requests


def provider_of(peer, stream):
    endpoint = Endpoint("anthropic", "model-a", peer.key, "K", peer.url, stream=stream)
    limits = Limits(
        timeout_seconds=20.0, deadline_seconds=60.0, first_wait=0.005, longest_wait=0.02
    )
    return connect(endpoint, limits)


@pytest.mark.parametrize("provider", WIRES)
def test_every_request_of_a_run_is_one_that_each_service_takes(whole, provider):
    _, answers, requests = whole
    assert any(request.schema for request in requests)
    with Peer(WIRES[provider], lambda seen: Answer(answers[seen.prompt])) as peer:
        endpoint = Endpoint(provider, "model-a", peer.key, "K", peer.url)
        completions = connect(endpoint, Limits(max_retries=0)).complete(requests)
    assert {seen.status for seen in peer.seen} == {200}
    assert len(completions) == len(requests)


def conversation(path):
    """key -> (prompt, answer); which of a batch was answered first may differ."""
    exchanges = transcript.read(path / "transcript.jsonl")
    return {e.request.key: (e.request, e.answer.text) for e in exchanges}


@pytest.mark.parametrize(
    "stream",
    [pytest.param(False, id="whole", marks=pytest.mark.slow), pytest.param(True, id="stream")],
)
def test_a_run_over_a_bad_network_that_is_stopped_and_resumed_asks_nothing_twice(
    whole, stream, tmp_path
):
    path, answers, _ = whole
    with Peer(WIRES["anthropic"], lambda seen: Answer(answers[seen.prompt])) as peer:
        peer.faults.extend([None, *BAD_NETWORK, None])
        # The next one stops the run: the key was taken back.
        peer.faults.append(Fault("no key", status=401))
        with pytest.raises(ProviderError, match="401 .* environment variable K"):
            two_loop.run(CONFIG, tools(tmp_path, provider_of(peer, stream)))
        assert not (tmp_path / "result.json").exists()
        before = {seen.prompt for seen in peer.seen if seen.answered}
        kept = conversation(tmp_path)
        assert {text for _, text in kept.values()} <= set(answers.values())
        assert len(before) == len(kept) > 0  # nothing that was paid for is lost

        requests = len(peer.seen)
        peer.faults.extend([Fault("busy", status=503), None, Fault("cut", drop="body")])
        two_loop.run(CONFIG, tools(tmp_path, provider_of(peer, stream)))
        assert requests > len(BAD_NETWORK) and not peer.faults
        asked = collections.Counter(seen.prompt for seen in peer.seen if seen.answered)
        assert asked == dict.fromkeys(answers, 1)
    assert conversation(tmp_path) == conversation(path)
    results = [read_json(folder / "result.json") for folder in (path, tmp_path)]
    for result in results:
        result.pop("wall_seconds")
    assert results[0] == results[1]
