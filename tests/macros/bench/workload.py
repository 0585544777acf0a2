"""What the benchmark runs: sets of macros, and the ticks of a world in which they acted.

The macros act in the embedded world once, by the host interpreter; what they saw is
kept. Every interpreter gives the same actions for the same views, so playing the views
again is the closed loop, without the time of the world.
"""

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rlgpt_jax.agents.parse import python_source
from rlgpt_jax.files import CHECKOUT
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, MacroSet, Program, link
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros.bench.many_rays import SOURCES

TRANSCRIPTS = CHECKOUT / "experiments" / "transcripts"
LANES, TICKS = 64, 120  # of a recording; more lanes are copies of these
ROWS = ("views", "chosen", "busy", "done", "action")  # the fields by tick and lane


@dataclasses.dataclass(frozen=True)
class Workload:
    """A macro set and what its macros saw. T ticks of N lanes."""

    name: str
    programs: tuple[Program, ...]
    macros: MacroSet
    views: np.ndarray  # float32[T, N, VIEW_SIZE]
    chosen: np.ndarray  # int32[T, N]
    busy: np.ndarray  # bool[T, N]
    done: np.ndarray  # bool[T, N]
    action: np.ndarray  # int32[T, N, 8] what every interpreter must answer

    def first(self, ticks: int) -> "Workload":
        """The same, cut off after some ticks."""
        return dataclasses.replace(self, **{n: getattr(self, n)[:ticks] for n in ROWS})

    def with_lanes(self, lanes: int) -> "Workload":
        """The same with lane i doing what lane i % N did."""
        pick = np.arange(lanes) % self.chosen.shape[1]
        return dataclasses.replace(self, **{n: getattr(self, n)[:, pick] for n in ROWS})

    def instructions(self) -> float:
        """Instructions per lane and tick, counted one by one by the host interpreter."""
        state, total = interpret_host.init_state(self.chosen.shape[1]), 0
        for view, chosen, busy, done in zip(
            self.views, self.chosen, self.busy, self.done, strict=True
        ):
            state, out = interpret_host.tick(self.macros, state, view, chosen, busy)
            state = interpret_host.cut(state, done)
            total += int(out.steps.sum())
        return total / self.chosen.size


def answers(transcript: Path) -> list[Program]:
    """The last accepted code of every macro in a recorded conversation."""
    found: dict[str, Program] = {}
    for line in transcript.read_text().splitlines():
        exchange: dict[str, Any] = json.loads(line)
        if exchange["agent"] != "fast":
            continue
        name = exchange["key"].split("/")[2]
        source = python_source(exchange["answer"])
        program = parse_macro(source, name) if isinstance(source, str) else source
        if isinstance(program, Program):
            found[name] = program
    return list(found.values())[:MAX_MACROS]


def many_rays() -> list[Program]:
    programs = [parse_macro(source, name, "full") for name, source in SOURCES.items()]
    refused = [program.describe() for program in programs if isinstance(program, Refusal)]
    assert not refused, refused
    return [program for program in programs if isinstance(program, Program)]


def program_sets(transcripts: Path = TRANSCRIPTS) -> dict[str, list[Program]]:
    """Programs by the name of their set."""
    recorded = {f"answers {p.stem}": answers(p) for p in sorted(transcripts.glob("*.jsonl"))}
    return {**{name: found for name, found in recorded.items() if found}, "rays": many_rays()}


def record(
    name: str, programs: Iterable[Program], world: Any, ticks: int | None = None
) -> Workload:
    """Lets the macros act in a `HostEnvironment`; every lane goes round all of them."""
    programs = tuple(programs)
    macros, lanes = link(programs), world.num_envs
    obs, busy = world.reset(0), np.zeros(lanes, bool)
    state = interpret_host.init_state(lanes)
    rows: list[tuple[np.ndarray, ...]] = []
    for tick in range(TICKS if ticks is None else ticks):
        chosen = ((np.arange(lanes) + tick) % len(programs) + 1).astype(np.int32)
        view = sensors.pack_view(obs)
        state, out = interpret_host.tick(macros, state, view, chosen, busy)
        step = world.step(out.action)
        done = np.array(step.terminated | step.truncated)
        rows.append((view, chosen, busy, done, out.action))
        state = interpret_host.cut(state, done)
        obs, busy = step.obs, np.array(step.info["busy"])
    columns = dict(zip(ROWS, (np.stack(column) for column in zip(*rows, strict=True)), strict=True))
    return Workload(name, programs, macros, **columns)
