"""Servers that speak OpenAI's chat.completions: vLLM, Ollama, llama.cpp and others.

The key of OpenAI is not sent to them: theirs comes from the variable that is named for it.
"""

from collections.abc import Iterable
from typing import Any

from rlgpt_jax.agents.llm import sdk
from rlgpt_jax.agents.llm.base import Completion, Message, Request, Usage
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.schemas import is_strict

STOPS = {"stop": "end", "length": "max_tokens", "content_filter": "refusal"}


class OpenAIChat:
    """Asks one request, once."""

    def __init__(self, endpoint: Endpoint):
        import openai

        self._sdk = openai
        self._endpoint = endpoint
        self._client = openai.OpenAI(
            # The SDK takes OpenAI's own key from the environment if it is given none.
            api_key=endpoint.key or "none", base_url=endpoint.base_url, max_retries=0,
            http_client=sdk.http_client(openai),
        )  # fmt: skip
        self._client.organization = self._client.project = None  # OpenAI's too

    def __call__(self, request: Request, seconds: float) -> Completion:
        arguments = self._arguments(request)
        limit = sdk.timeout(self._sdk, seconds)
        model = arguments["model"]
        with sdk.failures_in_words(self._sdk, self._endpoint, model, seconds):
            if not self._endpoint.stream:
                answer = self._client.chat.completions.create(**arguments, timeout=limit)
                if not answer.choices:
                    raise sdk.NotAnAnswer("it has no choices")
                choice = answer.choices[0]
                return _completion(
                    choice.message.content or "", choice.message.refusal or "",
                    choice.finish_reason, answer.model, answer.usage, answer._request_id or "",
                )  # fmt: skip
            with self._client.chat.completions.create(
                **arguments, stream=True, stream_options={"include_usage": True}, timeout=limit
            ) as stream:
                return _streamed(stream, stream.response.headers.get("x-request-id", ""))

    def _arguments(self, request: Request) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._endpoint.model_of(request.agent),
            "max_tokens": self._endpoint.max_output_tokens,
            "messages": [_turn(m) for m in request.messages],
        }
        if self._endpoint.temperature is not None:
            arguments["temperature"] = self._endpoint.temperature
        if self._endpoint.seed is not None:
            arguments["seed"] = self._endpoint.seed
        if self._endpoint.json_schema and request.schema:
            arguments["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": "answer", "schema": dict(request.schema),
                    "strict": is_strict(request.schema),
                },
            }  # fmt: skip
        return arguments


def _turn(message: Message) -> dict[str, Any]:
    if not message.images:
        return {"role": message.role, "content": message.text}
    pictures = [
        {
            "type": "image_url",
            "image_url": {"url": f"data:{image.media_type};base64,{sdk.base64_of(image)}"},
        }
        for image in message.images
    ]
    return {"role": message.role, "content": [*pictures, {"type": "text", "text": message.text}]}


def _streamed(stream: Iterable[Any], request_id: str) -> Completion:
    """Puts the pieces together; the usage comes in a last piece without a choice."""
    texts: list[str] = []
    refusals: list[str] = []
    reason, model, usage = None, "", None
    for chunk in stream:
        model, usage = chunk.model or model, chunk.usage or usage
        for choice in chunk.choices or ():
            texts.append(choice.delta.content or "")
            refusals.append(choice.delta.refusal or "")
            reason = choice.finish_reason or reason
    return _completion("".join(texts), "".join(refusals), reason, model, usage, request_id)


def _completion(
    text: str, refusal: str, reason: str | None, model: str, usage: Any, request_id: str
) -> Completion:
    if reason is None:
        raise sdk.NotAnAnswer("it has no finish reason")
    return Completion(
        text or refusal, model, "compatible", 0.0, _usage(usage),
        stop="refusal" if refusal else STOPS.get(reason, "other"), request_id=request_id,
    )  # fmt: skip


def _usage(usage: Any) -> Usage | None:
    """Many servers give totals only."""
    if usage is None:
        return None
    read, written = usage.prompt_tokens_details, usage.completion_tokens_details
    return Usage(
        usage.prompt_tokens, usage.completion_tokens,
        (read.cached_tokens or 0) if read else 0,
        (read.cache_write_tokens or 0) if read else 0,
        (written.reasoning_tokens or 0) if written else 0,
    )  # fmt: skip
