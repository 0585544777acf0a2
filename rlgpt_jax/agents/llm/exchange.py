"""The format of a transcript: one JSON object per line, pictures in files beside it.

    {"schema": 2, "key": "iter0/slow", "agent": "slow", "messages": [{"role", "text",
     "images": [{"name", "sha256", "media_type"}]}], "prompt_sha256": ..., "request_schema":
     ..., "answer": ..., "provider": ..., "model": ..., "usage": {...}, "price": ..., "stop":
     ..., "request_id": ..., "retries": ..., "seconds": ..., "date": ...}

Pictures lie in `<stem>_images/<sha256>.png`.
"""

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rlgpt_jax.agents.llm.base import Completion, Image, Message, Request, Usage
from rlgpt_jax.agents.llm.disk import Damaged, set_aside, write_atomically

SCHEMA = 2
MEND = "Restore the file, or delete that line: what it asked is then asked (and paid) again."
# Fields of an answer under their own names; its text is "answer".
OF_ANSWER = ("provider", "model", "usage", "price", "stop", "request_id", "retries", "seconds")
OF_REQUEST = ("key", "agent", "messages", "prompt_sha256", "request_schema")
FIELDS = (*OF_REQUEST, "answer", *OF_ANSWER, "date")


@dataclasses.dataclass(frozen=True)
class Exchange:
    """One line of a transcript."""

    request: Request
    answer: Completion
    date: str  # UTC, ISO 8601, whole seconds

    def to_json(self) -> dict[str, Any]:
        request, answer = self.request, dataclasses.asdict(self.answer)
        return {
            "schema": SCHEMA,
            "key": request.key,
            "agent": request.agent,
            "messages": [message_json(m) for m in request.messages],
            "prompt_sha256": request.prompt_sha256,
            "request_schema": request.schema,
            "answer": answer["text"],
            **{name: answer[name] for name in OF_ANSWER},
            "seconds": round(self.answer.seconds, 3),
            "date": self.date,
        }


def images_folder(path: Path) -> Path:
    """Where the pictures of a transcript lie."""
    return path.with_name(path.stem + "_images")


def read(path: Path) -> list[Exchange]:
    """Reads all whole lines and their pictures; the last one of a key counts for look-ups.

    Raises:
      FileNotFoundError: no transcript, or a picture that one of its lines names is missing.
      Damaged: the file was edited or mixed up.
    """
    return [_exchange(line, path) for line in read_lines(path)]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """All whole lines as plain data, without pictures."""
    if not path.exists():
        raise FileNotFoundError(f"no transcript at {path}. Give the path of a transcript.jsonl.")
    return whole_lines(path)[0]


def whole_lines(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Parsed lines and the number of bytes they take.

    Raises:
      Damaged: a line before the last is not JSON, or a line is no exchange: the file was edited
        or mixed up.
    """
    lines, size = [], 0
    for number, line in enumerate(_raw_lines(path), start=1):
        lines.append(_parsed(line, f"{path} line {number}"))
        size += len(line)
    return lines, size


def mend(path: Path) -> int:
    """Takes lines that cannot be read out of a transcript. Returns how many those are.

    What they asked will be asked again. The file as it was is kept beside the new one.
    """
    good = []
    lines = _raw_lines(path)
    for line in lines:
        with contextlib.suppress(Damaged):
            _exchange(_parsed(line, ""), path)
            good.append(line)
    if len(good) < len(lines):
        kept = set_aside(path)
        try:
            write_atomically(path, b"".join(good))
        except OSError:
            os.replace(kept, path)
            raise
    return len(lines) - len(good)


def _raw_lines(path: Path) -> list[bytes]:
    """Lines but for a last one that a crash tore in the middle of a write. A whole last line
    without its end is not known to be synced."""
    lines = path.read_bytes().splitlines(keepends=True)
    return lines[:-1] if lines and not lines[-1].endswith(b"\n") else lines


def _parsed(line: bytes, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Damaged(
            f"{where} is not JSON ({error}); only the last line of a transcript may be torn. {MEND}"
        ) from error
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema != SCHEMA:
        raise Damaged(f"{where} has schema {schema!r}; this version reads {SCHEMA}. {MEND}")
    missing = [field for field in FIELDS if field not in value]
    if missing:
        raise Damaged(f"{where} has no {missing[0]!r}. {MEND}")
    _exchange(value, Path(where), pictures=False)
    return value


def message_json(message: Message) -> dict[str, Any]:
    """A message as it is written, with the names and hashes of its pictures."""
    line: dict[str, Any] = {"role": message.role, "text": message.text}
    if message.images:
        line["images"] = [
            {"name": i.name, "sha256": i.sha256, "media_type": i.media_type} for i in message.images
        ]
    return line


def _exchange(line: Mapping[str, Any], path: Path, pictures: bool = True) -> Exchange:
    try:
        return _made(line, path, pictures)
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise Damaged(f"{path}: the exchange {line['key']!r} holds no {error}. {MEND}") from error


def _made(line: Mapping[str, Any], path: Path, pictures: bool) -> Exchange:
    shown = [m.get("images", ()) if pictures else () for m in line["messages"]]
    messages = tuple(
        Message(m["role"], m["text"], tuple(_image(i, line["key"], path) for i in images))
        for m, images in zip(line["messages"], shown, strict=True)
    )
    request = Request(line["key"], line["agent"], messages, line["request_schema"])
    usage = Usage(**line["usage"]) if line["usage"] else None
    fields = {name: line[name] for name in OF_ANSWER} | {"usage": usage}
    answer = Completion(line["answer"], **fields)
    return Exchange(request, answer, line["date"])


def _image(entry: Mapping[str, str], key: str, path: Path) -> Image:
    file = images_folder(path) / f"{entry['sha256']}.png"
    if not file.is_file():
        raise FileNotFoundError(
            f"the prompt of {key!r} in {path} shows the picture {entry['name']!r}, but {file} is "
            f"missing. Copy the folder {file.parent.name} to where the transcript is."
        )
    data = file.read_bytes()
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise Damaged(
            f"{file} is not the picture {entry['name']!r} that {key!r} in {path} was asked with: "
            "its content was changed. Restore it from a copy of the folder."
        )
    return Image(entry["name"], data, entry["media_type"])
