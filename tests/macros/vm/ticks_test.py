"""When macros run, decide, end and trap."""

import numpy as np
import pytest

from rlgpt_jax.envs.base import NOOP
from rlgpt_jax.macros.vm import bytecode
from rlgpt_jax.macros.vm.bytecode import TRAPS, link, trap_message
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros import worlds

FOREVER = "def macro(obs):\n    while True:\n        obs = yield forward()\n"
TWICE = "def macro(obs):\n    obs = yield jump()\n    obs = yield jump()\n"
AT_ONCE = "def macro(obs):\n    if obs.life > 99:\n        yield attack()\n"
SETS = link([worlds.program(source) for source in (FOREVER, TWICE, AT_ONCE)])
FORWARD, JUMP = [1, 0, 0, 12, 12, 0, 0, 0], [0, 0, 1, 12, 12, 0, 0, 0]


def steps(chosen, busy=None, limit=200, cut_at=None):
    """Runs one lane; `chosen` has one entry per tick. Returns the ticks' results."""
    state = interpret_host.init_state(1)
    view = worlds.random_view(np.random.default_rng(0), 1)
    outs = []
    for t, slot in enumerate(chosen):
        is_busy = np.array([bool(busy and busy[t])])
        state, out = interpret_host.tick(
            SETS, state, view, np.array([slot], np.int32), is_busy, limit
        )
        state = interpret_host.cut(state, np.array([t == cut_at]))
        outs.append([np.asarray(x)[0].tolist() for x in out])
    return outs


def rows(outs, *names):
    index = [bytecode.MacroTick._fields.index(name) for name in names]
    return [tuple(out[i] for i in index) for out in outs]


def test_a_decision_counts_only_when_no_macro_runs():
    outs = steps([0, 2, 1, 0, 3])
    assert rows(outs, "action", "from_macro", "decided", "ended", "ended_slot") == [
        (list(NOOP), False, True, 0, 0),  # the caller's primitive
        (JUMP, True, True, 0, 0),
        (JUMP, True, False, 0, 0),  # the choice of macro 1 is not asked for
        (list(NOOP), False, True, 1, 2),  # macro 2 returns, a primitive in the same tick
        (list(NOOP), True, True, 1, 3),  # macro 3 ends at once: a noop
    ]


def test_a_macro_that_ends_is_followed_by_the_chosen_one_in_the_same_tick():
    outs = steps([2, 0, 1, 0])
    assert rows(outs, "action", "decided", "ended", "ended_slot")[2:] == [
        (FORWARD, True, 1, 2),
        (FORWARD, False, 0, 0),
    ]


def test_two_macros_that_end_in_one_tick_are_both_told():
    outs = steps([2, 0, 3])
    assert rows(outs, "ended", "ended_slot", "earlier")[1:] == [
        (0, 0, [0] * 4),
        (1, 3, [1, 2, 0, 0]),
    ]


def test_busy_lanes_wait():
    outs = steps([2, 0, 0, 0], busy=[True, False, True, False])
    assert rows(outs, "action", "from_macro", "decided") == [
        (list(NOOP), False, False),
        (list(NOOP), False, True),
        (list(NOOP), False, False),
        (list(NOOP), False, True),
    ]
    outs = steps([2, 0, 0], busy=[False, True, False])
    assert rows(outs, "action", "from_macro") == [(JUMP, True), (list(NOOP), False), (JUMP, True)]


def test_the_tick_limit_ends_a_macro():
    outs = steps([1, 0, 0, 0, 2], limit=3)
    assert rows(outs, "from_macro", "ended", "ended_slot") == [
        (True, 0, 0), (True, 0, 0), (True, 0, 0), (False, 3, 1), (True, 0, 0)]  # fmt: skip


def test_a_cut_lane_decides_again():
    outs = steps([1, 1, 2], cut_at=1)
    assert rows(outs, "action", "decided") == [(FORWARD, True), (FORWARD, False), (JUMP, True)]


@pytest.mark.parametrize("slot", [-1, 4, 8, 99])
def test_empty_slots_are_a_noop(slot):
    (out,) = steps([slot])
    assert rows([out], "action", "from_macro", "decided") == [(list(NOOP), False, True)]


# --- traps -----------------------------------------------------------------------
TRAPPING = {
    "x = 1 / int(obs.x * 0)": bytecode.TRAP_DIVIDE,
    "x = 1 % (obs.x * 0)": bytecode.TRAP_DIVIDE,
    "x = (1, 2)[int(obs.life) * 100]": bytecode.TRAP_INDEX,
    "x = (1, 2)[-3 + int(obs.x * 0)]": bytecode.TRAP_INDEX,
    "x = obs.block(int(obs.life) + 1, 0, 0)": bytecode.TRAP_INDEX,
    "x = (1, 2)[0.5]": bytecode.TRAP_WHOLE,
    "x = int(1e38 * (obs.life + 9) * 1e38)": bytecode.TRAP_WHOLE,
    "x = round(inf - inf)": bytecode.TRAP_WHOLE,
    "for i in range(obs.x * 0 + 0.5): pass": bytecode.TRAP_WHOLE,
    "for i in range(0, 5, int(obs.x * 0)): pass": bytecode.TRAP_DOMAIN,
    "x = sqrt(-1 - obs.life)": bytecode.TRAP_DOMAIN,
    "x = 2 ** (obs.x * 0 - 0.3)": bytecode.TRAP_DOMAIN,
    "x = [k for k in range(600)]": bytecode.TRAP_MEMORY,
    "while True: x = 1": bytecode.TRAP_STEPS,
    "while 5 not in (1, 2, 3, 4): pass": bytecode.TRAP_STEPS,
    "x = obs.held - 1": bytecode.TRAP_KIND,
    "x = None < 3": bytecode.TRAP_KIND,
    "x = obs.x.block": bytecode.TRAP_KIND,
    "yield obs.x": bytecode.TRAP_KIND,
    "x = obs.count(obs.x)": bytecode.TRAP_KIND,
    "f = obs.life; x = f(3)": bytecode.TRAP_KIND,
    "p = (1, 2); p[0] = 3": bytecode.TRAP_KIND,
    "a, b = pair(3)": bytecode.TRAP_SHAPE,
    "f = pair; x = f()": bytecode.TRAP_SHAPE,
    "if obs.life > 99: y = 1\n    x = y": bytecode.TRAP_NO_VALUE,
    "rays = obs.rays\n    yield noop()\n    x = rays[0]": bytecode.TRAP_OLD,
    "yield noop()\n    x = len(obs.rays)": bytecode.TRAP_OLD,
    "x = min([])": bytecode.TRAP_INDEX,
}


@pytest.mark.parametrize("line", TRAPPING)
def test_a_mistake_at_run_time_ends_the_macro_and_names_its_line(line):
    source = f"""def pair(n):
    return (n, n, n)

def macro(obs):
    obs = yield noop()
    {line}
    yield noop()
"""
    view = worlds.random_view(np.random.default_rng(1), 2)
    actions, out = worlds.run_alone(source, [view] * 5)
    wrong = 6 + line.count("\n")
    assert (out.ended[0], TRAPS[out.trap_code[0]], out.trap_line[0]) == (
        2, TRAPS[TRAPPING[line]], wrong)  # fmt: skip
    assert out.ended_slot[0] == 1 and trap_message(out.trap_code[0], wrong).startswith("line")


def test_memory_is_given_back():
    source = """
def macro(obs):
    keep = [obs.x]
    for k in range(150):
        rays = [r for r in obs.rays if r.distance > 4]
        pair = (len(rays), k)
        keep[0] = pair
        obs = yield turn(yaw=15 * (keep[0][0] % 7), pitch=15 * (k % 5))
"""
    rng = np.random.default_rng(2)
    views = [worlds.random_view(rng, 1) for _ in range(150)]
    actions, out = worlds.run_alone(source, views)
    assert len(actions) == 150 and out.ended[0] == 0
    far = [int((v[0, -120:] > 4).sum()) for v in views]
    assert [a[4] for a in actions] == [12 + n % 7 for n in far]


def test_a_set_holds_eight_macros():
    program = worlds.program(TWICE)
    assert link([program] * 8).valid.tolist() == [True] * 8
    with pytest.raises(ValueError, match="9 macros given, a set holds 8"):
        link([program] * 9)
