"""The critics: one reads the trials of a try, one the evaluation after training."""

import dataclasses
from collections.abc import Mapping

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.prompt_state import OK, REVISE, PromptState, Refusal, Trial
from rlgpt_jax.agents.prompts import Prompts

VERDICTS = ("keep", "revise", "drop")  # on sub-actions after training


@dataclasses.dataclass(frozen=True)
class Judgement:
    """The trial critic's word on one macro."""

    verdict: str  # `OK` or `REVISE`
    change: str  # what to change; "" if ok


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The critic's word on one coded sub-action after training."""

    name: str
    verdict: str  # one of `VERDICTS`
    reason: str


@dataclasses.dataclass(frozen=True)
class Critique:
    """What the slow agent is told about an iteration."""

    failure: str
    sub_actions: tuple[Verdict, ...]
    advice: str

    def describe(self) -> str:
        lines = [f"- {v.name}: {v.verdict}. {v.reason}" for v in self.sub_actions]
        return "\n".join([self.failure, *lines, f"Advice: {self.advice}"])


def render_trials(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for a judgement on every macro in `state.trials`."""
    setting = state.setting
    text = prompts.fill(
        "trial_critic",
        world=sections.world(setting, prompts),
        sensors=sections.sensors(setting, prompts),
        api=setting.api.strip(),
        plan=sections.plan(state.plan),
        trials="\n\n".join(map(_trial, state.trials)),
        names=", ".join(t.sub_action.name for t in state.trials),
        macro_ticks=str(setting.macro_ticks),
    )
    return sections.messages(text, state, prompts)


def parse_trials(text: str, state: PromptState) -> Mapping[str, Judgement] | Refusal:
    """One judgement per macro in `state.trials`, by name."""
    records = _records(text, "macros", [t.sub_action.name for t in state.trials])
    if isinstance(records, Refusal):
        return records
    judgements = {}
    for name, record in records.items():
        verdict = str(record.get("verdict")).strip().lower()
        if verdict not in (OK, REVISE):
            return Refusal(f"{name}: verdict {record.get('verdict')!r} is not {OK} or {REVISE}.")
        change = record.get("change") or ""
        if verdict == REVISE and not (isinstance(change, str) and change.strip()):
            return Refusal(f'{name}: a verdict "{REVISE}" needs "change", a text.')
        judgements[name] = Judgement(verdict, " ".join(change.split()) if verdict == REVISE else "")
    return judgements


def fallback_trials(state: PromptState) -> Mapping[str, Judgement]:
    """When no answer could be used, every macro stays as it is."""
    return {t.sub_action.name: Judgement(OK, "") for t in state.trials}


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for a critique of the iteration that was just evaluated."""
    setting = state.setting
    text = prompts.fill(
        "critic",
        world=sections.world(setting, prompts),
        policy=sections.policy(setting, prompts),
        sensors=sections.sensors(setting, prompts),
        mode=sections.mode(setting, prompts),
        plan=sections.plan(state.plan),
        fates=sections.fates(state.fates),
        report=state.report,
        history=sections.history(state.memory),
        names=", ".join(s.name for s in state.plan.coded) or "(none)",
        iteration=str(state.iteration + 1),
        num_iterations=str(setting.num_iterations),
    )
    return sections.messages(text, state, prompts)


def parse(text: str, state: PromptState) -> Critique | Refusal:
    """The critique in an answer."""
    value = blocks.json_object(text)
    if isinstance(value, Refusal):
        return value
    if wrong := blocks.texts(value, ("failure", "advice"), "The object"):
        return wrong
    records = _records(text, "sub_actions", [s.name for s in state.plan.coded])
    if isinstance(records, Refusal):
        return records
    verdicts = []
    for name, record in records.items():
        if wrong := blocks.texts(record, ("verdict", "reason"), name):
            return wrong
        verdict = record["verdict"].strip().lower()
        if verdict not in VERDICTS:
            return Refusal(f"{name}: verdict {verdict!r} is not one of {', '.join(VERDICTS)}.")
        verdicts.append(Verdict(name, verdict, " ".join(record["reason"].split())))
    return Critique(
        " ".join(value["failure"].split()), tuple(verdicts), " ".join(value["advice"].split())
    )


def fallback(reason: str) -> Critique:
    """When no answer could be used: the slow agent gets the numbers alone."""
    return Critique(
        f"The critic gave no usable answer ({reason})", (), "Judge from the evaluation itself."
    )


def _records(text: str, field: str, names: list[str]) -> dict[str, dict] | Refusal:
    """The entries of list `field`, by name, in the order of `names`: one for each."""
    value = blocks.json_object(text)
    if isinstance(value, Refusal):
        return value
    records = value.get(field)
    if not isinstance(records, list) or not all(isinstance(r, dict) for r in records):
        return Refusal(f'The object needs "{field}", a list of objects.')
    given = [str(r.get("name")).strip() for r in records]
    if sorted(given) != sorted(names):
        return Refusal(
            f'"{field}" must have exactly one entry for each of: {", ".join(names) or "(none)"}; '
            f"got {', '.join(given) or '(none)'}."
        )
    by_name = dict(zip(given, records, strict=True))
    return {name: by_name[name] for name in names}


def _trial(trial: Trial) -> str:
    s = trial.sub_action
    return (
        f"### {s.name} ({s.kind})\nInstruction: {s.instruction}\n"
        f"```python\n{trial.source.rstrip()}\n```\nFacts: {trial.facts}"
    )
