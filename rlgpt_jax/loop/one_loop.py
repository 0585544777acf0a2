"""The inner loop of one agent that plans, codes and sets up the training.

Every try is one question. Refusals and the bare facts of trials go back to the agent; it
answers with what it changes, or that it keeps everything.
"""

import dataclasses

from rlgpt_jax.agents import one, rl_setup, slow
from rlgpt_jax.agents.ask import Question
from rlgpt_jax.agents.one import Answer
from rlgpt_jax.agents.prompt_state import KEEP, Fate, Plan, PromptState, Refusal
from rlgpt_jax.loop import events
from rlgpt_jax.loop.attempts import attempt, fates_of, finish_code, finish_interface
from rlgpt_jax.loop.record import write_json
from rlgpt_jax.loop.tools import Tools
from rlgpt_jax.loop.trials import Attempts, Trials
from rlgpt_jax.rl.interface import DEFAULT, RLInterface


def plan_and_code(trials: Trials) -> tuple[Plan, tuple[Fate, ...], RLInterface]:
    """Runs the tries of one iteration. Returns plan, fates and the set-up of the training."""
    config, tools, state = trials.config, trials.tools, trials.state
    attempts: Attempts = {}
    interface = DEFAULT
    for number in range(config.num_tries):
        answer = _ask(trials, attempts, interface, number)
        if isinstance(answer, Refusal):
            if number > 0:
                break  # asked twice; what it wrote before stays
            interface = rl_setup.fallback(answer.reason)
            answer = Answer(slow.fallback(state, answer.reason))
        if answer.keeps:
            for name in attempts:
                tools.on_event(events.Kept(state.iteration, number, name))
            break
        if answer.plan is not None:
            state = state.replace(plan=_with_instructions(answer.plan, state.plan, attempts))
            record_plan(tools, state)
            trials = dataclasses.replace(trials, state=state)
        if answer.interface is not None:
            interface = answer.interface
        attempts = _apply(trials, attempts, answer, number)
        trials.run(number, attempts)
        if not attempts:
            break  # nothing to try: all is learned or kept
    fates = finish_code(tools, state, attempts)
    set_up = finish_interface(tools, state, interface) if config.sets_up_rl else DEFAULT
    return state.plan, fates, set_up


def record_plan(tools: Tools, state: PromptState) -> None:
    """Writes `state.plan` and tells of it."""
    path = tools.folder.iteration(state.iteration, "plan.json")
    write_json(path, dataclasses.asdict(state.plan))
    tools.on_event(events.Planned(state.iteration, state.plan))


def _ask(
    trials: Trials, attempts: Attempts, interface: RLInterface, number: int
) -> Answer | Refusal:
    """One try: shows what became of the tries before."""
    config, tools, state = trials.config, trials.tools, trials.state
    words = rl_setup.describe(interface, tools.task.spec) if config.sets_up_rl else ""
    told = state.replace(number=number, fates=fates_of(state, attempts), interface=words)
    question = Question(trials.key("one", f"try{number}"), "one", told, one.render, one.parse)
    return tools.ask(question, "plan")


def _with_instructions(plan: Plan, before: Plan, attempts: Attempts) -> Plan:
    """A part that keeps the code of this iteration also keeps the instruction it had."""
    old = {s.name: s.instruction for s in before.sub_actions if s.name in attempts}
    parts = (
        dataclasses.replace(s, instruction=old.get(s.name, KEEP)) if s.instruction == KEEP else s
        for s in plan.sub_actions
    )
    return dataclasses.replace(plan, sub_actions=tuple(parts))


def _apply(trials: Trials, attempts: Attempts, answer: Answer, number: int) -> Attempts:
    """The attempts at the plan's coded sub-actions, with the code of this answer."""
    made: Attempts = {}
    for s in trials.state.plan.coded:
        before = attempts.get(s.name)
        code: str | Refusal | None = answer.sources.get(s.name)
        if code is None and before is None and s.instruction != KEEP:
            code = Refusal(f"The answer held no ```python block with def {s.name}(obs).")
        if code is not None:
            new = attempt(trials, number, s.name, code, attempts)
            made[s.name] = (*(before or ()), new)
        elif before is not None:
            made[s.name] = before
    return made
