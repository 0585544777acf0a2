"""What every language-model provider takes and gives: text in, text out.

A request carries a stable, readable key ("iter0/fast/find_cow/try1"). The key says
which question of the two loops it is, so that a recorded answer can be found again.
"""

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

ROLES = ("system", "user", "assistant")


@dataclasses.dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: str  # one of `ROLES`
    text: str


@dataclasses.dataclass(frozen=True)
class Request:
    """One question to a model."""

    key: str  # unique in a run; parts separated by "/"
    agent: str  # slow, fast, trial_critic or critic
    messages: tuple[Message, ...]

    @property
    def prompt_sha256(self) -> str:
        """Hash of roles and texts: tells whether two prompts are the same."""
        digest = hashlib.sha256()
        for message in self.messages:
            digest.update(f"{message.role}\n{len(message.text)}\n{message.text}\n".encode())
        return digest.hexdigest()


@dataclasses.dataclass(frozen=True)
class Completion:
    """One answer and where it came from."""

    text: str
    model: str  # as the provider names it
    provider: str  # file, replay, ...
    seconds: float  # wall time from question to answer


# Called as soon as one request of a batch has its answer, in any order.
OnAnswer = Callable[[Request, Completion], None]


class Provider(Protocol):
    """A source of answers."""

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer | None = None
    ) -> list[Completion]:
        """Answers independent requests, all at the same time, in their order.

        `on_answer` hears of each answer as it arrives, so that it can be stored
        before the slowest one is there.
        """
        ...
