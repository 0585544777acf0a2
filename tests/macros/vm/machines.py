"""The interpreter compiled and as plain Python, and their comparison bit by bit."""

import importlib.util
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import config

from rlgpt_jax.macros.vm.bytecode import MacroSet, MacroState
from rlgpt_jax.macros.vm.host import (
    cells_host,
    heap_host,
    instruction_host,
    interpret_host,
    rare_host,
    sense_host,
)

TICKS = 10


@cache
def uncompiled_host() -> ModuleType:
    """Returns `interpret_host` as plain Python: the reference."""

    def load(module: ModuleType) -> ModuleType:
        spec = importlib.util.spec_from_file_location(
            module.__name__ + "_uncompiled", str(module.__file__)
        )
        assert spec is not None and spec.loader is not None
        copy = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(copy)
        return copy

    before = config.DISABLE_JIT
    config.DISABLE_JIT = True
    try:
        parts = (cells_host, heap_host, sense_host, rare_host, instruction_host, interpret_host)
        copies = [load(module) for module in parts]  # each uses those before it
    finally:
        config.DISABLE_JIT = before
    plain: dict[str, Any] = {}
    for module in copies:
        for name, function in plain.items():
            if hasattr(module, name):
                setattr(module, name, function)
        plain.update(functions(module))
    return copies[-1]


def functions(module: ModuleType) -> dict[str, Any]:
    return {name: f for name, f in vars(module).items() if isinstance(f, FunctionType)}


class Inputs:
    """What happens to some lanes over some ticks."""

    def __init__(self, rng: np.random.Generator, views: np.ndarray, macros: int):
        ticks, lanes = views.shape[:2]
        self.views = views  # float32[T, N, VIEW_SIZE]
        self.chosen = rng.integers(1, macros + 1, (ticks, lanes)).astype(np.int32)
        self.chosen[0] = np.arange(lanes) % macros + 1
        self.chosen[rng.random((ticks, lanes)) < 0.1] = 0
        self.busy = rng.random((ticks, lanes)) < 0.1
        self.done = rng.random((ticks, lanes)) < 0.02


Trace = tuple[list[Any], MacroState]


def run_host(host: ModuleType, macro_set: MacroSet, inputs: Inputs, limit: int = 200) -> Trace:
    state = host.init_state(inputs.views.shape[1])
    outs = []
    for view, chosen, busy, done in zip(inputs.views, inputs.chosen, inputs.busy, inputs.done):
        state, out = host.tick(macro_set, state, view, chosen, busy, limit)
        state = host.cut(state, done)
        outs.append(out)
    return outs, state


def assert_same(one: Trace, other: Trace) -> None:
    """Checks all results of all ticks and the whole state of lanes with a macro."""
    for t, (a, b) in enumerate(zip(one[0], other[0], strict=True)):
        for name, x, y in zip(a._fields, a, b, strict=True):
            np.testing.assert_array_equal(x, y, err_msg=f"tick {t}: {name}")
    running = np.asarray(one[1].slot) > 0
    np.testing.assert_array_equal(one[1].slot, other[1].slot)
    for name, x, y in zip(one[1]._fields, one[1], other[1], strict=True):
        np.testing.assert_array_equal(x[running], y[running], err_msg=f"state: {name}")
