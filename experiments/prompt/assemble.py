"""Puts a prompt together from prompts/ and from what a transcript has recorded."""

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.configs import base
from experiments.run import make_tools, offer_of
from experiments.values import ConfigError
from rlgpt_jax import files
from rlgpt_jax.agents import critic, fast, one, planner, rl_setup, slow
from rlgpt_jax.agents.ask import Question, ask_all
from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.agents.prompt_state import KEEP, Attempt, Memory, PromptState, Refusal, Trial
from rlgpt_jax.envs.plan import recipe_graph
from rlgpt_jax.loop import long_task, two_loop
from rlgpt_jax.loop.attempts import fate, others
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.library import store
from rlgpt_jax.loop.record import RunFolder
from rlgpt_jax.loop.tools import Tools

FACTS = "(measured in a run)"
RENDER = {
    "planner": planner.render, "slow": slow.render, "fast": fast.render, "one": one.render,
    "rl_setup": rl_setup.render, "trial_critic": critic.render_trials, "critic": critic.render,
}  # fmt: skip


def text(config: base.Config, agent: str, iteration: int) -> str:
    """The prompt of an agent.

    Raises:
      ConfigError: the transcript lacks what was said before, or nobody is asked that.
    """
    loop, tools = config.loop, _tools(config)
    facts = recipe_graph.describe(tools.minecraft_task.goal_item) if loop.planner else ""
    state = PromptState(two_loop.make_setting(loop, tools), facts=facts)
    if loop.planner and agent != "planner":
        plan = _said(tools, "planner", state, planner.parse)
        task, first = long_task.sub_task_of(tools.minecraft_task, plan, 0), plan.sub_tasks[0]
        tools = dataclasses.replace(tools, task=task, key_prefix=f"task/{first.name}/")
        loop = long_task.config_of(loop, first)
        state = PromptState(two_loop.make_setting(loop, tools))
    for number in range(iteration):
        memory = (*state.memory, _remembered(loop, tools, state))
        best = number if loop.mends else None
        state = PromptState(state.setting, number + 1, memory, best=best)
    if agent not in ("planner", "slow", "one"):
        state = _asked(agent, _decided(loop, tools, state))
    return RENDER[agent](state, tools.prompts)[0].text


def _tools(config: base.Config) -> Tools:
    """What the loops are given, with the recorded answers in the place of a model."""
    path, library = files.CHECKOUT / config.llm.transcript, config.macros.library
    offer = offer_of(config, store.load(Path(library)) if library else ())
    # Nothing is written: any folder that exists will do.
    return make_tools(config, RunFolder(Path()), Replay(path) if path.is_file() else None, offer)


def _asked(agent: str, state: PromptState) -> PromptState:
    """With what the agent is asked about."""
    if agent not in ("fast", "trial_critic"):
        return state
    sources = {fate.name: fate.source for fate in state.fates}
    new = [s for s in state.plan.coded if s.instruction != KEEP]
    if agent == "fast" and new:
        return state.replace(sub_action=new[0], others=others(state, new[0].name, {}))
    trials = tuple(Trial(s, sources[s.name], FACTS) for s in new if sources[s.name])
    if not trials:
        raise ConfigError(f"{agent}: no code was written in iteration {state.iteration}.")
    return state.replace(trials=trials)


def _decided(loop: LoopConfig, tools: Tools, state: PromptState) -> PromptState:
    """With plan, code and set-up of the iteration, evaluated."""
    key = functools.partial(tools.request_key, loop, state.iteration)
    sources: dict[str, list[Any]]  # of every try, by sub-action
    if loop.agents == "one":
        answer = _said(tools, key("one", "try0"), state, one.parse)
        plan, interface = answer.plan, answer.interface
        sources = {name: [source] for name, source in answer.sources.items()}
    else:
        plan = _said(tools, key("slow"), state, slow.parse)
        new = [s.name for s in plan.coded if s.instruction != KEEP]
        keys = {name: [key("fast", name, f"try{n}") for n in range(loop.num_tries)] for name in new}
        sources = {name: [_answer(tools, k, state, fast.parse) for k in keys[name]] for name in new}
        rl = state.replace(plan=plan)
        interface = _answer(tools, key("fast", "rl"), rl, rl_setup.parse)
    made = {
        name: tuple(Attempt(source, trial=FACTS, number=number)
                    for number, source in enumerate(found) if not isinstance(source, Refusal))
        for name, found in sources.items()
    }  # fmt: skip
    words = [FACTS] if interface is None or isinstance(interface, Refusal) else [
        rl_setup.describe(interface, tools.task.spec), FACTS
    ]  # fmt: skip
    return state.replace(
        plan=plan, fates=tuple(fate(s, made.get(s.name), state) for s in plan.coded),
        interface="\n".join(words), report=FACTS, comparison=FACTS if state.memory else "",
    )  # fmt: skip


def _remembered(loop: LoopConfig, tools: Tools, state: PromptState) -> Memory:
    """An iteration as later ones are told of it."""
    state, critique = _decided(loop, tools, state), None
    if loop.has_critic:
        key = tools.request_key(loop, state.iteration, "critic")
        critique = _said(tools, key, state, critic.parse)
    return Memory(state.plan, state.fates, FACTS, FACTS, critique, state.interface)


def _said(tools: Tools, key: str, state: PromptState, parse: Callable[..., Any]) -> Any:
    """The recorded answer to a question that others are told of."""
    answer = _answer(tools, key, state, parse)
    if isinstance(answer, Refusal):
        raise ConfigError(
            f"the prompt tells what was answered to {key}: {answer.reason} Give a recorded "
            "conversation with --config.llm.transcript=FILE, or choose a lower --iteration."
        )
    return answer


def _answer(tools: Tools, key: str, state: PromptState, parse: Callable[..., Any]) -> Any:
    """The recorded answer to a question, or why there is none."""
    if tools.provider is None:
        return Refusal("There is no transcript.")
    question = Question(key, "", state, lambda *_: (), parse)
    return ask_all(tools.provider, tools.prompts, [question])[0]
