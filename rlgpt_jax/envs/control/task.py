"""What a world of simulators is made from: one frozen record, plain data."""

import dataclasses
from typing import Any

from rlgpt_jax.envs.spec import SpecTask


@dataclasses.dataclass(frozen=True)
class ControlTask(SpecTask):
    """A row of the table, or one's own."""

    success: str  # how it is judged
    simulator: str  # "module.Class" of a `simulator.Simulator`, or of a world of all lanes
    packages: tuple[str, ...]  # modules it imports, looked for before anything starts
    options: tuple[tuple[str, Any], ...] = ()  # what the class is called with, plain data
    patience: float = 30.0  # seconds one lane may take for a step, then its worker is replaced
    place: str = "its simulator"  # where numbers come from, told beside them
    is_pool: bool = False  # the class steps all lanes itself, in this process
    # Defaults of a run, for simulators differ a thousandfold in speed.
    ticks_per_iteration: int = 100_000
    eval_episodes: int = 100
