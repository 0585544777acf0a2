"""OpenAI's Responses API through its SDK (openai >= 3). Nothing is stored there."""

from typing import Any

from rlgpt_jax.agents.llm import bodies, sdk
from rlgpt_jax.agents.llm.base import Message, Request, Usage
from rlgpt_jax.agents.llm.bodies import Found, at
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.schemas import is_strict

ENDS = ("response.completed", "response.incomplete", "response.failed")


class OpenAIResponses(sdk.SdkCall):
    """The format of the service."""

    END = b'"response.completed"'

    def __init__(self, endpoint: Endpoint):
        import openai

        client = openai.OpenAI(
            api_key=endpoint.key, base_url=endpoint.base_url or None, max_retries=0,
            http_client=sdk.http_client(openai),
        )  # fmt: skip
        super().__init__(openai, endpoint, client.responses.with_raw_response.create)

    def _arguments(self, request: Request) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._endpoint.model_of(request.agent),
            "max_output_tokens": self._endpoint.max_output_tokens,
            "input": [_turn(m) for m in request.messages],
            "store": False,
        }
        if self._endpoint.json_schema and request.schema:
            arguments["text"] = {
                "format": {
                    "type": "json_schema", "name": "answer", "schema": dict(request.schema),
                    "strict": is_strict(request.schema),
                }
            }  # fmt: skip
        return arguments

    def _read_stream(self, events: list[Any], ended: bool) -> Found:
        """The whole answer is in the last event."""
        for event in events:
            kind = at(event, "type")
            if kind in ENDS:
                return self._read(at(event, "response"))
            if kind == "error":
                bodies.check_error({"error": event}, self._failure)
        raise bodies.NotAnAnswer("the stream ended before the answer did")

    def _read(self, data: Any) -> Found:
        bodies.check_error(data, self._failure)
        status = at(data, "status")
        if status == "failed":
            raise self._failure({}, "the response failed")
        if status in ("in_progress", "queued", "cancelled"):
            raise bodies.NotAnAnswer(f"its status is {status}")
        messages = [x for x in bodies.items(at(data, "output")) if at(x, "type") == "message"]
        if not messages:
            raise bodies.Unreadable("it has no message")
        parts = [part for x in messages for part in bodies.items(at(x, "content"))]
        refusal = "".join(bodies.text_of(at(part, "refusal")) for part in parts)
        stop = "refusal" if refusal else _stop(data)
        return Found(bodies.text_of(parts) or refusal, stop, at(data, "model"), _usage(data))


def _turn(message: Message) -> dict[str, Any]:
    if not message.images:
        return {"role": message.role, "content": message.text}
    pictures = [
        {
            "type": "input_image", "detail": "auto",
            "image_url": f"data:{image.media_type};base64,{sdk.base64_of(image)}",
        }
        for image in message.images
    ]  # fmt: skip
    text = {"type": "input_text", "text": message.text}
    return {"role": message.role, "content": [*pictures, text]}


def _stop(data: Any) -> str:
    if at(data, "status") == "completed":
        return "end"
    reason = at(data, "incomplete_details", "reason")
    return bodies.stop_of(reason, {"max_output_tokens": "max_tokens", "content_filter": "refusal"})


def _usage(data: Any) -> Usage | None:
    usage = at(data, "usage")
    read, written = at(usage, "input_tokens_details"), at(usage, "output_tokens_details")
    return bodies.usage_of(
        at(usage, "input_tokens"), at(usage, "output_tokens"), at(read, "cached_tokens"),
        at(read, "cache_write_tokens"), at(written, "reasoning_tokens"),
    )  # fmt: skip
