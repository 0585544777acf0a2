"""Answers from a recorded transcript: a run without a model, a key or a network.

Answers are looked up by request key. A prompt may differ from the recorded one (numbers
of an evaluation change with the machine). A lenient replay counts such requests and keeps
the first difference, so that a reader can see how far it is from its recording; a strict
one stops there. A question that was never recorded (code is accepted now that was refused
then, say) stops a strict replay too; in a lenient one it has no answer, and the loops go on
without. Pictures are compared by their hashes: their files are not needed.
"""

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rlgpt_jax.agents.llm.base import MISSING, Completion, OnAnswer, Request, Usage, untold
from rlgpt_jax.agents.llm.exchange import message_json, read_lines

# Size of the difference that a strict replay stops with: lines, characters of a line, and
# how many of these come before the place of a change.
DIFF_LINES, DIFF_WIDTH, MARGIN = 24, 160, 40

# Role, text and pictures (name, hash) of every message.
Prompt = tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]


class MissingAnswer(LookupError):
    """A strict replay asked a question that was not recorded."""


class PromptDiffers(LookupError):
    """A strict replay asked something else than what was recorded."""


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How far the prompts of a run are from the recorded ones."""

    num_requests: int  # that were recorded
    num_mismatches: int  # requests whose prompt is not the recorded one
    first_mismatch: str  # unified diff, recorded -> asked; "" if none
    num_unanswered: int  # requests that were not recorded


class Replay:
    """The provider of shipped configurations.

    Args:
      path: of a transcript.
      strict: whether a prompt that differs from the recorded one, or was never recorded, is
        an error.
    """

    def __init__(self, path: Path, strict: bool = False):
        self._path = path
        self._strict = strict
        lines = (line for line in read_lines(path) if line["stop"] != MISSING)
        self._recorded = {line["key"]: line for line in lines}

    def compare(self, requests: Sequence[Request]) -> Comparison:
        """Compares what was asked, also before a restart of the run, with what was recorded."""
        known = [r for r in requests if r.key in self._recorded]
        found = [_difference(self._recorded[r.key], r) for r in known]
        differ = [words for words in found if words]
        first = differ[0] if differ else ""
        return Comparison(len(known), len(differ), first, len(requests) - len(known))

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer = untold
    ) -> list[Completion]:
        completions = [self._look_up(request) for request in requests]
        for request, completion in zip(requests, completions, strict=True):
            on_answer(request, completion)
        return completions

    def _look_up(self, request: Request) -> Completion:
        """The recorded answer, with its tokens; it costs nothing now."""
        line = self._recorded.get(request.key)
        if line is None and not self._strict:
            return Completion("", "nobody", "replay", 0.0, stop=MISSING)
        if line is None:
            raise MissingAnswer(
                f"{self._path} holds no answer for {request.key!r}. Recorded keys: "
                f"{', '.join(self._recorded) or 'none'}. Replay the configuration that "
                "was recorded, record this one with another provider, or set "
                "llm.replay=lenient, which goes on without an answer."
            )
        if self._strict and (words := _difference(line, request)):
            raise PromptDiffers(
                f"the prompt of {request.key!r} is not the one in {self._path}:\n"
                f"{_shortened(words)}\nllm.replay=strict stops here; llm.replay=lenient counts "
                "such prompts and goes on."
            )
        usage = Usage(**line["usage"]) if line["usage"] else None
        return Completion(line["answer"], line["model"], "replay", 0.0, usage, 0.0, line["stop"])


def prompt_of(line: Mapping[str, Any]) -> Prompt:
    """What a line of a transcript asked."""
    return tuple(
        (m["role"], m["text"], tuple((i["name"], i["sha256"]) for i in m.get("images", ())))
        for m in line["messages"]
    )


def difference(old: Prompt, new: Prompt, old_name: str, new_name: str) -> str:
    """Unified diff of two prompts, then a line per picture that differs; "" if none does.

    Names of pictures are words of ours that no model reads, so they do not count.
    """
    if _contents(old) == _contents(new):
        return ""
    lines = list(
        difflib.unified_diff(_lines(old), _lines(new), old_name, new_name, lineterm="", n=1)
    )
    if not lines and [m[:2] for m in old] != [m[:2] for m in new]:
        lines = ["the texts differ in their line ends or spaces at the end"]
    return "\n".join([*lines, *_pictures(old, new)])


def _difference(line: Mapping[str, Any], request: Request) -> str:
    asked, key = prompt_of({"messages": map(message_json, request.messages)}), request.key
    return difference(prompt_of(line), asked, f"recorded {key}", f"asked {key}")


def _contents(prompt: Prompt) -> list[tuple[str, str, list[str]]]:
    return [(role, text, [sha256 for _, sha256 in images]) for role, text, images in prompt]


def _lines(prompt: Prompt) -> list[str]:
    return [line for role, text, _ in prompt for line in (f"[{role}]", *text.splitlines())]


def _pictures(old: Prompt, new: Prompt) -> list[str]:
    before, after = ([i for m in prompt for i in m[2]] for prompt in (old, new))
    words = [
        f"picture differs: {name}"
        for (_, old_hash), (name, new_hash) in zip(before, after, strict=False)
        if old_hash != new_hash
    ]
    words += [f"picture is gone: {name}" for name, _ in before[len(after) :]]
    return words + [f"picture is new: {name}" for name, _ in after[len(before) :]]


def _shortened(words: str) -> str:
    """A diff that fits a screen. Of a long line that was changed the place of the change."""
    lines = words.splitlines()
    short = []
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        partner = {"-": after, "+": before}.get(line[:1], "")
        pairs = enumerate(zip(line[1:], partner[1:], strict=False))
        same = next((i for i, (a, b) in pairs if a != b), min(len(line), len(partner)) - 1)
        start = max(0, same - MARGIN)
        end = start + DIFF_WIDTH
        body = "..." * (start > 0) + line[1:][start:end] + "..." * (len(line) - 1 > end)
        short.append(line[:1] + body)
    if len(short) > DIFF_LINES:
        short[DIFF_LINES:] = [f"... and {len(short) - DIFF_LINES} more lines"]
    return "\n".join(short)
