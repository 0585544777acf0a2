"""OpenAI's Responses API through its SDK (openai >= 3). Nothing is stored there."""

from typing import Any

from rlgpt_jax.agents.llm import bodies, sdk
from rlgpt_jax.agents.llm.base import Image, Request
from rlgpt_jax.agents.llm.bodies import Found, at
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.schemas import named

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
            "input": [sdk.turn(m, _picture, "input_text") for m in request.messages],
            "store": False,
        }
        if self._endpoint.json_schema and request.schema:
            arguments["text"] = {"format": {"type": "json_schema", **named(request.schema)}}
        return arguments

    def _read_stream(self, events: list[Any], ended: bool) -> Found:
        """The whole answer is in the last event."""
        for event in events:
            kind = at(event, "type")
            if kind in ENDS:
                return self._read(at(event, "response"))
            if kind == "error":
                self._check({"error": event})
        raise bodies.NotAnAnswer("the stream ended before the answer did")

    def _read(self, data: Any) -> Found:
        self._check(data)
        status = at(data, "status")
        if status == "failed":
            raise self._failure({}, "the response failed")
        if status in ("in_progress", "queued", "cancelled"):
            raise bodies.NotAnAnswer(f"its status is {status}")
        messages = [x for x in bodies.items(at(data, "output")) if at(x, "type") == "message"]
        if not messages and status != "incomplete":  # cut before one began, by its reasoning
            raise bodies.Unreadable("it has no message")
        parts = [part for x in messages for part in bodies.items(at(x, "content"))]
        refusal = "".join(bodies.text_of(at(part, "refusal")) for part in parts)
        stop = "refusal" if refusal else _stop(data)
        usage = bodies.openai_usage(at(data, "usage"), "input_tokens", "output_tokens")
        return Found(bodies.text_of(parts) or refusal, stop, at(data, "model"), usage)


def _picture(image: Image) -> dict[str, Any]:
    return {"type": "input_image", "detail": "auto", "image_url": sdk.url_of(image)}


def _stop(data: Any) -> str:
    if at(data, "status") == "completed":
        return "end"
    reason = at(data, "incomplete_details", "reason")
    return bodies.stop_of(reason, {"max_output_tokens": "max_tokens", "content_filter": "refusal"})
