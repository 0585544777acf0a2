"""What of a task is data for the compiled world, and what is part of its program.

An RL interface may train on other goals, start items, limits and distances than the task
has; as arrays they compile nothing anew.
"""

import dataclasses
from collections.abc import Hashable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.base import NUM_SLOTS
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.rules.items.item_table import variants_of

MAX_VARIANTS = 16  # of one item: the colours of wool


class TaskNumbers(NamedTuple):
    """The part of a task that is data."""

    horizon: jax.Array  # int32[]  ticks
    goal: jax.Array  # int32[MAX_VARIANTS]  item ids that count as the goal item, then -1
    goal_quantity: jax.Array  # int32[]
    mob_range: jax.Array  # int32[2]  +- blocks in x and z
    start_item: jax.Array  # int32[36]  item ids by slot, 0 empty
    start_quantity: jax.Array  # int32[36]


def numbers_of(task: Task) -> TaskNumbers:
    """The data of a task."""
    goal = variants_of(task.goal_item)
    ids = [NAME_ID[name] for name, _ in task.start_items]
    quantities = [quantity for _, quantity in task.start_items]
    empty = [0] * (NUM_SLOTS - len(ids))
    ints = lambda values: jnp.array(values, jnp.int32)  # noqa: E731
    return TaskNumbers(
        horizon=ints(task.horizon), goal=ints(goal + [-1] * (MAX_VARIANTS - len(goal))),
        goal_quantity=ints(task.goal_quantity), mob_range=ints(task.mob_range),
        start_item=ints(ids + empty), start_quantity=ints(quantities + empty),
    )  # fmt: skip


def program_of(task: Task) -> Hashable:
    """What is left of a task without its data: equal for tasks that share a program."""
    return dataclasses.replace(
        task, name="", words="", goal_item=task.goal_item if task.nearby else "",
        goal_quantity=0, start_items=(), mob_range=(0, 0), horizon=0, sources=(),
    )  # fmt: skip
