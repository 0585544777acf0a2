"""OpenAI's Responses API."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from tests.doubles.services import wire
from tests.doubles.services.wire import Answer, event, needs

KNOWN = {
    "model", "input", "instructions", "max_output_tokens", "store", "stream", "text", "metadata",
    "reasoning", "temperature", "top_p", "truncation", "tools", "tool_choice", "include",
}  # fmt: skip
ROLES = ("user", "assistant", "system", "developer")
CODES = {400: "invalid_request_error", 401: "invalid_api_key", 404: "model_not_found",
         429: "rate_limit_exceeded"}  # fmt: skip


class ResponsesWire:
    path = "/v1/responses"
    base = "/v1"
    request_id = "x-request-id"

    def check(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        for name in body:
            needs(name in KNOWN, f"Unknown parameter: '{name}'.")
        wire.check_count(body, "max_output_tokens", 16)
        _check_input(body.get("input"))
        if "text" in body:
            wire.known_fields(body["text"], {"format", "verbosity"}, "text.")
            form = body["text"].get("format", {"type": "text"})
            if form.get("type") == "json_schema":
                wire.check_named_schema(form, "text.format")
            else:
                needs(form.get("type") == "text", "text.format.type: is not valid")

    def prompt(self, body: Mapping[str, Any]) -> str:
        if isinstance(body["input"], str):
            return body["input"]
        texts = []
        for turn in body["input"]:
            content = turn["content"]
            parts = [content] if isinstance(content, str) else [p.get("text") for p in content]
            texts += [part for part in parts if part is not None]
        return "\n\n".join(texts)

    def whole(self, body: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
        cut = answer.stop == "max_tokens"
        content: list[dict[str, Any]]
        if answer.stop == "refusal":
            content = [{"type": "refusal", "refusal": answer.text or "I cannot help with that."}]
        else:
            content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        message = {
            "type": "message", "id": "msg_1", "role": "assistant",
            "status": "incomplete" if cut else "completed", "content": content,
        }  # fmt: skip
        messages = [message] if answer.text or not cut else []  # cut while it reasons: none
        return {
            **_head(body),
            "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, *messages],
            "usage": {
                "input_tokens": answer.input_tokens,
                "input_tokens_details": {
                    "cached_tokens": answer.cached_tokens, "cache_write_tokens": 0,
                },
                "output_tokens": answer.output_tokens,
                "output_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
                "total_tokens": answer.input_tokens + answer.output_tokens,
            },
        }  # fmt: skip

    def events(self, body: Mapping[str, Any], answer: Answer) -> Iterator[bytes]:
        numbers = itertools.count()

        def named(kind: str, **fields: Any) -> bytes:
            return event({"type": kind, "sequence_number": next(numbers), **fields}, kind)

        whole = self.whole(body, answer)
        message = whole["output"][-1]
        place = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
        started = {**_head(body), "status": "in_progress", "output": [], "usage": None}
        yield named("response.created", response=started)
        item = {**message, "status": "in_progress", "content": []}
        yield named("response.output_item.added", output_index=1, item=item)
        kind = "refusal" if answer.stop == "refusal" else "output_text"
        for piece in wire.pieces(answer.text):
            yield named(f"response.{kind}.delta", **place, delta=piece, logprobs=[])
        yield named("response.output_item.done", output_index=1, item=message)
        end = "response.incomplete" if answer.stop == "max_tokens" else "response.completed"
        yield named(end, response=whole)

    def error(self, status: int, words: str) -> dict[str, Any]:
        code = CODES.get(status, "server_error")
        return {"error": {"message": words, "type": "error", "param": None, "code": code}}

    def error_event(self, status: int, words: str) -> bytes:
        code = CODES.get(status, "server_error")
        told = {"type": "error", "sequence_number": 3, "code": code, "message": words}
        return event({**told, "param": None}, "error")


def _head(body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": "resp_1", "object": "response", "created_at": 1.0, "model": body["model"],
        "error": None, "incomplete_details": None, "instructions": None, "metadata": {},
        "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [],
        "top_p": 1.0,
    }  # fmt: skip


def _check_input(turns: Any) -> None:
    if isinstance(turns, str):
        wire.check_text(turns, "input")
        return
    needs(isinstance(turns, list) and bool(turns), "input: text or at least one item")
    for number, turn in enumerate(turns):
        _check_turn(turn, f"input[{number}].")


def _check_turn(turn: Any, where: str) -> None:
    wire.known_fields(turn, {"type", "role", "content"}, where)
    needs(turn.get("role") in ROLES, f"{where}role: is not valid")
    content = turn.get("content")
    if isinstance(content, str):
        wire.check_text(content, f"{where}content")
        return
    needs(isinstance(content, list) and bool(content), f"{where}content: must be text or a list")
    for part in turn["content"]:
        needs(isinstance(part, dict), f"{where}content: a part must be an object")
        if part.get("type") == "input_text":
            wire.known_fields(part, {"type", "text"}, f"{where}content.")
            wire.check_text(part.get("text"), f"{where}content.text")
            continue
        needs(part.get("type") == "input_image", f"{where}content.type: is not valid")
        needs(turn["role"] == "user", f"{where}content: only the user shows pictures")
        wire.known_fields(part, {"type", "image_url", "detail"}, f"{where}content.")
        detail = part.get("detail") in ("auto", "low", "high")
        needs(detail, f"{where}content.detail: must be auto, low or high")
        wire.check_data_url(part.get("image_url"), f"{where}content.image_url")
