"""OpenAI's Responses API through its SDK (openai >= 3). Nothing is stored there."""

from typing import Any

from rlgpt_jax.agents.llm import sdk
from rlgpt_jax.agents.llm.base import Completion, Message, Request, Usage
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.prices import price
from rlgpt_jax.agents.llm.schemas import is_strict

ENDS = ("response.completed", "response.incomplete", "response.failed")


class OpenAIResponses:
    """Asks one request, once."""

    def __init__(self, endpoint: Endpoint):
        import openai

        self._sdk = openai
        self._endpoint = endpoint
        self._client = openai.OpenAI(
            api_key=endpoint.key, base_url=endpoint.base_url or None, max_retries=0,
            http_client=sdk.http_client(openai),
        )  # fmt: skip

    def __call__(self, request: Request, seconds: float) -> Completion:
        arguments = self._arguments(request)
        limit = sdk.timeout(self._sdk, seconds)
        model = arguments["model"]
        with sdk.failures_in_words(self._sdk, self._endpoint, model, seconds):
            if not self._endpoint.stream:
                response = self._client.responses.create(**arguments, timeout=limit)
                return self._completion(response, model, response._request_id or "")
            with self._client.responses.create(**arguments, stream=True, timeout=limit) as stream:
                response = self._last(stream, model)
                request_id = stream.response.headers.get("x-request-id", "")
            return self._completion(response, model, request_id)

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

    def _last(self, stream: Any, model: str) -> Any:
        """The whole answer is in the last event (the SDK's helper knows only completed ones)."""
        for event in stream:
            if event.type in ENDS:
                return event.response
            if event.type == "error":
                raise sdk.of_error(event.to_dict(), event.message, self._endpoint, model)
        raise sdk.NotAnAnswer("the stream ended before the answer did")

    def _completion(self, response: Any, model: str, request_id: str) -> Completion:
        if response.status == "failed":
            error = response.error.to_dict() if response.error else {}
            raise sdk.of_error(error, "the response failed", self._endpoint, model)
        if response.status not in ("completed", "incomplete"):
            raise sdk.NotAnAnswer(f"its status is {response.status}")
        parts = [p for item in response.output if item.type == "message" for p in item.content]
        refusals = [part.refusal for part in parts if part.type == "refusal"]
        text = "".join(part.text for part in parts if part.type == "output_text")
        usage = _usage(response.usage)
        return Completion(
            text or "".join(refusals), response.model, "openai", 0.0, usage,
            price("openai", response.model, usage) if usage else None,
            "refusal" if refusals else _stop(response), request_id,
        )  # fmt: skip


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


def _stop(response: Any) -> str:
    if response.status == "completed":
        return "end"
    reason = response.incomplete_details.reason if response.incomplete_details else ""
    return {"max_output_tokens": "max_tokens", "content_filter": "refusal"}.get(reason, "other")


def _usage(usage: Any) -> Usage | None:
    if usage is None:
        return None
    read, written = usage.input_tokens_details, usage.output_tokens_details
    return Usage(
        usage.input_tokens, usage.output_tokens,
        (read.cached_tokens or 0) if read else 0,
        # Servers older than this field leave it out.
        getattr(read, "cache_write_tokens", 0) or 0,
        (written.reasoning_tokens or 0) if written else 0,
    )  # fmt: skip
