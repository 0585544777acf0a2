"""Light of the blocks round the eye as they are now.

The pool's light is that of the worlds at reset. Of a cube of cells round the eye it is
brought up to date in every frame: what was dug out is lit from beside and from the open
sky, torches shine as far as walls let them, and what has been roofed is in shade. Where
nothing was changed the result is the stored light. What was walled in stays as bright as
it was, and light comes into the cube only from cells that had it at reset.

One integer holds the 16 cells of a column, a bit each for the light of the sky and for that
of blocks; light spreads one level at a time. Rules of light: see `blocks/light.py`.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel.render.art.textures import IS_SHAPE
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE
from rlgpt_jax.envs.voxel.rules.blocks.light import EMISSION, FULL, OPACITY, SHADE

WINDOW, HALF = 16, 8  # cells of a side, and how many of them are below the eye's cell
DAYLIGHT = 240  # a light byte: 15 of the sky, 0 of blocks
_SKY, _BLOCKS = (1 << WINDOW) - 1, -1 << WINDOW  # bits of a column's integer
_LOW = (1 << 2 * WINDOW - 1) - 1  # without the sign, which shifts copy
# By byte, bits: lets light through at 1 a block, at 3 a block, takes none from the sky's
# straight fall, and shows its neighbours' light though it lets none through.
_THIN, _THICK, _CLEAR, _SHOWS = 1, 2, 4, 8
_PASS = (
    _THIN * (OPACITY <= 1) + _THICK * ((OPACITY > 1) & (OPACITY < FULL))
    + _CLEAR * (OPACITY == 0) + _SHOWS * ((OPACITY == FULL) & IS_SHAPE)
).astype(np.uint8)  # fmt: skip
assert set(np.unique(OPACITY)) <= {0, 1, 3, FULL}


def near_light(
    blocks: jax.Array, pool_light: jax.Array, pool_index: jax.Array, cell: jax.Array,
    lanes: jax.Array,
) -> jax.Array:  # fmt: skip
    """uint8[K, 16, 16, 16], axes x, z, y: the light of the cells -8..7 from a cell.

    Args:
      blocks: uint8[N, X, Z, Y].
      pool_light: uint8[P, X, Z, Y].
      pool_index: int32[K].
      cell: int32[K, 3], x, y, z, unwrapped.
      lanes: int32[K], which of the N lanes those are.
    """
    _, size_x, size_z, size_y = blocks.shape
    along = jnp.arange(WINDOW, dtype=jnp.int32) - HALF
    x = ((cell[:, 0, None] + along) % size_x)[:, :, None]
    z = ((cell[:, 2, None] + along) % size_z)[:, None, :]
    y = cell[:, 1, None] + along
    inside = ((y >= 0) & (y < size_y))[:, None, None]
    row = jnp.clip(y, 0, size_y - 1)[:, None, None]
    lane = lanes[:, None, None]
    at = lane[..., None], x[..., None], z[..., None], row
    byte = jnp.where(inside, blocks[at], np.uint8(AIR_CODE + 1))
    stored = pool_light[pool_index[:, None, None, None], *at[1:]]
    stored = jnp.where(inside, stored, np.uint8(DAYLIGHT)).astype(jnp.int32)
    passing = jnp.asarray(_PASS)[byte].astype(jnp.int32)
    was = jnp.where(passing & (_THIN | _THICK) > 0, stored, 0)
    block = jnp.maximum(was & FULL, jnp.asarray(EMISSION)[byte].astype(jnp.int32))
    thin, thick, clear, shows, *digits = _columns(passing | (was >> 4) << 4 | block << 8)

    top = y[:, -1, None, None]
    dug = (passing[..., -1] & _CLEAR > 0) & (stored[..., -1] >> 4 == 0)
    opened = _is_open(blocks, lane, x, z, top, dug)
    is_open = jnp.where(dug, opened, stored[..., -1] >> 4 == FULL)
    falls = jnp.where(is_open, _from_top(clear), 0)
    roofed = digits[0] & digits[1] & digits[2] & digits[3] & ~falls
    sky = [bits if SHADE >> k & 1 else bits & ~roofed for k, bits in enumerate(digits[:4])]
    both = [(bits | falls) | digits[4 + k] << WINDOW for k, bits in enumerate(sky)]
    now = _spread(both, thin, thick, shows)
    height = jnp.arange(WINDOW, dtype=jnp.int32)
    value = jnp.zeros((*now[0].shape, WINDOW), jnp.int32)
    for k, bits in enumerate(now):
        column = bits[..., None] >> height
        value |= (column & 1) << (4 + k) | (column >> WINDOW & 1) << k
    return value.astype(jnp.uint8)


def _columns(code: jax.Array) -> jax.Array:
    """int32[12, N, 16, 16]: each bit of a code int32[N, 16, 16, 16], packed along y."""
    weight = 1 << jnp.arange(WINDOW, dtype=jnp.int32)

    def pack(k: jax.Array) -> jax.Array:
        return jnp.where(code >> k & 1 != 0, weight, 0).sum(-1, dtype=jnp.int32)

    # A loop, so that XLA looks up the code once and not for every bit.
    return jax.lax.map(pack, jnp.arange(12, dtype=jnp.int32))


def _from_top(clear: jax.Array) -> jax.Array:
    """The bits above the highest one that is not set."""
    closed = ~clear & _SKY
    for shift in (1, 2, 4, 8):
        closed |= closed >> shift
    return ~closed & _SKY


def _is_open(
    blocks: jax.Array, lane: jax.Array, x: jax.Array, z: jax.Array, y: jax.Array, asked: jax.Array
) -> jax.Array:
    """bool[N, 16, 16]: nothing that takes light lies above y, in the columns asked for."""
    size_y = blocks.shape[-1]

    def climb(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        y, active = carry
        byte = blocks[lane, x, z, jnp.clip(y, 0, size_y - 1)]
        active &= jnp.asarray(OPACITY)[byte] == 0
        y = jnp.where(active, y + jnp.maximum(byte.astype(jnp.int32) - AIR_CODE, 1), y)
        return y, active & (y < size_y)

    start = jnp.broadcast_to(y, asked.shape)
    y, _ = jax.lax.while_loop(
        lambda carry: carry[1].any(), climb, (start, asked & (y >= 0) & (y < size_y))
    )
    return y >= size_y


def _beside(mask: jax.Array) -> jax.Array:
    """Cells with a neighbour in int32[x, z, ...] of bits along y."""
    rest = [(0, 0)] * (mask.ndim - 2)
    wide = jnp.pad(mask, [(1, 1), (1, 1), *rest])
    sides = wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
    up = (mask & _SKY) << 1 & _SKY | (mask & _BLOCKS) << 1
    down = (mask & _SKY) >> 1 | mask >> 1 & _BLOCKS & _LOW
    return sides | up | down


def _spread(
    digits: list[jax.Array], thin: jax.Array, thick: jax.Array, shows: jax.Array
) -> list[jax.Array]:
    """Lets light flow from the brightest cells on.

    Args:
      digits: 4 x int32[N, 16, 16], the binary digits of the levels of light.
      thin: int32[N, 16, 16], cells that light enters at the loss of 1.
      thick: likewise, at the loss of 3.
      shows: cells that show their neighbours' light and pass none on.

    Returns:
      The digits of the levels afterwards.
    """
    # Lanes last: neighbours of a cell are then whole rows.
    digits = [jnp.moveaxis(digit, 0, -1) for digit in digits]
    thin, thick, shows = (
        jnp.moveaxis(mask | mask << WINDOW, 0, -1) for mask in (thin, thick, shows)
    )

    def step(carry, level):
        now, beside, out = carry  # cells of the level above; neighbours 1, 2 and 3 above
        enough = jnp.full_like(now, -1)
        for k, digit in enumerate(digits):
            enough = jnp.where(level >> k & 1 > 0, digit & enough, digit | enough)
        now = now | enough | thin & beside[0] | thick & beside[2]
        beside = (_beside(now), *beside[:2])
        shown = now | shows & beside[0]
        # A binary digit of a number changes every 1, 2, 4 or 8 levels.
        changes = [level % (1 << k) == 0 for k in range(4)]
        out = [jnp.where(change, digit ^ shown, digit) for change, digit in zip(changes, out)]
        return (now, beside, out), None

    none = jnp.zeros_like(thin)
    levels = jnp.arange(FULL, 0, -1, dtype=jnp.int32)
    (_, _, out), _ = jax.lax.scan(step, (none, (none,) * 3, [none] * 4), levels)
    return [jnp.moveaxis(digit, -1, 0) for digit in out]
