"""Anthropic's Messages API through its SDK (anthropic >= 2, version 2026-10-21).

The API takes no sampling parameters and no seed: a run is repeated from its transcript.
"""

import dataclasses
from typing import Any

from rlgpt_jax.agents.llm import bodies, sdk
from rlgpt_jax.agents.llm.base import Image, Request, Usage
from rlgpt_jax.agents.llm.bodies import Found, at
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.schemas import without_type_lists

STOPS = {
    "end_turn": "end", "stop_sequence": "end", "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens", "refusal": "refusal",
}  # fmt: skip
# More output tokens than this may take longer than an idle connection lives (10 minutes,
# by the SDK's estimate of an hour for 128000), so they must be streamed.
LONGEST_WITHOUT_STREAM = 128_000 // 6


class AnthropicMessages(sdk.SdkCall):
    """The format of the service."""

    END = b'"message_stop"'

    def __init__(self, endpoint: Endpoint):
        import anthropic

        client = anthropic.Anthropic(
            api_key=endpoint.key, base_url=endpoint.base_url or None, max_retries=0,
            http_client=sdk.http_client(anthropic),
        )  # fmt: skip
        super().__init__(anthropic, endpoint, client.messages.with_raw_response.create)

    def _read(self, data: Any) -> Found:
        self._check(data)
        content = at(data, "content")
        if not isinstance(content, list):
            raise bodies.Unreadable("it has no content")
        text = bodies.text_of([x for x in content if at(x, "type") in ("text", None)])
        stop = bodies.stop_of(at(data, "stop_reason"), STOPS)
        text = text or bodies.text_of(at(data, "stop_details", "explanation"))
        return Found(text, stop, at(data, "model"), _usage(at(data, "usage")))

    def _read_stream(self, events: list[Any], ended: bool) -> Found:
        """Puts the message together from its beginning, its pieces and its end."""
        message: dict[str, Any] = {}
        texts: list[Any] = []
        for event in events:
            self._check(event)
            delta = at(event, "delta")
            if at(event, "type") == "message_start" and isinstance(at(event, "message"), dict):
                message |= event["message"]
            elif at(event, "type") == "content_block_delta":
                texts.append(at(delta, "text"))
            elif at(event, "type") == "message_delta" and isinstance(delta, dict):
                counts = [x for x in (message.get("usage"), at(event, "usage")) if x]
                joined = {k: v for x in counts if isinstance(x, dict) for k, v in x.items()}
                message |= delta | {"usage": joined}
        if not ended and at(message, "stop_reason") is None:
            raise bodies.NotAnAnswer("it has no stop reason")
        if not message:
            raise bodies.Unreadable("it has no message")
        return self._read(message | {"content": [bodies.text_of(texts)]})

    def _arguments(self, request: Request) -> dict[str, Any]:
        system = "\n\n".join(m.text for m in request.messages if m.role == "system")
        arguments: dict[str, Any] = {
            "model": self._endpoint.model_of(request.agent),
            "max_tokens": self._endpoint.max_output_tokens,
            "messages": [sdk.turn(m, _picture) for m in request.messages if m.role != "system"],
        }
        if system:
            arguments["system"] = system
        if self._endpoint.json_schema and request.schema:
            schema = self._sdk.transform_schema(without_type_lists(request.schema))
            arguments["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return arguments


def _picture(image: Image) -> dict[str, Any]:
    source = {"type": "base64", "media_type": image.media_type, "data": sdk.base64_of(image)}
    return {"type": "image", "source": source}


def _usage(usage: Any) -> Usage | None:
    """Anthropic counts tokens read from and written to the cache beside the others."""
    found = bodies.usage_of(
        at(usage, "input_tokens"), at(usage, "output_tokens"),
        at(usage, "cache_read_input_tokens"), at(usage, "cache_creation_input_tokens"),
        at(usage, "output_tokens_details", "thinking_tokens"),
    )  # fmt: skip
    if found is None:
        return None
    asked = found.input_tokens + found.cached_tokens + found.cache_write_tokens
    return dataclasses.replace(found, input_tokens=asked)
