"""Measures macros: instructions and their time, replacing a set, the share of training."""

import dataclasses
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.bench.ppo import share
from experiments.bench.table import Row
from experiments.compiles import Compiles
from rlgpt_jax import files
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, MacroSet, Program, link
from rlgpt_jax.macros.vm.host import interpret_host
from rlgpt_jax.rl.actions import HybridSpace, empty_space
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.learner import Learner
from rlgpt_jax.rl.train import init_learner, train
from tests.macros.bench.workload import Workload

FIRST_TICK = """
import time
began = time.perf_counter()
import numpy as np
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.vm.bytecode import link
from rlgpt_jax.macros.vm.host import interpret_host
imported = time.perf_counter()
macros = link([parse_macro("def wait(obs):\\n    yield noop()\\n")])
state, view = interpret_host.init_state(2), np.zeros((2, sensors.VIEW_SIZE), np.float32)
interpret_host.tick(macros, state, view, np.ones(2, np.int32), np.zeros(2, bool))
print(imported - began, time.perf_counter() - imported)
"""


def play(work: Workload) -> tuple[float, np.ndarray]:
    """Returns (seconds of the ticks alone, actions int32[T, N, 8])."""
    state, seconds, actions = interpret_host.init_state(work.chosen.shape[1]), 0.0, []
    for view, chosen, busy, done in zip(work.views, work.chosen, work.busy, work.done, strict=True):
        began = time.perf_counter()
        state, out = interpret_host.tick(work.macros, state, view, chosen, busy)
        seconds += time.perf_counter() - began
        state = interpret_host.cut(state, done)
        actions.append(out.action)
    return seconds, np.stack(actions)


def first_tick(macros: MacroSet, work: Workload) -> None:
    """Runs the first tick of a workload with other macros."""
    state = interpret_host.init_state(work.chosen.shape[1])
    interpret_host.tick(macros, state, work.views[0], work.chosen[0], work.busy[0])


def speed(work: Workload, lanes: int, seconds: float) -> Row:
    """One row: what an instruction and a tick of a lane cost."""
    work = work.with_lanes(lanes)
    instructions = work.instructions()
    _, actions = play(work)  # compiles
    if not np.array_equal(actions, work.action):
        raise RuntimeError(f"other actions than recorded: {work.name}")
    times: list[float] = []
    while not times or sum(times) < seconds:
        times.append(play(work)[0])
    per_tick = statistics.median(times) / work.chosen.size
    numbers = {
        "lanes": float(lanes),
        "instructions_per_lane_tick": instructions,
        "nanoseconds_per_instruction": 1e9 * per_tick / instructions,
        "microseconds_per_lane_tick": 1e6 * per_tick,
    }
    return Row("speed", work.name, numbers)


def replacing(works: Sequence[Workload], lanes: int) -> Row:
    """One row: the time until other macros have run their first tick, and what compiled."""
    works = [work.with_lanes(lanes) for work in works]
    first_tick(works[0].macros, works[0])
    compiled: list[str] = []
    compiles = Compiles(on_begin=compiled.append)
    linking, running = [], []
    for work in works * 3:
        began = time.perf_counter()
        macros = link(work.programs)
        linked = time.perf_counter()
        first_tick(macros, work)
        running.append(time.perf_counter() - linked)
        linking.append(linked - began)
    numbers = {
        "lanes": float(lanes),
        "milliseconds_to_link": 1e3 * statistics.median(linking),
        "milliseconds_of_first_tick": 1e3 * statistics.median(running),
        "slowest_milliseconds": 1e3 * max(map(sum, zip(linking, running, strict=True))),
        "compilations": float(len(compiled)),
        "compile_seconds": compiles.total,
    }
    return Row("replace", "another set of macros", numbers)


def starting() -> Iterator[Row]:
    """Two rows: the host interpreter in a new process, with nothing and all compiled."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cold", "warm"):
            done = subprocess.run(
                [sys.executable, "-c", FIRST_TICK], cwd=files.CHECKOUT, check=True,
                env={**os.environ, "NUMBA_CACHE_DIR": str(Path(folder))},
                capture_output=True, text=True,
            )  # fmt: skip
            imports, first_tick = map(float, done.stdout.split())
            yield Row("start", name, {"import_seconds": imports, "first_tick_seconds": first_tick})


# --- training --------------------------------------------------------------------
def offering(programs: Sequence[Program]) -> HybridSpace:
    """A space that offers these macros beside the primitives."""
    empty = MAX_MACROS - len(programs)
    return HybridSpace(
        macros=link(programs),
        names=(*(p.name for p in programs), *[""] * empty),
        offered=(*[True] * len(programs), *[False] * empty),
    )


@dataclasses.dataclass
class Trainee:
    """Training in its own worlds with one set of macros."""

    world: Any
    space: HybridSpace
    config: RLConfig
    learner: Learner
    updates: list[dict[str, float]] = dataclasses.field(default_factory=list)

    def update(self, count: int = 1) -> None:
        ppo = self.config.ppo
        ticks = count * ppo.num_envs * ppo.unroll_length
        self.learner = train(
            self.world, self.space, self.config, self.learner, ticks,
            lambda _, metrics: self.updates.append(metrics),
        )  # fmt: skip

    def seconds(self) -> float:
        """Median seconds of an update."""
        ppo = self.config.ppo
        each = [ppo.num_envs * ppo.unroll_length / m["steps_per_second"] for m in self.updates]
        return statistics.median(each)


def training(
    make_world: Callable[[int], Any],
    config: RLConfig,
    lanes: int,
    works: Sequence[Workload],
    seconds: float,
) -> Iterator[Row]:
    """One row per macro set and one without macros; their updates take turns.

    The share is that of the interpreter in the wall time of its own run; the ratio
    compares a whole update with macros to one without.
    """
    config = dataclasses.replace(config, ppo=dataclasses.replace(config.ppo, num_envs=lanes))
    spaces = {"no macros": empty_space(), **{w.name: offering(w.programs) for w in works}}
    trainees = {}
    for name, space in spaces.items():
        world = make_world(lanes)
        learner = init_learner(world, space, config, seed=0)
        trainees[name] = Trainee(world, space, config, learner)
        trainees[name].update(2)  # compiles
        trainees[name].updates.clear()
    began = time.perf_counter()
    while time.perf_counter() - began < seconds * len(trainees):
        for trainee in trainees.values():
            trainee.update()
    alone = trainees["no macros"].seconds()
    for name, trainee in trainees.items():
        per_update = lanes * config.ppo.unroll_length
        total = sum(per_update / m["steps_per_second"] for m in trainee.updates)
        numbers = {
            "lanes": float(lanes),
            "steps_per_second": per_update / trainee.seconds(),
            "share macros": share(trainee.updates, "time_macros", total),
            "time_to_no_macros": trainee.seconds() / alone,
        }
        yield Row("training", name, numbers)
