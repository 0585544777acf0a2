"""Action and observation spaces."""

from typing import Any

import gymnasium
import numpy as np

from rlgpt_jax.envs.base import ACTION_SIZES, NUM_SLOTS
from rlgpt_jax.envs.view.spec import Field, Spec, with_image

COLUMNS = (
    "move (0 none, 1 forward, 2 back)",
    "strafe (0 none, 1 left, 2 right)",
    "jump (0 none, 1 jump, 2 sneak, 3 sprint)",
    "pitch ((bin - 12) * 15 degrees, + down)",
    "yaw ((bin - 12) * 15 degrees, + right)",
    "function (0 none, 1 use, 2 drop, 3 attack, 4 craft, 5 equip, 6 place, 7 destroy)",
    "craft argument",
    f"slot argument (0 to {NUM_SLOTS - 1})",
)


def action_space() -> gymnasium.spaces.MultiDiscrete:
    """MineDojo's MultiDiscrete [3, 3, 4, 25, 25, 8, 244, 36]."""
    return gymnasium.spaces.MultiDiscrete(list(ACTION_SIZES))


def observation_space(image_size: tuple[int, int] | None) -> gymnasium.spaces.Dict:
    """MineDojo's observation; names are ids of `envs.names`, int32."""
    return _space(with_image(image_size))


def _space(entry: Field | Spec) -> Any:
    if isinstance(entry, Field):
        return gymnasium.spaces.Box(entry.low, entry.high, entry.shape, entry.dtype)
    return gymnasium.spaces.Dict({key: _space(part) for key, part in entry.items()})


def checked_actions(action: object, num_lanes: int) -> np.ndarray:
    """Actions of the user as int32[N, 8].

    Raises:
      ValueError: another shape, or a value outside of the action space.
    """
    given = np.asarray(action)
    if given.shape != (num_lanes, len(ACTION_SIZES)) or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(
            f"an action is {len(ACTION_SIZES)} integers a lane, shape "
            f"({num_lanes}, {len(ACTION_SIZES)}); got shape {given.shape} of {given.dtype}."
        )
    bad = np.argwhere((given < 0) | (given >= ACTION_SIZES))
    if len(bad):
        lane, column = bad[0]
        raise ValueError(
            f"action {given[lane].tolist()}: entry {column} is {COLUMNS[column]}, "
            f"0 to {ACTION_SIZES[column] - 1}, not {given[lane, column]}."
        )
    return given.astype(np.int32)
