"""What the networks remember of a lane's episode: the last pictures, and the state of the GRU.

Both take in every tick: those in which the policy decides, those inside macros and scripts, and
those in which a slow action keeps the lane busy. What a macro does is seen in the previous
action, which names its slot. At the end of an episode everything is forgotten.

A batch stores one picture per tick, and how many of the pictures before it belong to the same
episode (`Features.past`); K of them are put together when rows are taken.
"""

from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.networks.fields import AnyFeatures

Tree = TypeVar("Tree")


class RecurrentState(NamedTuple):
    """N lanes before a tick. K is `frame_stack`, R the width of the GRU."""

    pictures: Any  # uint8[N, K - 1, H, W, 3]  of the last ticks, the latest last; None if K = 1
    past: Any  # uint8[N]  how many of them are of this episode; None if K = 1
    state: Any  # float32[N, R]  0 at the start of an episode; None if R = 0


def start(network: NetworkConfig, num: int) -> RecurrentState | None:
    """Nothing is remembered yet; None if nothing ever will be."""
    earlier = network.frame_stack - 1
    if not earlier and not network.recurrent:
        return None
    return RecurrentState(
        jnp.zeros((num, earlier, *network.image_size, 3), jnp.uint8) if earlier else None,
        jnp.zeros(num, jnp.uint8) if earlier else None,
        jnp.zeros((num, network.recurrent)) if network.recurrent else None,
    )


def state_of(recurrent: RecurrentState | None) -> Any:
    """float32[N, R] or None."""
    return None if recurrent is None else recurrent.state


def push(recurrent: RecurrentState | None, rgb: Any, state: Any) -> RecurrentState | None:
    """After a tick that showed `rgb` uint8[N, H, W, 3] and left the GRU in `state`."""
    if recurrent is None:
        return None
    if recurrent.pictures is None:
        return recurrent._replace(state=state)
    earlier = recurrent.pictures.shape[1]
    pictures = jnp.concatenate([recurrent.pictures[:, 1:], rgb[:, None]], axis=1)
    past = jnp.minimum(recurrent.past + 1, earlier).astype(jnp.uint8)
    return RecurrentState(pictures, past, state)


def forget(recurrent: RecurrentState | None, done: jax.Array) -> RecurrentState | None:
    """Forgets everything in the lanes `done` bool[N].

    Pictures that do not count are not erased, which would touch all of them.
    """
    if recurrent is None:
        return None
    past, state = recurrent.past, recurrent.state
    return RecurrentState(
        recurrent.pictures,
        None if past is None else jnp.where(done, jnp.uint8(0), past),
        None if state is None else jnp.where(done[:, None], 0.0, state),
    )


@jax.jit
def choose(mine: jax.Array, a: Tree, b: Tree) -> Tree:
    """`a` in the lanes `mine` bool[N], `b` in the others; any trees [N, ...]."""

    def pick(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.where(jnp.asarray(mine).reshape(-1, *[1] * (x.ndim - 1)), x, y)

    chosen: Tree = jax.tree.map(pick, a, b)
    return chosen


def stack(pictures: jax.Array, past: jax.Array) -> jax.Array:
    """K pictures in a row as one of 3 K channels; those of an earlier episode are black.

    Args:
      pictures: uint8[..., K, H, W, 3], the latest last.
      past: uint8[...], how many before the latest count.

    Returns:
      uint8[..., H, W, 3 K].
    """
    num, *size, colours = pictures.shape[-4:]
    age = num - 1 - jnp.arange(num)
    known = (age <= past[..., None])[..., None, None, None]
    pictures = jnp.moveaxis(jnp.where(known, pictures, jnp.uint8(0)), -4, -2)
    return pictures.reshape(*pictures.shape[:-4], *size, num * colours)


def with_stack(features: AnyFeatures, recurrent: RecurrentState | None) -> AnyFeatures:
    """Features of a tick as the networks are given them."""
    if features.past is None or recurrent is None:
        return features
    rgb = jnp.concatenate([recurrent.pictures, features.rgb[:, None]], axis=1)
    return features._replace(rgb=stack(rgb, features.past), past=None)


def film(
    features: AnyFeatures, recurrent: RecurrentState | None, first: AnyFeatures, earlier: Any
) -> AnyFeatures:
    """Features [T, N, ...] of a batch behind those [N, ...] of its carried decisions as row 0.

    Args:
      recurrent: before the first tick of the batch.
      first, earlier: of the carried decisions, and what was remembered before their ticks.

    Returns:
      Features [T + 1, N, ...]. With K stacked pictures `rgb` is a film uint8[T + 2 K - 1, N, H,
      W, 3]: the K pictures of row 0, and then the K - 1 before the first tick and all others.
    """
    stacked = features.past is not None and recurrent is not None
    joined = jax.tree.map(lambda x, xs: jnp.concatenate([x[None], xs]), first, features)
    if not stacked:
        return joined
    assert recurrent is not None
    before = jnp.concatenate([earlier.pictures, first.rgb[:, None], recurrent.pictures], axis=1)
    return joined._replace(rgb=jnp.concatenate([jnp.moveaxis(before, 1, 0), features.rgb]))


def taken(features: AnyFeatures, rows: jax.Array, num: int) -> AnyFeatures:
    """Some rows as the networks are given them, their pictures put together now.

    Args:
      features: [(T + 1) N, ...] and the `film` flat, uint8[(T + 2 K - 1) N, H, W, 3].
      rows: int32[...].
      num: K.
    """
    if features.past is None:
        return jax.tree.map(lambda x: x[rows], features)
    some: AnyFeatures = jax.tree.map(lambda x: x[rows], features._replace(rgb=None))
    lanes = (features.rgb.shape[0] - features.past.shape[0]) // (2 * (num - 1))
    oldest = rows + lanes * (num - 1) * (rows >= lanes)
    pictures = features.rgb[oldest[..., None] + lanes * jnp.arange(num)]
    return some._replace(rgb=stack(pictures, some.past), past=None)
