"""What is done with the code of agents: checked, tried out, recorded."""

import dataclasses

from rlgpt_jax.agents import rl_setup
from rlgpt_jax.agents.prompt_state import Attempt, Fate, PromptState, Refusal, SubAction
from rlgpt_jax.loop import events
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.record import read_json, write_json, write_text
from rlgpt_jax.loop.spaces import trial_space
from rlgpt_jax.loop.tools import TRAIN, Tools
from rlgpt_jax.macros import refusal as macro_refusal
from rlgpt_jax.macros.bytecode import Program
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.rl.interface import RLInterface
from rlgpt_jax.rl.trial import trial

Attempts = dict[str, tuple[Attempt, ...]]  # by name of the sub-action


def attempt(
    config: LoopConfig, tools: Tools, iteration: int, number: int, name: str, answer: str | Refusal
) -> Attempt:
    """Checks code and, if it is accepted, runs its trial episodes."""
    made = _check(tools, iteration, number, name, answer)
    if not made.accepted:
        return made
    facts = _try_out(config, tools, iteration, number, name, made.source)
    return dataclasses.replace(made, trial=facts)


def _check(
    tools: Tools, iteration: int, number: int, name: str, answer: str | Refusal
) -> Attempt:
    """Parses the code and writes it, and a refusal, to the run folder."""
    program: Program | macro_refusal.Refusal
    if isinstance(answer, Refusal):
        source, program = "", macro_refusal.Refusal(0, 0, "", answer.reason, "")
    else:
        source, program = answer, parse_macro(answer, name, tools.sensors, tools.offer.sources)
    write_text(tools.folder.macro(iteration, name, f"try{number}.py"), source)
    if not isinstance(program, macro_refusal.Refusal):
        return Attempt(source, number=number)
    path = tools.folder.macro(iteration, name, f"try{number}.refusal.json")
    write_json(path, dataclasses.asdict(program))
    tools.on_event(events.Refused(iteration, number, name, program.describe()))
    return Attempt(source, refusal=program.describe(), number=number)


def _try_out(
    config: LoopConfig, tools: Tools, iteration: int, number: int, name: str, source: str
) -> str:
    """Facts of the trial episodes in words; read from the run folder if they are there."""
    path = tools.folder.macro(iteration, name, f"try{number}.trial.json")
    saved = read_json(path)
    if saved is None:
        with tools.folder.timed("trial"):
            report = trial(
                tools.world(TRAIN, config.trial_episodes),
                trial_space(source, name, tools.sensors, tools.tick_limit, tools.offer.sources),
                1, tools.rl, tools.seed_of("trial"), config.trial_episodes,
            )
        saved = {"words": report.describe(), "report": report.to_json()}
        write_json(path, saved)
    tools.on_event(events.Tried(iteration, number, name, saved["words"]))
    return saved["words"]


def fate(
    sub_action: SubAction, attempts: tuple[Attempt, ...] | None, state: PromptState
) -> Fate:
    """The latest accepted code counts, also if somebody wanted more; None is kept code."""
    name, kind = sub_action.name, sub_action.kind
    if attempts is None:
        return Fate(name, kind, source=state.latest_source(name), used="kept")
    accepted = [made for made in attempts if made.accepted]
    if not accepted:
        return Fate(name, kind, attempts)
    return Fate(name, kind, attempts, accepted[-1].source, f"try{accepted[-1].number}")


def finish_code(tools: Tools, iteration: int, fates: tuple[Fate, ...]) -> tuple[Fate, ...]:
    """Writes which code is in use; code of earlier iterations is copied."""
    for made in fates:
        if made.kept:
            write_text(tools.folder.macro(iteration, made.name, "kept.py"), made.source)
    records = [
        {
            "name": made.name,
            "planned": made.kind,
            "kind": made.kind if made.source else "learn",
            "used": made.used,
            "words": made.describe(),
        }
        for made in fates
    ]
    write_json(tools.folder.iteration(iteration, "fates.json"), records)
    tools.on_event(events.Coded(iteration, fates))
    return fates


def finish_interface(
    tools: Tools, state: PromptState, answer: RLInterface | Refusal
) -> RLInterface:
    """Writes how the training is set up; without a usable answer it is the run's own."""
    interface = (
        rl_setup.fallback(state, answer.reason) if isinstance(answer, Refusal) else answer
    )
    path = tools.folder.iteration(state.iteration, "interface.json")
    write_json(path, dataclasses.asdict(interface))
    words = rl_setup.describe(interface)
    tools.on_event(events.InterfaceSet(state.iteration, interface, words))
    return interface
