"""Measures what was asked for and writes the results."""

import argparse
import datetime
import math
import sys
from collections.abc import Iterator

from rich.console import Console

from experiments import flags, machine
from experiments.bench import compiling, craftax, parts, pools, ppo, world
from experiments.bench.table import Row, plot, show
from experiments.compiles import Compiles
from experiments.configs import base
from experiments.values import ConfigError
from rlgpt_jax.envs.tasks import get_task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.pool import load_pool
from rlgpt_jax.loop.record import write_json


def run(options: argparse.Namespace) -> int:
    """Returns the exit code."""
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 140)
    try:
        config = flags.load_config(options.config)
    except ConfigError as error:
        console.print(f"error: {error}", style="red")
        return 2
    compiles = Compiles()
    rows: list[Row] = []
    for part in options.parts:
        for new in measure(part, config, options):
            rows.append(new)
            words = ", ".join(f"{k} {v:,.4g}" for k, v in new.numbers.items())
            console.print(f"{new.part}, {new.name}: {words}", highlight=False, soft_wrap=True)
    show(console, rows)
    options.out.mkdir(parents=True, exist_ok=True)
    written = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine.describe(),
        "compile_seconds": round(compiles.total, 2),
        "rows": [{"part": r.part, "name": r.name, **_known(r.numbers)} for r in rows],
    }
    write_json(options.out / "bench.json", written)
    plot(options.out / "bench.png", rows)
    console.print(f"Written: {options.out / 'bench.json'}", highlight=False)
    return 0


def _known(numbers: dict[str, float]) -> dict[str, float]:
    """JSON has no NaN: what a driver does not measure is left out."""
    return {name: value for name, value in numbers.items() if math.isfinite(value)}


def measure(part: str, config: base.Config, options: argparse.Namespace) -> Iterator[Row]:
    """Yields the rows of one part as they are ready."""
    if part == "compile":
        yield from compiling.measure(options.config, config.ppo.num_envs)
        return
    if part == "pool":
        yield from pools.measure(config.world)
        return
    for lanes in options.lanes:
        if part == "craftax":
            yield from craftax.measure(lanes, options.seconds)
            continue
        task = get_task(config.task)
        pool = load_pool(task.biome, "train", config.world, machine.CACHE / "worlds")
        env = VoxelEnv(task, config.world, lanes, pool)
        if part == "world":
            yield from world.measure(env, options.seconds)
        elif part == "parts":
            yield from parts.measure(env, options.seconds)
        else:
            yield from ppo.measure(env, config, options.seconds)
