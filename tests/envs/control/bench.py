"""How fast the control worlds are, beside their bare environments in the same run.

    python -m tests.envs.control.bench [--lanes=4] [--seconds=5] [NAME ...]

"bare" is the environment itself, lane after lane in this process, with its own resets. What is
ours is told in CPU time, this process's and the workers', which other work on the machine moves
less than the clock.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from rlgpt_jax.envs.control.making import make
from rlgpt_jax.envs.control.table import TASKS
from rlgpt_jax.envs.spec import WorldSpec

PACKAGES = (
    "mujoco", "gymnasium", "gymnasium-robotics", "metaworld", "envpool", "box2d", "mink", "ompl",
)  # fmt: skip
TURNS = 10  # of each way
POOL = 256  # actions drawn before the clock starts


def random_actions(spec: WorldSpec, lanes: int) -> np.ndarray:
    """float32[POOL, lanes, columns] of the primitive."""
    index = [action.name for action in spec.actions].index(spec.primitive)
    arguments = spec.actions[index].arguments
    rng = np.random.default_rng(0)
    rows = np.zeros((POOL, lanes, spec.columns), np.float32)
    rows[..., 0] = index
    for column, a in enumerate(arguments, start=1):
        rows[..., column] = rng.uniform(a.low, a.high, (POOL, lanes))
    return rows


def cpu_seconds(pids: list[int]) -> float:
    """Of this process and of workers, so far."""
    ticks = 0
    for pid in pids:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(after_name[11]) + int(after_name[12])  # user and system
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def timed(
    step: Callable[[int], Any], pids: list[int], lanes: int, seconds: float
) -> tuple[float, float]:
    """Lane steps per second of wall time, and microseconds of CPU per lane step."""
    count, begun, cpu = 0, time.perf_counter(), cpu_seconds(pids)
    while time.perf_counter() - begun < seconds:
        step(count)
        count += 1
    wall = time.perf_counter() - begun
    return count * lanes / wall, 1e6 * (cpu_seconds(pids) - cpu) / (count * lanes)


def bare_step(name: str, lanes: int, actions: np.ndarray) -> Callable[[int], Any]:
    """A step of all lanes of the environment itself."""
    if name == "mountain_car":
        import envpool

        pool = envpool.make("MountainCarContinuous-v0", "gymnasium", num_envs=lanes, num_threads=1)
        pool.reset()
        return lambda i: pool.step(actions[i % POOL, :, 1:])
    envs = [_bare(name) for _ in range(lanes)]
    left = np.full(lanes, 0)

    def step(i: int) -> None:
        for lane, env in enumerate(envs):
            if left[lane] == 0:
                env.reset()
                left[lane] = TASKS[name].horizon
            done = env.step(actions[i % POOL, lane, 1:])[2]
            left[lane] = 0 if done else left[lane] - 1

    return step


def _bare(name: str) -> Any:
    if name == "car_racing":
        from rlgpt_jax.envs.control.car_racing import CarRacing

        return CarRacing()._env  # without its own picture, as ours
    options = dict(TASKS[name].options)
    if name.startswith("kitchen"):
        from rlgpt_jax.envs.control.kitchen import Kitchen

        return Kitchen(**options)._env
    from rlgpt_jax.envs.control.assembly import Assembly

    return Assembly(**options)._env


def measure(name: str, lanes: int, seconds: float) -> str:
    """A row of the table."""
    actions = random_actions(TASKS[name].spec, lanes)
    worlds = {workers: make(name, lanes, workers) for workers in (1, 2)}
    for world in worlds.values():
        world.reset(0)
    ways: dict[str, tuple[Callable[[int], Any], list[int]]] = {
        "bare": (bare_step(name, lanes, actions), [])
    }
    for workers, world in worlds.items():
        pids = [] if TASKS[name].is_pool else [worker.process.pid for worker in world._workers]
        ways[f"{workers}"] = (lambda i, w=world: w.step(actions[i % POOL]), pids)
    found: dict[str, list[tuple[float, float]]] = {what: [] for what in ways}
    for turn in range(TURNS + 1):  # in turns, since other work on the machine comes and goes
        for what, (step, pids) in ways.items():
            one = timed(step, pids, lanes, seconds / TURNS)
            found[what] += [one] if turn else []
    for world in worlds.values():
        world.close()
    (bare, bare_cpu), (one, cpu), (two, _) = (np.median(each, axis=0) for each in found.values())
    return (
        f"| {name} | {bare:,.0f} | {one:,.0f} | {two:,.0f} | {bare_cpu:,.0f} | "
        f"{cpu - bare_cpu:,.0f} | {100 * (cpu - bare_cpu) / cpu:.1f} % |"
    )


def planner(count: int = 30) -> str:
    """Milliseconds of a plan, and of a followed step beside one of velocities."""
    from rlgpt_jax.envs.control.kitchen import ALONG, TOWARD, VELOCITY, Kitchen

    kitchen, rng = Kitchen("slide cabinet"), np.random.default_rng(0)
    times: dict[str, list[float]] = {"plan": [], "path": [], "line": [], "velocity": []}
    found = 0
    for _ in range(count):
        kitchen.reset(0)
        target = rng.uniform((-0.6, 0.25, 1.8), (0.2, 0.5, 2.6))
        begun = time.perf_counter()
        path = kitchen._arm.plan(kitchen._data.qpos.copy(), kitchen._home, target)
        times["plan"].append(time.perf_counter() - begun)
        found += path is not None
        for what, kind, numbers in (
            ("path", TOWARD, target), ("line", ALONG, (0.0, -0.1, 0.0)), ("velocity", VELOCITY, ()),
        ):  # fmt: skip
            row = np.zeros(10, np.float32)
            row[0], row[1 : 1 + len(numbers)] = kind, numbers
            kitchen.step(row)  # begins the plan
            begun = time.perf_counter()
            for _ in range(5):
                kitchen.step(row)
            times[what].append((time.perf_counter() - begun) / 5)
    middle = {what: 1e3 * float(np.median(each)) for what, each in times.items()}
    slowest = 1e3 * max(times["plan"])
    return (
        f"{found} of {count} random targets reachable; a plan {middle['plan']:.0f} ms (median), "
        f"{slowest:.0f} ms (slowest); a step along a path {middle['path']:.2f} ms, along a line "
        f"{middle['line']:.2f} ms, of velocities {middle['velocity']:.2f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--lanes", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=5.0)
    args = parser.parse_args()
    print(", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES), end="; ")
    print(f"Python {platform.python_version()}; {args.lanes} lanes")
    print("| world | bare, steps/s | 1 worker | 2 workers | bare, us of CPU | ours | share |")
    print("|---|---|---|---|---|---|---|")
    # One kitchen and one assembly task stand for the others of their kind.
    for name in args.names or ("mountain_car", "kitchen_kettle", "assembly", "car_racing"):
        print(measure(name, args.lanes, args.seconds), flush=True)
    if not args.names or any(name.startswith("kitchen") for name in args.names):
        print(planner())


if __name__ == "__main__":
    main()
