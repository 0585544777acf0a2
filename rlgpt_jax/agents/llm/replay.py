"""Answers from a recorded transcript: a run without a model, a key or a network.

Answers are looked up by request key. A prompt may differ from the recorded one (numbers
of an evaluation change with the machine); such requests are counted and the first
difference is kept, so that a reader can see how far a replay is from its recording.
"""

import dataclasses
import difflib
from collections.abc import Sequence
from pathlib import Path

from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.base import Completion, OnAnswer, Request
from rlgpt_jax.agents.llm.transcript import Exchange


class MissingAnswer(LookupError):
    """A replayed run asked a question that was not recorded."""


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How far the prompts of a run are from the recorded ones."""

    num_requests: int
    num_mismatches: int  # requests whose prompt is not the recorded one
    first_mismatch: str  # unified diff, recorded -> asked; "" if none


class Replay:
    """The provider of shipped configurations."""

    def __init__(self, path: Path):
        self._path = path
        self._recorded = {e.request.key: e for e in transcript.read(path)}
        self._asked: list[Request] = []

    @property
    def num_mismatches(self) -> int:
        return self._compare(self._asked).num_mismatches

    @property
    def first_mismatch(self) -> str:
        return self._compare(self._asked).first_mismatch

    def compare(self, exchanges: Sequence[Exchange]) -> Comparison:
        """Compares a run's own transcript with the recorded one, so that answers that
        came before a restart of the run count too."""
        return self._compare([e.request for e in exchanges if e.answer.provider == "replay"])

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer | None = None
    ) -> list[Completion]:
        completions = [self._look_up(request) for request in requests]
        for request, completion in zip(requests, completions, strict=True):
            self._asked.append(request)
            if on_answer is not None:
                on_answer(request, completion)
        return completions

    def _look_up(self, request: Request) -> Completion:
        if request.key not in self._recorded:
            raise MissingAnswer(
                f"{self._path} holds no answer for {request.key!r}. Recorded keys: "
                f"{', '.join(self._recorded) or 'none'}. Replay the configuration that "
                "was recorded, or record this one with another provider."
            )
        answer = self._recorded[request.key].answer
        return Completion(answer.text, answer.model, "replay", 0.0)

    def _compare(self, requests: Sequence[Request]) -> Comparison:
        pairs = [(self._recorded[r.key].request, r) for r in requests if r.key in self._recorded]
        differ = [(old, new) for old, new in pairs if old.prompt_sha256 != new.prompt_sha256]
        return Comparison(len(pairs), len(differ), _diff(*differ[0]) if differ else "")


def _diff(recorded: Request, asked: Request) -> str:
    return "\n".join(
        difflib.unified_diff(
            _lines(recorded), _lines(asked), f"recorded {recorded.key}", f"asked {asked.key}",
            lineterm="", n=1,
        )
    )


def _lines(request: Request) -> list[str]:
    return [line for m in request.messages for line in (f"[{m.role}]", *m.text.splitlines())]
