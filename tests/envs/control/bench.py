"""How fast the control worlds are, beside their bare environments in the same run.

    python -m tests.envs.control.bench [--lanes=4] [--seconds=5] [NAME ...]

"bare" is the environment itself, lane after lane in this process, with its own resets.
"""

import argparse
import platform
import time
from collections.abc import Callable
from importlib import metadata
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


def rate(step: Callable[[int], Any], lanes: int, seconds: float) -> float:
    """Lane steps per second of wall time."""
    count, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        step(count)
        count += 1
    return count * lanes / (time.perf_counter() - begun)


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
        from gymnasium.envs.box2d.car_racing import CarRacing

        return CarRacing()
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
    bare = bare_step(name, lanes, actions)
    steps: dict[str, Callable[[int], Any]] = {
        "bare": bare,
        "one": lambda i: worlds[1].step(actions[i % POOL]),
        "two": lambda i: worlds[2].step(actions[i % POOL]),
    }
    rates: dict[str, list[float]] = {what: [] for what in steps}
    for turn in range(TURNS + 1):  # in turns, since other work on the machine comes and goes
        for what, step in steps.items():
            found = rate(step, lanes, seconds / TURNS)
            rates[what] += [found] if turn else []
    for world in worlds.values():
        world.close()
    middle = {what: float(np.median(each)) for what, each in rates.items()}
    ours = np.median([1e6 / one - 1e6 / b for b, one in zip(rates["bare"], rates["one"])])
    return (
        f"| {name} | {middle['bare']:,.0f} | {middle['one']:,.0f} | {middle['two']:,.0f} | "
        f"{ours:,.0f} | {100 * ours * middle['one'] / 1e6:.1f} % |"
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
    print("| world | bare | 1 worker | 2 workers | ours, us per lane step | ours, share |")
    print("|---|---|---|---|---|---|")
    # One kitchen and one assembly task stand for the others of their kind.
    for name in args.names or ("mountain_car", "kitchen_kettle", "assembly", "car_racing"):
        print(measure(name, args.lanes, args.seconds), flush=True)
    if not args.names or any(name.startswith("kitchen") for name in args.names):
        print(planner())


if __name__ == "__main__":
    main()
