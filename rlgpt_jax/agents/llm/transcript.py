"""A run's conversation with its models, appended and synced line by line.

A line that was torn by a crash is cut off when the file is opened again; everything before
it is kept. `Recorded` puts a transcript in front of a provider: a question that was answered
before is not asked again. The format is that of `exchange.py`.
"""

import contextlib
import dataclasses
import datetime
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rlgpt_jax.agents.llm import disk
from rlgpt_jax.agents.llm.base import Completion, OnAnswer, Provider, Request, untold
from rlgpt_jax.agents.llm.exchange import Exchange, images_folder, read, whole_lines

__all__ = ["Exchange", "Recorded", "Transcript", "TranscriptNotWritten", "read"]

# Room that is taken on the disk for an answer before it is paid for.
ANSWER_BYTES = 256 * 1024


class TranscriptNotWritten(RuntimeError):
    """The disk refused lines of a transcript; they are kept in memory."""


class Transcript:
    """An append-only file of exchanges."""

    def __init__(self, path: Path):
        self.path = path
        self._by_key: dict[str, Exchange] = {}
        self._unwritten: list[Exchange] = []
        self._reserve = path.with_name(path.name + ".reserve")
        self._reserve.unlink(missing_ok=True)  # of a run that was killed
        if path.exists():
            whole_bytes = whole_lines(path)[1]
            if whole_bytes < path.stat().st_size:
                os.truncate(path, whole_bytes)
            for exchange in read(path):
                self._remember(exchange)

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    def __getitem__(self, key: str) -> Exchange:
        return self._by_key[key]

    def append(self, request: Request, answer: Completion) -> None:
        """Writes one line and waits until it is on disk.

        Raises:
          TranscriptNotWritten: the disk refused it. It is known here all the same, and
            written by the next `append` or `flush` that succeeds.
        """
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        exchange = Exchange(request, answer, now)
        self._remember(exchange)
        self._unwritten.append(exchange)
        self.flush()

    def flush(self) -> None:
        """Writes what could not be written before."""
        while self._unwritten:
            try:
                self._write(self._unwritten[0])
            except OSError as error:
                keys = ", ".join(e.request.key for e in self._unwritten)
                raise TranscriptNotWritten(
                    f"{error.filename} could not be written: {error.strerror}. Every earlier "
                    f"exchange is in {self.path}; in memory only: {keys}. Make room on the disk."
                ) from error
            del self._unwritten[0]

    @contextlib.contextmanager
    def room_for(self, requests: Sequence[Request]) -> Iterator[None]:
        """Holds room on the disk for answers while they are waited for.

        Raises:
          TranscriptNotWritten: if there is none, before anything is asked.
        """
        num_bytes = sum(map(_num_bytes, requests))
        try:
            disk.allocate(self._reserve, num_bytes)
        except OSError as error:
            raise TranscriptNotWritten(
                f"{self._reserve} could not be written: {error.strerror}. {len(requests)} more "
                f"answers need {num_bytes / 1e6:.1f} MB beside {self.path}; nothing was asked. "
                "Make room on the disk."
            ) from error
        try:
            yield
        finally:
            self._reserve.unlink(missing_ok=True)

    def _remember(self, exchange: Exchange) -> None:
        self._by_key[exchange.request.key] = exchange

    def _write(self, exchange: Exchange) -> None:
        try:
            self._write_once(exchange)
        except OSError:
            if not self._reserve.exists():
                raise
            self._reserve.unlink()  # this is what it was held for
            self._write_once(exchange)

    def _write_once(self, exchange: Exchange) -> None:
        """Pictures first: a line never names one that is not there."""
        for message in exchange.request.messages:
            for image in message.images:
                path = images_folder(self.path) / f"{image.sha256}.png"
                if not path.exists():
                    disk.write_atomically(path, image.data)
        text = json.dumps(exchange.to_json(), ensure_ascii=False)
        disk.append(self.path, text.encode() + b"\n")


class Recorded:
    """A provider whose answers are stored in a transcript and asked for only once."""

    def __init__(self, provider: Provider, transcript: Transcript):
        self._provider = provider
        self._transcript = transcript

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer = untold
    ) -> list[Completion]:
        keys = [r.key for r in requests]
        if len(set(keys)) < len(keys):
            raise ValueError(f"request keys must differ within a batch, got {keys}.")
        self._transcript.flush()
        new = [r for r in requests if r.key not in self._transcript]

        def store(request: Request, completion: Completion) -> None:
            """Keeps an answer. A full disk is told after the batch: its other answers are
            paid for too."""
            if request.key not in self._transcript:
                completion = _storable(completion)
                with contextlib.suppress(TranscriptNotWritten):
                    self._transcript.append(request, completion)
                on_answer(request, completion)

        if new:
            with self._transcript.room_for(new):
                try:
                    completions = self._provider.complete(new, store)
                    for request, completion in zip(new, completions, strict=True):
                        store(request, completion)  # of providers that never call `store`
                finally:
                    self._transcript.flush()
        return [self._transcript[key].answer for key in keys]


def _storable(answer: Completion) -> Completion:
    """Half a surrogate pair, which JSON can carry, is no text that a file can hold."""
    return dataclasses.replace(
        answer, text=_text(answer.text), model=_text(answer.model),
        request_id=_text(answer.request_id),
    )  # fmt: skip


def _text(words: str) -> str:
    return words.encode("utf-8", "replace").decode()


def _num_bytes(request: Request) -> int:
    """About what an exchange takes on disk, with the answer."""
    words = sum(len(m.text.encode()) for m in request.messages) + len(json.dumps(request.schema))
    pictures = sum(len(i.data) for m in request.messages for i in m.images)
    return 2 * words + pictures + ANSWER_BYTES
