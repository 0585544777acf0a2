"""How Pallas kernels are given the worlds of many lanes."""

import math
from typing import Any

import jax
from jax.experimental import pallas as pl

# Arrays of more bytes than the first, and up to the second, are addressed wrongly: by 32-bit
# offsets with a sign.
_LOW, _HIGH = 1 << 31, 1 << 32


def lane_spec(array: jax.Array) -> pl.BlockSpec:
    """A program sees its lane's part of an array [N, ...]; lanes are the first grid axis."""
    return pl.BlockSpec((None, *array.shape[1:]), lambda lane, *_: (lane, *[0] * (array.ndim - 1)))


def whole_spec(array: jax.Array) -> pl.BlockSpec:
    """A program sees all of an array."""
    return pl.BlockSpec(array.shape, lambda *_: (0,) * array.ndim)


def per_lane(tree: Any) -> Any:
    """Arrays [N, ...] with at least one axis besides that of the lanes."""
    return jax.tree.map(lambda array: array if array.ndim > 1 else array[:, None], tree)


def check_addresses(array: jax.Array, what: str) -> None:
    """Refuses worlds whose offsets would overflow.

    Raises:
      ValueError: the array takes from 2 to 4 GiB.
    """
    size = math.prod(array.shape) * array.dtype.itemsize
    if _LOW < size <= _HIGH:
        one = size // len(array)
        raise ValueError(
            f"{len(array)} {what} are {size / 2**30:.1f} GiB in one array; the kernels on a GPU "
            f"need at most 2 GiB or more than 4. Take at most {_LOW // one} on a "
            f"device, or at least {_HIGH // one + 1}, or choose 'jax'."
        )
