"""Runs whole programs in Python and in the macro language, and compares their actions."""

import numpy as np

from rlgpt_jax.macros.vm import bytecode
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros import worlds

LANES, TICKS = 4, 40
Actions = list[list[list[int]]]  # [lane][tick] an action


def views_for(source: str) -> list[np.ndarray]:
    rng = np.random.default_rng(len(source))
    return [worlds.random_view(rng, LANES) for _ in range(TICKS)]


def host_actions(source: str) -> Actions:
    """Returns the actions of every lane until the macro ends or the views do."""
    macro_set = bytecode.link([worlds.program(source, name="macro")])
    state = interpret_host.init_state(LANES)
    actions: Actions = [[] for _ in range(LANES)]
    for t, view in enumerate(views_for(source)):
        chosen = np.full(LANES, t == 0, np.int32)
        state, out = interpret_host.tick(macro_set, state, view, chosen, np.zeros(LANES, bool))
        assert not np.any(out.ended == bytecode.TRAPPED), [
            bytecode.trap_message(c, line) for c, line in zip(out.trap_code, out.trap_line)
        ]
        for lane in np.flatnonzero(out.from_macro & (out.ended == 0)):
            actions[lane].append(out.action[lane].tolist())
    return actions


def check(source: str, in_python: str = "") -> None:
    """Checks that a program acts in the macro language as it, or another, does in Python."""
    actions = host_actions(source)
    views = views_for(source)
    for lane in range(LANES):
        expected = worlds.python_actions(in_python or source, views, lane)
        assert expected
        assert actions[lane] == expected, f"lane {lane}"


def trap_of(source: str) -> str:
    """Returns the words of the mistake that ends a macro."""
    views = [worlds.random_view(np.random.default_rng(0), 1) for _ in range(TICKS)]
    _, out = worlds.run_alone(source, views)
    assert out.ended[0] == bytecode.TRAPPED
    return bytecode.trap_message(int(out.trap_code[0]), int(out.trap_line[0]))
