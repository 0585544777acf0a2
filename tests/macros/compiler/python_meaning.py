"""Runs whole programs in Python and in the macro language, and compares their actions."""

import numpy as np

from rlgpt_jax.macros.vm import bytecode
from tests.macros import worlds

LANES, TICKS = 4, 40


def host_actions(source: str) -> list[list[list[int]]]:
    """Returns the actions of every lane; what is seen depends on the length of the source."""
    return worlds.host_actions(source, worlds.random_views(len(source), LANES, TICKS))


def check(source: str, in_python: str = "") -> None:
    """Checks that a program acts in the macro language as it, or another, does in Python."""
    assert all(worlds.compared_with_python(source, len(source), LANES, TICKS, in_python))


def trap_of(source: str) -> str:
    """Returns the words of the mistake that ends a macro."""
    views = [worlds.random_view(np.random.default_rng(0), 1) for _ in range(TICKS)]
    _, out = worlds.run_alone(source, views)
    assert out.ended[0] == bytecode.TRAPPED
    return bytecode.trap_message(int(out.trap_code[0]), int(out.trap_line[0]))
