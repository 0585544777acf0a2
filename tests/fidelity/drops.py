"""Drop rates of blocks and mobs: 10,000 draws each against the published rates.

The expected shares are written down here once more, apart from the world's tables. A row's
p-value is the smallest of its comparisons; the bound counts how many there are in all.
Sources: https://minecraft.wiki (Java 1.11): Leaves, Gravel, Grass, Wheat Seeds, Ore, Melon;
`third_party/minecraft/mobs.json`.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.names import MOBS, NAME_ID, load
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BYTE_OF, METAS, TABLE
from rlgpt_jax.envs.voxel.rules.items import drops
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEM_ID, item_id
from rlgpt_jax.envs.voxel.rules.mobs import mob_life
from rlgpt_jax.envs.voxel.rules.player import use
from rlgpt_jax.envs.voxel.rules.player.interact import Target
from tests.fidelity.lanes import bare
from tests.fidelity.row import Row

GROUP = "drops"
DRAWS = 10_000
LEVEL = 1e-3  # of a false alarm, over all comparisons together
PICK = "diamond_pickaxe"
Shares = Mapping[int, float]  # by pieces


def even(low: int, high: int) -> Shares:
    """All quantities alike."""
    return dict.fromkeys(range(low, high + 1), 1.0 / (high - low + 1))


def chance(p: float) -> Shares:
    """One piece with this chance."""
    return {0: 1.0 - p, 1: p}


# (block, metadata, tool) -> entry -> shares
BLOCKS: dict[tuple[str, int, str], dict[str, Shares]] = {
    ("leaves", 0, ""): {"sapling:0": chance(0.05), "apple": chance(0.005)},
    ("leaves", 1, ""): {"sapling:1": chance(0.05)},
    ("leaves", 2, ""): {"sapling:2": chance(0.05)},
    ("leaves", 3, ""): {"sapling:3": chance(0.025)},
    ("leaves2", 0, ""): {"sapling:4": chance(0.05)},
    ("leaves2", 1, ""): {"sapling:5": chance(0.05), "apple": chance(0.005)},
    ("gravel", 0, ""): {"gravel": chance(0.9), "flint": chance(0.1)},
    ("tallgrass", 1, ""): {"wheat_seeds": chance(0.125)},
    ("tallgrass", 2, ""): {"wheat_seeds": chance(0.125)},
    ("deadbush", 0, ""): {"stick": even(0, 2)},
    ("wheat", 7, ""): {
        "wheat": {1: 1.0},
        "wheat_seeds": {0: 27 / 343, 1: 108 / 343, 2: 144 / 343, 3: 64 / 343},
    },
    ("melon_block", 0, ""): {"melon": even(3, 7)},
    ("redstone_ore", 0, PICK): {"redstone": even(4, 5)},
    ("lit_redstone_ore", 0, PICK): {"redstone": even(4, 5)},
    ("lapis_ore", 0, PICK): {"dye:4": even(4, 8)},
}
XP: dict[str, Shares] = {
    "coal_ore": even(0, 2), "diamond_ore": even(3, 7), "emerald_ore": even(3, 7),
    "lapis_ore": even(2, 5), "redstone_ore": even(1, 5),
}  # fmt: skip
# The table says "beef (cooked_beef if burning)": [from, to].
MOB_DROPS: dict[str, dict[str, Shares]] = {
    mob: {text.split()[0]: even(*span) for text, span in load("mobs")["mobs"][mob]["drops"].items()}
    for mob in ("cow", "sheep", "pig", "chicken", "zombie")
}
# Blocks whose drop the data has wrong or leaves open; `rlgpt_jax/envs/voxel/rules/items/drops.py`.
REPAIRED = (
    "stone", "dirt", "grass_path", "wooden_slab", "double_stone_slab", "snow_layer", "vine",
    "glass_pane", "wheat",
)  # fmt: skip


def p_value(pieces: np.ndarray, shares: Shares) -> float:
    """Of the chi-square test; 0 if a quantity appears that must not."""
    low, high = min(shares), max(shares)
    if pieces.min() < low or pieces.max() > high:
        return 0.0
    found = np.bincount(pieces - low, minlength=high - low + 1)
    expected = np.array([shares.get(n, 0.0) for n in range(low, high + 1)]) * len(pieces)
    if len(shares) == 1:
        return 1.0
    if found[expected == 0].any():
        return 0.0
    terms = (found - expected)[expected > 0] ** 2 / expected[expected > 0]
    freedom = jnp.float32(len(terms) - 1)
    return float(jax.scipy.special.gammaincc(freedom / 2, jnp.float32(terms.sum() / 2)))


_of_blocks, _experience = jax.jit(drops.of_blocks), jax.jit(drops.experience)


def broken(block: str, meta: int, tool: str, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """(item, quantity) int32[draws, kinds]."""
    held = jnp.full(draws, NAME_ID[tool], jnp.int32)
    byte = jnp.full(draws, BYTE_OF[block, meta], jnp.uint8)
    item, quantity = _of_blocks(bare(draws), held, byte)
    return np.asarray(item), np.asarray(quantity)


def dead(mob: str, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """(item, quantity) int32[draws, kinds] that grown, unhurt mobs leave."""
    one, number = jnp.zeros((draws, 1), jnp.int32), MOBS.index(mob)
    state = bare(draws, mobs=dict(kind=one + number, fire=one, variant=one, sheared=one > 0))
    item, quantity = jax.jit(mob_life.of_mobs)(state, jnp.zeros(draws, jnp.int32))
    return np.asarray(item), np.asarray(quantity)


def shorn(draws: int) -> np.ndarray:
    """int32[draws]: wool of one use of shears on a sheep."""
    flags, ints = jnp.ones(draws, bool), jnp.zeros(draws, jnp.int32)
    slots = jnp.zeros((draws, 36), jnp.int32)
    state = bare(
        draws,
        mobs=dict(kind=ints[:, None] + MOBS.index("sheep"), sheared=~flags[:, None]),
        inventory=dict(item=slots, quantity=slots, damage=slots),
    )
    target = Target(~flags, ints.astype(jnp.uint8), slots[:, :3], ints, ints)
    return np.asarray(use._shear(state, flags, target)[1])


def _compare(item: np.ndarray, quantity: np.ndarray, wanted: dict[str, Shares]) -> list[float]:
    """One p-value for each expected item; 0 for any other item that appears."""
    known = [item_id(entry) for entry in wanted]
    p = [
        p_value(np.where(item == number, quantity, 0).sum(1), shares)
        for number, shares in zip(known, wanted.values())
    ]
    strange = (quantity > 0) & ~np.isin(item, known)
    return [*p, 0.0] if strange.any() else p


def _rows_of(found: dict[str, list[float]]) -> list[Row]:
    total = sum(map(len, found.values()))
    bound = LEVEL / total
    return [
        Row(
            GROUP, rule, f"smallest p of {len(p)}: {min(p):.2g}",
            f"p > {LEVEL:g} / {total} comparisons", min(p) > bound,
        )
        for rule, p in found.items()
    ]  # fmt: skip


def sure_row() -> Row:
    """Every other state against the table of blocks: the same item, the same number."""
    random = {block for block, _, _ in BLOCKS} | set(REPAIRED)
    states = [(b, meta) for b in TABLE if b not in random for meta in METAS.get(b, (0,))]
    good = 0
    for block, meta in states:
        item, quantity = broken(block, meta, (TABLE[block]["needs_tool"] or [""])[0], 16)
        # Of two halves one leaves the item; an upper slab is the same slab.
        other_half = meta >= 8 and (block == "bed" or block.endswith("door"))
        left = [] if other_half else TABLE[block]["drops"]
        if left:
            entry = f"{left[0]['item']}:{left[0].get('meta', 0)}"
            kind = meta % 8 if "slab" in block else meta
            if left[0]["item"] == block and (block, kind) in ITEM_ID:
                entry = f"{block}:{kind}"
            same = (item[:, 0] == item_id(entry)) & (quantity.sum(1) == left[0].get("min", 1))
            good += bool(same.all())
        else:
            good += not quantity.any()
    total = len(states)
    return Row(
        GROUP, "all other block states leave what the table says",
        f"{good} of {total}", f"{total} of {total}", good == total,
    )  # fmt: skip


def rows(draws: int = DRAWS) -> list[Row]:
    """Every block and mob whose drops are random, and the others once."""
    blocks = [
        p for (block, meta, tool), wanted in BLOCKS.items()
        for p in _compare(*broken(block, meta, tool, draws), wanted)
    ]  # fmt: skip
    experience = [
        p_value(np.asarray(_experience(
            bare(draws), jnp.full(draws, NAME_ID[PICK], jnp.int32),
            jnp.full(draws, BYTE_OF[block, 0], jnp.uint8),
        )).astype(int), shares)
        for block, shares in XP.items()
    ]  # fmt: skip
    mobs = [p for mob, wanted in MOB_DROPS.items() for p in _compare(*dead(mob, draws), wanted)]
    found = {
        f"blocks: {len(BLOCKS)} states, {draws:,} breaks each": blocks,
        f"experience of ores, {draws:,} each": experience,
        f"mobs: {len(MOB_DROPS)} kinds, {draws:,} deaths each": mobs,
        f"wool of one shearing is 1 to 3, {draws:,} times": [p_value(shorn(draws), even(1, 3))],
    }
    return [*_rows_of(found), sure_row()]
