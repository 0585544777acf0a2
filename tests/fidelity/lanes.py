"""Bare worlds for checks of single rules: only the fields that the rule reads."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_SLOTS
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.state import WorldState, from_paths, paths_of

STATIONS = ("crafting_table", "furnace")


def bare(num_lanes: int, **fields: Any) -> WorldState:
    """N worlds with these fields, a seed of their own, and nothing else (None)."""
    given: dict[str, Any] = {
        "seed": jnp.arange(num_lanes, dtype=jnp.uint32),
        "tick": jnp.zeros(num_lanes, jnp.int32),
    } | paths_of(fields)
    return from_paths(given)


def with_items(
    stacks: Sequence[Mapping[int, int]], sizes: np.ndarray, burn_ticks: int = 0, **fields: Any
) -> WorldState:
    """Worlds whose slots hold pieces by item id, beside a crafting table and a furnace.

    Args:
      stacks: for each lane pieces by item id; more than a stack takes several slots.
      sizes: int32[NUM_ITEMS], pieces in a full stack.
      burn_ticks: fuel that is left over.
      **fields: further fields.
    """
    n = len(stacks)
    item, quantity = np.zeros((2, n, NUM_SLOTS), np.int32)
    for lane, pieces in enumerate(stacks):
        slot = 0
        for entry, left in pieces.items():
            while left > 0:
                item[lane, slot], quantity[lane, slot] = entry, min(left, sizes[entry])
                left -= quantity[lane, slot]
                slot += 1
    ahead = np.tile(np.array([[0, 1, 2], [0, 2, 2]], np.int32), (n, 1, 1))
    names = np.tile([NAME_ID[name] for name in STATIONS], (n, 1)).astype(np.int32)
    return bare(
        n,
        inventory=dict(
            item=jnp.asarray(item),
            quantity=jnp.asarray(quantity),
            damage=jnp.zeros((n, NUM_SLOTS), jnp.int32),
        ),
        burn_ticks=jnp.full(n, burn_ticks, jnp.int32),
        position=jnp.full((n, 3), 0.5, jnp.float32),
        yaw=jnp.zeros(n, jnp.float32),
        pitch=jnp.zeros(n, jnp.float32),
        stations=dict(name=jnp.asarray(names), block=jnp.asarray(ahead)),
        **fields,
    )
