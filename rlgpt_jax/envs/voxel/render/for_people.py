"""Pictures of one lane for people: what the agent sees, and a map of where it is."""

from typing import Any

import jax
import numpy as np

from rlgpt_jax.envs.voxel.render.art.glow import light_of
from rlgpt_jax.envs.voxel.render.art.hud import draw_hud
from rlgpt_jax.envs.voxel.render.art.map_view import draw_map
from rlgpt_jax.envs.voxel.render.host import render_host
from rlgpt_jax.envs.voxel.render.jax.scene import make_scenes
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, WATERS, is_one_of
from rlgpt_jax.envs.voxel.senses import rays

_IS_WATER = is_one_of(*WATERS)


def first_person(
    state: Any, lane: int, height: int = 160, width: int = 256, samples: int = 1, hud: bool = True
) -> np.ndarray:
    """Draws what the agent of one lane sees.

    Args:
      state: `WorldState` of jax or NumPy arrays.
      lane: which of the N worlds.
      height: pixels.
      width: pixels.
      samples: rays along each side of a pixel, 1, 2 or 4; 2 gives smooth edges in 4 times
        the time.
      hud: whether to draw crosshair, hand, signs, hotbar and flames of a burning agent.

    Returns:
      uint8[height, width, 3].
    """
    one = _lane_of(state, lane)
    world = np.ascontiguousarray(one.blocks)
    # The light of the whole world as it is now, which the torches of the agent are part of.
    light = light_of(world)
    # Blocks are read by the kernel alone.
    small = jax.tree.map(lambda x: x[None], one.replace(blocks=np.zeros((1, 1, 1), np.uint8)))
    scenes = jax.tree.map(np.asarray, make_scenes(small, None, near=False))
    scenes = scenes._replace(num_lights=np.zeros(1, np.int32))
    image = render_host.render(
        scenes, world[None], light[None], np.zeros(1, np.int32), height, width,
        samples=samples, hand=hud,
    )[0]  # fmt: skip
    if hud:
        draw_hud(image, one, bool(_IS_WATER[_byte_at_eye(one)]))
    return image


def _byte_at_eye(one: Any) -> int:
    x, y, z = np.floor(one.player.position + np.array([0.0, rays.EYE_HEIGHT, 0.0])).astype(int)
    size_x, size_z, size_y = one.blocks.shape
    return int(one.blocks[x % size_x, z % size_z, y]) if 0 <= y < size_y else AIR_CODE


def _lane_of(state: Any, lane: int) -> Any:
    """The fields of one lane; small ones are copies.

    Raises:
      ValueError: there is no such lane.
    """
    num_envs = state.blocks.shape[0]
    if not 0 <= lane < num_envs:
        raise ValueError(f"lane {lane} of a state with {num_envs}. Take 0 to {num_envs - 1}.")
    return jax.tree.map(lambda x: np.asarray(x[lane]), state)


def top_down(state: Any, lane: int, size: int = 256, radius: float = 24.0) -> np.ndarray:
    """Draws a map around the agent of one lane: north (-z) is up, east (+x) right.

    Args:
      state: `WorldState` of jax or NumPy arrays.
      lane: which of the N worlds.
      size: pixels of each side.
      radius: blocks from the agent to the edge.

    Returns:
      uint8[size, size, 3].
    """
    return draw_map(_lane_of(state, lane), size, radius)
