"""How long a study takes, before it is started.

From the wall seconds of finished runs of the same cell where there are any, else from rates
that were measured on one core of a 2-core Xeon with another run on the other.
"""

import json
from collections.abc import Mapping, Sequence

from experiments.configs.base import Config
from experiments.study.cells import Cell, num_sub_tasks
from experiments.study.runs import Run

TRAIN_TICKS = 2_800.0  # per second
EVALUATE_TICKS = 3_500.0  # per second
SHARE_OF_HORIZON = 0.6  # of an episode, on average
STARTUP_SECONDS = 75.0  # of a process: compiled programs and worlds are read, some are made
TRIAL_SECONDS = 15.0  # of one iteration's macros, per 20 episodes
VIDEO_SECONDS = 45.0


def seconds_of(config: Config, has_result: bool = False) -> float:
    """Of one run with its held-out evaluations; with a result only these are left."""
    loop = config.loop
    horizon = config.task_record.horizon
    one = loop.eval_episodes * horizon * SHARE_OF_HORIZON / EVALUATE_TICKS
    held_out = 0.0 if loop.planner else STARTUP_SECONDS + one * (loop.num_iterations - 1)
    if has_result:
        return held_out
    train = loop.num_iterations * loop.ticks_per_iteration / TRAIN_TICKS if loop.learns else 0.0
    trials = TRIAL_SECONDS * loop.num_iterations * loop.trial_episodes / 20 if loop.asks else 0.0
    # Held out, the best iteration and, of agents that learn, its code alone.
    evaluate = one * (loop.num_iterations + 1 + (loop.asks and loop.learns))
    loops = (train + trials + evaluate) * num_sub_tasks(config)
    return STARTUP_SECONDS + loops + VIDEO_SECONDS + held_out


def seconds_left(run: Run, config: Config, seen: Mapping[Cell, float]) -> float:
    """Of one run; 0 if it is done."""
    if run.is_done:
        return 0.0
    if run.has_result:
        return seconds_of(config, True)
    if run.cell in seen:
        return seen[run.cell] + seconds_of(config, True)
    return seconds_of(config)


def wall_seconds(runs: Sequence[Run]) -> dict[Cell, float]:
    """Mean wall time of the runs that have a result, by cell."""
    found: dict[Cell, list[float]] = {}
    for run in runs:
        if run.has_result:
            phases = json.loads((run.folder / "result.json").read_text()).get("wall_seconds", {})
            total = sum(phases.values()) + STARTUP_SECONDS + VIDEO_SECONDS
            found.setdefault(run.cell, []).append(total)
    return {cell: sum(values) / len(values) for cell, values in found.items()}


def minutes(
    runs: Sequence[Run], configs: Mapping[Cell, Config], jobs: int
) -> tuple[dict[Run, float], float]:
    """(minutes of each run, minutes of all of them with `jobs` at a time)."""
    seen = wall_seconds(runs)
    each = {run: seconds_left(run, configs[run.cell], seen) / 60 for run in runs}
    longest = max(each.values(), default=0.0)
    return each, max(longest, sum(each.values()) / jobs)
