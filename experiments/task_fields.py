"""Overrides of a configuration whose task may be a name or a record.

--config.task=NAME            another row of the table
--config.task.horizon=1000    a field of the record; a row becomes a record of its own
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

from experiments import overrides
from experiments.configs import base, sight
from experiments.values import ConfigError, refusing
from rlgpt_jax.envs.tasks import own_task, tasks

Pairs = Sequence[tuple[str, str]]
GOAL = ("goal_item", "goal_quantity", "nearby", "stages")
# Where the goal comes from depends on these too.
LAND = ("biome", "mobs", "start_items", "wild", "hostile")


def override(config: base.Config, assignments: Pairs) -> base.Config:
    """`overrides.override`, in the order: sight, the task's name, then fields of its record.

    Raises:
      ConfigError: as there, and for a new goal with the old words.
    """
    config = sight.chosen(config, assignments)
    names = [pair for pair in assignments if pair[0] == "task"]
    rest = [pair for pair in assignments if pair[0] != "task"]
    mine = [pair for pair in rest if pair[0].startswith("task.")]
    fields = {path.removeprefix("task.") for path, _ in mine}
    if names:
        config = overrides.override(config, names)
    if not isinstance(config.task, str):
        _need_words(config.task, fields)
        return overrides.override(config, rest)
    if not mine:
        return overrides.override(config, rest)
    row = tasks.get_task(config.task)
    draft = overrides.override(_Draft(own_task.changed(row)), mine).task
    changes: dict[str, Any] = {}
    if "words" not in fields:
        changes["words"] = tasks.goal_words(draft)
    if "sources" not in fields and fields & {*GOAL, *LAND}:
        changes["sources"] = ()
    flags = ", ".join(f"--config.{path}={text}" for path, text in mine)
    with refusing(ValueError, first=f"{flags}: "):
        config = dataclasses.replace(config, task=dataclasses.replace(draft, **changes))
    return overrides.override(config, [pair for pair in rest if pair not in mine])


@dataclasses.dataclass(frozen=True)
class _Draft:
    """A record that is not whole yet, so that nothing checks it."""

    task: tasks.Task


def _need_words(task: tasks.Task, fields: set[str]) -> None:
    changed = sorted(fields & set(GOAL))
    if changed and "words" not in fields:
        raise ConfigError(
            f"--config.task.{changed[0]} changes the goal of {task.name}, but its words stay "
            f'"{task.words}". Give --config.task.words="..." too.'
        )
