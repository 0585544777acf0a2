"""How long a list of jobs takes, before it is started.

From the wall seconds of finished runs of the same cell where there are any, else from rates
that were measured on one core of a 2-core Xeon with another run on the other.
"""

import json
from collections.abc import Mapping, Sequence

from experiments.configs.base import Config
from experiments.sweep.jobs import Job
from rlgpt_jax import files
from rlgpt_jax.agents.llm import tokens

TRAIN_TICKS = 2_800.0  # per second
EVALUATE_TICKS = 3_500.0  # per second
SHARE_OF_HORIZON = 0.6  # of an episode, on average
STARTUP_SECONDS = 75.0  # of a process: compiled programs and worlds are read, some are made
TRIAL_SECONDS = 15.0  # of one iteration's macros, per 20 episodes
VIDEO_SECONDS = 45.0


def seconds_of(config: Config, evaluates: bool = True, has_result: bool = False) -> float:
    """Of one run, with its held-out evaluations; with a result only these are left."""
    loop = config.loop
    horizon = config.task_record.horizon
    one = loop.eval_episodes * horizon * SHARE_OF_HORIZON / EVALUATE_TICKS
    held_out = STARTUP_SECONDS + one * (loop.num_iterations - 1)
    held_out *= evaluates and not loop.planner
    if has_result:
        return held_out
    train = loop.num_iterations * loop.ticks_per_iteration / TRAIN_TICKS if loop.learns else 0.0
    trials = TRIAL_SECONDS * loop.num_iterations * loop.trial_episodes / 20 if loop.asks else 0.0
    # Held out, the best iteration and, of agents that learn, its code alone.
    evaluate = one * (loop.num_iterations + 1 + (loop.asks and loop.learns))
    loops = (train + trials + evaluate) * num_sub_tasks(config)
    return STARTUP_SECONDS + loops + VIDEO_SECONDS + held_out


def num_sub_tasks(config: Config) -> int:
    """Loops of a run: one for every sub-task that the recorded planner has named. Those of a search
    share the ticks of one."""
    path = files.CHECKOUT / config.llm.transcript
    if not (config.loop.planner and config.loop.asks) or not path.is_file():
        return 1
    lines = path.read_text(encoding="utf-8").splitlines()
    return max(1, len({tokens.place(json.loads(line)["key"])[0] for line in lines} - {""}))


def _seconds_left(job: Job, config: Config, seen: Mapping[tuple, float]) -> float:
    """Of one job; 0 if it is done."""
    if job.is_done:
        return 0.0
    if job.has_result or job.kind not in seen:
        return seconds_of(config, job.evaluates, job.has_result)
    return seen[job.kind] + seconds_of(config, job.evaluates, True)


def _wall_seconds(jobs: Sequence[Job]) -> dict[tuple, float]:
    """Mean wall time of the jobs that have a result, by kind."""
    found: dict[tuple, list[float]] = {}
    for job in jobs:
        if job.has_result:
            phases = json.loads((job.folder / "result.json").read_text()).get("wall_seconds", {})
            total = sum(phases.values()) + STARTUP_SECONDS + VIDEO_SECONDS
            found.setdefault(job.kind, []).append(total)
    return {kind: sum(values) / len(values) for kind, values in found.items()}


def minutes(configs: Mapping[Job, Config], many: int) -> tuple[dict[Job, float], float]:
    """(minutes of each job, minutes of all of them with `many` at a time)."""
    seen = _wall_seconds(list(configs))
    each = {job: _seconds_left(job, config, seen) / 60 for job, config in configs.items()}
    return each, max(max(each.values(), default=0.0), sum(each.values()) / many)
