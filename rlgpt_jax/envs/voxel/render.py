"""Pictures of one lane for people: what the agent sees, and a map of where it is."""

from typing import Any

import numpy as np

from rlgpt_jax.envs.voxel.pictures.art import ART
from rlgpt_jax.envs.voxel.pictures.hud import draw_hud
from rlgpt_jax.envs.voxel.pictures.map_view import draw_map
from rlgpt_jax.envs.voxel.pictures.scene import (
    lane_of,
    light_at_eye,
    liquid_at_eye,
    make_scene,
)  # fmt: skip
from rlgpt_jax.envs.voxel.pictures.trace import trace


def first_person(
    state: Any,
    lane: int,
    height: int = 160,
    width: int = 256,
    samples: int = 1,
    hud: bool = True,
) -> np.ndarray:
    """Draws what the agent of one lane sees.

    Args:
      state: `WorldState` of jax or NumPy arrays.
      lane: which of the N worlds.
      height: pixels.
      width: pixels.
      samples: rays along each side of a pixel; 2 gives smooth edges in 4 times the time.
      hud: whether to draw crosshair, hand, signs, hotbar and flames of a burning agent.

    Returns:
      uint8[height, width, 3].
    """
    one = lane_of(state, _checked(state, lane))
    image = np.empty((height, width, 3), np.uint8)
    scene = make_scene(one)
    trace(ART, scene, image, samples)
    if hud:
        draw_hud(image, one, light_at_eye(scene), liquid_at_eye(scene))
    return image


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
    return draw_map(lane_of(state, _checked(state, lane)), size, radius)


def _checked(state: Any, lane: int) -> int:
    num_envs = state.blocks.shape[0]
    if not 0 <= lane < num_envs:
        raise ValueError(f"lane {lane} of a state with {num_envs}. Take 0 to {num_envs - 1}.")
    return lane
