"""Plan4MC's way to solve a task: basic skills, and a search instead of a planner agent.

    plan    <- the skills that the search takes from the task's start (`envs/plan/skill_graph.py`)
    find    PPO that is paid for new ground alone; one for all that the task looks for
    harvest, place    PPO, from starts with what the skill needs, its target within `NEAR` blocks
    craft   a fixed program, evaluated as it is
    whole   after every skill the search is made again from what is held and near

Nobody is asked. `long_task.py` runs all of it, with folders, files and results as for a plan of
the agent. Source: arXiv 2303.16563 and github.com/PKU-RL/Plan4MC; what differs and why:
`docs/baselines.md`.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping

from rlgpt_jax.agents.planner import CODE, LOOP, SubTask, TaskPlan
from rlgpt_jax.agents.prompt_state import Fate
from rlgpt_jax.envs.plan import skill_graph
from rlgpt_jax.envs.plan.skill_graph import FIND, Graph
from rlgpt_jax.envs.plan.skill_graph import Skill as Node
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import DROPS
from rlgpt_jax.loop import events, two_loop
from rlgpt_jax.loop.baselines.crafting import source_of
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.learning import Learning, Stage
from rlgpt_jax.loop.result import Iteration, finish
from rlgpt_jax.loop.spaces import make_space
from rlgpt_jax.loop.tools import Tools
from rlgpt_jax.rl.chain.skills import Chain, Skill
from rlgpt_jax.rl.config import PPOConfig
from rlgpt_jax.rl.interface import RewardTerms, RLInterface

# Lands in which blocks lie near more starts than elsewhere (docs/baselines.md); mobs are put near.
LANDS = {"log": "forest", "stone": "extreme_hills"}
NEVER = 10**6  # pieces: training for a find ends with its time alone
EXPLORING = RLInterface(
    reward=RewardTerms(success=0.0, step_cost=0.0, distance=0.0, exploration=1.0)
)


def make_plan(task: Task) -> TaskPlan:
    """The skills of a task as sub-tasks, in the order in which they are first taken.

    Raises:
      Missing: none lead to its goal.
    """
    sequence = skill_graph.search(skill_graph.graph_of(task), dict(task.start_items), frozenset())
    return TaskPlan(
        tuple(_sub_task(skill) for skill in skill_graph.skills_of(task)),
        f"The search's first sequence: {', '.join(sequence)}.",
    )


def _sub_task(skill: Node) -> SubTask:
    targets = " or ".join(skill.targets)
    item = skill.item or f"{targets} in sight within {skill_graph.NEAR} blocks"
    words = {
        FIND: f"look about until there is {item}",
        skill_graph.PLACE: f"put down the {item}",
        skill_graph.CRAFT: f"craft {skill.pieces} {item}",
    }.get(skill.kind, f"obtain 1 {item} from a {targets} nearby")
    solve = CODE if skill.kind == skill_graph.CRAFT else LOOP
    return SubTask(skill.name, item, skill.pieces, skill.needs, words, skill.ticks, solve)


def node_of(task: Task, sub_task: SubTask) -> Node:
    """The skill that a sub-task is of."""
    return next(s for s in skill_graph.skills_of(task) if s.name == sub_task.name)


def task_of(task: Task, sub_task: SubTask) -> Task:
    """What a skill is trained and tried on."""
    node = node_of(task, sub_task)
    given = dataclasses.replace(
        task, name=f"{task.name}/{node.name}", words=sub_task.words, start_items=node.needs,
        horizon=node.ticks, sources=node.targets, nearby=node.kind == skill_graph.PLACE, stages=(),
    )  # fmt: skip
    if node.kind == FIND:
        return dataclasses.replace(
            given, start_items=task.start_items, goal_quantity=NEVER, nearby=False
        )
    mobs = tuple(name for name in node.targets if name in {row.mob for row in DROPS})
    lands = [LANDS[name] for name in node.targets if name in LANDS]
    return dataclasses.replace(
        given, goal_item=node.item, goal_quantity=1 if node.targets else node.pieces,
        biome=(*lands, task.biome)[0],
        mob_range=(skill_graph.NEAR,) * 2 if mobs else task.mob_range,
        mobs=task.mobs if not mobs or set(mobs) & set(task.mobs) else (*task.mobs, *mobs),
    )  # fmt: skip


def config_of(config: LoopConfig, plan: TaskPlan, sub_task: SubTask, ppo: PPOConfig) -> LoopConfig:
    """The loops of one skill. What is learned shares the ticks of the configuration evenly, in
    whole updates and at least one; a find, whose success nothing measures, has its ticks in one
    piece."""
    config = dataclasses.replace(config, planner=False)
    if sub_task.solve == CODE:
        return dataclasses.replace(config, mode="pure_code")
    learned = sum(other.solve == LOOP for other in plan.sub_tasks)
    update = ppo.num_envs * ppo.unroll_length
    ticks = max(update, config.ticks_per_iteration // learned // update * update)
    if sub_task.name != FIND:
        return dataclasses.replace(config, ticks_per_iteration=ticks)
    whole = ticks * config.num_iterations
    return dataclasses.replace(config, num_iterations=1, ticks_per_iteration=whole)


def solver_of(
    config: LoopConfig, tools: Tools, plan: TaskPlan, sub_task: SubTask
) -> tuple[Task, LoopConfig, Callable[[LoopConfig, Tools], two_loop.Run]]:
    """A skill's task, its settings, and what trains or tries it with these and tools of its own."""
    whole = tools.minecraft_task
    own = config_of(config, plan, sub_task, tools.rl.ppo)
    if own.learns:
        solver = train_find if sub_task.name == FIND else two_loop.run
    else:
        source = source_of(node_of(whole, sub_task), skill_graph.graph_of(whole))
        fate = Fate(sub_task.name, "code", source=source)
        solver = functools.partial(try_program, fate=fate)
    return task_of(whole, sub_task), own, solver


def train_find(config: LoopConfig, tools: Tools) -> two_loop.Run:
    """PPO that is paid for every cell that is first visited, and for nothing else."""
    return two_loop.run(config, dataclasses.replace(tools, set_up=EXPLORING))


def try_program(config: LoopConfig, tools: Tools, fate: Fate) -> two_loop.Run:
    """Evaluates a fixed program, as if loops had found it."""
    tools.on_event(events.Started(config.mode, 1, tools.folder.has_work))
    learning, slots = Learning(config, tools), (fate,)
    stage = Stage(0, make_space(slots, slots, True, tools.language))
    report = learning.train_and_evaluate(stage)
    done = (Iteration(slots, slots, stage, report),)
    return two_loop.Run(finish(config, tools, done, learning), done, learning)


def chain_of(task: Task, skills: tuple[Skill, ...]) -> Chain:
    """The skills of a task, of which the search picks."""
    graph = skill_graph.graph_of(task)
    names = [skill.goal.name for skill in skills]
    search = functools.partial(pick, graph, names)
    find = names.index(FIND) if FIND in names else -1
    return Chain(
        skills, graph.items, lambda index, held, near: index != find or search(held, near) == find,
        search, tuple((name, skill_graph.nearby(name)) for name in graph.targets), skill_graph.NEAR,
    )  # fmt: skip


def pick(graph: Graph, names: list[str], held: Mapping[str, int], near: frozenset[str]) -> int:
    """The first skill of the search; without a way the last one."""
    try:
        return names.index(skill_graph.search(graph, held, near)[0])
    except skill_graph.Missing:
        return len(names) - 1
