"""Asks questions until their answers can be used, at most twice each."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents.llm.base import MISSING, UNREADABLE, Completion, Message, Provider, Request
from rlgpt_jax.agents.prompt_state import PromptState, Refusal
from rlgpt_jax.agents.prompts import Prompts

Value = TypeVar("Value")
NUM_ANSWERS = 2


@dataclasses.dataclass(frozen=True)
class Question(Generic[Value]):
    """One question to one agent."""

    key: str  # of the request
    agent: str
    state: PromptState
    render: Callable[[PromptState, Prompts], tuple[Message, ...]]
    parse: Callable[[str, PromptState], Value | Refusal]
    schema: Mapping[str, Any] | None = None  # JSON schema, where the answer is pure JSON
    num_answers: int = NUM_ANSWERS


OnRefused = Callable[[str, str], None]  # the key of a request, why its answer cannot be used


def ask_all(
    provider: Provider, prompts: Prompts, questions: Sequence[Question[Value]],
    on_refused: OnRefused = lambda *_: None,
) -> list[Value | Refusal]:  # fmt: skip
    """Asks questions that do not depend on each other: all at the same time, then, at the
    same time, those whose answers were refused, which are shown with the reason. The request keys
    are `key`, then `key + "/again"`.

    Returns:
      What `parse` made of the first usable answer, or the last Refusal, of each in their order.
    """
    values: list[Value | Refusal] = [Refusal("nothing was asked")] * len(questions)
    open_ = dict(enumerate(questions))
    number = 0
    while open_:
        requests = [
            Request(q.key + "/again" * number, q.agent, q.render(q.state, prompts), q.schema)
            for q in open_.values()
        ]
        completions = provider.complete(requests)
        number += 1
        asked = zip(list(open_.items()), requests, completions, strict=True)
        for (index, question), request, completion in asked:
            value = values[index] = read(completion, question.state, question.parse)
            if isinstance(value, Refusal) and completion.stop != MISSING:
                on_refused(request.key, value.reason)
            last = number >= question.num_answers or completion.stop == MISSING
            if not isinstance(value, Refusal) or last:
                del open_[index]
            else:
                refused = (completion.text, value.reason)
                open_[index] = dataclasses.replace(
                    question, state=question.state.replace(refused=refused)
                )
    return values


def read(
    completion: Completion, state: PromptState, parse: Callable[[str, PromptState], Value | Refusal]
) -> Value | Refusal:
    """What `parse` makes of an answer; one that is missing, declined, empty or cut says so."""
    if completion.stop == MISSING:
        return Refusal("No answer to this question was recorded.")
    if completion.stop == UNREADABLE:
        return Refusal("The answer came in a form that could not be read. Answer in plain text.")
    if completion.stop == "refusal":
        return Refusal("You declined to answer. The question is about plans and code for a game.")
    if completion.stop != "max_tokens":
        if not completion.text.strip():
            return Refusal("Your answer was empty.")
        return parse(completion.text, state)
    # Cut, perhaps behind the part that counts.
    whole = not blocks.has_open_block(completion.text)
    value = parse(completion.text, state) if whole else Refusal("")
    return Refusal(_cut(completion)) if isinstance(value, Refusal) else value


def _cut(completion: Completion) -> str:
    usage = completion.usage
    tokens = f" after {usage.output_tokens:,} tokens" if usage else ""
    return f"Your answer was cut{tokens}, at the limit of its length. Be shorter."
