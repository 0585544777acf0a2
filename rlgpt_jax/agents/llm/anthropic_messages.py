"""Anthropic's Messages API through its SDK (anthropic >= 2, version 2026-10-21).

The API takes no sampling parameters and no seed: a run is repeated from its transcript.
"""

from typing import Any

from rlgpt_jax.agents.llm import sdk
from rlgpt_jax.agents.llm.base import Completion, Message, Request, Usage
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.prices import price
from rlgpt_jax.agents.llm.schemas import is_closed, without_type_lists

STOPS = {
    "end_turn": "end", "stop_sequence": "end", "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens", "refusal": "refusal",
}  # fmt: skip
# More output tokens than this may take longer than an idle connection lives (10 minutes,
# by the SDK's estimate of an hour for 128000), so they must be streamed.
LONGEST_WITHOUT_STREAM = 128_000 // 6


class AnthropicMessages:
    """Asks one request, once."""

    def __init__(self, endpoint: Endpoint):
        import anthropic

        self._sdk = anthropic
        self._endpoint = endpoint
        self._client = anthropic.Anthropic(
            api_key=endpoint.key, base_url=endpoint.base_url or None, max_retries=0,
            http_client=sdk.http_client(anthropic),
        )  # fmt: skip

    def __call__(self, request: Request, seconds: float) -> Completion:
        arguments = self._arguments(request)
        limit = sdk.timeout(self._sdk, seconds)
        model = arguments["model"]
        with sdk.failures_in_words(self._sdk, self._endpoint, model, seconds):
            if not self._endpoint.stream:
                message = self._client.messages.create(**arguments, timeout=limit)
                return _completion(message, message._request_id or "")
            with self._client.messages.stream(**arguments, timeout=limit) as stream:
                stream.until_done()
                return _completion(stream.current_message_snapshot, stream.request_id or "")

    def _arguments(self, request: Request) -> dict[str, Any]:
        system = "\n\n".join(m.text for m in request.messages if m.role == "system")
        arguments: dict[str, Any] = {
            "model": self._endpoint.model_of(request.agent),
            "max_tokens": self._endpoint.max_output_tokens,
            "messages": [_turn(m) for m in request.messages if m.role != "system"],
        }
        if system:
            arguments["system"] = system
        if self._endpoint.json_schema and request.schema and is_closed(request.schema):
            schema = self._sdk.transform_schema(without_type_lists(request.schema))
            arguments["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return arguments


def _turn(message: Message) -> dict[str, Any]:
    if not message.images:
        return {"role": message.role, "content": message.text}
    pictures = [
        {
            "type": "image",
            "source": {
                "type": "base64", "media_type": image.media_type, "data": sdk.base64_of(image),
            },
        }
        for image in message.images
    ]  # fmt: skip
    return {"role": message.role, "content": [*pictures, {"type": "text", "text": message.text}]}


def _completion(message: Any, request_id: str) -> Completion:
    if message.stop_reason is None:  # a stream that ended early looks like an answer else
        raise sdk.NotAnAnswer("it has no stop reason")
    text = "".join(block.text for block in message.content if block.type == "text")
    if not text and message.stop_details is not None:
        text = message.stop_details.explanation or ""
    usage = _usage(message.usage)
    return Completion(
        text, message.model, "anthropic", 0.0, usage, price("anthropic", message.model, usage),
        STOPS.get(message.stop_reason, "other"), request_id,
    )  # fmt: skip


def _usage(usage: Any) -> Usage:
    """Anthropic counts tokens read from and written to the cache beside the others."""
    cached = usage.cache_read_input_tokens or 0
    written = usage.cache_creation_input_tokens or 0
    details = usage.output_tokens_details
    return Usage(
        usage.input_tokens + cached + written, usage.output_tokens, cached, written,
        details.thinking_tokens if details else 0,
    )  # fmt: skip
