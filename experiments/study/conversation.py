"""What a recorded conversation says about its agents, without running anything.

Macro answers are compiled again, so that a refusal is today's; plans and critiques are read
as the agents' parsers read them. Of a key that was answered twice the later answer counts.
"""

import collections
import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents.llm import tokens
from rlgpt_jax.agents.prompt_state import CODED_KINDS, KEEP, KINDS, OK, Refusal

_KEY = re.compile(r"^(?:pure_code/)?(?:task/([^/]+)/)?iter(\d+)/(.+)$")
AGAIN = "/again"
ACCEPTED, REFUSED, CONTENT = "accepted", "refused", "keep"  # of one answer with code
ENDS = ("ok", "content", "last try", "never")  # how the tries for a macro ended
Line = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Try:
    """One answer of the agent that codes, for one macro."""

    number: int  # from 0
    outcome: str  # ACCEPTED, REFUSED or CONTENT, which keeps the version before
    verdict: str = ""  # of the trial critic: ok, revise or "" if it was not asked


@dataclasses.dataclass(frozen=True)
class Macro:
    """All tries for one sub-action in one iteration."""

    name: str
    tries: tuple[Try, ...]

    @property
    def first_accepted(self) -> bool:
        return self.tries[0].outcome == ACCEPTED

    @property
    def second(self) -> Try | None:
        """The answer after a first refusal, if one was asked for."""
        return self.tries[1] if not self.first_accepted and len(self.tries) > 1 else None

    @property
    def end(self) -> str:
        """One of `ENDS`: the critic's ok, the coder's own, accepted at last, or never."""
        if any(t.verdict == OK for t in self.tries):
            return "ok"
        if self.tries[-1].outcome == CONTENT:
            return "content"
        return "last try" if self.tries[-1].outcome == ACCEPTED else "never"

    @property
    def versions(self) -> int | None:
        """Versions until a trial succeeded; None if none did."""
        if self.end == "never":
            return None
        if self.end == "ok":
            return 1 + next(t.number for t in self.tries if t.verdict == OK)
        last = self.tries[-1]
        return last.number + (last.outcome == ACCEPTED)


@dataclasses.dataclass(frozen=True)
class Iteration:
    """What the agents did in one iteration."""

    task: str  # of a chain; "" if there is one task only
    number: int
    kinds: Mapping[str, int]  # sub-actions of the plan by kind
    kept: int  # coded ones whose earlier code stays
    has_plan: bool  # whether an answer held a plan that can be read
    macros: tuple[Macro, ...]
    asked_again: int  # questions whose first answer could not be used
    failure: str  # what the critic named; "" if nobody was asked
    advice: str
    verdicts: Mapping[str, int]  # of the critic on sub-actions after training
    spent: tokens.Cell  # calls, tokens, price


def read(lines: Sequence[Line], sensors: str) -> list[Iteration]:
    """The iterations of a conversation, in order.

    Args:
      lines: of a transcript.
      sensors: level at which its macros are compiled.
    """
    stages: dict[tuple[str, int], dict[str, str]] = {}
    for line in lines:
        if found := _KEY.match(line["key"]):
            task, number, rest = found[1] or "", int(found[2]), found[3]
            stages.setdefault((task, number), {})[rest] = line["answer"]
    rows = tokens.rows(tokens.cells(lines))
    spent = {(row.task, row.iteration): tokens.total(list(row.cells.values())) for row in rows}
    return [
        _iteration(task, number, answers, sensors, spent[task, number])
        for (task, number), answers in stages.items()
    ]


def _iteration(
    task: str, number: int, answers: Mapping[str, str], sensors: str, spent: tokens.Cell
) -> Iteration:
    plan = _plan(answers)
    critique = _object(answers.get("critic" + AGAIN, answers.get("critic", "")))
    entries = [e for e in _list(critique, "sub_actions") if isinstance(e.get("verdict"), str)]
    coded = [s for s in plan if s.get("kind") in CODED_KINDS]
    return Iteration(
        task=task,
        number=number,
        kinds={k: sum(s.get("kind") == k for s in plan) for k in KINDS},
        kept=sum(_keeps(s) for s in coded),
        has_plan=bool(plan),
        macros=_macros(answers, plan, sensors),
        asked_again=sum(key.endswith(AGAIN) for key in answers),
        failure=_line(critique.get("failure")),
        advice=_line(critique.get("advice")),
        verdicts=collections.Counter(e["verdict"].strip().lower() for e in entries),
        spent=spent,
    )


def _plan(answers: Mapping[str, str]) -> list[dict[str, Any]]:
    """The sub-actions that count: of the slow agent, or the last ones of the one agent."""
    texts = [answers.get("slow" + AGAIN, answers.get("slow", ""))]
    texts += [answers[key] for key in _tries(answers, "one/")]
    plans = [plan for text in texts if (plan := _list(_object(text), "sub_actions"))]
    return plans[-1] if plans else []


def _macros(
    answers: Mapping[str, str], plan: Sequence[Mapping[str, Any]], sensors: str
) -> tuple[Macro, ...]:
    verdicts = _verdicts(answers)
    tries: dict[str, list[Try]] = {}
    for key in _tries(answers, "fast/"):
        _, name, number = key.split("/")[:3]
        at = int(number.removeprefix("try"))
        tries.setdefault(name, []).append(
            _try(answers[key], name, at, sensors, verdicts.get((name, at), ""))
        )
    coded = [s["name"] for s in plan if s.get("kind") in CODED_KINDS and "name" in s]
    for key in _tries(answers, "one/"):
        at = int(key.split("/")[1].removeprefix("try"))
        sources = blocks.python_sources(answers[key])
        for name in (n for n in coded if n in sources):
            tries.setdefault(name, []).append(_compiled(sources[name], name, at, sensors, ""))
    return tuple(Macro(name, tuple(found)) for name, found in tries.items())


def _tries(answers: Mapping[str, str], begin: str) -> list[str]:
    """Keys of answers with code, by the number of the try."""
    keys = [k for k in answers if k.startswith(begin) and re.search(r"/try\d+$", k)]
    return sorted(keys, key=lambda k: int(k.rpartition("try")[2]))


def _try(text: str, name: str, number: int, sensors: str, verdict: str) -> Try:
    if number and blocks.says(text, KEEP):
        return Try(number, CONTENT)
    source = blocks.python_source(text)
    if isinstance(source, Refusal):
        return Try(number, REFUSED)
    return _compiled(source, name, number, sensors, verdict)


def _compiled(source: str, name: str, number: int, sensors: str, verdict: str) -> Try:
    from rlgpt_jax.macros.language import parse_macro
    from rlgpt_jax.macros.refusal import Refusal as Refused

    program = parse_macro(source, name, sensors)
    is_refused = isinstance(program, Refused)
    return Try(number, REFUSED) if is_refused else Try(number, ACCEPTED, verdict)


def _verdicts(answers: Mapping[str, str]) -> dict[tuple[str, int], str]:
    """Of the trial critic, by macro and try; a second answer replaces the first."""
    found: dict[tuple[str, int], str] = {}
    for key in sorted(answers, key=lambda k: k.endswith(AGAIN)):
        if not key.startswith("trial_critic/"):
            continue
        number = int(key.removesuffix(AGAIN).rpartition("try")[2])
        for entry in _list(_object(answers[key]), "macros"):
            found[str(entry.get("name")), number] = str(entry.get("verdict")).strip().lower()
    return found


def _object(text: str) -> dict[str, Any]:
    try:
        return blocks.json_object(text)
    except blocks.Wrong:
        return {}


def _list(value: Mapping[str, Any], field: str) -> list[dict[str, Any]]:
    entries = value.get(field)
    return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []


def _keeps(sub_action: Mapping[str, Any]) -> bool:
    return str(sub_action.get("instruction", "")).strip().lower().rstrip(".") == KEEP


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
