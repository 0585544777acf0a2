"""What the networks see of an observation."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.networks import actor_critic, fusion
from rlgpt_jax.rl.networks import features as f
from rlgpt_jax.rl.worlds.minecraft import decode
from tests.corridor import Corridor
from tests.rl.small import NETWORK

NONE = jnp.zeros(1, jnp.int32)
START = jnp.zeros((1, 7))  # as of `target_memory.start`


def observe(**fields):
    _, obs = Corridor(num_envs=1).reset((), jax.random.key(0))
    return obs._replace(**fields)


def test_features_have_the_shapes_and_dtypes_the_networks_are_made_for():
    got = f.make_features(observe(), NONE, START)
    shapes = lambda tree: jax.tree.map(lambda x: (x.shape, x.dtype), tree)  # noqa: E731
    assert shapes(got) == shapes(actor_critic.dummy_features())


def test_a_row_stays_small():
    row = f.make_features(observe(), NONE, START)
    assert sum(x.nbytes for x in jax.tree.leaves(row)) < 600


def test_compass_and_gps():
    got = f.make_features(
        observe(
            yaw=jnp.array([90.0]), pitch=jnp.array([-90.0]),
            position=jnp.array([[50.0, 64.0, -25.0]]),
        ),
        NONE, jnp.array([[0.0, 63.0, 0.0]]),
    )  # fmt: skip
    np.testing.assert_allclose(got.compass[0], [0, 1, 0, -1], atol=1e-6)
    np.testing.assert_allclose(got.gps[0], [1.0, 0.1, -0.5], rtol=1e-6)


def test_a_ray_shows_the_nearer_of_block_and_mob():
    blocks = jnp.full((1, NUM_RAYS), NAME_ID["log"])
    mobs = jnp.full((1, NUM_RAYS), NAME_ID["none"]).at[0, 1:3].set(NAME_ID["cow"])
    mob_distance = jnp.full((1, NUM_RAYS), 4.0).at[0, 1].set(1.0).at[0, 2].set(5.0)
    got = f.make_features(
        observe(
            ray_block=blocks, ray_block_distance=jnp.full((1, NUM_RAYS), 4.0),
            ray_entity=mobs, ray_entity_distance=mob_distance,
        ),
        NONE, START,
    )  # fmt: skip
    log, cow = f.RAY_BLOCK_CLASS[NAME_ID["log"]], f.RAY_ENTITY_CLASS[NAME_ID["cow"]]
    np.testing.assert_array_equal(got.ray[0, :4], [log, cow, log, log])
    np.testing.assert_allclose(got.ray_near[0, :4], [0.2, 0.5, 0.2, 0.2], rtol=1e-3)


def test_blocks_and_mobs_share_no_ray_class():
    names = ("cow", "sheep", "pig", "zombie", "player")
    mobs = {int(f.RAY_ENTITY_CLASS[NAME_ID[name]]) for name in names}
    blocks = set(f.RAY_BLOCK_CLASS.tolist())
    assert len(mobs) == 5 and not mobs & blocks
    assert max(mobs) < f.NUM_RAY_CLASSES and max(blocks) < f.NUM_RAY_BLOCK_CLASSES


def test_inventory_counts_over_slots():
    slot_name = jnp.zeros((1, 36), jnp.int32).at[0, jnp.array([0, 5])].set(NAME_ID["log"])
    quantity = jnp.zeros((1, 36), jnp.int32).at[0, jnp.array([0, 5])].set(jnp.array([3, 4]))
    got = f.make_features(observe(slot_name=slot_name, slot_quantity=quantity), NONE, START)
    np.testing.assert_allclose(got.inventory[0, f.ITEM_NAMES.index("log")], np.log(8), rtol=1e-3)
    assert int((got.inventory > 0).sum()) == 1


def test_previous_action_ids_are_the_released_ones_then_one_per_macro():
    primitives = jnp.array(list(itertools.product(range(12), range(3))))
    ids = f.action_id(decode(primitives), jnp.zeros(36, jnp.int32))
    # a0 + 3 a1 + 9 a2 + 36 f; the four camera moves look like "nothing".
    forward_attack = ids[1 * 3 + 2]
    assert forward_attack == 1 + 36 * 2
    assert ids[7 * 3] == 9 * 3 and ids[8 * 3] == 0
    assert int(ids.max()) < f.NUM_PRIMITIVE_IDS
    macro = f.action_id(decode(primitives[:8]), jnp.arange(1, 9))
    np.testing.assert_array_equal(macro, 108 + np.arange(8))
    assert int(macro.max()) < fusion.NUM_PREVIOUS


def test_networks_give_logits_and_values_for_any_batch_shape():
    params = actor_critic.init_params(NETWORK, jax.random.key(0))
    rows = jax.tree.map(lambda x: x.reshape(2, 3, *x.shape[1:]), actor_critic.dummy_features(6))
    logits = actor_critic.policy_logits(NETWORK, params, rows)
    shapes = [x.shape for x in (*logits.primitive, logits.macro)]
    assert shapes == [(2, 3, 12), (2, 3, 3), (2, 3, 9)]
    assert actor_critic.values(NETWORK, params, rows).shape == (2, 3)


def test_at_first_a_macro_is_as_likely_as_one_primitive_of_the_first_head():
    logits = actor_critic.policy_logits(
        NETWORK, actor_critic.init_params(NETWORK, jax.random.key(0)), actor_critic.dummy_features()
    )
    p = jax.nn.softmax(logits.macro[0, :3])  # two macros are offered
    np.testing.assert_allclose(p, [12 / 14, 1 / 14, 1 / 14], rtol=0.02)


def test_every_feature_reaches_the_policy():
    """Changing any one feature changes the logits: none is left out."""
    params = actor_critic.init_params(NETWORK, jax.random.key(0))
    base = jax.tree.map(lambda x: x + 1, actor_critic.dummy_features())
    logits = actor_critic.policy_logits(NETWORK, params, base).macro
    assert base.rgb is None
    for name, x in base._asdict().items():
        if x is None:
            continue
        changed = actor_critic.policy_logits(NETWORK, params, base._replace(**{name: x + 1})).macro
        assert not np.array_equal(changed, logits), name


def test_rows_of_a_table_and_their_gradients_are_the_same_on_a_gpu(monkeypatch):
    table, numbers = fusion.Table(7, 4), np.array([[0, 3, 3], [6, 1, 3]])
    params = table.init(jax.random.key(0), numbers)

    def both() -> tuple:
        loss = lambda p: jnp.sum(jnp.cos(table.apply(p, numbers)) * numbers[..., None])  # noqa: E731
        return table.apply(params, numbers), jax.grad(loss)(params)

    here = both()
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    there = both()
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), here, there)
    assert not np.any(np.asarray(here[1]["params"]["embedding"])[[2, 4, 5]])
