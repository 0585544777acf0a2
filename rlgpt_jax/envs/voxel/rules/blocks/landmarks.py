"""What the agent has placed and the rules ask for again: stations and lights."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.voxel import lanes
from rlgpt_jax.envs.voxel.rules.blocks import grid
from rlgpt_jax.envs.voxel.rules.blocks.blocks import NAME_OF, is_one_of
from rlgpt_jax.envs.voxel.rules.blocks.light import EMISSION
from rlgpt_jax.envs.voxel.state import Lights, Stations, WorldState

# By byte: the name id of a station, 0 for other blocks; the light that a block gives.
STATION = np.where(is_one_of("crafting_table", "furnace"), NAME_OF, 0).astype(np.int32)
LIGHT = EMISSION.astype(np.int32)


def _entry(used: jax.Array, active: jax.Array) -> jax.Array:
    """bool[N, S]: where the lanes that are `active` bool[N] note something.

    That is the first entry that is not `used` bool[N, S], or else the first one.
    """
    first = jnp.argmin(used, axis=1)
    return active[:, None] & (jnp.arange(used.shape[1]) == first[:, None])


def remember(state: WorldState, edit: grid.Edit) -> WorldState:
    """Notes a station or a light that this edit puts up.

    All notes are shifted by whole periods to where the player would look for them.
    """
    station, light = jnp.asarray(STATION)[edit.byte], jnp.asarray(LIGHT)[edit.byte]
    here = _entry(state.stations.name > 0, edit.active & (station > 0))
    shines = _entry(state.lights.level > 0, edit.active & (light > 0))
    cell = edit.cell[:, None]
    stations = lanes.choose(here, Stations(station[:, None], cell), state.stations)
    lights = lanes.choose(shines, Lights(cell, light[:, None]), state.lights)
    feet = grid.floor(state.player.position)[:, None]
    return state.replace(
        stations=stations.replace(block=grid.nearest(stations.block, feet, state.blocks)),
        lights=lights.replace(block=grid.nearest(lights.block, feet, state.blocks)),
    )


def ended(
    noted: jax.Array, edits: tuple[grid.Edit, ...], keeps: np.ndarray, period: jax.Array
) -> jax.Array:
    """Which noted cells hold something else after some edits.

    Args:
      noted: int32[G, S, 3].
      edits: of these G lanes.
      keeps: [256], not 0 for the bytes that leave a note valid.
      period: int32[3] of the world.

    Returns:
      bool[G, S].
    """
    gone = jnp.zeros(noted.shape[:2], bool)
    for edit in edits:
        takes = edit.active & (jnp.asarray(keeps)[edit.byte] == 0)
        same = ((noted - edit.cell[:, None]) % period == 0).all(-1)
        gone |= same & takes[:, None]
    return gone
