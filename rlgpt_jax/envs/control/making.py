"""Worlds by task name."""

from typing import Any

from rlgpt_jax.envs.control import packages
from rlgpt_jax.envs.control.host import HostControl
from rlgpt_jax.envs.control.table import get_task
from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.control.worker import class_of
from rlgpt_jax.envs.minedojo.making import world_seed


def make(
    task: str | ControlTask,
    num_envs: int,
    workers: int = 1,
    image_size: tuple[int, int] | None = None,
    split: str = "train",
) -> Any:
    """N lanes of a task, a `base.HostEnvironment` with `spec`, `render` and `close`.

    Args:
      task: a name in `table.TASKS`, or one's own.
      num_envs: lanes.
      workers: processes that share them (threads for a pool).
      image_size: (height, width) of `Sensed.rgb`, drawn in every step, which is slow; None draws
        only what `render` is asked for.
      split: "train", "validation" or "eval"; their seeds are disjoint.

    Raises:
      ValueError: a name, a split or a number that there is not; `packages.MissingPackage` with
        the command that installs what is missing.
    """
    row = get_task(task) if isinstance(task, str) else task
    for name, number in (("num_envs", num_envs), ("workers", workers)):
        if number < 1:
            raise ValueError(f"{name}={number} must be at least 1.")
    world_seed(0, split, 0, 0)
    packages.check(row.name, row.packages)
    if row.is_pool:
        return class_of(row.simulator)(row, num_envs, workers, image_size, split)
    return HostControl(row, num_envs, workers, image_size, split)
