"""What is done with the code of agents: checked, linked, recorded."""

import dataclasses
from collections.abc import Mapping

from rlgpt_jax.agents import rl_setup
from rlgpt_jax.agents.llm.disk import write_atomically
from rlgpt_jax.agents.prompt_state import Attempt, Fate, PromptState, Refusal, SubAction, in_use
from rlgpt_jax.loop import events
from rlgpt_jax.loop.record import write_json
from rlgpt_jax.loop.tools import Tools
from rlgpt_jax.loop.trials import Attempts, Trials, source_of
from rlgpt_jax.macros import refusal as macro_refusal
from rlgpt_jax.macros.language import link_macro
from rlgpt_jax.macros.linked import split
from rlgpt_jax.rl.interface import RLInterface


def attempt(
    trials: Trials, number: int, name: str, answer: str | Refusal, attempts: Attempts
) -> Attempt:
    """Checks code, links it with what it calls, and writes it, and a refusal, to the run folder.

    Args:
      attempts: before this try, whose code may be called.
    """
    tools, iteration = trials.tools, trials.state.iteration
    refusal: macro_refusal.Refusal | None
    if isinstance(answer, Refusal):
        source = latest = ""
        refusal = macro_refusal.Refusal(0, 0, "", answer.reason, "")
    else:
        source, latest, refusal = _linked(trials, name, answer, attempts)
    write_atomically(tools.folder.macro(iteration, name, f"try{number}.py"), source)
    if refusal is None:
        return Attempt(source, number=number, latest=latest if latest != source else "")
    path = tools.folder.macro(iteration, name, f"try{number}.refusal.json")
    write_json(path, dataclasses.asdict(refusal))
    tools.on_event(events.Refused(iteration, number, name, refusal.describe()))
    return Attempt(source, refusal=refusal.describe(), number=number)


def _linked(
    trials: Trials, name: str, source: str, attempts: Attempts
) -> tuple[str, str, macro_refusal.Refusal | None]:
    """The code with that of other parts which it calls: with their versions in use, and with the
    latest ones; and why it is refused.

    Which version is in use depends on measured numbers, and what is refused must not: the latest
    accepted versions decide that, and those in use take their place where the code compiles with
    them too.
    """
    state = trials.state
    names = [s.name for s in state.plan.coded if s.name != name]
    latest = {n: _latest(n, attempts, state) for n in names}
    used = {n: source_of(n, attempts, state) for n in names}
    words, refusal = _compiled(trials.tools, name, source, latest)
    text = words
    if refusal is None and used != latest:
        other, refused = _compiled(trials.tools, name, source, used)
        text = words if refused else other
    return text, words, refusal


def _compiled(
    tools: Tools, name: str, source: str, others: Mapping[str, str]
) -> tuple[str, macro_refusal.Refusal | None]:
    text = link_macro(source, name, others)
    if isinstance(text, macro_refusal.Refusal):
        return source, text
    program = tools.language.parse(text, name)
    return text, program if isinstance(program, macro_refusal.Refusal) else None


def _latest(name: str, attempts: Attempts, state: PromptState) -> str:
    """The latest accepted code under a name, whether or not it is in use; "" if there is none."""
    earlier = (
        fate.attempts for memory in reversed(state.memory) for fate in memory.fates
        if fate.name == name
    )  # fmt: skip
    found = (v for made in (attempts.get(name, ()), *earlier) for v in reversed(made) if v.accepted)
    return next((version.latest or version.source for version in found), "")


def fate(sub_action: SubAction, attempts: tuple[Attempt, ...] | None, state: PromptState) -> Fate:
    """The version in use counts, also if somebody wanted more; None is kept code, and where every
    version was refused earlier code stays, if there is any."""
    name, kind = sub_action.name, sub_action.kind
    made = attempts or ()
    version = in_use(made)
    if version is None:
        source = state.latest_source(name)
        used = "kept" if source or attempts is None else ""
        return Fate(name, kind, made, source, used)
    return Fate(name, kind, made, version.source, f"try{version.number}")


def others(state: PromptState, name: str, attempts: Attempts) -> tuple[tuple[str, str], ...]:
    """Accepted code of the other parts of the plan, (name, own text), which `name` may call."""
    sources = {s.name: source_of(s.name, attempts, state) for s in state.plan.coded}
    return tuple((n, split(text)[0]) for n, text in sources.items() if text and n != name)


def fates_of(state: PromptState, attempts: Attempts) -> tuple[Fate, ...]:
    """What became so far of every coded part of the plan."""
    return tuple(fate(s, attempts.get(s.name), state) for s in state.plan.coded)


def finish_code(tools: Tools, state: PromptState, attempts: Attempts) -> tuple[Fate, ...]:
    """Writes which code is in use; code of earlier iterations is copied."""
    fates, iteration = fates_of(state, attempts), state.iteration
    for made in fates:
        if made.kept:
            write_atomically(tools.folder.macro(iteration, made.name, "kept.py"), made.source)
    records = [
        {
            "name": made.name,
            "planned": made.kind,
            "kind": made.kind if made.source else "learn",
            "used": made.used,
            "why": made.attempts[-1].worse if made.attempts else "",
            "words": made.describe(),
        }
        for made in fates
    ]
    write_json(tools.folder.iteration(iteration, "fates.json"), records)
    return fates


def finish_interface(
    tools: Tools, state: PromptState, answer: RLInterface | Refusal
) -> RLInterface:
    """Writes how the training is set up; without a usable answer it is the run's own."""
    interface = rl_setup.fallback(answer.reason) if isinstance(answer, Refusal) else answer
    path = tools.folder.iteration(state.iteration, "interface.json")
    write_json(path, dataclasses.asdict(interface))
    words = rl_setup.describe(interface, tools.task.spec)
    tools.on_event(events.InterfaceSet(state.iteration, interface, words))
    return interface
