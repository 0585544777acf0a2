"""The kernel: the same bits as the host where it is interpreted, and it lowers for CUDA."""

import inspect
import random

import jax
import numpy as np
import pytest

from rlgpt_jax.macros import exact_jax, interpret_host, interpret_jax, interpret_pallas, sensors
from rlgpt_jax.macros.bytecode import MAX_MACROS, TRAP_MEMORY, TRAP_STEPS, MacroSet, link
from tests.macros import machines, worlds
from tests.macros.interpreters_test import ANSWERS, NUMBER_PROGRAM, answer_source
from tests.macros.programs import random_program

LANES, TICKS = 8, 10


@jax.jit
def tick(*arguments):
    return interpret_pallas.tick(*arguments, interpret=True)


def inputs_of(seed: int, macros: int) -> machines.Inputs:
    rng = np.random.default_rng(seed)
    views = np.stack([worlds.random_view(rng, LANES) for _ in range(TICKS)])
    return machines.Inputs(rng, views, macros)


def check(macro_set: MacroSet, inputs: machines.Inputs, limit: int = 200) -> np.ndarray:
    """Compares all bits with the host's. Returns the trap codes, int32[T, N]."""
    state, ticks = interpret_pallas.init_state(LANES), []
    rows = (inputs.views, inputs.chosen, inputs.busy, inputs.done)
    for view, chosen, busy, done in zip(*rows, strict=True):
        state, out = tick(macro_set, state, view, chosen, busy, limit)
        state = interpret_pallas.cut(state, done)
        ticks.append(jax.tree.map(np.asarray, out))
    state = jax.tree.map(np.asarray, state)
    host = machines.run_host(interpret_host, macro_set, inputs, limit)
    machines.assert_same(host, (ticks, state))
    return np.stack([out.trap_code for out in ticks])


def test_the_answers_run_alike():
    programs = [worlds.program(answer_source(path)) for path in ANSWERS]
    for seed in (1, 2):
        check(link(programs), inputs_of(seed, len(programs)))


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_run_alike(seed):
    rng = random.Random(seed)
    macro_set = link([worlds.program(random_program(rng)) for _ in range(MAX_MACROS)])
    check(macro_set, inputs_of(seed, MAX_MACROS), limit=(200, 3)[seed % 2])


def test_arithmetic_has_the_same_bits_on_wild_numbers():
    inputs = inputs_of(3, 1)
    rng = np.random.default_rng(4)
    bits = rng.integers(-(2**31), 2**31, inputs.views[..., :3].shape).astype(np.int32)
    tame = rng.normal(size=bits.shape).astype(np.float32) * 100
    inputs.views[..., :3] = np.where(rng.random(bits.shape) < 0.5, bits.view(np.float32), tame)
    check(link([worlds.program(NUMBER_PROGRAM, name="macro")]), inputs)


EDGE = """
def macro(obs):
    while True:
        a = obs.x % obs.y
        b = obs.y % obs.z
        c = obs.x // obs.y
        d = obs.x / obs.z
        e = obs.x - obs.y
        obs = yield noop()
"""


def test_the_least_numbers_of_full_precision_have_the_same_bits():
    """Their remainders and differences are often less than that, which is 0."""
    inputs = inputs_of(6, 1)
    rng = np.random.default_rng(6)
    shape = inputs.views[..., :3].shape
    bits = (rng.integers(1, 4, shape) << 23) + rng.integers(0, 1 << 23, shape)
    sign = rng.choice([1, -1], shape).astype(np.float32)
    inputs.views[..., :3] = sign * bits.astype(np.int32).view(np.float32)
    inputs.done[:] = False  # so that all lanes end in the macro, with their memories
    macro_set = link([worlds.program(EDGE, name="macro")])
    check(macro_set, inputs)
    host = machines.run_host(interpret_host, macro_set, inputs)
    machines.assert_same(host, machines.run_jax(macro_set, inputs))


COLLECTS = """
def macro(obs):
    kept = [(1, 2), (obs.x, obs.y)]
    while True:
        for k in range(150):
            pair = (k, (k, obs.z))
            if k % 10 == 0 and len(kept) < 25:
                kept.append(pair)
        kept[3] = (kept[0], kept)
        obs = yield turn(yaw=kept[-1][0] + kept[1][1], pitch=len(kept))
"""
FULL = """
def macro(obs):
    cells = [0]
    while len(cells) < 10000:
        cells.append(obs.x)
    yield noop()
"""
SPINS = """
def macro(obs):
    n = 0
    while obs.life >= 0:
        n = n + 1
    yield noop()
"""
SEARCH = """
def macro(obs):
    cells = [r for r in obs.rays]
    while True:
        n = 0
        for r in cells:
            if (r.yaw, r.pitch) == (10, 0) or r in obs.rays:
                n = n + 1
        obs = yield turn(yaw=n)
        cells = [r for r in obs.rays if r.block == "log"]
        if obs.count("log") > 3 and obs.nearest("nothing").distance == 999:
            obs = yield craft("planks")
"""


def test_heaps_are_collected_and_run_full_alike():
    programs = [worlds.program(source) for source in (COLLECTS, SEARCH, FULL, SPINS)]
    codes = check(link(programs), inputs_of(5, len(programs)))
    assert {TRAP_MEMORY, TRAP_STEPS} <= set(codes.flat)


# --- for a GPU that is not here --------------------------------------------------------
def lowered(lanes: int) -> str:
    state = interpret_pallas.init_state(lanes)
    view = np.zeros((lanes, sensors.VIEW_SIZE), np.float32)
    arguments = (link([]), state, view, np.zeros(lanes, np.int32), np.zeros(lanes, bool), 200)
    traced = jax.jit(interpret_pallas.tick).trace(*arguments)
    return traced.lower(lowering_platforms=("cuda",)).as_text()


def test_the_kernel_lowers_for_cuda():
    """One kernel, one program per lane, and the memory is changed in place."""
    text = lowered(64)
    assert text.count("__gpu$xla.gpu.triton") == 1
    assert "grid_x = 64 : i32" in text and "num_warps = 1 : i32" in text
    assert text.count("output_operand_alias<") == 2


def test_all_interpreters_have_the_same_functions():
    for name in ("init_state", "tick", "cut"):
        one, other = (
            list(inspect.signature(getattr(module, name)).parameters)
            for module in (interpret_jax, interpret_pallas)
        )
        assert other[: len(one)] == one


# --- exact arithmetic ------------------------------------------------------------------
def canonical(bits: np.ndarray) -> np.ndarray:
    """`values.canonical` for int32 arrays."""
    size = bits & 0x7FFFFFFF
    bits = np.where(size < 0x00800000, 0, bits)
    return np.where(size > 0x7F800000, 0x7FC00000, bits).astype(np.int32)


def numbers(rng: np.random.Generator, size: int) -> np.ndarray:
    """Wild, tame, special and very small numbers, float32[size]."""
    special = [0, 0x3F800000, 0x7F800000, -0x800000, 0x7FC00000, 0x00800000, 0x00FFFFFF,
               0x7F7FFFFF, 0x3FFFFFFF, 0x3F7FFFFF]  # fmt: skip
    kinds = [
        rng.integers(-(2**31), 2**31, size),
        (rng.integers(-1000, 1000, size) / 8).astype(np.float32).view(np.int32),
        np.array(special)[rng.integers(0, len(special), size)],
        (rng.integers(1, 4, size) << 23) + rng.integers(0, 1 << 23, size),
    ]
    picked = np.choose(rng.integers(0, len(kinds), size), kinds).astype(np.int32)
    return canonical(picked).view(np.float32)


def halves(x: np.ndarray) -> np.ndarray:
    """Makes numbers to round of anything: multiples of 1/8 up to 4000."""
    return (x.view(np.int32) % 32_000).astype(np.float32) / np.float32(8)


EXACT = {
    "divide": (exact_jax.divide, np.divide, lambda x: x),
    "remainder": (exact_jax.remainder, np.fmod, lambda x: x),
    "square_root": (lambda x, _: exact_jax.square_root(x), lambda x, _: np.sqrt(x), np.abs),
    "rounded": (lambda x, _: exact_jax.rounded(x), lambda x, _: np.rint(x), halves),
}


@pytest.mark.parametrize("name", EXACT)
def test_exact_arithmetic_has_the_bits_of_numpy(name):
    function, reference, prepare = EXACT[name]
    rng = np.random.default_rng(7)
    x, y = prepare(numbers(rng, 50_000)), numbers(rng, 50_000)
    y = np.where(y == 0, np.float32(3), y)
    with np.errstate(all="ignore"):
        expected = reference(x, y).astype(np.float32)
    got = np.asarray(jax.jit(jax.vmap(function))(x, y))
    np.testing.assert_array_equal(
        canonical(got.view(np.int32)), canonical(expected.view(np.int32))
    )
