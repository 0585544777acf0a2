"""Smelting, fuel, food, durability and stacks: every row of the tables, by doing it."""

import re

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_SLOTS
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID, NUM_HAND, NUM_TABLE, load
from rlgpt_jax.envs.voxel.rules.items import crafting, inventory
from rlgpt_jax.envs.voxel.rules.items.item_table import ITEM_ID, ITEMS, NUM_ITEMS, variants_of
from rlgpt_jax.envs.voxel.rules.player import eating, tools
from tests.fidelity.lanes import bare, with_items
from tests.fidelity.row import Row

GROUP = "tables"
COBBLESTONE, STONE = NAME_ID["cobblestone"], NAME_ID["stone"]
_craft = jax.jit(crafting.craft)


def _row(rule: str, good: int, total: int) -> Row:
    return Row(GROUP, rule, f"{good} of {total}", f"{total} of {total}", good == total)


def _entry(text: str) -> tuple[str, list[int]]:
    """The name and the item ids of an entry of the smelting table."""
    name, _, meta = text.partition(":")
    return name, [ITEM_ID[name, int(meta)]] if meta.isdigit() else variants_of(name)


def smelting_row() -> Row:
    """Each source, in all variants, with 8 pieces of fuel for one product."""
    cases = []
    for source, (product, quantity, _) in load("smelting")["recipes"].items():
        name, products = _entry(product)
        offered = name in CRAFT_NAMES and CRAFT_NAMES.index(name) >= NUM_HAND + NUM_TABLE
        for variant in _entry(source)[1] if offered else []:
            cases.append((variant, CRAFT_NAMES.index(name), products[0], quantity))
    state = with_items([{item: 1, NAME_ID["blaze_rod"]: 1} for item, *_ in cases], tools.STACK)
    argument = jnp.asarray(np.array([argument for _, argument, _, _ in cases], np.int32))
    after, _, _ = _craft(state, jnp.ones(len(cases), bool), argument)
    good = 0
    for lane, (_, _, made, quantity) in enumerate(cases):
        held = dict(
            zip(np.asarray(after.inventory.item[lane]).tolist(), after.inventory.quantity[lane])
        )
        held.pop(0, None)
        good += held == {made: quantity} and int(after.player.burn_ticks[lane]) == 2400 - 200
    return _row("smelting: every source (all variants) that an argument names", good, len(cases))


_RENAMED = {
    "char_coal": "coal", "lavabucket": "lava_bucket", "daylight_sensor": "daylight_detector",
    "note_block": "noteblock",
}  # fmt: skip


def fuel_row() -> Row:
    """All items; the list of fuels is the second one of the table's file, of another server.

    A piece that burns 200 ticks or more smelts one and leaves the rest; of smaller ones as
    few pieces go as are needed. What is no fuel smelts nothing.
    """
    burns = {}
    for name, ticks in load("smelting")["cuberite_furnace_txt"]["fuel"].items():
        plain = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        burns[_RENAMED.get(plain, plain)] = ticks
    items = [item for item in range(1, NUM_ITEMS) if item != COBBLESTONE]
    state = with_items([{COBBLESTONE: 1, item: 4} for item in items], tools.STACK)
    argument = jnp.full(len(items), CRAFT_NAMES.index("stone"), jnp.int32)
    after, _, _ = _craft(state, jnp.ones(len(items), bool), argument)
    good = 0
    for lane, item in enumerate(items):
        ticks = burns.get(ITEMS[item][0], 0)
        pieces = -(-200 // ticks) if ticks else 0
        left = int(_count_lane(after, lane, item))
        smelted = int(_count_lane(after, lane, STONE)) - 4 * (item == STONE) == 1
        rest = int(after.player.burn_ticks[lane])
        if ticks:
            good += smelted and left == 4 - pieces and rest == pieces * ticks - 200
        else:
            good += not smelted and left == 4 and rest == 0
    fuels = sum(ITEMS[item][0] in burns for item in items)
    return _row(f"fuel: pieces taken and ticks left of all items ({fuels} burn)", good, len(items))


def _count_lane(state, lane: int, item: int) -> np.ndarray:
    return np.where(
        np.asarray(state.inventory.item[lane]) == item, state.inventory.quantity[lane], 0
    ).sum()


def food_row() -> Row:
    """Every food of the table, held for 32 ticks with 1 point of food left."""
    renamed = {"melon_block": "melon", "carrots": "carrot", "potatoes": "potato"}
    table = {renamed.get(name, name): row for name, row in load("foods")["foods"].items()}
    del table["cake"]  # a block, eaten where it stands
    names = list(table)
    state = with_items(
        [{NAME_ID[name]: 1} for name in names],
        tools.STACK,
        food=jnp.ones(len(names), jnp.float32),
        saturation=jnp.zeros(len(names), jnp.float32),
        eating=jnp.zeros(len(names), jnp.int32),
    )
    eat, on = jax.jit(eating.eat), jnp.ones(len(names), bool)
    for _ in range(31):
        state = eat(state, on, state.player.eating == 0)
    early = np.asarray(state.player.food) != 1
    state = eat(state, on, state.player.eating == 0)
    good = 0
    for lane, name in enumerate(names):
        row = table[name]
        food, saturation = float(state.player.food[lane]), float(state.player.saturation[lane])
        good += (
            not early[lane]
            and food == 1 + row["food"]
            and abs(saturation - min(row["saturation"], food)) < 1e-6
        )
    return _row("food: points and saturation after 32 ticks of holding use", good, len(names))


def _slots(items: np.ndarray):
    n = len(items)
    return bare(
        n,
        inventory=dict(
            item=jnp.zeros((n, NUM_SLOTS), jnp.int32).at[:, 0].set(items),
            quantity=jnp.zeros((n, NUM_SLOTS), jnp.int32).at[:, 0].set(1),
            damage=jnp.zeros((n, NUM_SLOTS), jnp.int32),
        ),
    )


def durability_row() -> Row:
    """All items are worn by one use after another until they break, in lanes."""
    table = load("items")["items"]
    items = np.array([NAME_ID[name] for name in table], np.int32)
    most = max(row.get("durability", 0) for row in table.values())

    @jax.jit
    def uses_until_broken(state) -> jax.Array:
        def step(_: jax.Array, carry: tuple) -> tuple:
            state, uses = carry
            state = inventory.wear(state, jnp.ones_like(uses))
            return state, uses + (state.inventory.quantity[:, 0] > 0)

        return jax.lax.fori_loop(0, most + 2, step, (state, jnp.zeros(len(items), jnp.int32)))[1]

    survived = np.asarray(uses_until_broken(_slots(items)))
    expected = np.array([row.get("durability", most + 2) for row in table.values()])
    return _row("durability: uses that every item survives", int((survived == expected).sum()),
                len(items))  # fmt: skip


def stack_row() -> Row:
    """150 pieces of every item are put into an empty inventory."""
    table = load("items")["items"]
    items = np.array([NAME_ID[name] for name in table], np.int32)
    state, none = _slots(items * 0), jnp.zeros((len(items), NUM_SLOTS), jnp.int32)
    state = state.replace(inventory=state.inventory.replace(quantity=none))
    state, left = jax.jit(inventory.add)(state, jnp.asarray(items), jnp.full(len(items), 150))
    stack = np.array([row["stack"] for row in table.values()])
    first = np.asarray(state.inventory.quantity)[:, :2]
    good = (first == stack[:, None]).all(1) & (np.asarray(left) == np.maximum(150 - 36 * stack, 0))
    return _row("stacks: pieces in one slot, of every item", int(good.sum()), len(items))


def rows() -> list[Row]:
    """All tables."""
    return [smelting_row(), fuel_row(), food_row(), durability_row(), stack_row()]
