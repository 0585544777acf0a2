"""One table of names: every block, item and mob has one integer id.

Inside JAX and inside macros a name is its id; strings exist only at the edges
(task tables, prompts, reports, macro sources). Ids are small enough to be exact
in float32, the only number type macros have.

Sources: `third_party/minecraft` (Minecraft 1.11.2 blocks and items, MineDojo's
craft arguments).
"""

import json

from rlgpt_jax import files

DATA = files.folder("third_party", "minecraft")


def load(name: str) -> dict:
    """Reads one JSON table of `third_party/minecraft`, for example `"items"`."""
    return json.loads((DATA / f"{name}.json").read_text())


MOBS = ("none", "cow", "sheep", "pig", "chicken", "zombie", "player")
CRAFT_LISTS = load("minedojo_craft_lists")

NAMES: tuple[str, ...] = tuple(
    dict.fromkeys(
        [
            "",  # id 0: the empty string, the name of an empty slot
            *load("blocks_all")["blocks"],  # id 1 is "air"
            *load("items")["items"],
            *CRAFT_LISTS["all"],
            *MOBS,
        ]
    )
)
NAME_ID: dict[str, int] = {name: i for i, name in enumerate(NAMES)}
NUM_NAMES = len(NAMES)

# Argument 6 of a MineDojo action: 54 hand, 170 table and 20 smelting outputs.
CRAFT_NAMES: tuple[str, ...] = tuple(CRAFT_LISTS["all"])
NUM_HAND, NUM_TABLE, NUM_SMELT = (len(CRAFT_LISTS[k]) for k in ("hand", "table", "smelt"))
