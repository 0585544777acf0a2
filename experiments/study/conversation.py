"""What a recorded conversation says about its agents, without running anything.

Macro answers are compiled again, so that a refusal is today's; plans and critiques are read
as the agents' parsers read them. Of a key that was answered twice the later answer counts.
"""

import collections
import dataclasses
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents.llm import tokens
from rlgpt_jax.agents.prompt_state import CODED_KINDS, KEEP, KINDS, OK
from rlgpt_jax.envs.spec import WorldSpec

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


@dataclasses.dataclass
class Code:
    """The code of a conversation about one task."""

    sensors: str  # level at which it is compiled
    spec: WorldSpec | None = None  # of a world that is not Minecraft
    # Name -> latest accepted code with what it calls: what the parts of later tries may call.
    accepted: dict[str, str] = dataclasses.field(default_factory=dict)

    def takes(self, source: str, name: str, others: Mapping[str, str]) -> bool:
        """Whether today's macro language accepts a part; keeps it, if so."""
        from rlgpt_jax.macros.language import link_macro, parse_macro
        from rlgpt_jax.macros.refusal import Refusal as Refused
        from rlgpt_jax.macros.skills import skills

        library = skills.sources(self.sensors, self.spec) if self.spec else {}
        text = link_macro(source, name, others)
        if isinstance(text, Refused) or isinstance(
            parse_macro(text, name, self.sensors, library, self.spec), Refused
        ):
            return False
        self.accepted[name] = text
        return True


def read(lines: Sequence[Line], sensors: str, spec: WorldSpec | None = None) -> list[Iteration]:
    """The iterations of a conversation, in order.

    Args:
      lines: of a transcript.
      sensors: level at which its macros are compiled.
      spec: of its world, None of Minecraft.
    """
    stages: dict[tuple[str, int], dict[str, str]] = {}
    for line in lines:
        if found := _KEY.match(line["key"]):
            task, number, rest = found[1] or "", int(found[2]), found[3]
            stages.setdefault((task, number), {})[rest] = line["answer"]
    rows = tokens.rows(tokens.cells(lines))
    spent = {(row.task, row.iteration): tokens.total(list(row.cells.values())) for row in rows}
    code = {task: Code(sensors, spec) for task, _ in stages}
    return [
        _iteration(task, number, answers, code[task], spent[task, number])
        for (task, number), answers in stages.items()
    ]


def _iteration(
    task: str, number: int, answers: Mapping[str, str], code: Code, spent: tokens.Cell
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
        macros=_macros(answers, plan, code),
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
    answers: Mapping[str, str], plan: Sequence[Mapping[str, Any]], code: Code
) -> tuple[Macro, ...]:
    verdicts = _verdicts(answers)
    names = [s.get("name") for s in plan if s.get("kind") in CODED_KINDS]
    coded = [name for name in names if isinstance(name, str)]
    tries: dict[str, list[Try]] = {}
    for number, parts in itertools.groupby(_sources(answers, coded), lambda part: part[0]):
        before = dict(code.accepted)  # parts of one try cannot call each other
        for _, name, source in parts:
            others = {other: before.get(other, "") for other in coded if other != name}
            if source == KEEP:
                made = Try(number, CONTENT)
            elif source and code.takes(source, name, others):
                made = Try(number, ACCEPTED, verdicts.get((name, number), ""))
            else:
                made = Try(number, REFUSED)
            tries.setdefault(name, []).append(made)
    return tuple(Macro(name, tuple(found)) for name, found in tries.items())


def _sources(answers: Mapping[str, str], coded: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """(try, name, code) by try; `KEEP` where the version before stays, "" without any code."""
    for key in _tries(answers, "fast/"):
        _, name, number = key.split("/")[:3]
        at, source = int(number.removeprefix("try")), blocks.python_source(answers[key])
        if at and blocks.says(answers[key], KEEP):
            source = KEEP
        yield at, name, source if isinstance(source, str) else ""
    for key in _tries(answers, "one/"):
        sources = blocks.python_sources(answers[key])
        at = int(key.split("/")[1].removeprefix("try"))
        yield from ((at, name, sources[name]) for name in coded if name in sources)


def _tries(answers: Mapping[str, str], begin: str) -> list[str]:
    """Keys of answers with code, by the number of the try."""
    keys = [k for k in answers if k.startswith(begin) and re.search(r"/try\d+$", k)]
    return sorted(keys, key=lambda k: int(k.rpartition("try")[2]))


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
