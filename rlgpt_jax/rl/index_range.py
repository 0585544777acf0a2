"""Arrays with more elements than 32-bit indices can count.

Nothing here computes a flat index over lanes: a cell is looked up by lane, x, z and y, and a row
of a batch by its number, each of which is small. What remains is the compiler, which turns them
into an offset. Whether it does that in 64 bits where it must is tried out on the device, once,
before lanes are made that need it.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

LIMIT = 2**31 - 1  # elements
_SIDE = 128  # of the cubes of the trial
_RAISED = 100  # by which it raises bytes


def check(what: str, per_lane: int, lanes: int) -> None:
    """Refuses lanes whose array a device cannot index.

    Args:
      what: of which arrays, in words.
      per_lane: elements of a lane.
      lanes: on one device.

    Raises:
      ValueError: with the largest number of lanes that it can.
    """
    if per_lane * lanes <= LIMIT or is_right_beyond():
        return
    kind = jax.local_devices()[0].device_kind
    raise ValueError(
        f"{lanes:,} lanes on one device make {what} of {per_lane * lanes:,} elements. {kind} reads "
        f"or writes wrong elements beyond {LIMIT:,}, as a trial showed. Use at most "
        f"{LIMIT // per_lane:,} lanes per device: lower ppo.num_envs, or set devices to more."
    )


@functools.cache
def is_right_beyond() -> bool:
    """Whether reads and writes like those of worlds and batches are right beyond `LIMIT`.

    Takes 2.2 GB of the device for a moment, which is less than what is asked for then.
    """
    num = LIMIT // _SIDE**3 + 2
    return tried(num, _SIDE, np.array([0, num - 2, num - 1]))  # the last two lie around the limit


def tried(num: int, side: int, lanes: np.ndarray) -> bool:
    """Whether edits in uint8[num, side, side, side] are found in their lanes and in no other."""
    lane = np.asarray(lanes, np.int32)
    each = np.arange(len(lane), dtype=np.int32)
    cell = (lane, side - 1 - each, each, side - 1 - 2 * each)
    byte = (each + 1).astype(np.uint8)
    blocks = jnp.zeros((num, side, side, side), jnp.uint8)
    blocks = _raise(_edit(blocks, cell, byte), lane[-1])
    byte[-1] += _RAISED
    largest = np.zeros(num, np.uint8)
    largest[lane] = byte
    wanted = (largest, byte, byte, byte[-1:])
    return all(map(np.array_equal, _read(blocks, cell), wanted))


# Each writes in place: one array is all that fits.
@functools.partial(jax.jit, donate_argnums=0)
def _edit(blocks: jax.Array, cell: tuple, byte: jax.Array) -> jax.Array:
    """As blocks are placed and broken."""
    return blocks.at[cell].set(byte, mode="drop", unique_indices=True)


@functools.partial(jax.jit, donate_argnums=0)
def _raise(blocks: jax.Array, lane: jax.Array) -> jax.Array:
    """Copies a whole world, as resets do."""
    zero = jnp.int32(0)
    world = jax.lax.dynamic_index_in_dim(blocks, lane)
    world = jnp.where(world > 0, world + jnp.uint8(_RAISED), world)
    return jax.lax.dynamic_update_slice(blocks, world, (lane, zero, zero, zero))


@jax.jit
def _read(blocks: jax.Array, cell: tuple) -> tuple[jax.Array, ...]:
    """The largest byte of every lane; the cells, looked up by lane and by row of a batch; the
    last one as a box."""
    lane, x, z, y = cell
    num, side = blocks.shape[:2]
    found = blocks.at[cell].get(mode="promise_in_bounds")
    rows = blocks.reshape(num * side, side, side)[lane * side + x]
    box = jax.lax.dynamic_slice(blocks, (lane[-1], x[-1], z[-1], y[-1]), (1, 1, 1, 1))
    return blocks.max((1, 2, 3)), found, rows[jnp.arange(lane.shape[0]), z, y], box.reshape(1)
