"""Rates of several worlds in one run, taken in turns.

A shared machine is now fast, now slow. Everything that is compared runs in short windows,
one after the other and round after round, so that a slow minute falls on all alike; the
median over the rounds is given with its extremes. Processor time (user and system, of all
threads) counts what the others on the machine do not take.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

ROUNDS = 5


class Contestant(NamedTuple):
    """One way of running, compiled and ready."""

    name: str
    lanes: int
    run: Callable[[], None]  # advances every lane by `ticks`, and waits until that is done
    ticks: int = 1

    @property
    def steps(self) -> int:
        """Steps of one call: ticks of one lane."""
        return self.ticks * self.lanes


class Rate(NamedTuple):
    """Steps per second over the rounds."""

    median: float
    low: float
    high: float
    per_cpu_second: float  # median; of one core, since the time of all threads is added up


def measure(
    contestants: Sequence[Contestant], seconds: float, rounds: int = ROUNDS
) -> dict[str, Rate]:
    """Runs every contestant for about `seconds` in all, in `rounds` windows.

    Args:
      contestants: with different names.
      seconds: of each.
      rounds: windows of each; the order of the contestants turns around in every other.
    """
    wall: dict[str, list[float]] = {one.name: [] for one in contestants}
    cpu: dict[str, list[float]] = {one.name: [] for one in contestants}
    assert len(wall) == len(contestants), f"names repeat: {[one.name for one in contestants]}"
    for number in range(rounds):
        for one in contestants if number % 2 == 0 else reversed(contestants):
            took, worked, calls = _window(one, seconds / rounds)
            wall[one.name].append(calls * one.steps / took)
            cpu[one.name].append(calls * one.steps / max(worked, 1e-9))
    return {
        name: Rate(statistics.median(rates), min(rates), max(rates), statistics.median(cpu[name]))
        for name, rates in wall.items()
    }


def _window(one: Contestant, seconds: float) -> tuple[float, float, int]:
    """Wall seconds, processor seconds and calls of one window; at least one call."""
    calls, worked, began = 0, time.process_time(), time.perf_counter()
    while calls == 0 or time.perf_counter() - began < seconds:
        one.run()
        calls += 1
    return time.perf_counter() - began, time.process_time() - worked, calls


def numbers(one: Contestant, rate: Rate) -> dict[str, float]:
    """What a row says of a contestant."""
    return {
        "lanes": float(one.lanes), "steps_per_second": rate.median, "low": rate.low,
        "high": rate.high, "steps_per_cpu_second": rate.per_cpu_second,
    }  # fmt: skip
