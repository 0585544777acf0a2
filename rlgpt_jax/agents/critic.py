"""The critics: one reads the trials of a try, one the evaluation after training."""

from collections.abc import Mapping
from typing import Any

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents import rl_setup
from rlgpt_jax.agents.history import MAX_REPORT, MAX_TRIAL, clip
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.parse import Wrong
from rlgpt_jax.agents.prompt_state import (
    OK,
    REVISE,
    VERDICTS,
    Critique,
    Judgement,
    PromptState,
    Trial,
    Verdict,
)
from rlgpt_jax.agents.prompts import Prompts

# Without an interface: where a policy is trained, and where there is none.
NO_SET_UP = ("Nobody was asked: training is as the run has it.", "Nothing is trained in this run.")


def render_trials(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for a judgement on every macro in `state.trials`."""
    shown = prompts.fill("trial_critic.pictures", pictures=state.images_words)
    return sections.question(
        "trial_critic.prompt",
        state,
        prompts,
        made=prompts.fill("trial_critic.made"),
        judge=prompts.fill("trial_critic.judge"),
        trials="\n\n".join(map(_trial, state.trials)),
        pictures=shown if state.images else "",
        names=", ".join(t.sub_action.name for t in state.trials),
    )


@blocks.refusing
def parse_trials(text: str, state: PromptState) -> Mapping[str, Judgement]:
    """One judgement per macro in `state.trials`, by name."""
    names = [t.sub_action.name for t in state.trials]
    records = _records(blocks.json_object(text), "macros", names)
    judgements = {}
    for name, record in records.items():
        verdict = str(record.get("verdict")).strip().lower()
        if verdict not in (OK, REVISE):
            raise Wrong(f"{name}: verdict {record.get('verdict')!r} is not {OK} or {REVISE}.")
        change = record.get("change") or ""
        if verdict == REVISE and not (isinstance(change, str) and change.strip()):
            raise Wrong(f'{name}: a verdict "{REVISE}" needs "change", a text.')
        judgements[name] = Judgement(verdict, _line(change) if verdict == REVISE else "")
    return judgements


def fallback_trials(state: PromptState) -> Mapping[str, Judgement]:
    """When no answer could be used, every macro stays as it is."""
    return {t.sub_action.name: Judgement(OK, "") for t in state.trials}


def trials_schema(state: PromptState) -> dict[str, Any]:
    """JSON schema of the answer about `state.trials`."""
    names = blocks.choice_schema([t.sub_action.name for t in state.trials])
    verdict = blocks.choice_schema((OK, REVISE))
    macro = blocks.object_schema(name=names, verdict=verdict, change=blocks.TEXT)
    return blocks.object_schema(reasoning=blocks.TEXT, macros=blocks.list_schema(macro))


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for a critique of the iteration that was just evaluated."""
    is_program = state.setting.mode == "pure_code"
    return sections.question(
        "critic.prompt",
        state,
        prompts,
        set_up=""
        if is_program
        else prompts.fill("critic.set_up", limits=rl_setup.limits(state, prompts)),
        programs=prompts.fill("critic.programs") if is_program else "",
        fates=_fates(state),
        interface=state.interface or NO_SET_UP[is_program],
        report=clip(state.report, MAX_REPORT),
        comparison=state.comparison or "There is no iteration before this one.",
        history=sections.history(state),
        pictures=state.images_words if state.images else "",
        names=", ".join(s.name for s in state.plan.coded) or "(none)",
        iteration=str(state.iteration + 1),
        num_iterations=str(state.setting.num_iterations),
    )


def schema(state: PromptState) -> dict[str, Any]:
    """JSON schema of a critique."""
    text, names = blocks.TEXT, blocks.choice_schema([s.name for s in state.plan.coded])
    sub_action = blocks.object_schema(
        name=names, verdict=blocks.choice_schema(VERDICTS), reason=text, to_fast=text
    )
    sub_actions, solved = blocks.list_schema(sub_action), {"type": "boolean"}
    return blocks.object_schema(
        reasoning=text, failure=text, sub_actions=sub_actions, advice=text, rl=text, solved=solved
    )


@blocks.refusing
def parse(text: str, state: PromptState) -> Critique:
    """The critique in an answer."""
    value = blocks.json_object(text)
    blocks.check_texts(value, ("failure", "advice"), "The object")
    records = _records(value, "sub_actions", [s.name for s in state.plan.coded])
    verdicts = []
    for name, record in records.items():
        blocks.check_texts(record, ("verdict", "reason"), name)
        verdict = record["verdict"].strip().lower()
        if verdict not in VERDICTS:
            raise Wrong(f"{name}: verdict {verdict!r} is not one of {', '.join(VERDICTS)}.")
        # An answer that only gives the reason has told the fast agent that much.
        change = (_line(record.get("to_fast")) or _line(record["reason"])) * (verdict == REVISE)
        verdicts.append(Verdict(name, verdict, _line(record["reason"]), change))
    solved = value.get("solved", False)
    if not isinstance(solved, bool):
        raise Wrong(f'"solved" must be true or false; got {solved!r}.')
    failure, advice, rl = (_line(value.get(name)) for name in ("failure", "advice", "rl"))
    return Critique(failure, tuple(verdicts), advice, rl, solved, blocks.reasoning(text, value))


def fallback(reason: str) -> Critique:
    """When no answer could be used: the slow agent gets the numbers alone."""
    return Critique(
        f"The critic gave no usable answer ({reason})", (), "Judge from the evaluation itself."
    )


def _records(value: Mapping[str, Any], field: str, names: list[str]) -> dict[str, dict]:
    """The entries of list `field`, by name, in the order of `names`: one for each."""
    records = value.get(field)
    if not isinstance(records, list) or not all(isinstance(r, dict) for r in records):
        raise Wrong(f'The object needs "{field}", a list of objects.')
    given = [str(r.get("name")).strip() for r in records]
    if sorted(given) != sorted(names):
        raise Wrong(
            f'"{field}" must have exactly one entry for each of: {", ".join(names) or "(none)"}; '
            f"got {', '.join(given) or '(none)'}."
        )
    by_name = dict(zip(given, records, strict=True))
    return {name: by_name[name] for name in names}


def _fates(state: PromptState) -> str:
    """What became of the coded sub-actions; of a program without a policy also its code."""
    words = sections.fates(state.fates)
    is_program = state.setting.mode == "pure_code"
    return f"{words}\n\nThe program:\n{sections.code(state.fates)}" if is_program else words


def _line(value: Any) -> str:
    """A text in one line; "" for what is not a text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def _trial(trial: Trial) -> str:
    s = trial.sub_action
    return (
        f"### {s.name} ({s.kind})\nInstruction: {s.instruction}\n"
        f"```python\n{trial.source.rstrip()}\n```\nFacts: {clip(trial.facts, MAX_TRIAL)}"
    )
