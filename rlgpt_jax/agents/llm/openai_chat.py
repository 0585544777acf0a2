"""Servers that speak OpenAI's chat.completions: vLLM, Ollama, llama.cpp and others.

The key of OpenAI is not sent to them: theirs comes from the variable that is named for it.
"""

from typing import Any, ClassVar

from rlgpt_jax.agents.llm import bodies, sdk
from rlgpt_jax.agents.llm.base import Image, Request
from rlgpt_jax.agents.llm.bodies import Found, at
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.schemas import named

STOPS = {"stop": "end", "length": "max_tokens", "content_filter": "refusal"}


class OpenAIChat(sdk.SdkCall):
    """The format of the service."""

    END = b"data: [DONE]"
    STREAM: ClassVar[dict[str, Any]] = {"stream": True, "stream_options": {"include_usage": True}}

    def __init__(self, endpoint: Endpoint):
        import openai

        client = openai.OpenAI(
            # The SDK takes OpenAI's own key from the environment if it is given none.
            api_key=endpoint.key or "none", base_url=endpoint.base_url, max_retries=0,
            http_client=sdk.http_client(openai),
        )  # fmt: skip
        client.organization = client.project = None  # OpenAI's too
        super().__init__(openai, endpoint, client.chat.completions.with_raw_response.create)

    def _read(self, data: Any) -> Found:
        self._check(data)
        choice = at(data, "choices", 0)
        if not isinstance(choice, dict):
            raise bodies.Unreadable("it has no choices")
        message = choice.get("message")
        return _found(
            bodies.text_of(at(message, "content")), bodies.text_of(at(message, "refusal")),
            choice.get("finish_reason"), data,
        )  # fmt: skip

    def _read_stream(self, events: list[Any], ended: bool) -> Found:
        """Puts the pieces together; the usage comes in a last piece without a choice."""
        texts, refusals, reason = [], [], None
        last: dict[str, Any] = {}
        choices: list[Any] = []
        for event in events:
            self._check(event)
            last |= {k: at(event, k) for k in ("model", "usage") if at(event, k)}
            choices += bodies.items(at(event, "choices"))
        for choice in choices:
            texts.append(bodies.text_of(at(choice, "delta", "content")))
            refusals.append(bodies.text_of(at(choice, "delta", "refusal")))
            reason = at(choice, "finish_reason") or reason
        if not ended and reason is None:
            raise bodies.NotAnAnswer("it has no finish reason")
        if not choices:
            raise bodies.Unreadable("it has no choices")
        return _found("".join(texts), "".join(refusals), reason, last)

    def _arguments(self, request: Request) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._endpoint.model_of(request.agent),
            "max_tokens": self._endpoint.max_output_tokens,
            "messages": [sdk.turn(m, _picture) for m in request.messages],
        }
        if self._endpoint.temperature is not None:
            arguments["temperature"] = self._endpoint.temperature
        if self._endpoint.seed is not None:
            arguments["seed"] = self._endpoint.seed
        if self._endpoint.json_schema and request.schema:
            form = {"type": "json_schema", "json_schema": named(request.schema)}
            arguments["response_format"] = form
        return arguments


def _picture(image: Image) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": sdk.url_of(image)}}


def _found(text: str, refusal: str, reason: Any, data: Any) -> Found:
    """Many servers give totals of tokens only."""
    usage = bodies.openai_usage(at(data, "usage"), "prompt_tokens", "completion_tokens")
    stop = "refusal" if refusal else bodies.stop_of(reason, STOPS)
    return Found(text or refusal, stop, at(data, "model"), usage)
