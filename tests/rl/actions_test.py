"""The released primitive table, and the probabilities of hybrid actions."""

import itertools

import distrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, link
from rlgpt_jax.rl import actions
from rlgpt_jax.rl.actions import HybridAction, HybridSpace, Masks
from rlgpt_jax.rl.distribution import distribution
from rlgpt_jax.rl.primitives import MINECRAFT
from rlgpt_jax.rl.worlds.minecraft import decode

ALL = (np.ones(12, bool), np.ones(3, bool))


def row(**columns):
    """A NOOP with some columns set."""
    action = list(base.NOOP)
    for name, value in columns.items():
        action[getattr(base, name)] = value
    return action


RELEASED = [
    row(), row(MOVE=1), row(MOVE=2), row(STRAFE=1), row(STRAFE=2), row(JUMP=1), row(JUMP=2),
    row(JUMP=3), row(PITCH=10), row(PITCH=14), row(YAW=10), row(YAW=14),
]  # fmt: skip


def test_decode_is_the_released_table():
    for choice, function in itertools.product(range(12), range(3)):
        expected = list(RELEASED[choice])
        expected[base.FUNCTION] = (base.FN_NONE, base.FN_USE, base.FN_ATTACK)[function]
        got = decode(jnp.array([[choice, function]]))
        np.testing.assert_array_equal(got, [expected])
        assert got.dtype == jnp.int32


def test_the_camera_turns_by_the_steps_of_the_space_and_nothing_else_changes():
    for choice, steps in itertools.product(range(12), (1, 2)):
        expected = list(RELEASED[choice])
        for column in (base.PITCH, base.YAW):
            expected[column] = 12 + (expected[column] - 12) // 2 * steps
        np.testing.assert_array_equal(decode(jnp.array([choice, 0]), np.int32(steps)), expected)


def test_every_primitive_has_its_own_label():
    labels = {MINECRAFT.label(p) for p in itertools.product(range(12), range(3))}
    assert len(labels) == 36
    assert MINECRAFT.label((1, 2)) == "forward+attack"
    assert MINECRAFT.label((0, 0)) == "nothing"


@pytest.fixture
def policy():
    rng = np.random.default_rng(0)
    heads = tuple(jnp.array(rng.normal(size=(1, n)), jnp.float32) for n in (12, 3))
    mask = np.array([True, True, False, True] + [False] * 5)
    macro = jnp.array(rng.normal(size=(1, 9)), jnp.float32)
    return distribution(heads, macro, Masks(ALL, mask)), mask


def test_probabilities_of_all_hybrid_actions_add_up_to_one(policy):
    """36 primitives under macro 0 and one event per offered macro."""
    pi, mask = policy
    primitives = [pi.log_prob(HybridAction(jnp.array([p]), jnp.zeros(1, int)))
                  for p in itertools.product(range(12), range(3))]  # fmt: skip
    macros = [pi.log_prob(HybridAction(jnp.zeros((1, 2), int), jnp.array([k])))
              for k in range(1, 9)]  # fmt: skip
    total = sum(float(jnp.exp(x[0])) for x in primitives + macros)
    np.testing.assert_allclose(total, 1.0, rtol=1e-5)
    forbidden = [x for x, offered in zip(macros, mask[1:], strict=True) if not offered]
    assert all(float(jnp.exp(x[0])) == 0.0 for x in forbidden)


def test_the_primitive_of_a_macro_decision_does_not_change_its_probability(policy):
    pi, _ = policy
    a, b = (pi.log_prob(HybridAction(jnp.array([p]), jnp.ones(1, int))) for p in ([0, 0], [7, 2]))
    assert a == b


def test_entropy_is_that_of_the_joint_distribution(policy):
    pi, _ = policy
    logs = [pi.log_prob(HybridAction(jnp.array([p]), jnp.zeros(1, int)))
            for p in itertools.product(range(12), range(3))]  # fmt: skip
    logs += [pi.log_prob(HybridAction(jnp.zeros((1, 2), int), jnp.array([k]))) for k in (1, 3)]
    expected = -sum(float(jnp.exp(x[0]) * x[0]) for x in logs)
    np.testing.assert_allclose(pi.entropy()[0], expected, rtol=1e-5)


def test_samples_follow_the_mask_and_the_key(policy):
    rng = np.random.default_rng(1)
    mask = np.array([True, False, True] + [False] * 6)
    pi = distribution(
        tuple(jnp.array(rng.normal(size=(500, n)), jnp.float32) for n in (12, 3)),
        jnp.zeros((500, 9)), Masks(ALL, mask),
    )  # fmt: skip
    first, again = pi.sample(jax.random.key(0)), pi.sample(jax.random.key(0))
    np.testing.assert_array_equal(first.macro, again.macro)
    np.testing.assert_array_equal(first.primitive, again.primitive)
    assert set(np.unique(first.macro)) == {0, 2}
    assert len(jax.tree.leaves(first)) == 2  # no arguments, whose leaf checkpoints do not have


def test_an_entropy_gradient_with_masked_macros_is_finite():
    def entropy(x):
        heads = (jnp.zeros((1, 12)), jnp.zeros((1, 3)))
        masks = Masks(ALL, np.array([True] + [False] * 8))
        return distribution(heads, x, masks).entropy().sum()

    assert np.isfinite(jax.grad(entropy)(jnp.zeros((1, 9)))).all()


def test_the_empty_space_never_uses_macros():
    space = actions.empty_space()
    assert not space.uses_macros
    masks = space.arrays().masks
    np.testing.assert_array_equal(masks.macro, [True] + [False] * MAX_MACROS)
    assert all(mask.all() for mask in masks.primitive)


def test_primitives_that_are_left_out_are_never_chosen_and_cost_no_entropy():
    space = HybridSpace(macros=link(()), primitives=("forward", "turn_left", "attack"))
    masks = space.arrays().masks
    heads = (jnp.zeros((400, 12)), jnp.zeros((400, 3)))
    pi = distribution(heads, jnp.zeros((400, 9)), masks)
    chosen = pi.sample(jax.random.key(0)).primitive
    assert set(np.unique(chosen[:, 0])) == {0, 1, 10} and set(np.unique(chosen[:, 1])) == {0, 2}
    np.testing.assert_allclose(pi.entropy(), np.log(3.0) + np.log(2.0), rtol=1e-6)


def test_masks_of_all_primitives_change_no_logit(policy):
    pi, mask = policy
    rng = np.random.default_rng(0)
    heads = tuple(jnp.array(rng.normal(size=(1, n)), jnp.float32) for n in (12, 3))
    plain = [distrax.Categorical(logits=x) for x in heads]
    for got, expected in zip(pi.heads, plain, strict=True):
        np.testing.assert_array_equal(got.logits, expected.logits)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (dict(offered=(True,) + (False,) * 7), "space.offered names slot 1"),
        (dict(turn=20), "space.turn is 20; choose from 15, 30"),
        (dict(script=(2,)), "space.script names slot 2"),
        (dict(names=("a",)), "space.names has 1 entries"),
        (dict(repeat_script=True), "space.repeat_script"),
        (dict(tick_limit=0), "space.tick_limit is 0"),
        (dict(primitives=("forwards",)), "space.primitives names 'forwards'"),
    ],
)
def test_a_space_that_cannot_work_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        HybridSpace(macros=link(()), **fields)
