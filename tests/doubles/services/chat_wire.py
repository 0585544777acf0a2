"""OpenAI's chat.completions, as local servers speak it."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.doubles.services import wire
from tests.doubles.services.wire import Answer, event, needs

KNOWN = {
    "model", "messages", "max_tokens", "stream", "stream_options", "temperature", "seed",
    "response_format", "top_p", "n", "stop", "user",
}  # fmt: skip
STOPS = {"end": "stop", "max_tokens": "length", "refusal": "content_filter"}


class ChatWire:
    path = "/v1/chat/completions"
    base = "/v1"
    request_id = "x-request-id"

    def check(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        for name in body:
            needs(name in KNOWN, f"Unrecognized request argument: {name}")
        wire.check_count(body, "max_tokens")
        needs(
            "stream_options" not in body or body.get("stream") is True,
            "stream_options: only with stream=true",
        )
        messages = body.get("messages")
        needs(isinstance(messages, list) and bool(messages), "messages: at least one is needed")
        for number, message in enumerate(body["messages"]):
            _check_message(message, f"messages[{number}].")
        if "response_format" in body:
            form = body["response_format"]
            wire.known_fields(form, {"type", "json_schema"}, "response_format.")
            needs(form.get("type") == "json_schema", "response_format.type: is not valid")
            wire.check_named_schema(form.get("json_schema"), "response_format.json_schema")

    def prompt(self, body: Mapping[str, Any]) -> str:
        texts = []
        for message in body["messages"]:
            content = message["content"]
            parts = [content] if isinstance(content, str) else [p.get("text") for p in content]
            texts += [part for part in parts if part is not None]
        return "\n\n".join(texts)

    def whole(self, body: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        if answer.stop == "refusal":
            message = {**message, "content": None, "refusal": answer.text or "I cannot."}
        choice = {"index": 0, "message": message, "finish_reason": STOPS[answer.stop]}
        head = _head(body, "chat.completion")
        return {**head, "choices": [choice], "usage": _usage(answer)}

    def events(self, body: Mapping[str, Any], answer: Answer) -> Iterator[bytes]:
        head = _head(body, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            return event({**head, "choices": [choice]})

        field = "refusal" if answer.stop == "refusal" else "content"
        yield chunk({"role": "assistant", "content": ""})
        for piece in wire.pieces(answer.text):
            yield chunk({field: piece})
        yield chunk({}, STOPS[answer.stop])
        if body.get("stream_options", {}).get("include_usage"):
            yield event({**head, "choices": [], "usage": _usage(answer)})
        yield b"data: [DONE]\n\n"

    def error(self, status: int, words: str) -> dict[str, Any]:
        return {"error": {"message": words, "type": "error", "param": None, "code": status}}

    def error_event(self, status: int, words: str) -> bytes:
        return event(self.error(status, words))


def _head(body: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": body["model"]}


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
    }


def _check_message(message: Any, where: str) -> None:
    wire.known_fields(message, {"role", "content"}, where)
    role = message.get("role")
    needs(role in ("system", "user", "assistant"), f"{where}role: is not valid")
    content = message.get("content")
    if isinstance(content, str):
        wire.check_text(content, f"{where}content")
        return
    needs(isinstance(content, list) and bool(content), f"{where}content: must be text or a list")
    for part in message["content"]:
        needs(isinstance(part, dict), f"{where}content: a part must be an object")
        if part.get("type") == "text":
            wire.known_fields(part, {"type", "text"}, f"{where}content.")
            wire.check_text(part.get("text"), f"{where}content.text")
            continue
        needs(part.get("type") == "image_url", f"{where}content.type: is not valid")
        wire.known_fields(part, {"type", "image_url"}, f"{where}content.")
        wire.known_fields(part["image_url"], {"url", "detail"}, f"{where}content.image_url.")
        wire.check_data_url(part["image_url"].get("url"), f"{where}content.image_url")
