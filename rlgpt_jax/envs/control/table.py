"""The worlds beyond Minecraft by name. Needs none of their packages."""

from rlgpt_jax.envs.control import assembly_spec, car_racing_spec, kitchen_spec, mountain_car_spec
from rlgpt_jax.envs.control.task import ControlTask

_ROWS = (
    *mountain_car_spec.TASKS,
    *kitchen_spec.TASKS,
    *assembly_spec.TASKS,
    *car_racing_spec.TASKS,
)
TASKS = {task.name: task for task in _ROWS}


def get_task(name: str) -> ControlTask:
    """The row of this name. Raises ValueError: there is none."""
    if name not in TASKS:
        raise ValueError(f"no control task {name!r}. Try one of {', '.join(TASKS)}.")
    return TASKS[name]
