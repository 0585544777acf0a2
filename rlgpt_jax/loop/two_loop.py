"""The two loops of RL-GPT. Read this file first.

    repeat N times:                                              outer loop
        plan    <- slow agent(task, what happened before)
        repeat M times for every coded sub-action of the plan:   inner loop
            code    <- fast agent(instruction, last code, refusal or critic's words)
            facts   <- trial episodes with the code
            verdict <- critic(facts)
        policy  <- PPO over primitives and coded actions
        report  <- evaluation in worlds that were not trained in
        memory  <- plan, what became of its code, report, critic(report)
    result <- the best iteration, evaluated in worlds that nothing was chosen by

What is asked next depends on the words of the models alone, never on a measured number:
a recorded conversation can be replayed on any machine. Every step leaves a file in the
run folder and is not done again if its file is there, so a run that was killed goes on
where it was and ends with the same bits.
"""

import dataclasses
from typing import Any

from rlgpt_jax.agents import critic, slow
from rlgpt_jax.agents.ask import ask
from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.agents.prompt_state import Fate, Memory, Plan, PromptState, Refusal, Setting
from rlgpt_jax.loop import events
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.inner_loop import code_sub_actions
from rlgpt_jax.loop.learning import Learning, Stage
from rlgpt_jax.loop.record import write_json
from rlgpt_jax.loop.spaces import Slots, make_space, place
from rlgpt_jax.loop.tools import Tools
from rlgpt_jax.macros import library
from rlgpt_jax.macros.actions import ITEM_ACTIONS, PLAIN_NAMES
from rlgpt_jax.rl.actions import HEAD0_LABELS, HEAD1_LABELS
from rlgpt_jax.rl.report import EvalReport

# A sub-action may not be called like something that macros call or reports count.
RESERVED = tuple(
    sorted({*HEAD0_LABELS, *HEAD1_LABELS, *PLAIN_NAMES, *ITEM_ACTIONS, "turn", "nothing"} - {""})
)


@dataclasses.dataclass(frozen=True)
class Iteration:
    """One finished turn of the outer loop."""

    plan: Plan
    fates: tuple[Fate, ...]
    slots: Slots
    stage: Stage
    report: EvalReport


@dataclasses.dataclass(frozen=True)
class Run:
    """What `run` returns."""

    result: dict[str, Any]  # the content of result.json
    iterations: tuple[Iteration, ...]
    learning: Learning  # `learning.params(iteration.stage)` gives its networks

    @property
    def best(self) -> Iteration:
        return self.iterations[self.result["best_iteration"]]


def run(config: LoopConfig, tools: Tools) -> Run:
    """Runs the two loops, or what is left of them in `tools.folder`."""
    tools.on_event(events.Started(config.mode, config.num_iterations, tools.folder.has_work))
    learning, setting = Learning(config, tools), make_setting(config, tools)
    done: tuple[Iteration, ...] = ()
    memory: tuple[Memory, ...] = ()
    for number in range(config.num_iterations):
        tools.on_event(events.IterationStarted(number))
        state = PromptState(setting, number, memory)
        if config.asks:
            state = state.replace(plan=make_plan(config, tools, state))
            state = state.replace(fates=code_sub_actions(config, tools, state))
        slots, stage = _make_stage(config, tools, state, done)
        report = learning.train_and_evaluate(stage)
        done += (Iteration(state.plan, state.fates, slots, stage, report),)
        if config.asks:
            state = state.replace(report=report.describe())
            critique = criticise(config, tools, state)
            memory += (
                Memory(state.plan, state.fates, _success(report), state.report, critique),
            )
    result = _finish(config, tools, done, learning)
    return Run(result, done, learning)


def make_setting(config: LoopConfig, tools: Tools) -> Setting:
    """What the agents are told about the run."""
    task = tools.task
    items = [f"{quantity} {name}" for name, quantity in task.start_items]
    return Setting(
        task=task.words,
        goal_item=task.goal_item,
        goal_quantity=task.goal_quantity,
        nearby=task.nearby,
        start_items=", ".join(items) or "nothing",
        biome=task.biome,
        horizon=task.horizon,
        api=library.prompt_text(tools.sensors, tools.offer.functions),
        sensors=tools.sensors,
        mode=config.agents_mode,
        structure=config.agents,
        design=config.design,
        decompose=config.decompose,
        num_iterations=config.num_iterations,
        num_tries=config.num_tries,
        ticks_per_iteration=config.ticks_per_iteration,
        macro_ticks=tools.tick_limit,
        reserved=(*RESERVED, *tools.offer.reserved),
        offered=tuple(
            (fate.name, doc)
            for fate, doc in zip(tools.offer.macros, tools.offer.docs, strict=True)
        ),
    )


def make_plan(config: LoopConfig, tools: Tools, state: PromptState) -> Plan:
    """Asks the slow agent how to split the task."""
    key = f"{config.key_prefix}iter{state.iteration}/slow"
    with tools.folder.timed("plan"):
        plan = ask(tools.asker, key, "slow", state, tools.prompts, slow.render, slow.parse)
    if isinstance(plan, Refusal):
        plan = slow.fallback(state, plan.reason)
    write_json(tools.folder.iteration(state.iteration, "plan.json"), dataclasses.asdict(plan))
    tools.on_event(events.Planned(state.iteration, plan))
    return plan


def criticise(config: LoopConfig, tools: Tools, state: PromptState) -> str:
    """Asks the critic about an evaluation. Returns its words for the slow agent."""
    key = f"{config.key_prefix}iter{state.iteration}/critic"
    with tools.folder.timed("critic"):
        critique = ask(
            tools.asker, key, "critic", state, tools.prompts, critic.render, critic.parse
        )
    if isinstance(critique, Refusal):
        critique = critic.fallback(critique.reason)
    path = tools.folder.iteration(state.iteration, "critique.json")
    write_json(path, dataclasses.asdict(critique))
    tools.on_event(events.Criticised(state.iteration, critique))
    return critique.describe()


def _make_stage(
    config: LoopConfig, tools: Tools, state: PromptState, done: tuple[Iteration, ...]
) -> tuple[Slots, Stage]:
    """Which code goes into which slot, and the action space that results."""
    old, before = (done[-1].slots, done[-1].stage) if done else (Slots(), None)
    slots = place((*tools.offer.macros, *state.fates), old)
    space = make_space(
        slots, state.fates, config.mode == "pure_code", tools.sensors, tools.tick_limit,
        tools.offer.sources,
    )
    return slots, Stage(state.iteration, space, slots.changed_since(old), before)


def _success(report: EvalReport) -> str:
    return (
        f"{report.success_rate:.0%} of {report.num_episodes} episodes succeeded "
        f"(95 % interval {report.success_low:.0%} to {report.success_high:.0%})"
    )


def best_of(reports: list[EvalReport]) -> int:
    """Index of the highest success rate; of equal ones the quickest, then the first."""
    return max(range(len(reports)), key=lambda i: (reports[i].success_rate, -reports[i].mean_ticks))


def _finish(
    config: LoopConfig, tools: Tools, done: tuple[Iteration, ...], learning: Learning
) -> dict[str, Any]:
    """Evaluates the best iteration in held-out worlds and writes result.json."""
    reports = [iteration.report for iteration in done]
    best = best_of(reports)
    final = learning.evaluate_held_out(done[best].stage)
    result = {
        "task": tools.task.name,
        "mode": config.mode,
        "seed": tools.seed,
        "best_iteration": best,
        "success_rate": final.success_rate,
        "success_low": final.success_low,
        "success_high": final.success_high,
        "num_episodes": final.num_episodes,
        "successes": final.successes,
        "validation_by_iteration": [r.success_rate for r in reports],
        "ticks": learning.ticks,
        **_replayed(tools),
        "wall_seconds": tools.folder.seconds(),
    }
    write_json(tools.folder.path("result.json"), result)
    tools.on_event(events.Finished(result))
    return result


def _replayed(tools: Tools) -> dict[str, Any]:
    """How far the prompts of a replayed run are from the recorded ones."""
    if not isinstance(tools.provider, Replay) or not tools.folder.transcript.exists():
        return {}
    compared = tools.provider.compare(transcript.read(tools.folder.transcript))
    return {
        "prompts_replayed": compared.num_requests,
        "prompts_differ": compared.num_mismatches,
        "first_difference": compared.first_mismatch,
    }
