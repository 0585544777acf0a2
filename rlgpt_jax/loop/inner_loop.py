"""The inner loop: M tries of the fast agent for every coded sub-action of a plan.

All questions of one try are asked at the same time. Code outside the macro language goes
back with line and reason; accepted code runs in trial episodes, and the trial critic
reads all trials of the try at once. What the critic is content with is done.
"""

import dataclasses
from collections.abc import Mapping

from rlgpt_jax.agents import critic, fast
from rlgpt_jax.agents.ask import ask
from rlgpt_jax.agents.critic import Judgement
from rlgpt_jax.agents.llm.base import Request
from rlgpt_jax.agents.prompt_state import (
    KEEP,
    OK,
    Attempt,
    Fate,
    PromptState,
    Refusal,
    SubAction,
    Trial,
)
from rlgpt_jax.loop import events
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.record import read_json, write_json, write_text
from rlgpt_jax.loop.spaces import trial_space
from rlgpt_jax.loop.tools import TRAIN, Tools
from rlgpt_jax.macros import refusal as macro_refusal
from rlgpt_jax.macros.bytecode import Program
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.rl.trial import trial

Attempts = dict[str, tuple[Attempt, ...]]  # by name of the sub-action


def code_sub_actions(config: LoopConfig, tools: Tools, state: PromptState) -> tuple[Fate, ...]:
    """Runs the inner loop for `state.plan`. Returns one fate per coded sub-action."""
    coded = state.plan.coded
    attempts: Attempts = {s.name: () for s in coded if s.instruction != KEEP}
    judged: list[dict] = []
    for number in range(config.num_tries):
        todo = [s for s in coded if s.name in attempts and not _is_done(attempts[s.name])]
        if not todo:
            break
        for name, answer in _write(config, tools, state, todo, attempts, number).items():
            attempt = _check(tools, state.iteration, number, name, answer)
            if attempt.accepted:
                facts = _try_out(config, tools, state.iteration, number, name, attempt.source)
                attempt = dataclasses.replace(attempt, trial=facts)
            attempts[name] += (attempt,)
        judgements = _judge(config, tools, state, todo, attempts, number)
        judged.append({name: dataclasses.asdict(j) for name, j in judgements.items()})
        write_json(tools.folder.iteration(state.iteration, "trial_critiques.json"), judged)
    fates = tuple(_fate(s, attempts.get(s.name), state) for s in coded)
    _record(tools, state.iteration, fates)
    tools.on_event(events.Coded(state.iteration, fates))
    return fates


def _is_done(attempts: tuple[Attempt, ...]) -> bool:
    return bool(attempts) and attempts[-1].verdict == OK


def _write(
    config: LoopConfig, tools: Tools, state: PromptState, todo: list[SubAction],
    attempts: Attempts, number: int,
) -> dict[str, str | Refusal]:
    """Asks the fast agent for all of `todo` at the same time. Returns code by name."""
    requests = [
        Request(
            f"{config.key_prefix}iter{state.iteration}/fast/{s.name}/try{number}",
            "fast",
            fast.render(state.replace(sub_action=s, attempts=attempts[s.name]), tools.prompts),
        )
        for s in todo
    ]
    with tools.folder.timed("code"):
        answers = tools.asker.complete(requests)
    return {s.name: fast.parse(a.text) for s, a in zip(todo, answers, strict=True)}


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
        return Attempt(source)
    path = tools.folder.macro(iteration, name, f"try{number}.refusal.json")
    write_json(path, dataclasses.asdict(program))
    tools.on_event(events.Refused(iteration, number, name, program.describe()))
    return Attempt(source, refusal=program.describe())


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


def _judge(
    config: LoopConfig, tools: Tools, state: PromptState, todo: list[SubAction],
    attempts: Attempts, number: int,
) -> Mapping[str, Judgement]:
    """Asks the trial critic about the macros that ran in this try; adds its verdicts."""
    last = {s.name: attempts[s.name][-1] for s in todo}
    ran = tuple(
        Trial(s, last[s.name].source, last[s.name].trial) for s in todo if last[s.name].accepted
    )
    if not ran:
        return {}
    state = state.replace(trials=ran)
    key = f"{config.key_prefix}iter{state.iteration}/trial_critic/try{number}"
    with tools.folder.timed("code"):
        judgements = ask(
            tools.asker, key, "trial_critic", state, tools.prompts, critic.render_trials,
            critic.parse_trials,
        )
    if isinstance(judgements, Refusal):
        judgements = critic.fallback_trials(state)
    for name, judgement in judgements.items():
        judged = dataclasses.replace(last[name], **dataclasses.asdict(judgement))
        attempts[name] = (*attempts[name][:-1], judged)
    tools.on_event(events.Judged(state.iteration, number, judgements))
    return judgements


def _fate(
    sub_action: SubAction, attempts: tuple[Attempt, ...] | None, state: PromptState
) -> Fate:
    """The latest accepted code counts, also if the critic wanted more."""
    name, kind = sub_action.name, sub_action.kind
    if attempts is None:
        return Fate(name, kind, source=state.latest_source(name), used="kept")
    accepted = [number for number, attempt in enumerate(attempts) if attempt.accepted]
    if not accepted:
        return Fate(name, kind, attempts)
    return Fate(name, kind, attempts, attempts[accepted[-1]].source, f"try{accepted[-1]}")


def _record(tools: Tools, iteration: int, fates: tuple[Fate, ...]) -> None:
    """Writes which code is in use; code of earlier iterations is copied."""
    for fate in fates:
        if fate.kept:
            write_text(tools.folder.macro(iteration, fate.name, "kept.py"), fate.source)
    records = [
        {
            "name": fate.name,
            "planned": fate.kind,
            "kind": fate.kind if fate.source else "learn",
            "used": fate.used,
            "words": fate.describe(),
        }
        for fate in fates
    ]
    write_json(tools.folder.iteration(iteration, "fates.json"), records)
