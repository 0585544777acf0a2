"""Anthropic's Messages API, version 2026-10-21."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.doubles.services import wire
from tests.doubles.services.wire import Answer, event, needs

VERSION = "2026-10-21"
KNOWN = {
    "model", "max_tokens", "messages", "system", "stream", "output_config", "metadata",
    "stop_sequences", "thinking", "tools", "tool_choice", "service_tier", "cache_control",
}  # fmt: skip
TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
    404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
    500: "api_error", 503: "api_error", 504: "timeout_error", 529: "overloaded_error",
}  # fmt: skip
STOPS = {"end": "end_turn"}


class AnthropicWire:
    path = "/v1/messages"
    base = ""
    request_id = "request-id"

    def check(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        needs(headers.get("anthropic-version") == VERSION, f"anthropic-version: needs {VERSION}")
        for name in ("temperature", "top_p", "top_k"):
            needs(name not in body, f"{name}: is not supported by this version of the API")
        wire.known_fields(body, KNOWN, "")
        wire.check_count(body, "max_tokens")
        messages = body.get("messages")
        needs(isinstance(messages, list) and bool(messages), "messages: at least one is needed")
        for number, message in enumerate(body["messages"]):
            _check_message(message, f"messages.{number}.")
        needs(body["messages"][-1]["role"] == "user", "messages: the last one must be the user's")
        if "system" in body:
            wire.check_text(body["system"], "system")
        if "output_config" in body:
            _check_output(body["output_config"])

    def prompt(self, body: Mapping[str, Any]) -> str:
        texts = [body["system"]] if "system" in body else []
        for message in body["messages"]:
            content = message["content"]
            parts = [content] if isinstance(content, str) else [p.get("text") for p in content]
            texts += [part for part in parts if part is not None]
        return "\n\n".join(texts)

    def whole(self, body: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
        refused = {"type": "refusal", "category": None, "explanation": "It may do harm."}
        return {
            **_head(body, answer),
            "content": [{"type": "text", "text": answer.text}] if answer.text else [],
            "stop_reason": STOPS.get(answer.stop, answer.stop),
            "stop_details": refused if answer.stop == "refusal" else None,
        }

    def events(self, body: Mapping[str, Any], answer: Answer) -> Iterator[bytes]:
        def named(kind: str, **fields: Any) -> bytes:
            return event({"type": kind, **fields}, kind)

        whole = self.whole(body, answer)
        yield named("message_start", message={**_head(body, answer), "content": []})
        yield named("ping")
        if answer.text:
            block = {"type": "text", "text": ""}
            yield named("content_block_start", index=0, content_block=block)
            for piece in wire.pieces(answer.text):
                delta = {"type": "text_delta", "text": piece}
                yield named("content_block_delta", index=0, delta=delta)
            yield named("content_block_stop", index=0)
        end = {name: whole[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
        yield named("message_delta", delta=end, usage=whole["usage"])
        yield named("message_stop")

    def error(self, status: int, words: str) -> dict[str, Any]:
        kind = TYPES.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}

    def error_event(self, status: int, words: str) -> bytes:
        return event(self.error(status, words), "error")


def _head(body: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    usage = {
        "input_tokens": answer.input_tokens - answer.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": answer.cached_tokens,
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"thinking_tokens": answer.reasoning_tokens},
    }
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _check_message(message: Any, where: str) -> None:
    wire.known_fields(message, {"role", "content"}, where)
    needs(message.get("role") in ("user", "assistant"), f"{where}role: must be user or assistant")
    content = message.get("content")
    if isinstance(content, str):
        wire.check_text(content, f"{where}content")
        return
    needs(isinstance(content, list) and bool(content), f"{where}content: must be text or a list")
    for part in message["content"]:
        needs(isinstance(part, dict), f"{where}content: a part must be an object")
        if part.get("type") == "text":
            wire.known_fields(part, {"type", "text", "cache_control"}, f"{where}content.text.")
            wire.check_text(part.get("text"), f"{where}content.text")
            continue
        needs(part.get("type") == "image", f"{where}content: type must be text or image")
        wire.known_fields(part, {"type", "source", "cache_control"}, f"{where}content.image.")
        source = part.get("source")
        wire.known_fields(source, {"type", "media_type", "data"}, f"{where}content.image.source.")
        kind = (source.get("type"), source.get("media_type"))
        needs(kind == ("base64", "image/png"), f"{where}content.image.source: base64 of a PNG")
        wire.check_png(source.get("data"), f"{where}content.image.source.data")


def _check_output(output: Any) -> None:
    wire.known_fields(output, {"format", "effort"}, "output_config.")
    if "format" in output:
        form = output["format"]
        wire.known_fields(form, {"type", "schema"}, "output_config.format.")
        needs(form.get("type") == "json_schema", "output_config.format.type: must be json_schema")
        needs(isinstance(form.get("schema"), dict), "output_config.format.schema: is missing")
        wire.check_schema(form["schema"], "output_config.format.schema", all_required=False)
