"""What every language-model provider takes and gives: text and pictures in, text out.

A request carries a stable, readable key ("iter0/fast/find_cow/try1"). The key says
which question of the two loops it is, so that a recorded answer can be found again.
"""

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

MISSING = "missing"  # how an answer ended that is not there and will not be
UNREADABLE = "unreadable"  # that came in no known form; its text is the whole body


@dataclasses.dataclass(frozen=True)
class Image:
    """A picture in a prompt."""

    name: str  # what the text calls it; usable as a file name
    data: bytes = dataclasses.field(repr=False)  # of a PNG file
    media_type: str = "image/png"

    @functools.cached_property
    def sha256(self) -> str:
        """Hash of the file: the name under which a transcript keeps it."""
        return hashlib.sha256(self.data).hexdigest()


@dataclasses.dataclass(frozen=True)
class Message:
    """One turn of a conversation. Pictures come before the text."""

    role: str  # system, user or assistant
    text: str
    images: tuple[Image, ...] = ()


@dataclasses.dataclass(frozen=True)
class Request:
    """One question to a model."""

    key: str  # unique in a run; parts separated by "/"
    agent: str  # planner, slow, fast, trial_critic, critic or one
    messages: tuple[Message, ...]
    # JSON schema of the answer, for providers that can hold a model to one; None for free
    # text. The prompt alone says all that it says.
    schema: Mapping[str, Any] | None = None

    @property
    def prompt_sha256(self) -> str:
        """Hash of roles, texts and pictures: tells whether two prompts are the same."""
        digest = hashlib.sha256()
        for message in self.messages:
            digest.update(f"{message.role}\n{len(message.text)}\n{message.text}\n".encode())
            for image in message.images:
                digest.update(f"image {image.sha256}\n".encode())
        return digest.hexdigest()


@dataclasses.dataclass(frozen=True)
class Usage:
    """Tokens of one call, as the provider counts them."""

    input_tokens: int  # all of the prompt, cached ones too
    output_tokens: int  # all of the answer, hidden reasoning too
    cached_tokens: int = 0  # of the input, read from the provider's cache
    cache_write_tokens: int = 0  # of the input, written to the provider's cache
    reasoning_tokens: int = 0  # of the output, not in the text


@dataclasses.dataclass(frozen=True)
class Completion:
    """One answer and where it came from."""

    text: str
    model: str  # as the provider names it
    provider: str  # file, replay, anthropic, openai, compatible
    seconds: float  # wall time from question to answer
    usage: Usage | None = None  # None where nobody counted
    price: float | None = None  # US dollars; None where the price is not known
    # How it ended: "end" by itself, at the limit of output tokens ("max_tokens"), because the model
    # would not answer ("refusal"), for a reason of the provider's own ("other"), `MISSING` or
    # `UNREADABLE`.
    stop: str = "end"
    request_id: str = ""  # the provider's, for its support
    retries: int = 0  # calls that failed before this one


class ProviderError(RuntimeError):
    """No answer can be had: one line that says what happened and what to try.

    Everything answered before is in the transcript, so the run can be resumed.
    """


# Called as soon as one request of a batch has its answer, in any order.
OnAnswer = Callable[[Request, Completion], None]


def untold(request: Request, completion: Completion) -> None:
    """Of a batch whose answers nobody waits for one by one."""


class Provider(Protocol):
    """A source of answers."""

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer = untold
    ) -> list[Completion]:
        """Answers independent requests, all at the same time, in their order.

        `on_answer` hears of each answer as it arrives, in the calling thread, so that it can be
        stored before the slowest one is there.
        """
        ...
