"""The two loops of RL-GPT. Read this file first.

    repeat N times:                                              outer loop
        plan    <- slow agent(task, memory of earlier iterations)
        repeat M times for every coded sub-action of the plan:   inner loop
            code    <- fast agent(instruction, versions before, critic's words)
            facts   <- trial episodes with the code, or a refusal
            verdict <- trial critic(facts)                       not in the last try
        set-up  <- fast agent(plan, code)                        asked with the last try
        policy  <- PPO over primitives and coded actions, set up so
        report  <- evaluation in worlds that were not trained in, and of the code alone there
        words   <- critic(report, report before), to the slow and to the fast agent
        memory  <- plan, what became of its code, set-up, report, words
    result <- the best policy and the best code alone, evaluated in worlds that nothing was
              chosen by; the run ends with the one that was better before

`loop.agents` leaves agents out (the paper's Table 4). slow_fast: no critic; the fast agent
reads the facts of its trials and says when it keeps its code, the slow agent reads the
report. one: a single agent gives plan, code and set-up in one answer, and in the next try
what it changes. Which files do that: `inner_loop.py` and `one_loop.py`.

What is asked next depends on the words of the models alone, never on a measured number:
a recorded conversation can be replayed on any machine. Every step leaves a file in the
run folder and is not done again if its file is there, so a run that was killed goes on
where it was and ends with the same bits.
"""

import dataclasses
import functools
from typing import Any

from rlgpt_jax.agents import critic, rl_setup, slow
from rlgpt_jax.agents.ask import Question
from rlgpt_jax.agents.prompt_state import Critique, Memory, Plan, PromptState, Refusal
from rlgpt_jax.agents.setting import Setting
from rlgpt_jax.envs.spec import SpecTask, WorldSpec
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.loop import cases, events
from rlgpt_jax.loop.compare import compare
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.inner_loop import code_sub_actions
from rlgpt_jax.loop.learning import Learning, Stage
from rlgpt_jax.loop.one_loop import plan_and_code, record_plan
from rlgpt_jax.loop.pictures import frames
from rlgpt_jax.loop.record import CODED_PARTS, write_json
from rlgpt_jax.loop.result import Iteration, Iterations, best_of, coded_parts_alone, finish
from rlgpt_jax.loop.spaces import Slots, changed_slots, make_space, place
from rlgpt_jax.loop.tools import Tools, given
from rlgpt_jax.loop.trials import Trials
from rlgpt_jax.macros import api
from rlgpt_jax.macros.actions import ITEM_ACTIONS, PLAIN_NAMES
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.interface import HEAD0_LABELS, HEAD1_LABELS, RLInterface

_OTHERS = {"nothing", "rl"}
_ACTIONS = {*HEAD0_LABELS, *HEAD1_LABELS, *PLAIN_NAMES, *ITEM_ACTIONS, "turn"} - {""}


def reserved(spec: WorldSpec | None) -> tuple[str, ...]:
    """Names that a sub-action may not have: macros call them, reports count them or, as "rl",
    questions are named by them."""
    return tuple(sorted(_OTHERS | ({action.name for action in spec.actions} if spec else _ACTIONS)))


@dataclasses.dataclass(frozen=True)
class Run:
    """What `run` returns."""

    result: dict[str, Any]  # the content of result.json
    iterations: Iterations
    learning: Learning  # `learning.params(iteration.stage)` gives its networks

    @property
    def best(self) -> Iteration:
        """The iteration whose policy is the best, or whose code, where there is no learning."""
        return self.iterations[self.result["best_iteration"]]

    @property
    def ends_with(self) -> tuple[Iteration, Stage]:
        """What the run is quoted by: the best policy, or the best code alone where that is
        better in the validation worlds."""
        if self.result.get("ends_with") != CODED_PARTS:
            return self.best, self.best.stage
        iteration = self.iterations[self.result["coded_parts"]["iteration"]]
        assert iteration.alone is not None
        return iteration, iteration.alone.stage


def run(config: LoopConfig, tools: Tools) -> Run:
    """Runs the two loops, or what is left of them in `tools.folder`."""
    tools.on_event(events.Started(config.mode, config.num_iterations, tools.folder.has_work))
    frames.check(tools, config.eval_lanes(tools.rl.ppo.num_envs))
    learning, setting = Learning(config, tools), make_setting(config, tools)
    done: Iterations = ()
    memory: tuple[Memory, ...] = ()
    for number in range(config.num_iterations):
        tools.on_event(events.IterationStarted(number))
        best = best_of([i.report for i in done]) if done and config.mends else None
        state = PromptState(setting, number, memory, best=best)
        interface = tools.set_up
        if config.asks:
            last = done[-1].stage if done and config.learns else None
            policy = functools.partial(learning.policy, last) if last else lambda: None
            state, interface = design(Trials(config, tools, state, policy))
        slots, stage = _make_stage(config, tools, state, interface, done)
        report = learning.train_and_evaluate(stage)
        now = Iteration(state.fates, slots, stage, report)
        alone = coded_parts_alone(config, tools, now, done, learning)
        done += (dataclasses.replace(now, alone=alone),)
        if not config.asks:
            continue
        cases.play(config, tools, number, functools.partial(learning.policy, stage))
        state = state.replace(interface=_joined(state.interface, learning.trained(stage)))
        memory += (remember(config, tools, state, done),)
        if config.stop_when_solved and memory[-1].is_solved:
            tools.on_event(events.Solved(number))
            break
    result = finish(config, tools, done, learning)
    return Run(result, done, learning)


def make_setting(config: LoopConfig, tools: Tools) -> Setting:
    """What the agents are told about the run."""
    task, spec = tools.task, tools.task.spec
    return Setting(
        task=task.words,
        **_goal(task),
        spec=spec,
        horizon=task.horizon,
        api=api.prompt_text(tools.sensors, tools.offer.functions, spec),
        sensors=tools.sensors,
        mode=config.agents_mode,
        structure=config.agents,
        design=config.design,
        decompose=config.decompose,
        num_iterations=config.num_iterations,
        num_tries=config.num_tries,
        memory_characters=config.memory_characters,
        ticks_per_iteration=config.ticks_per_iteration,
        given=given(task, tools.rl, config.warm_start),
        macro_ticks=tools.tick_limit,
        reserved=(*reserved(spec), *tools.offer.reserved),
        offered=tuple(
            (fate.name, doc) for fate, doc in zip(tools.offer.macros, tools.offer.docs, strict=True)
        ),
    )


def _goal(task: Task | SpecTask) -> dict[str, Any]:
    """What only Minecraft has of a `Setting`."""
    if isinstance(task, SpecTask):
        return dict(goal_item="", goal_quantity=0, start_items="", biome="")
    items = [f"{quantity} {name}" for name, quantity in task.start_items]
    return dict(
        goal_item=task.goal_item, goal_quantity=task.goal_quantity, nearby=task.nearby,
        start_items=", ".join(items) or "nothing", biome=task.biome,
    )  # fmt: skip


def design(trials: Trials) -> tuple[PromptState, RLInterface]:
    """All that agents decide before the training of an iteration.

    Returns:
      The state with plan, fates and words about the set-up, and the set-up itself.
    """
    config, tools, state = trials.config, trials.tools, trials.state
    if config.agents == "one":
        plan, fates, interface = plan_and_code(trials)
    else:
        plan = make_plan(config, tools, state)
        planned = dataclasses.replace(trials, state=state.replace(plan=plan))
        fates, interface = code_sub_actions(planned)
    words = rl_setup.describe(interface, tools.task.spec) if config.sets_up_rl else ""
    return state.replace(plan=plan, fates=fates, interface=words), interface


def make_plan(config: LoopConfig, tools: Tools, state: PromptState) -> Plan:
    """Asks the slow agent how to split the task."""
    key = tools.request_key(config, state.iteration, "slow")
    question = Question(key, "slow", state, slow.render, slow.parse, slow.schema(state))
    plan = tools.ask(question, "plan")
    if isinstance(plan, Refusal):
        plan = slow.fallback(state, plan.reason)
    record_plan(tools, state.replace(plan=plan))
    return plan


def remember(config: LoopConfig, tools: Tools, state: PromptState, done: Iterations) -> Memory:
    """What later iterations are told of this one, with the critic's words if there is one.

    It is compared with the iteration before, or with the best one where its program was mended.
    """
    reports, alone = [iteration.report for iteration in done], done[-1].alone
    *earlier, report = reports
    before = earlier[-1 if state.best is None else state.best] if earlier else None
    words = f"The coded parts alone, without the policy: {_success(alone.report)}" if alone else ""
    by_case = cases.told(tools, state.iteration, state.best, reports)
    state = state.replace(
        report=_joined(report.describe(tools.critic.facts), words and f"{words}.", by_case),
        comparison=compare(before, report),
    )
    critique = criticise(config, tools, state) if config.has_critic else None
    success = "; ".join(filter(None, (_success(report), words)))
    return Memory(state.plan, state.fates, success, state.report, critique, state.interface)


def criticise(config: LoopConfig, tools: Tools, state: PromptState) -> Critique:
    """Asks the critic about an evaluation: its words for the slow and the fast agent."""
    images, words = frames.shown(tools, state.iteration)
    state = state.replace(images=images, images_words=words)
    key = tools.request_key(config, state.iteration, "critic")
    question = Question(key, "critic", state, critic.render, critic.parse, critic.schema(state))
    critique = tools.ask(question, "critic")
    if isinstance(critique, Refusal):
        critique = critic.fallback(critique.reason)
    path = tools.folder.iteration(state.iteration, "critique.json")
    write_json(path, dataclasses.asdict(critique))
    tools.on_event(events.Criticised(state.iteration, critique))
    return critique


def _make_stage(
    config: LoopConfig, tools: Tools, state: PromptState, interface: RLInterface, done: Iterations
) -> tuple[Slots, Stage]:
    """Which code goes into which slot, and the action space that results."""
    wants_best = config.warm_start and interface.network == "best"
    begins = done[best_of([i.report for i in done]) if wants_best else -1] if done else None
    old = begins.slots if begins else ()
    slots = place((*tools.offer.macros, *state.fates), old)
    space = make_space(slots, state.fates, config.mode == "pure_code", tools.language, interface)
    changed, before = changed_slots(slots, old), done[-1].stage if done else None
    network_of = begins.stage if begins else None
    return slots, Stage(state.iteration, space, changed, before, interface, network_of)


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _success(report: EvalReport) -> str:
    return (
        f"{report.success_rate:.0%} of {report.num_episodes} episodes succeeded "
        f"(95 % interval {report.success_low:.0%} to {report.success_high:.0%})"
    )
