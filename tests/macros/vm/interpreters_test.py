"""The interpreter gives the same bits compiled and as plain Python."""

import random
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, link
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros import worlds
from tests.macros.vm import machines
from tests.macros.vm.programs import random_program

LANES, TICKS = 16, machines.TICKS
ANSWERS = sorted((Path(__file__).parents[1] / "answers").glob("*.answer.txt"))


def answer_source(path: Path) -> str:
    found = re.search(r"```python\n(.*?)```", path.read_text(), re.S)
    assert found is not None
    return found.group(1)


def inputs_of(seed: int, macros: int, ticks: int = TICKS, lanes: int = LANES) -> machines.Inputs:
    rng = np.random.default_rng(seed)
    views = np.stack([worlds.random_view(rng, lanes) for _ in range(ticks)])
    return machines.Inputs(rng, views, macros)


# --- answers of a language model -----------------------------------------------------
@pytest.mark.parametrize("path", ANSWERS, ids=lambda p: p.name.split(".")[0])
def test_every_answer_is_accepted(path):
    source = answer_source(path)
    full = parse_macro(source, None, "full")
    assert not isinstance(full, Refusal), full.describe()
    uses_rays = re.search(r"obs\.(rays|sees|nearest)", source) is not None
    assert isinstance(parse_macro(source, None, "paper"), Refusal) == uses_rays


def test_the_answers_run_for_200_ticks_without_traps():
    programs = [worlds.program(answer_source(path)) for path in ANSWERS]
    outs, _ = machines.run_host(interpret_host, link(programs), inputs_of(1, len(programs), 200))
    ended = np.stack([out.ended for out in outs])
    assert np.any(ended == 1) and not np.any(ended == 2)
    actions = np.stack([out.action for out in outs])
    assert len(np.unique(actions.reshape(-1, 8), axis=0)) > 20


def test_the_answers_run_alike_uncompiled():
    programs = [worlds.program(answer_source(path)) for path in ANSWERS]
    inputs = inputs_of(2, len(programs), ticks=6, lanes=8)
    reference = machines.run_host(machines.uncompiled_host(), link(programs), inputs)
    machines.assert_same(reference, machines.run_host(interpret_host, link(programs), inputs))


# --- random programs -----------------------------------------------------------------
def check_random_programs(rng: random.Random) -> None:
    """Checks MAX_MACROS random programs over all lanes; cut, busy and limits included."""
    programs = [worlds.program(random_program(rng)) for _ in range(MAX_MACROS)]
    macro_set = link(programs)
    limit = rng.choice([3, 200])
    few = inputs_of(rng.getrandbits(32), MAX_MACROS, ticks=3, lanes=MAX_MACROS)
    reference = machines.run_host(machines.uncompiled_host(), macro_set, few, limit)
    machines.assert_same(reference, machines.run_host(interpret_host, macro_set, few, limit))


RELAXED = dict(deadline=None, suppress_health_check=list(HealthCheck))


@settings(max_examples=3, derandomize=True, **RELAXED)
@given(st.randoms(use_true_random=False))
def test_random_programs_run_alike(rng):
    check_random_programs(rng)  # 3 x 8 programs


@pytest.mark.slow
@settings(max_examples=250, **RELAXED)
@given(st.randoms(use_true_random=False))
def test_many_random_programs_run_alike(rng):
    check_random_programs(rng)


NUMBER_PROGRAM = """
def macro(obs):
    while True:
        x = obs.x * obs.y
        y = obs.z
        for f in (sine, cosine, angle, length, power, rest, floors, quotient, rounded):
            v = f(x, y)
            obs = yield turn(yaw=v, pitch=v * 1000 % 180)
            if v != v or v > 1e30:
                obs = yield noop()

def sine(x, y):
    return sin(x) * 170
def cosine(x, y):
    return cos(x * y) * 170
def angle(x, y):
    return degrees(atan2(x, y))
def length(x, y):
    return hypot(x, y) % 180
def power(x, y):
    return (abs(y) + 1) ** 0.5 + x ** 3 % 100
def rest(x, y):
    return x % (y + 0.3)
def floors(x, y):
    return x // (y + 0.7)
def quotient(x, y):
    return x / (y + 0.1) * 1e-42 * 1e30 * 1e12
def rounded(x, y):
    return round(x / 15, 2) + ceil(y) - floor(x)
"""


def test_arithmetic_has_the_same_bits_on_wild_numbers():
    inputs = inputs_of(3, 1, ticks=40)
    rng = np.random.default_rng(4)
    bits = rng.integers(-(2**31), 2**31, inputs.views[..., :3].shape).astype(np.int32)
    wild = bits.view(np.float32)
    tame = rng.normal(size=wild.shape).astype(np.float32) * 100
    inputs.views[..., :3] = np.where(rng.random(wild.shape) < 0.3, wild, tame)
    macro_set = link([worlds.program(NUMBER_PROGRAM, name="macro")])
    host = machines.run_host(interpret_host, macro_set, inputs)
    reference = machines.run_host(machines.uncompiled_host(), macro_set, inputs)
    machines.assert_same(reference, host)


def test_shapes_and_types_of_the_state_do_not_change():
    macro_set = link([worlds.program(NUMBER_PROGRAM, name="macro")])
    _, state = machines.run_host(interpret_host, macro_set, inputs_of(6, 1))
    for now, start in zip(state, interpret_host.init_state(LANES), strict=True):
        assert (now.shape, now.dtype) == (start.shape, start.dtype)
