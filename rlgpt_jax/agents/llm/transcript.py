"""A run's conversation with its models: one JSON line per exchange, appended and synced.

A line that was torn by a crash is cut off when the file is opened again; everything
before it is kept. `Recorded` puts a transcript in front of a provider: a question that
was answered before is not asked again.
"""

import dataclasses
import datetime
import json
import os
from collections.abc import Sequence
from pathlib import Path

from rlgpt_jax.agents.llm.base import Completion, Message, OnAnswer, Provider, Request

SCHEMA = 1


@dataclasses.dataclass(frozen=True)
class Exchange:
    """One line of a transcript."""

    request: Request
    answer: Completion
    date: str  # UTC, ISO 8601, whole seconds

    def to_json(self) -> dict:
        return {
            "schema": SCHEMA,
            "key": self.request.key,
            "agent": self.request.agent,
            "messages": [{"role": m.role, "text": m.text} for m in self.request.messages],
            "prompt_sha256": self.request.prompt_sha256,
            "answer": self.answer.text,
            "provider": self.answer.provider,
            "model": self.answer.model,
            "seconds": round(self.answer.seconds, 3),
            "date": self.date,
        }

    @staticmethod
    def from_json(line: dict) -> "Exchange":
        if line.get("schema") != SCHEMA:
            raise ValueError(
                f"transcript line has schema {line.get('schema')!r}; this version reads "
                f"{SCHEMA}. Record the transcript again."
            )
        request = Request(
            line["key"], line["agent"],
            tuple(Message(m["role"], m["text"]) for m in line["messages"]),
        )
        answer = Completion(line["answer"], line["model"], line["provider"], line["seconds"])
        return Exchange(request, answer, line["date"])


def read(path: Path) -> list[Exchange]:
    """Reads all whole lines; the last one of a key counts for look-ups by key."""
    if not path.exists():
        raise FileNotFoundError(f"no transcript at {path}. Give the path of a transcript.jsonl.")
    return [Exchange.from_json(line) for line in _whole_lines(path)[0]]


class Transcript:
    """An append-only file of exchanges."""

    def __init__(self, path: Path):
        self.path = path
        self._by_key: dict[str, Exchange] = {}
        if path.exists():
            lines, whole_bytes = _whole_lines(path)
            if whole_bytes < path.stat().st_size:
                os.truncate(path, whole_bytes)
            for exchange in map(Exchange.from_json, lines):
                self._by_key[exchange.request.key] = exchange

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    def __getitem__(self, key: str) -> Exchange:
        return self._by_key[key]

    def append(self, request: Request, answer: Completion) -> Exchange:
        """Writes one line and waits until it is on disk."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        exchange = Exchange(request, answer, now)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(json.dumps(exchange.to_json(), ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._by_key[request.key] = exchange
        return exchange


class Recorded:
    """A provider whose answers are stored in a transcript and asked for only once."""

    def __init__(self, provider: Provider, transcript: Transcript):
        self._provider = provider
        self._transcript = transcript

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer | None = None
    ) -> list[Completion]:
        keys = [r.key for r in requests]
        if len(set(keys)) < len(keys):
            raise ValueError(f"request keys must differ within a batch, got {keys}.")
        new = [r for r in requests if r.key not in self._transcript]

        def store(request: Request, completion: Completion) -> None:
            if request.key not in self._transcript:
                self._transcript.append(request, completion)
                if on_answer is not None:
                    on_answer(request, completion)

        if new:
            for request, completion in zip(
                new, self._provider.complete(new, store), strict=True
            ):
                store(request, completion)  # of providers that never call `store`
        return [self._transcript[key].answer for key in keys]


def _whole_lines(path: Path) -> tuple[list[dict], int]:
    """Parsed lines and the number of bytes they take.

    Raises:
      ValueError: if a line before the last is not JSON: the file was edited or mixed up.
    """
    lines, size = [], 0
    raw = path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(raw, start=1):
        torn = not line.endswith(b"\n")
        try:
            lines.append(json.loads(line))
        except ValueError as error:
            if number == len(raw):
                break  # torn by a crash in the middle of a write
            raise ValueError(
                f"{path} line {number} is not JSON ({error}); only the last line of a "
                "transcript may be torn. Restore the file or delete that line."
            ) from error
        if torn:
            lines.pop()  # whole JSON, but its end was not written: not known to be synced
            break
        size += len(line)
    return lines, size
