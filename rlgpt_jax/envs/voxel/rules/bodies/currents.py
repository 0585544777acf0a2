"""Flowing water: which way it pushes a body.

Water flows towards lower levels (larger numbers). The push is that of
prismarine-physics, which the golden runs obey; where the game looks for water beneath a
neighbour that lets water through, prismarine looks beneath one that is solid.
"""

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.voxel.rules.blocks import grid
from rlgpt_jax.envs.voxel.rules.bodies import collision
from rlgpt_jax.envs.voxel.rules.bodies.shapes import BLOCKING, Shapes
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import PLAYER_SIZE

PUSH = 0.014  # blocks/tick^2
FALL_PULL = 6.0  # downward part of falling water along a wall, against 1 sideways
AT_ONCE = 32  # more swimmers than this are not picked out but all lanes computed
SIDES = ((0, 1), (-1, 0), (0, -1), (1, 0))  # x, z

# A body touches at most 2 x 2 cells in x and z and 2 in y; their neighbours count too.
_REGION = (4, 4, 4)
_INNER = slice(1, 3)


def touched(box: collision.Box) -> collision.Box:
    """The part of the player's box that feels water."""
    return box.shrink(0.001, 0.401)


def push(blocks: jax.Array, position: jax.Array, in_water: jax.Array, shapes: Shapes) -> jax.Array:
    """What the current adds to the velocity in this tick, float32[N, 3].

    Args:
      blocks: uint8[N, X, Z, Y].
      position: float32[N, 3] of the feet.
      in_water: bool[N].
      shapes: tables by byte.
    """

    n = len(position)
    few = min(AT_ONCE, n)

    def feel(lane: jax.Array) -> jax.Array:
        """float32[K, 3] of the lanes int32[K]."""
        feet = position[lane]
        corner = grid.floor(feet + jnp.array([-0.5, 0.401, -0.5], jnp.float32)) - 1
        byte = grid.region(blocks, corner[:, None], _REGION, lane).byte[:, 0]
        box = touched(collision.body(feet, corner, *PLAYER_SIZE))
        level = jnp.asarray(shapes.water_level)[byte][:, _INNER, _INNER, _INNER]
        inside = collision.inside(_REGION, box, 0.0)[:, _INNER, _INNER, _INNER] & (level >= 0)
        flow = jnp.where(inside[..., None], _flows(byte, shapes), 0.0)
        return PUSH * _unit(flow.sum((1, 2, 3)))

    def feel_few() -> jax.Array:
        (lane,) = jnp.nonzero(in_water, size=few, fill_value=n)
        return still.at[lane].set(feel(jnp.minimum(lane, n - 1)), mode="drop")

    def feel_all() -> jax.Array:
        return jnp.where(in_water[:, None], feel(jnp.arange(n)), 0.0)

    still = jnp.zeros_like(position)
    swimmers = in_water.sum(dtype=jnp.int32)
    size_class = (swimmers > 0).astype(jnp.int32) + (swimmers > few).astype(jnp.int32)
    return jax.lax.switch(size_class, (lambda: still, feel_few, feel_all))


def _flows(byte: jax.Array, shapes: Shapes) -> jax.Array:
    """Unit vectors float32[N, 2, 2, 2, 3] of the inner cells of uint8[N, 4, 4, 4]."""
    level = jnp.asarray(shapes.water_level)[byte].astype(jnp.float32)
    is_solid = (jnp.asarray(shapes.flags)[byte] & BLOCKING) > 0
    falls = jnp.asarray(shapes.falls)[byte][:, _INNER, _INNER, _INNER]

    def beside(values: jax.Array, side: tuple[int, int], up: int = 0) -> jax.Array:
        x, z, y = side[0], side[1], up
        return values[:, 1 + x : 3 + x, 1 + z : 3 + z, 1 + y : 3 + y]

    own = beside(level, (0, 0))
    flow_x, flow_z = jnp.zeros_like(own), jnp.zeros_like(own)
    walls = []
    for side in SIDES:
        there, below = beside(level, side), beside(level, side, -1)
        wall = beside(is_solid, side)
        over = jnp.where(wall & (below >= 0), below - own + 8.0, 0.0)
        drop = jnp.where(there >= 0, there - own, over)
        flow_x, flow_z = flow_x + side[0] * drop, flow_z + side[1] * drop
        walls.append(falls & (wall | beside(is_solid, side, 1)))
    flow = jnp.stack([flow_x, jnp.zeros_like(own), flow_z], -1)
    down = jnp.array([0.0, -FALL_PULL, 0.0], jnp.float32)
    for wall in walls:
        flow = jnp.where(wall[..., None], _unit(flow) + down, flow)
    return _unit(flow)


def _unit(vector: jax.Array) -> jax.Array:
    """The vector at length 1; zero stays zero."""
    length = jnp.sqrt((vector**2).sum(-1, keepdims=True))
    return vector / jnp.where(length > 0, length, 1.0)
