"""The bridge to MineDojo: what it costs by itself, how fast the real client is behind it, and
how long a killed worker is away.

The game is never Minecraft. By itself the bridge is measured with a worker that answers with
constants; the client (PyPI `minedojo` 0.1, in the interpreter that the command names) plays in
the stand-in, which shares the processor with it.
"""

import argparse
import contextlib
import dataclasses
import functools
import os
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from experiments.bench import table
from experiments.bench.table import Row
from rlgpt_jax.envs import base
from rlgpt_jax.envs.minedojo import request
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.host import HostMineDojo
from rlgpt_jax.envs.minedojo.launcher import Local
from rlgpt_jax.envs.minedojo.link import LocalLink
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.files import CHECKOUT
from tests.doubles.minecraft.games import serving

SIZE = (160, 256)
# Long enough that no episode ends while it is measured.
TASK = dataclasses.replace(get_task("harvest_milk"), horizon=1_000_000)
TRIVIAL = "tests.doubles.minecraft.bridge_worker"
WARM_UP = 20  # steps
BRIDGE = "bridge alone, a constant game"
CLIENT = "MineDojo's client, stand-in"


def run(options: argparse.Namespace) -> int:
    """Prints the table, and why there are no rows of the client. Returns 0."""
    rows = []
    for found in measure(options.python, options.workers, options.seconds):
        if isinstance(found, str):
            print(f"not measured: {found}")
        else:
            rows.append(found)
    print(table.markdown(rows))
    return 0


def measure(
    interpreter: Path | None, workers: Sequence[int], seconds: float
) -> Iterator[Row | str]:
    """Yields the rows of the bridge alone, then those of the client, or why there are none."""
    with trivial_python() as python:
        yield from alone(MineDojoConfig(python=python, workers=1), seconds)
    if interpreter is None:
        yield (
            f"{CLIENT}: give an interpreter that has it: --python=.minedojo/bin/python "
            "(python -m experiments.minedojo setup makes it)."
        )
        return
    for count in workers:
        yield through_client(interpreter, count, seconds)


@contextlib.contextmanager
def trivial_python() -> Iterator[str]:
    """An executable that runs the constant game whichever worker it is given."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "python"
        path.write_text(
            f'#!/bin/sh\nPYTHONPATH="{CHECKOUT}" exec "{sys.executable}" -m {TRIVIAL} "$2" "$3"\n'
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        yield str(path)


def alone(config: MineDojoConfig, seconds: float) -> Iterator[Row]:
    """Milliseconds of a round trip of frames, and of a whole step of one lane."""
    launcher = Local(config)
    try:
        link = launcher.start(0)

        def ask(**header: object) -> None:
            link.send(header)
            launcher.wait([link], 60.0)
            link.receive()

        ask(op=request.RESET, rgb=True)
        round_trip = functools.partial(ask, op=request.STEP, action=[*base.NOOP])
        yield row(f"{BRIDGE}: frames", round_trip, [link.process.pid], seconds)
    finally:
        launcher.close()
    noop = np.array([base.NOOP], np.int32)
    for name, size in (("step with picture", SIZE), ("step", None)):
        world = HostMineDojo(TASK, 1, config, image_size=size)
        try:
            world.reset(0)
            tick = functools.partial(world.step, noop)
            yield row(f"{BRIDGE}: {name}", tick, pids_of(world), seconds)
        finally:
            world.close()


def row(name: str, step: Callable[[], object], pids: Sequence[int], seconds: float) -> Row:
    """Milliseconds that a step takes, and those of the processor in this and the workers."""
    for _ in range(WARM_UP):
        step()
    took, spent, end = [], cpu_seconds(pids), time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        step()
        took.append(1e3 * (time.perf_counter() - began))
    numbers = {
        "workers": 1.0, "ms_median": float(np.median(took)),
        "ms_90_percent": float(np.quantile(took, 0.9)),
        "cpu_ms": 1e3 * (cpu_seconds(pids) - spent) / len(took),
    }  # fmt: skip
    return Row("minedojo", name, numbers, "cpu")


def cpu_seconds(pids: Sequence[int], with_own: bool = True) -> float:
    """Seconds of the processor that processes have taken so far, their threads included."""
    ticks = 0
    for pid in pids:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(after_name[11]) + int(after_name[12])  # user and system
    return ticks / os.sysconf("SC_CLK_TCK") + (time.process_time() if with_own else 0.0)


def pids_of(world: HostMineDojo) -> list[int]:
    """The workers' processes."""
    links = [lane.link for lane in world.lanes]
    return [link.process.pid for link in links if isinstance(link, LocalLink)]


def through_client(interpreter: Path, workers: int, seconds: float) -> Row:
    """Steps per second of lanes that walk about, and how long a killed worker is away."""
    with serving(workers) as port:
        config = MineDojoConfig(python=str(interpreter), workers=workers, port=str(port))
        world = HostMineDojo(TASK, workers, config, image_size=SIZE)
        try:
            began = time.perf_counter()
            world.reset(0)
            launch = time.perf_counter() - began
            rng = np.random.default_rng(0)
            world.send(np.arange(workers), walking(rng, workers))
            walk(world, rng, WARM_UP * workers)
            pids = pids_of(world)
            spent = cpu_seconds(pids, with_own=False)
            steps = walk(world, rng, None, seconds)
            spent = cpu_seconds(pids, with_own=False) - spent
            away = recovery(world, rng)
        finally:
            world.close()
    rate = steps / seconds
    numbers = {
        "workers": float(workers), "steps_per_second": rate, "per_worker": rate / workers,
        "per_cpu_second_of_a_worker": steps / spent, "launch_seconds": launch,
        "recovery_seconds": away,
    }  # fmt: skip
    return Row("minedojo", f"{CLIENT}, {workers} workers", numbers, "cpu")


def walk(
    world: HostMineDojo, rng: np.random.Generator, answers: int | None, seconds: float = np.inf
) -> int:
    """Lets every lane walk about as fast as it can.

    Returns:
      How many ticks were answered, until there were `answers` or the time was up.
    """
    count, end = 0, time.perf_counter() + seconds
    while (answers is None or count < answers) and time.perf_counter() < end:
        lanes, _ = world.receive()
        world.send(lanes, walking(rng, len(lanes)))
        count += len(lanes)
    return count


def walking(rng: np.random.Generator, count: int) -> np.ndarray:
    """int32[count, 8]: moves, jumps and turns, which each take one tick."""
    action = np.tile(np.array(base.NOOP, np.int32), (count, 1))
    for column in (base.MOVE, base.STRAFE, base.JUMP, base.YAW):
        action[:, column] = rng.integers(base.ACTION_SIZES[column], size=count)
    return action


def recovery(world: HostMineDojo, rng: np.random.Generator) -> float:
    """Seconds from the kill of the first worker until its lane has begun a new episode."""
    began = time.perf_counter()
    os.kill(pids_of(world)[0], signal.SIGKILL)
    while True:
        lanes, step = world.receive()
        if step.info["lost"].any():
            return time.perf_counter() - began
        world.send(lanes, walking(rng, len(lanes)))
