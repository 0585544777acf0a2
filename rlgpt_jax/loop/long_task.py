"""Long tasks: a planner splits one into sub-tasks that are solved one after the other.

    plan    <- planner(task, what is made of what)           asked once, and once more
    for every sub-task of the plan, in its order:            if the recipes forbid it
        task    <- its goal, its needs as start inventory, its time limit
        run     <- the two loops for that task               in tasks/<name>/
        skill   <- the best iteration                        in skills/<name>/
    report  <- the whole task, from nothing, with all skills

Sub-tasks are trained one after the other on all lanes, and so are their questions asked: a
sub-task's own questions go out together as always. One transcript and one budget serve all.
Every sub-task, the plan and the evaluations leave files and are not done again. In mode pure_rl
nobody is asked, and a search over basic skills plans (`baselines/skill_search.py`).
"""

import dataclasses
from typing import Any

from rlgpt_jax.agents import planner
from rlgpt_jax.agents.ask import Question
from rlgpt_jax.agents.planner import CODE, SubTask, TaskPlan
from rlgpt_jax.agents.prompt_state import PromptState, Refusal
from rlgpt_jax.envs.plan import on_paper, recipe_graph, rules, skill_graph
from rlgpt_jax.envs.plan.on_paper import Step
from rlgpt_jax.envs.plan.sources import STATIONS
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from rlgpt_jax.envs.voxel.rules.player.tools import STACK
from rlgpt_jax.loop import events, skills, two_loop
from rlgpt_jax.loop.baselines import skill_search
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.record import RunFolder, kept, read_json, write_json
from rlgpt_jax.loop.result import rate_of, replayed
from rlgpt_jax.loop.spaces import Language
from rlgpt_jax.loop.tools import EVAL, VALIDATION, Tools
from rlgpt_jax.rl.chain.evaluate import ChainReport, evaluate_chain
from rlgpt_jax.rl.chain.rule import Goal
from rlgpt_jax.rl.chain.skills import Chain, Skill


class TaskPlanned(events.Event):
    """Event: how the long task is split."""

    plan: TaskPlan


class SubTaskStarted(events.Event):
    """Event: the loops of one sub-task begin, or are skipped because its skill is there."""

    number: int  # from 0
    num_sub_tasks: int
    sub_task: SubTask
    is_done: bool


class ChainEvaluated(events.Event):
    """Event: the long task was played with all skills."""

    report: ChainReport


@dataclasses.dataclass(frozen=True)
class LongRun:
    """What `run` returns."""

    result: dict[str, Any]  # the content of result.json
    chain: Chain


def run(config: LoopConfig, tools: Tools) -> LongRun:
    """Plans, solves the sub-tasks and plays the whole, or what is left of that."""
    plan = make_plan(config, tools)
    for number in range(len(plan.sub_tasks)):
        solve(config, tools, plan, number)
    chain = load_chain(config, tools, plan)
    validation = play(config, tools, chain, VALIDATION, "validation_eval.json")
    final = play(config, tools, chain, EVAL, "final_eval.json")
    result = _result(config, tools, plan, validation, final)
    write_json(tools.folder.path("result.json"), result)
    tools.on_event(events.Finished(result))
    return LongRun(result, chain)


def make_plan(config: LoopConfig, tools: Tools) -> TaskPlan:
    """The planner's plan, or that of the search."""
    task = tools.minecraft_task
    plan = ask_planner(config, tools) if config.asks else skill_search.make_plan(task)
    names, edges = [s.name for s in plan.sub_tasks], rules.edges(steps_of(task, plan))
    # For every sub-task those whose goals it needs: the plan as a graph, for readers.
    after = {name: [names[k] for k in row] for name, row in zip(names, edges, strict=True)}
    write_json(tools.folder.path("task_plan.json"), dataclasses.asdict(plan) | {"after": after})
    tools.on_event(TaskPlanned(plan))
    return plan


def ask_planner(config: LoopConfig, tools: Tools) -> TaskPlan:
    """Asks the planner. A plan that the recipe tables forbid is refused with the reason."""
    task = tools.minecraft_task
    facts = recipe_graph.describe(task.goal_item)
    state = PromptState(two_loop.make_setting(config, tools), facts=facts)

    def parse(text: str, state: PromptState) -> TaskPlan | Refusal:
        plan = planner.parse(text, state)
        wrong = "" if isinstance(plan, Refusal) else rules.check(
            steps_of(task, plan), task.start_items, task.goal_item, task.goal_quantity
        )  # fmt: skip
        return Refusal(wrong) if wrong else plan

    key = f"{tools.key_prefix}planner"
    question = Question(key, "planner", state, planner.render, parse, planner.SCHEMA)
    plan = tools.ask(question, "plan")
    if isinstance(plan, Refusal):
        plan = planner.fallback(state, plan.reason)
        whole = dataclasses.replace(plan.sub_tasks[0], needs=task.start_items)
        plan = dataclasses.replace(plan, sub_tasks=(whole,))
    return plan


def steps_of(task: Task, plan: TaskPlan) -> tuple[Step, ...]:
    """The plan as the rules read it."""
    last = len(plan.sub_tasks) - 1
    return tuple(
        Step(s.name, s.item, s.quantity, s.needs, s.solve != CODE, task.nearby and i == last)
        for i, s in enumerate(plan.sub_tasks)
    )


def sub_task_of(task: Task, plan: TaskPlan, number: int) -> Task:
    """A sub-task as a task: it starts with its needs, in the land of the long task."""
    sub_task, step = plan.sub_tasks[number], steps_of(task, plan)[number]
    return dataclasses.replace(
        task,
        name=f"{task.name}/{sub_task.name}",
        words=sub_task.words.strip().rstrip("."),
        goal_item=sub_task.item,
        goal_quantity=sub_task.quantity,
        start_items=tuple(s for item, n in sub_task.needs for s in stacks(item, n)),
        horizon=sub_task.ticks,
        sources=on_paper.targets(step),
        nearby=step.placed,
        stages=(),
    )


def stacks(item: str, pieces: int) -> list[tuple[str, int]]:
    """Full stacks and a rest: one slot each."""
    full = int(STACK[item_id(item)])
    sizes = [full] * (pieces // full) + [pieces % full]
    return [(item, size) for size in sizes if size]


def config_of(config: LoopConfig, sub_task: SubTask) -> LoopConfig:
    """The loops of one sub-task; crafting is code alone, planned as such."""
    config = dataclasses.replace(config, planner=False, stop_when_solved=True)
    if sub_task.solve != CODE:
        return config
    design = "action" if config.design == "reward" else config.design
    return dataclasses.replace(config, mode="pure_code", pure_code_plan="own", design=design)


def tools_of(tools: Tools, task: Task, name: str) -> Tools:
    """Own folder, seed and keys; the model, its transcript and the budget are shared."""
    make_env = tools.make_env
    given = dataclasses.replace(
        tools, task=task, folder=RunFolder(tools.folder.path("tasks", name)),
        key_prefix=f"{tools.key_prefix}task/{name}/", seed=tools.seed_of("task", name),
        make_env=lambda split, num_envs, seed, other=None: make_env(
            split, num_envs, seed, other or task
        ),
    )  # fmt: skip
    if tools.provider is not None:
        object.__setattr__(given, "asker", tools.asker)  # a cached property of a frozen record
    return given


def solve(config: LoopConfig, tools: Tools, plan: TaskPlan, number: int) -> None:
    """Runs the loops of one sub-task and keeps its best iteration as a skill."""
    sub_task = plan.sub_tasks[number]
    folder = tools.folder.path("skills", sub_task.name)
    is_done = skills.is_saved(folder)
    tools.on_event(SubTaskStarted(number, len(plan.sub_tasks), sub_task, is_done))
    if is_done:
        return
    task, own, solver = (
        (sub_task_of(tools.minecraft_task, plan, number), config_of(config, sub_task), two_loop.run)
        if config.asks
        else skill_search.solver_of(config, tools, plan, sub_task)
    )
    given = tools_of(tools, task, sub_task.name)
    write_json(given.folder.path("task.json"), dataclasses.asdict(task))
    solved = solver(own, given)
    best, stage = solved.ends_with
    space, rl = stage.space, given.rl.set_up(stage.interface)
    # A fixed program needs nothing in the hand.
    needs = sub_task.needs if config.asks or own.learns else ()
    skill = Skill(
        Goal(sub_task.name, sub_task.item, sub_task.quantity, needs, sub_task.ticks, own.learns),
        space, rl.observation, None if space.repeat_script else solved.learning.params(stage),
        rl.reward.targets or task.sources,
    )  # fmt: skip
    fates = best.slots or ((Language().idle,) if space.repeat_script else ())
    # What is the same after every way of getting there.
    brief = {k: v for k, v in solved.result.items() if k != "wall_seconds"}
    about = {"task": task.name, "words": task.words, "result": brief}
    skills.save(folder, skill, fates, given, stage.interface, about)


def load_chain(config: LoopConfig, tools: Tools, plan: TaskPlan) -> Chain:
    """The skills of a plan, read from the run folder."""
    loaded = tuple(skills.load(tools.folder.path("skills", s.name)) for s in plan.sub_tasks)
    if not config.asks:
        return skill_search.chain_of(tools.minecraft_task, loaded)
    steps = steps_of(tools.minecraft_task, plan)
    names = {item for step in steps for item in (step.item, *(name for name, _ in step.needs))}
    items = {item for name in names for item in recipe_graph.closure(name)}
    items |= {*recipe_graph.FUEL_ORDER, *STATIONS}
    return Chain(
        loaded,
        tuple(sorted(items)),
        lambda index, held, near: on_paper.reachable(steps[index], held, near),
    )


def play(config: LoopConfig, tools: Tools, chain: Chain, split: str, file: str) -> ChainReport:
    """The long task from its start, with all skills."""

    def make() -> ChainReport:
        episodes, seed = config.eval_episodes, tools.seed_of("evaluate", split)
        tools.on_event(events.Evaluating(0, episodes))
        with tools.folder.timed("evaluate"):
            world = tools.world(split, config.eval_lanes(tools.rl.ppo.num_envs))
            task = tools.task.name
            return evaluate_chain(
                world, chain, tools.rl, seed, num_episodes=episodes, task=task, split=split
            )

    report = kept(tools.folder.path(file), ChainReport.from_json, make)
    tools.on_event(ChainEvaluated(report))
    return report


def _result(
    config: LoopConfig, tools: Tools, plan: TaskPlan, validation: ChainReport, final: ChainReport
) -> dict[str, Any]:
    """The content of result.json."""
    whole, seconds = final.whole, dict(tools.folder.seconds())
    parts, ticks, trial_ticks = [], 0, 0
    for sub_task, reached in zip(plan.sub_tasks, final.sub_tasks, strict=True):
        folder = RunFolder(tools.folder.path("tasks", sub_task.name))
        own = read_json(folder.path("result.json"))
        ticks, trial_ticks = ticks + own["ticks"], trial_ticks + own.get("trial_ticks", 0)
        for phase, spent in folder.seconds().items():
            seconds[phase] = round(seconds.get(phase, 0.0) + spent, 3)
        is_find = not config.asks and sub_task.name == skill_graph.FIND
        parts.append({
            "name": sub_task.name, "solve": sub_task.solve,
            "alone": None if is_find else {  # a find has no success of its own
                k: own[k] for k in ("success_rate", "success_low", "success_high",
                                    "num_episodes", "best_iteration", "ticks")
            },
            "coded_parts": own.get("coded_parts"),  # None where code is all there is
            "in_chain": dataclasses.asdict(reached),
        })  # fmt: skip
    return {
        "task": tools.task.name,
        "mode": config.mode,
        "planner": True,
        "seed": tools.seed,
        **rate_of(whole),
        "validation": validation.whole.success_rate,
        "sub_tasks": parts,
        "ticks": ticks,
        "trial_ticks": trial_ticks,
        **replayed(tools),
        "wall_seconds": seconds,
    }
