"""Densities of squashed Gaussians and of hybrid actions, against numerical integration."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.macros.limits import MAX_ARGUMENTS, MAX_MACROS
from rlgpt_jax.rl.actions import HybridAction, Masks
from rlgpt_jax.rl.distribution import distribution
from rlgpt_jax.rl.squashed import Gaussian, Squashed, between, log_slope

GRID = np.tanh(np.linspace(-9.0, 9.0, 4001)).astype(np.float64)  # of the squashed space
CASES = [(0.0, 0.5), (0.8, 1.0), (-1.5, 0.2), (0.3, 2.0)]


def of(mean: float, std: float) -> Squashed:
    log_std = jnp.full((1, 1), np.log(std))
    return Squashed(Gaussian(jnp.full((1, 1), mean), log_std), np.ones(1, bool))


def density(policy: Squashed) -> np.ndarray:
    log_prob = policy.log_prob(np.arctanh(GRID)[:, None].astype(np.float32))
    return np.exp(np.asarray(log_prob, np.float64))


@pytest.mark.parametrize("case", CASES)
def test_a_density_over_the_squashed_space_integrates_to_one(case):
    assert abs(np.trapezoid(density(of(*case)), GRID) - 1.0) < 1e-3


@pytest.mark.parametrize("case", CASES)
def test_squashed_samples_have_the_density(case):
    policy = of(*case)
    many = policy._replace(gaussian=Gaussian(jnp.full((200_000, 1), case[0]), policy.log_std))
    found = np.tanh(np.asarray(many.sample(jax.random.key(0))))[:, 0]
    edges = np.quantile(found, np.linspace(0.05, 0.95, 19))
    p = density(policy)
    below = np.concatenate([[0.0], np.cumsum(0.5 * (p[1:] + p[:-1]) * np.diff(GRID))])
    np.testing.assert_allclose(
        np.interp(edges, GRID, below), np.linspace(0.05, 0.95, 19), atol=5e-3
    )


@pytest.mark.parametrize("case", CASES)
def test_the_entropy_is_near_that_of_the_squashed_density(case):
    p = density(of(*case))
    exact = -np.trapezoid(p * np.log(np.maximum(p, 1e-300)), GRID)
    np.testing.assert_allclose(float(of(*case).entropy()[0]), exact, atol=1e-2)


def test_gradients_are_finite_where_tanh_is_one():
    def loss(mean, log_std, u):
        policy = Squashed(Gaussian(mean, log_std), np.ones(2, bool))
        return policy.log_prob(u).sum() + policy.entropy().sum()

    for u, mean in ((50.0, 0.0), (-50.0, 40.0), (0.0, -1e3)):
        for log_std in (-50.0, 0.0, 50.0):
            given = [jnp.full((3, 2), x) for x in (mean, log_std, u)]
            value, grads = jax.value_and_grad(loss, argnums=(0, 1))(*given)
            assert np.isfinite(value) and all(np.isfinite(g).all() for g in grads)


def hybrid(num: int, near=None):
    """Two numbers of which one is left out; macro 1 has two arguments, 2 one, 3 none."""
    rng = np.random.default_rng(0)
    declared = np.zeros((MAX_MACROS, MAX_ARGUMENTS), bool)
    declared[0, :2] = declared[1, :1] = True
    offered = np.array([True] * 4 + [False] * 5)
    masks = Masks(np.array([True, False]), offered, declared, near)
    wide = lambda *shape: jnp.asarray(  # noqa: E731
        np.broadcast_to(rng.normal(size=shape), (num, *shape)), jnp.float32
    )
    numbers, arguments = (
        Gaussian(wide(size), wide(size) - 0.5) for size in (2, MAX_MACROS * MAX_ARGUMENTS)
    )
    return distribution(numbers, wide(9), masks, arguments)


def test_the_density_of_hybrid_actions_integrates_to_one():
    """Over the numbers of the primitive, of macros 1 and 2, and the one event of macro 3."""
    side, sizes = GRID[::50], (1, 2, 1, 0)
    grids = [np.stack(np.meshgrid(*[side] * n), -1).reshape(-1, n) for n in sizes[:-1]]
    grids.append(np.zeros((1, 0)))
    given = np.full((sum(map(len, grids)), MAX_ARGUMENTS), 0.7, np.float32)
    macro = np.repeat(np.arange(4), [len(grid) for grid in grids])
    for which, grid in enumerate(grids):
        given[macro == which, : grid.shape[1]] = np.arctanh(grid)
    action = HybridAction(given[:, :2], jnp.asarray(macro), given)
    p, total = np.exp(hybrid(len(macro)).log_prob(action)), 0.0
    for which, size in enumerate(sizes):
        cells = p[macro == which].reshape([len(side)] * size)
        for _ in range(size):
            cells = np.trapezoid(cells, side, axis=0)
        total += cells
    np.testing.assert_allclose(total, 1.0, atol=5e-3)


def test_what_is_not_chosen_takes_no_part():
    policy = hybrid(1)
    base = HybridAction(jnp.zeros((1, 2)), jnp.zeros(1, int), jnp.zeros((1, MAX_ARGUMENTS)))
    left_out = base._replace(primitive=jnp.array([[0.0, 3.0]]))
    unused = base._replace(arguments=jnp.ones((1, MAX_ARGUMENTS)))
    assert policy.log_prob(base) == policy.log_prob(left_out) == policy.log_prob(unused)
    for macro, counts in ((1, 2), (2, 1), (3, 0)):
        for i in range(MAX_ARGUMENTS):
            a = base._replace(macro=jnp.full(1, macro))
            b = a._replace(arguments=a.arguments.at[:, i].set(1.0))
            assert bool(policy.log_prob(a) != policy.log_prob(b)) == (i < counts)


def test_what_is_near_is_added_to_the_arguments():
    """As for leads, whose arguments begin near their defaults."""
    shift = np.zeros((MAX_MACROS, MAX_ARGUMENTS), np.float32)
    shift[0, 0] = 2.0
    free, led = hybrid(1), hybrid(1, Gaussian(shift, -shift))
    at = HybridAction(jnp.zeros((1, 2)), jnp.ones(1, int), free.arguments.gaussian.mean[:, 0])
    moved = at._replace(arguments=at.arguments.at[0, 0].add(2.0))
    gained = led.log_prob(moved) - free.log_prob(at)
    slope = log_slope(at.arguments[0, 0]) - log_slope(moved.arguments[0, 0])
    np.testing.assert_allclose(gained, 2.0 + slope, rtol=1e-5)


def test_the_entropy_weighs_the_parts_by_how_likely_they_are():
    policy = hybrid(1)
    p, each = policy.macro.probs[0], policy.arguments.entropy()[0]
    expected = policy.macro.entropy()[0] + p[0] * policy.numbers.entropy()[0] + p[1:] @ each
    np.testing.assert_allclose(policy.entropy()[0], expected, rtol=1e-6)
    assert float(each[2]) == 0.0 and float(jnp.abs(each[:2]).min()) > 0.0


def test_samples_are_those_of_the_chosen_macro():
    policy = hybrid(4000)
    action = policy.sample(jax.random.key(1))
    assert set(np.unique(action.macro)) == {0, 1, 2, 3}
    mean = policy.arguments.gaussian.mean[0]
    for macro in (1, 2):
        found = np.asarray(action.arguments)[np.asarray(action.macro) == macro].mean(0)
        np.testing.assert_allclose(found, mean[macro - 1], atol=0.5)


def test_between_reaches_from_low_to_high():
    got = between(jnp.array([-50.0, 0.0, 50.0]), 2.0, 6.0)
    np.testing.assert_allclose(got, [2.0, 4.0, 6.0])
