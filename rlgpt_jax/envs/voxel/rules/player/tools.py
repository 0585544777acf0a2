"""Tools against blocks and mobs: mining speed, harvest, damage, wear.

Tables are derived from `third_party/minecraft`; the corrections below are faults of
that data against Minecraft 1.11 (mining facts of `mining_ticks.json` were checked).
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import NAME_ID, load
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCKS, HARDNESS, TABLE
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEMS, NUM_ITEMS

_TIERS = {"wooden": 2.0, "stone": 4.0, "iron": 6.0, "diamond": 8.0, "golden": 12.0}
_CLASSES = ("pickaxe", "axe", "shovel", "sword", "hoe")
_CLASS_OF_MATERIAL = {"rock": "pickaxe", "wood": "axe", "dirt": "shovel"}

# 0 is the bare hand and everything that is not a tool.
TOOLS: tuple[str, ...] = (
    "hand",
    *(f"{tier}_{kind}" for tier in _TIERS for kind in _CLASSES),
    "shears",
)
TOOL_OF_ITEM = np.zeros(NUM_ITEMS, np.int32)
for _index, _tool in enumerate(TOOLS[1:], 1):
    TOOL_OF_ITEM[NAME_ID[_tool]] = _index

LEAVES = ("leaves", "leaves2")
# The data has no tool class for ladders and calls cactus a plant.
_CORRECTED_MATERIAL = {"ladder": "wood", "cactus": None}


def _speed(tool: str, block: str) -> float:
    """The multiplier by which a tool mines a block faster than the hand."""
    material = TABLE.get(block, {"material": None})["material"]
    material = _CORRECTED_MATERIAL.get(block, material)
    tier, _, kind = tool.rpartition("_")
    if kind == "shears":
        return 15.0 if block in (*LEAVES, "web") else 5.0 if block == "wool" else 1.0
    if kind == "sword":
        soft = material in ("plant", "melon") or block in LEAVES
        return 15.0 if block == "web" else 1.5 if soft else 1.0
    suits = _CLASS_OF_MATERIAL.get(material) == kind
    suits |= kind == "axe" and material in ("plant", "melon") and block not in LEAVES
    return _TIERS[tier] if suits and tier else 1.0


def _harvests(tool: str, block: str) -> bool:
    """Whether a block mined with this tool leaves its drop."""
    needed = TABLE.get(block, {"needs_tool": None})["needs_tool"]
    return needed is None or tool in needed


def _table(rule: Callable[[str, str], float], dtype: type) -> np.ndarray:
    """[tools, 256 bytes] of a rule (tool, block)."""
    full: np.ndarray = np.zeros((len(TOOLS), 256), dtype)
    full[:, : len(BLOCKS)] = [[rule(t, b) for b in BLOCKS] for t in TOOLS]
    return full


SPEED = _table(_speed, np.float32)
HARVESTS = _table(_harvests, bool)

_COMBAT = load("combat")["weapons"]
# Damage of a full hit and ticks until the next one is full.
DAMAGE = np.array([_COMBAT.get(t, _COMBAT["hand"])[0] for t in TOOLS], np.float32)
COOLDOWN = np.array([20.0 / _COMBAT.get(t, _COMBAT["hand"])[1] for t in TOOLS], np.float32)
# Uses that one hit and one broken block cost. `combat.json`, durability_cost.
HIT_WEAR = np.array(
    [0 if t in ("hand", "shears") else 1 if t.endswith(("sword", "hoe")) else 2 for t in TOOLS],
    np.int32,
)
BREAK_WEAR = np.array(
    [0 if t == "hand" or t.endswith("hoe") else 2 if t.endswith("sword") else 1 for t in TOOLS],
    np.int32,
)

IS_SWORD = np.array([t.endswith("sword") for t in TOOLS])

_ITEM_TABLE = load("items")["items"]
# By item id: pieces in a full stack, uses of a new piece (0 = does not wear).
STACK = np.array([_ITEM_TABLE.get(n, {}).get("stack", 64) for n, _ in ITEMS], np.int32)
DURABILITY = np.array([_ITEM_TABLE.get(n, {}).get("durability", 0) for n, _ in ITEMS], np.int32)


def progress_per_tick(
    held_name: jax.Array, byte: jax.Array, slowed: jax.Array | int = 0
) -> jax.Array:
    """Share of a block that one tick of mining removes.

    speed / hardness / (30 if the tool harvests it, else 100), and a fifth of that for
    every one of: head in water, feet not on the ground.

    Args:
      held_name: int32[N], name id of the item in hand.
      byte: uint8[N], the block.
      slowed: int32[N], how many of the two hindrances hold.

    Returns:
      float32[N]; 1 or more breaks at once, 0 never.
    """
    tool = jnp.asarray(TOOL_OF_ITEM)[held_name]
    hardness = jnp.asarray(HARDNESS)[byte]
    divisor = jnp.where(jnp.asarray(HARVESTS)[tool, byte], 30.0, 100.0)
    speed = jnp.asarray(SPEED)[tool, byte] / jnp.float32(5.0) ** slowed
    progress = speed / jnp.maximum(hardness, 1e-9) / divisor
    return jnp.where(hardness < 0, 0.0, jnp.minimum(progress, 1e9)).astype(jnp.float32)
