"""A folder as a model: each request is a file, and so is its answer.

A person, a chat window or another program reads `<folder>/<key>.request.md` and writes
`<folder>/<key>.response.md`. All requests of a batch are written before the first answer
is waited for. A response that already exists is used at once. Pictures lie beside the request,
`<key>.request.1.png`, `.2.png` and so on; its last lines name them.
"""

import glob
import time
from collections.abc import Sequence
from pathlib import Path

from rlgpt_jax.agents.llm.base import Completion, OnAnswer, Request, untold
from rlgpt_jax.agents.llm.disk import write_atomically

# A file untouched for this long counts as complete when it is first seen; a younger one
# must keep its size and time from one poll to the next.
SETTLED_SECONDS = 2.0


class FileProvider:
    """Writes requests, waits for responses.

    Args:
      folder: made if it does not exist.
      poll_seconds: time between two looks at the folder.
      timeout_seconds: None waits for ever.
      model: name written to the transcript; a file does not say who wrote it.
    """

    def __init__(
        self,
        folder: Path,
        poll_seconds: float = 0.5,
        timeout_seconds: float | None = None,
        model: str = "unknown",
    ):
        self._folder = folder
        self._poll_seconds = poll_seconds
        self._timeout_seconds = timeout_seconds
        self._model = model

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer = untold
    ) -> list[Completion]:
        start = time.monotonic()
        for request in requests:
            self._write(request)
        answers: dict[str, Completion] = {}
        stamps: dict[str, tuple[int, int] | None] = {}
        while True:
            for request in requests:
                if request.key in answers:
                    continue
                path = self._path(request, "response")
                stamp = _stamp(path)
                if stamp and (stamp == stamps.get(request.key) or _settled(stamp)):
                    completion = Completion(
                        path.read_text(encoding="utf-8-sig", errors="replace"), self._model,
                        "file", time.monotonic() - start,
                    )  # fmt: skip
                    answers[request.key] = completion
                    on_answer(request, completion)
                stamps[request.key] = stamp
            if len(answers) == len(requests):
                return [answers[r.key] for r in requests]
            self._check_time(start, [r for r in requests if r.key not in answers])
            time.sleep(self._poll_seconds)

    def _write(self, request: Request) -> None:
        """Pictures first, so that who sees the request sees all of it."""
        path = self._path(request, "request")
        images = [image for message in request.messages for image in message.images]
        names = [f"{path.stem}.{number}.png" for number in range(1, len(images) + 1)]
        for name, image in zip(names, images, strict=True):
            write_atomically(path.with_name(name), image.data)
        for old in path.parent.glob(f"{glob.escape(path.stem)}.*.png"):
            if old.name not in names:
                old.unlink()  # of an earlier start that showed more
        lines = [
            f"[picture {number}: {image.name}, file {name}]"
            for number, (name, image) in enumerate(zip(names, images, strict=True), start=1)
        ]
        write_atomically(path, prompt_text(request) + "".join(f"\n{line}" for line in lines))

    def _path(self, request: Request, kind: str) -> Path:
        parts = request.key.split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise ValueError(f"request key {request.key!r} is not a path inside a folder.")
        return self._folder.joinpath(*parts[:-1], f"{parts[-1]}.{kind}.md")

    def _check_time(self, start: float, waiting: list[Request]) -> None:
        if self._timeout_seconds is not None and (time.monotonic() - start > self._timeout_seconds):
            raise TimeoutError(
                f"no response after {self._timeout_seconds:g} s. Waiting for "
                f"{', '.join(str(self._path(r, 'response')) for r in waiting)}. Write these "
                "files and start the run again: it goes on from here."
            )


def prompt_text(request: Request) -> str:
    """The prompt as one text; a single user message stands as it is."""
    if len(request.messages) == 1 and request.messages[0].role == "user":
        return request.messages[0].text
    return "\n\n".join(f"[{m.role.upper()}]\n{m.text}" for m in request.messages)


def _stamp(path: Path) -> tuple[int, int] | None:
    """(bytes, time of the last change in ns); None if there is nothing to read yet."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return (stat.st_size, stat.st_mtime_ns) if stat.st_size else None


def _settled(stamp: tuple[int, int]) -> bool:
    return time.time() - stamp[1] / 1e9 > SETTLED_SECONDS
