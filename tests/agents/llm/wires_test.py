"""What is sent and what is made of the answer, against peers that refuse what is not right."""

import base64
import dataclasses
import subprocess
import sys
from pathlib import Path

import anthropic
import pytest

from experiments.providers.check import png
from rlgpt_jax.agents.llm.base import Image, Message, ProviderError, Request, Usage
from rlgpt_jax.agents.llm.calls import Limits
from rlgpt_jax.agents.llm.connect import connect
from rlgpt_jax.agents.llm.endpoint import Endpoint
from tests.doubles.services import WIRES
from tests.doubles.services.conversation import SCHEMA
from tests.doubles.services.server import Fault, Peer
from tests.doubles.services.wire import Answer

ROOT = Path(__file__).parents[3]
ANSWER = Answer("So be it.", input_tokens=100, output_tokens=10, cached_tokens=7,
                reasoning_tokens=3)  # fmt: skip
MESSAGES = (
    Message("system", "Be short."),
    Message("user", "What is this?", (Image("one", png((9, 9, 2))), Image("two", png((9, 9, 3))))),
    Message("assistant", "A cow."),
    Message("user", "And now?"),
)
LIMITS = Limits(max_retries=0, timeout_seconds=20.0)
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
EACH = pytest.mark.parametrize("provider", WIRES)


def ask(provider, stream=False, request=None, answer=ANSWER, fault=None, **changes):
    """Returns the completion and what the peer saw."""
    request = request or Request("k", "slow", MESSAGES)
    models = ("model-a", "model-b", "claude-sonnet-5-5", "gpt-6-sol")
    with Peer(WIRES[provider], lambda seen: answer, models=models) as peer:
        if fault:
            peer.faults.append(fault)
        given = dict(provider=provider, model="model-a", key=peer.key, key_variable="K",
                     base_url=peer.url, stream=stream)  # fmt: skip
        completion = connect(Endpoint(**given | changes), LIMITS).complete([request])[0]
        assert len(peer.seen) == 1
        return completion, peer.seen[0]


@BOTH
@EACH
def test_text_usage_and_origin_of_an_answer(provider, stream):
    completion, _ = ask(provider, stream)
    assert (completion.text, completion.stop) == ("So be it.", "end")
    assert (completion.provider, completion.model) == (provider, "model-a")
    assert completion.usage == Usage(100, 10, cached_tokens=7, reasoning_tokens=3)
    assert completion.request_id == "req_1" and completion.price is None


@BOTH
@EACH
def test_an_answer_that_is_cut_before_its_first_word_is_one_that_was_cut(provider, stream):
    completion, _ = ask(
        provider, stream, answer=dataclasses.replace(ANSWER, text="", stop="max_tokens")
    )
    assert (completion.text, completion.stop) == ("", "max_tokens")
    assert completion.usage == Usage(100, 10, cached_tokens=7, reasoning_tokens=3)


@BOTH
@pytest.mark.parametrize(
    ("provider", "model"), [("anthropic", "claude-sonnet-5-5"), ("openai", "gpt-6-sol")]
)
def test_a_listed_model_has_a_price(provider, model, stream):
    million = Answer("x", input_tokens=1_000, output_tokens=1_000)
    completion, _ = ask(provider, stream, answer=million, model=model)
    assert completion.price == pytest.approx((2 + 10) / 1000)  # $ per million: 2 in, 10 out


@EACH
def test_texts_keep_their_order_and_pictures_come_before_the_text(provider):
    _, seen = ask(provider)
    assert seen.prompt == "Be short.\n\nWhat is this?\n\nA cow.\n\nAnd now?"
    turns = seen.body["input" if provider == "openai" else "messages"]
    shown = next(turn for turn in turns if not isinstance(turn["content"], str))
    assert shown["role"] == "user"
    kinds = [part["type"] for part in shown["content"]]
    assert [("image" in kind) for kind in kinds] == [True, True, False]
    pictures = [str(part) for part in shown["content"][:2]]
    for picture, size in zip(pictures, (2, 3), strict=True):
        assert base64.b64encode(png((9, 9, size))).decode() in picture


def test_the_system_message_of_anthropic_is_not_a_turn():
    _, seen = ask("anthropic")
    assert seen.body["system"] == "Be short."
    assert [turn["role"] for turn in seen.body["messages"]] == ["user", "assistant", "user"]
    assert seen.headers["anthropic-version"] == "2026-10-21"
    assert not {"temperature", "top_p", "top_k"} & set(seen.body)


def schema_sent(provider, body):
    """(schema, strict) of a request; None if there is none."""
    if provider == "anthropic":
        output = body.get("output_config")
        return output and (output["format"]["schema"], None)
    if provider == "openai":
        text = body.get("text")
        return text and (text["format"]["schema"], text["format"]["strict"])
    form = body.get("response_format")
    return form and (form["json_schema"]["schema"], form["json_schema"]["strict"])


@BOTH
@EACH
def test_a_closed_schema_is_enforced_unless_it_is_switched_off(provider, stream):
    request = Request("k", "critic", MESSAGES, SCHEMA)
    schema, strict = schema_sent(provider, ask(provider, stream, request)[1].body)
    assert schema["properties"]["verdict"]["enum"] == ["ok", "revise"]
    assert schema["additionalProperties"] is False and strict in (True, None)
    _, seen = ask(provider, stream, request, json_schema=False)
    assert not schema_sent(provider, seen.body)
    assert not schema_sent(provider, ask(provider, stream)[1].body)  # no schema was given


OPTIONAL = {**SCHEMA, "required": []}
OPEN = {"type": "object", "properties": {"items": {"type": "object"}}, "required": ["items"]}


def test_null_or_a_value_is_written_as_each_service_takes_it():
    kind = {"type": ["array", "null"], "items": {"type": "string"}, "description": "Names."}
    properties = {"names": kind, "size": {"type": ["string", "null"], "enum": ["big", None]}}
    schema = {**SCHEMA, "properties": properties, "required": ["names", "size"]}
    request = Request("k", "critic", MESSAGES, schema)
    found, _ = schema_sent("anthropic", ask("anthropic", request=request)[1].body)
    assert found["properties"]["names"]["anyOf"] == [
        {"type": "array", "items": {"type": "string"}}, {"type": "null"}
    ]  # fmt: skip
    assert found["properties"]["names"]["description"] == "Names."
    assert found["properties"]["size"]["anyOf"] == [{"enum": ["big"]}, {"type": "null"}]
    for provider in ("openai", "compatible"):
        assert schema_sent(provider, ask(provider, request=request)[1].body) == (schema, True)


def test_bounds_that_anthropic_does_not_know_become_words():
    schema = {**SCHEMA, "properties": {"verdict": {"type": "integer", "minimum": 3}}}
    _, seen = ask("anthropic", request=Request("k", "critic", MESSAGES, schema))
    sent = schema_sent("anthropic", seen.body)[0]["properties"]["verdict"]
    assert "minimum" not in sent and "minimum: 3" in sent["description"]


def test_temperature_and_seed_go_to_a_compatible_server_alone():
    _, seen = ask("compatible", temperature=0.0, seed=5)
    assert (seen.body["temperature"], seen.body["seed"]) == (0.0, 5)
    assert not {"temperature", "seed"} & set(ask("compatible")[1].body)


@EACH
def test_an_agent_may_have_its_own_model(provider):
    models = {"critic": "model-b"}
    for agent, model in (("slow", "model-a"), ("critic", "model-b")):
        completion, _ = ask(provider, request=Request("k", agent, MESSAGES), models=models)
        assert completion.model == model


def test_the_key_and_names_of_openai_are_not_sent_to_another_server(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "secret-of-openai")
    with Peer(WIRES["compatible"], lambda seen: ANSWER, key="") as peer:
        endpoint = Endpoint("compatible", "model-a", base_url=peer.url)
        connect(endpoint, LIMITS).complete([Request("k", "slow", MESSAGES)])
        assert "secret-of-openai" not in str(peer.seen[0].headers)


@EACH
def test_a_key_in_the_words_of_a_server_is_not_told(provider):
    key = "sk-very-secret"
    with pytest.raises(ProviderError) as error:
        ask(provider, fault=Fault(f"your key {key} has no such model", status=403), key=key)
    # The peer refuses that key first; a server that repeats it is `failure`'s own case below.
    assert "401" in str(error.value) and key not in str(error.value)
    from rlgpt_jax.agents.llm.sdk import failure

    endpoint = Endpoint(provider, "m", key=key, key_variable="K")
    told = failure(401, f"Incorrect API key: {key}\nSee the docs", "", endpoint, "m")
    assert str(told).startswith("401 Incorrect API key: [key] See the docs.")


@BOTH
@EACH
def test_a_key_in_an_answer_is_not_kept(provider, stream):
    fault = Fault("echo", changed=(("model", "key-of-the-peer"),))
    answer = Answer("Your key is key-of-the-peer, is it?")
    completion, _ = ask(provider, stream, answer=answer, fault=fault)
    assert completion.text == "Your key is [key], is it?" and completion.model == "[key]"


@BOTH
def test_an_error_in_an_answer_with_status_200_is_told_in_its_words(stream):
    fault = Fault("error", raw=b'{"error": {"message": "no model", "code": 404}}')
    with pytest.raises(ProviderError, match="404 no model. Is llm.model=model-a a name"):
        ask("compatible", stream, fault=fault)


@pytest.mark.parametrize("kind", ["insufficient_quota", "billing_error"])
def test_a_spent_quota_is_not_waited_for(kind):
    from rlgpt_jax.agents.llm.sdk import failure

    error = failure(429, "You exceeded your quota", kind, Endpoint("openai", "m"), "m", after=1.0)
    assert not error.again and error.for_all


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0), ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-3"}, 0.0), ({"retry-after": "soon"}, None), ({}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0), ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "Fri, 31 Dec 99999 23:59:59 GMT"}, None),
    ],
)  # fmt: skip
def test_what_a_server_asks_to_wait(headers, seconds):
    from rlgpt_jax.agents.llm.sdk import retry_after

    assert retry_after(headers) == seconds


# The peers themselves: they must refuse what the services refuse.


@pytest.mark.parametrize("name", ["temperature", "top_p", "top_k", "seed", "max_completion_tokens"])
def test_the_peer_of_anthropic_refuses_sampling_parameters(name):
    with Peer(WIRES["anthropic"], lambda seen: ANSWER) as peer:
        client = anthropic.Anthropic(api_key=peer.key, base_url=peer.url, max_retries=0)
        with pytest.raises(anthropic.BadRequestError, match=name):
            client.messages.create(
                model="model-a", max_tokens=5, messages=[{"role": "user", "content": "x"}],
                extra_body={name: 1},
            )  # fmt: skip


CHAT = {"model": "model-a", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}
RESPONSES = {"model": "model-a", "max_output_tokens": 16, "input": "x"}
FORM = {"name": "v", "strict": True}
NOT_PNG = "data:image/png;base64," + base64.b64encode(b"GIF89a").decode()
BAD_REQUESTS = [
    ("anthropic", CHAT | {"messages": []}), ("anthropic", CHAT | {"max_tokens": 0}),
    ("anthropic", CHAT | {"messages": [{"role": "system", "content": "x"}]}),
    ("anthropic", CHAT | {"messages": [{"role": "user", "content": " "}]}),
    ("anthropic", CHAT | {"messages": [{"role": "assistant", "content": "x"}]}),
    ("anthropic", CHAT | {"messages": [{"role": "user", "content": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                     "data": "R0lGODlh"}}]}]}),
    ("anthropic", CHAT | {"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": NOT_PNG}}]}]}),
    ("anthropic", CHAT | {"output_config": {"format": {"type": "json_schema", "schema": OPEN}}}),
    ("anthropic", CHAT | {"response_format": {}}),
    ("openai", RESPONSES | {"seed": 1}), ("openai", RESPONSES | {"max_output_tokens": 1}),
    ("openai", RESPONSES | {"input": []}), ("openai", RESPONSES | {"messages": []}),
    ("openai", RESPONSES | {"input": [{"role": "user", "content": [
        {"type": "image_url", "image_url": "x"}]}]}),
    ("openai", RESPONSES | {"input": [{"role": "user", "content": [
        {"type": "input_image", "detail": "auto", "image_url": NOT_PNG}]}]}),
    ("openai", RESPONSES | {"text": {"format": FORM | {"type": "json_schema", "schema": OPEN}}}),
    ("openai", RESPONSES | {"text": {"format": FORM | {
        "type": "json_schema", "schema": OPTIONAL}}}),
    ("compatible", CHAT | {"max_output_tokens": 5}),
    ("compatible", CHAT | {"stream_options": {"include_usage": True}}),
    ("compatible", CHAT | {"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "http://elsewhere/a.png"}}]}]}),
    ("compatible", CHAT | {"messages": [{"role": "user", "content": [
        {"type": "input_text", "text": "x"}]}]}),
    ("compatible", CHAT | {"response_format": {"type": "json_schema", "json_schema":
        FORM | {"schema": OPEN}}}),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "body"), BAD_REQUESTS)
def test_a_peer_refuses_a_request_that_is_not_of_its_format(provider, body):
    with Peer(WIRES[provider], lambda seen: ANSWER) as peer:
        assert post(provider, peer, body) == 400
        assert post(provider, peer, RESPONSES if provider == "openai" else CHAT) == 200


@EACH
def test_a_peer_refuses_without_its_key_model_or_path(provider):
    good = RESPONSES if provider == "openai" else CHAT
    with Peer(WIRES[provider], lambda seen: ANSWER) as peer:
        assert post(provider, peer, good, authorization=None) == 401
        assert post(provider, peer, good, authorization="Bearer other") == 401
        assert post(provider, peer, good | {"model": "gpt-4"}) == 404
        assert post(provider, peer, good, path="/v2/other") == 404


def post(provider, peer, body, authorization="", path=None):
    import httpx2

    headers = {"anthropic-version": "2026-10-21"}
    if authorization is not None:
        headers["authorization"] = authorization or f"Bearer {peer.key}"
    root = peer.url.removesuffix(peer.wire.base)
    return httpx2.post(root + (path or peer.wire.path), json=body, headers=headers).status_code


def test_only_the_sdk_that_is_chosen_is_imported():
    script = """
import sys
from experiments.configs.llm import LLMConfig
from rlgpt_jax.agents.llm.connect import connect
config = LLMConfig("anthropic", model="m")
assert not {"anthropic", "openai", "httpx2", "genai_prices"} & set(sys.modules)
connect(config.endpoint(), config.limits)
assert "anthropic" in sys.modules and "openai" not in sys.modules and "jax" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120,
        check=False, env={"ANTHROPIC_API_KEY": "x", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
