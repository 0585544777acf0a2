"""From an RL interface to the task that training sees, and what agents are told of it."""

import dataclasses

from rlgpt_jax.envs.spec import SpecTask
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.interface import Given, RewardTerms, TrainingTask


def given(task: Task | SpecTask, config: RLConfig, warm_start: bool = True) -> Given:
    """What an interface keeps where it sets nothing, for `Setting.given`."""
    reward, ppo, network = config.reward, config.ppo, config.network
    made = Given(
        reward=RewardTerms(success=reward.success, step_cost=reward.step_cost),
        gamma=ppo.gamma, ticks_per_update=ppo.num_envs * ppo.unroll_length,
        observation=config.observation, image_size=network.image_size,
        frame_stack=network.frame_stack, recurrent=network.recurrent,
        target_memory=network.remembers, network="last" if warm_start else "fresh",
    )  # fmt: skip
    if isinstance(task, SpecTask):
        terms = dataclasses.replace(
            made.reward, environment=reward.environment or None,
            progress=reward.progress or task.spec.progress,
        )  # fmt: skip
        return dataclasses.replace(made, reward=terms)
    terms = dataclasses.replace(
        made.reward, distance=reward.distance, targets=reward.targets or task.sources,
        items=reward.items, exploration=reward.exploration,
    )  # fmt: skip
    return dataclasses.replace(
        made, reward=terms, mobs=task.mobs, mob_range=max(task.mob_range),
        start_items=task.start_items,
    )  # fmt: skip


def training_task(task: Task | SpecTask, wanted: TrainingTask) -> Task | SpecTask:
    """The task of training episodes: `task` with what `wanted` sets; in a world with a spec that
    is the horizon alone.

    Another goal item is one to be held, so that it ends a task of stages or of a station
    to be placed; the blocks and mobs of the distance term stay those of `task`.
    """
    changes: dict = {}
    if isinstance(task, SpecTask):
        return dataclasses.replace(task, horizon=wanted.horizon or task.horizon)
    if wanted.goal_item not in (None, task.goal_item):
        changes.update(goal_item=wanted.goal_item, goal_quantity=1, nearby=False, stages=())
    if wanted.goal_quantity is not None:
        changes.update(goal_quantity=wanted.goal_quantity)
    if wanted.horizon is not None:
        changes.update(horizon=wanted.horizon)
    if wanted.mob_range is not None:
        changes.update(mob_range=(wanted.mob_range, wanted.mob_range))
    if wanted.start_items is not None:
        changes.update(start_items=wanted.start_items)
    return dataclasses.replace(task, **changes)
