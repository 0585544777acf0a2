"""Fuel for MineDojo's instant smelting: what burns, how long, and which piece is taken.

One product costs 200 ticks of fuel; what a piece of fuel burns longer than that stays
in `burn_ticks` for the next product, whichever furnace is used. Assumption, as MineDojo
does it: fuel is taken slot by slot from the hand on, as many pieces as are needed,
after the ingredient has been taken, so that its last piece never burns. A bucket of
lava leaves the bucket. No experience is given.

Source: `third_party/minecraft/smelting.json`. The recipes are in `recipes.py`.
"""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAME_ID, load
from rlgpt_jax.envs.voxel.rules.items import inventory, recipes
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEMS, parse
from rlgpt_jax.envs.voxel.state import WorldState

TICKS = 200  # of fuel that one product takes
LAVA, BUCKET = NAME_ID["lava_bucket"], NAME_ID["bucket"]
_WOODS = ("spruce", "birch", "jungle", "acacia", "dark_oak")
# Rows of the table that stand for several items.
_GROUPS = {
    "coal:1 (charcoal)": ("coal",),
    "fence/fence_gate (wood)": tuple(
        f"{wood}{kind}"
        for wood in ("", *(f"{w}_" for w in _WOODS))
        for kind in ("fence", "fence_gate")
    ),
    "wooden stairs": tuple(f"{wood}_stairs" for wood in ("oak", *_WOODS)),
    "wooden tools and sword": tuple(
        f"wooden_{kind}" for kind in ("pickaxe", "axe", "shovel", "hoe", "sword")
    ),
    "wooden doors": tuple(f"{wood}_door" for wood in ("wooden", *_WOODS)),
    "boat": ("boat", *(f"{wood}_boat" for wood in _WOODS)),
}
# Blocks of wood that the table names only in the list that it was compared with.
_MORE = {"daylight_detector": 300, "brown_mushroom_block": 300, "red_mushroom_block": 300}


def _fuels() -> dict[str, int]:
    fuels = dict(_MORE)
    for entry, ticks in load("smelting")["fuel_ticks"].items():
        fuels |= dict.fromkeys(_GROUPS.get(entry, (parse(entry)[0],)), ticks)
    return fuels


FUELS: dict[str, int] = _fuels()  # ticks by name; all variants burn equally long
FUEL_TICKS = np.array([FUELS.get(name, 0) for name, _ in ITEMS], np.int32)  # by item id
assert set(FUELS) <= {name for name, _ in ITEMS}

FIRST = int(np.searchsorted(recipes.ARGUMENT, recipes.NUM_CRAFT))  # the others smelt
SOURCE_TICKS = FUEL_TICKS[recipes.NEED_ITEM[FIRST:, 0]]  # one piece of each ingredient


def has_fuel(state: WorldState) -> jax.Array:
    """bool[smelting recipes, N]: without one ingredient there is fuel for one product."""
    held = (jnp.asarray(FUEL_TICKS)[state.inventory.item] * state.inventory.quantity).sum(1)
    return state.player.burn_ticks + held - jnp.asarray(SOURCE_TICKS)[:, None] >= TICKS


def burn(state: WorldState, active: jax.Array) -> WorldState:
    """Spends the fuel of one product in the lanes bool[N]; the ingredient is gone already."""
    ticks, over = jnp.asarray(FUEL_TICKS)[state.inventory.item], state.player.burn_ticks
    missing = jnp.where(active, jnp.maximum(TICKS - over, 0), 0)[:, None]
    # Sums beyond one product do not matter and would be too large to be exact.
    before = inventory.before(jnp.minimum(ticks * state.inventory.quantity, TICKS))
    wanted = -((before - missing) // jnp.maximum(ticks, 1))  # rounded up
    pieces = jnp.where(ticks > 0, jnp.clip(wanted, 0, state.inventory.quantity), 0)
    left = over + (pieces * ticks).sum(1, dtype=jnp.int32) - TICKS
    emptied = (state.inventory.item == LAVA) & (pieces > 0)
    state = inventory.remove(state, pieces)
    return state.replace(
        player=state.player.replace(burn_ticks=jnp.where(active, left, over)),
        inventory=state.inventory.replace(
            item=jnp.where(emptied, BUCKET, state.inventory.item),
            quantity=jnp.where(emptied, 1, state.inventory.quantity),
        ),
    )
