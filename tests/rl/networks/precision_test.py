"""Networks that compute in bfloat16: what stays float32, and that they learn as well."""

import dataclasses
import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.networks.precision import compute_dtype
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.ppo import ppo
from rlgpt_jax.rl.train import init_learner, train
from tests.corridor import Corridor
from tests.rl.small import CONFIG, NETWORK

HALF = dataclasses.replace(NETWORK, compute_dtype="bfloat16")
FULL = dataclasses.replace(NETWORK, compute_dtype="float32")
judge = actor_critic.logits_and_values
PICTURES = dict(image_size=(16, 16), frame_stack=2, shared=True)


def dtypes(tree) -> set[str]:
    return {str(x.dtype) for x in jax.tree.leaves(tree)}


@pytest.mark.parametrize("parts", [{}, PICTURES], ids=["rays", "pictures"])
def test_wide_layers_compute_in_half_and_all_that_is_kept_is_float32(parts):
    """By shapes alone; nothing is compiled."""
    half, full = (dataclasses.replace(config, **parts) for config in (HALF, FULL))
    params = jax.eval_shape(lambda: actor_critic.init_params(half, jax.random.key(0)))
    x = jax.eval_shape(lambda: actor_critic.dummy_features(6, half))

    def loss(params, x):
        logits, value = judge(half, params, x)
        return sum(jnp.sum(y**2) for y in jax.tree.leaves((logits, value)))

    kept = (
        params, jax.eval_shape(functools.partial(judge, half), params, x),
        jax.eval_shape(jax.grad(loss), params, x),
    )  # fmt: skip
    assert [dtypes(tree) for tree in kept] == [{"float32"}] * 3
    programs = (
        str(jax.make_jaxpr(functools.partial(judge, config))(params, x)) for config in (half, full)
    )
    in_half, in_full = (
        re.findall(r":(\w+)\[[\d,]*\] = (?:dot_general|conv_general_dilated)", text)
        for text in programs
    )
    # Rays, fusion and hidden layer of actor and critic; or eight layers of the picture (three,
    # two in each residual block, the last one), fusion, and two hidden layers.
    assert in_half.count("bf16") == (3 + 2 * 2 + 1 + 1 + 2 if parts else 2 * 3)
    assert set(in_half) == {"bf16", "f32"} and set(in_full) == {"f32"}
    assert len(in_half) == len(in_full)


def test_half_says_nearly_what_float32_says():
    params = actor_critic.init_params(FULL, jax.random.key(0))
    rng = np.random.default_rng(0)
    x = jax.tree.map(
        lambda x: jnp.asarray(rng.integers(0, 5, x.shape).astype(x.dtype)),
        actor_critic.dummy_features(6, FULL),
    )
    half, full = (jax.jit(functools.partial(judge, c))(params, x) for c in (HALF, FULL))
    assert not np.array_equal(half[1], full[1])
    for a, b in zip(jax.tree.leaves(half), jax.tree.leaves(full), strict=True):
        np.testing.assert_allclose(a, b, atol=0.03, rtol=0.03)


def test_auto_is_float32_on_a_cpu():
    assert jax.default_backend() == "cpu"
    assert compute_dtype(NETWORK) == jnp.dtype("float32") == compute_dtype(FULL)
    assert compute_dtype(HALF) == jnp.dtype("bfloat16")


def test_an_unknown_type_is_refused():
    with pytest.raises(ValueError, match="network.compute_dtype is 'half'.*bfloat16"):
        NetworkConfig(compute_dtype="half")


@pytest.mark.slow
def test_ppo_solves_the_corridor_as_well_in_half():
    """The same bound as in float32, see `train_test.py`."""
    env, config = Corridor(num_envs=16), dataclasses.replace(CONFIG, network=HALF)
    learner = init_learner(env, empty_space(), config, 0)
    learner = train(env, empty_space(), config, learner, 12_000)
    report = evaluate(env, Policy(learner.params, empty_space(), config), 5, num_episodes=32)
    assert report.success_rate > 0.9 and report.mean_ticks < 20


def test_adam_keeps_its_moments_in_float32():
    state = ppo.make_optimizer(CONFIG.ppo).init(actor_critic.init_params(HALF, jax.random.key(0)))
    assert {x.dtype for x in jax.tree.leaves(state)} <= {jnp.dtype("float32"), jnp.dtype("int32")}
