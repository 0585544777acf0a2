"""Tells what is being compiled, and counts the seconds, for jax and numba.

jax reports through `jax.monitoring`, numba through its event API.
"""

import collections
import time
from collections.abc import Callable
from typing import Any

import jax.monitoring
import numba.core.event as numba_event

from rlgpt_jax.loop import events

LOWER = "/jax/core/compile/jaxpr_to_mlir_module_duration"
COMPILE = "/jax/core/compile/backend_compile_duration"
TRACE = "/jax/core/compile/jaxpr_trace_duration"


class Compiles(numba_event.Listener):
    """Listens to both compilers from its making until `close`.

    Args:
      on_begin: called with a program's name when its compiling begins.
      on_end: called with its name and seconds (tracing included).
    """

    def __init__(
        self,
        on_begin: Callable[[str], None] = lambda name: None,
        on_end: Callable[[str, float], None] = lambda name, seconds: None,
    ):
        self._on_begin, self._on_end = on_begin, on_end
        self._parts: dict[str, float] = collections.defaultdict(float)  # of unfinished programs
        self._numba_depth, self._numba_began = 0, 0.0
        self.seconds: dict[str, float] = collections.defaultdict(float)  # by program
        self.counts: dict[str, int] = collections.defaultdict(int)  # by program
        self.moment = ""  # of the run, in words, see `hear`
        self.late: list[str] = []  # what was compiled after a first `moment`, and when
        jax.monitoring.register_event_duration_secs_listener(self._on_jax)  # type: ignore[arg-type]
        numba_event.register("numba:compile", self)

    def close(self) -> None:
        """Stops listening; the counts stay."""
        jax.monitoring.unregister_event_duration_listener(self._on_jax)  # type: ignore[arg-type]
        numba_event.unregister("numba:compile", self)

    @property
    def total(self) -> float:
        return sum(self.seconds.values())

    def hear(self, event: Any) -> None:
        """Listens to a loop: from its first update on, `late` tells what is compiled when.

        Evaluations, trials and videos compile their own programs when they first come; in
        training nothing is left to compile after the first update.
        """
        if isinstance(event, events.Updated):
            self.moment = f"iteration {event.iteration}, training"
        elif self.moment and hasattr(event, "iteration"):
            self.moment = f"iteration {event.iteration}, {type(event).__name__}"

    def _on_jax(self, event: str, seconds: float, **about: Any) -> None:
        name = str(about.get("fun_name", "")).removeprefix("jit(").removesuffix(")")
        if event == TRACE:
            self._parts[name] = seconds
        elif event == LOWER:
            self._parts[name] += seconds
            self._on_begin(name)
        elif event == COMPILE:
            self._finish(name, self._parts.pop(name, 0.0) + seconds)

    def on_start(self, event: Any) -> None:
        """numba began a function; those that it calls are part of it."""
        self._numba_depth += 1
        if self._numba_depth == 1:
            self._numba_began = time.perf_counter()
            self._on_begin(_numba_name(event))

    def on_end(self, event: Any) -> None:
        self._numba_depth -= 1
        if self._numba_depth == 0:
            self._finish(_numba_name(event), time.perf_counter() - self._numba_began)

    def _finish(self, name: str, seconds: float) -> None:
        self.seconds[name] += seconds
        self.counts[name] += 1
        if self.moment:
            self.late.append(f"{self.moment}: {name}")
        self._on_end(name, seconds)


def _numba_name(event: Any) -> str:
    dispatcher = (event.data or {}).get("dispatcher")
    return getattr(dispatcher, "__name__", "a numba kernel")
