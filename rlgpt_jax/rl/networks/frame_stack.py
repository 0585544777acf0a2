"""The last pictures of a lane's episode, which the networks see together with the present one.

Every tick is taken in: those in which the policy decides, those inside macros and scripts, and
those in which a slow action keeps the lane busy. At the end of an episode all are forgotten.

A batch stores one picture per tick, and how many of the pictures before it belong to the same
episode (`Features.past`); K of them are put together when rows are taken.
"""

from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.networks.features import AnyFeatures

Tree = TypeVar("Tree")


class FrameStack(NamedTuple):
    """N lanes before a tick; K is `network.frame_stack`."""

    pictures: Any  # uint8[N, K - 1, H, W, 3]  of the last ticks, the latest last
    past: Any  # uint8[N]  how many of them are of this episode


def start(network: NetworkConfig, num: int) -> FrameStack | None:
    """Nothing is remembered yet; None if nothing ever will be."""
    earlier = network.frame_stack - 1
    if not earlier:
        return None
    pictures = jnp.zeros((num, earlier, *network.image_size, 3), jnp.uint8)
    return FrameStack(pictures, jnp.zeros(num, jnp.uint8))


def push(frames: FrameStack | None, rgb: Any) -> FrameStack | None:
    """After a tick that showed `rgb` uint8[N, H, W, 3]."""
    if frames is None:
        return None
    earlier = frames.pictures.shape[1]
    pictures = jnp.concatenate([frames.pictures[:, 1:], rgb[:, None]], axis=1)
    return FrameStack(pictures, jnp.minimum(frames.past + 1, earlier).astype(jnp.uint8))


def forget(frames: FrameStack | None, done: jax.Array) -> FrameStack | None:
    """Forgets everything in the lanes `done` bool[N].

    Pictures that do not count are not erased, which would touch all of them.
    """
    if frames is None:
        return None
    return frames._replace(past=jnp.where(done, jnp.uint8(0), frames.past))


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


def with_stack(features: AnyFeatures, frames: FrameStack | None) -> AnyFeatures:
    """Features of a tick as the networks are given them."""
    if features.past is None or frames is None:
        return features
    rgb = jnp.concatenate([frames.pictures, features.rgb[:, None]], axis=1)
    return features._replace(rgb=stack(rgb, features.past), past=None)


def film(
    features: AnyFeatures, frames: FrameStack | None, first: AnyFeatures, earlier: Any
) -> AnyFeatures:
    """Features [T, N, ...] of a batch behind those [N, ...] of its carried decisions as row 0.

    Args:
      frames: before the first tick of the batch.
      first, earlier: of the carried decisions, and what was remembered before their ticks.

    Returns:
      Features [T + 1, N, ...]. With K stacked pictures `rgb` is a film uint8[T + 2 K - 1, N, H,
      W, 3]: the K pictures of row 0, and then the K - 1 before the first tick and all others.
    """
    joined = jax.tree.map(lambda x, xs: jnp.concatenate([x[None], xs]), first, features)
    if features.past is None or frames is None:
        return joined
    before = jnp.concatenate([earlier.pictures, first.rgb[:, None], frames.pictures], axis=1)
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
