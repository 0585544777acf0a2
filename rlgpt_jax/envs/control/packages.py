"""What is missing, told in one line before anything starts."""

import importlib.util
from collections.abc import Sequence
from importlib import metadata

from rlgpt_jax.envs.control.table import TASKS

EXTRA = "pip install -e '.[control]'"
# Its own pin, mujoco==3.3.0, is stricter than it needs and shuts mink out; what else it needs the
# extra brings.
METAWORLD = "pip install --no-deps metaworld==3.1.1"
# gymnasium-robotics 1.4 asserts joint types that are no longer equal from 3.12 on; mink needs 3.10.
MUJOCO = ((3, 10), (3, 12))


class MissingPackage(ValueError):
    """A world's packages are not there, or not of a version that works."""


def check(world: str, modules: Sequence[str]) -> None:
    """Looks for modules without importing them.

    Raises:
      MissingPackage: one is missing or mujoco is too old or too new; with the command, but for
        what no world of the table uses.
    """
    missing = [m for m in modules if importlib.util.find_spec(m.partition(".")[0]) is None]
    if missing:
        shipped = {module for task in TASKS.values() for module in task.packages}
        commands = [EXTRA] if shipped & {*missing} - {"metaworld"} else []
        commands += [METAWORLD] if "metaworld" in missing else []
        cure = f" Install with: {' && '.join(commands)}" if commands else ""
        raise MissingPackage(f"{world} needs {', '.join(missing)}.{cure}")
    if "mujoco" in modules:
        found = metadata.version("mujoco")
        low, high = MUJOCO
        if not low <= tuple(int(part) for part in found.split(".")[:2]) < high:
            raise MissingPackage(
                f"{world} needs mujoco 3.10 or 3.11, found {found}. Install in a new environment "
                f"with: {EXTRA}"
            )
