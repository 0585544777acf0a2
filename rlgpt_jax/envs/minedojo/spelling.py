"""MineDojo's strings as ids of `envs.names`: `view.strings` the other way round.

Blocks of voxels and rays come with the names that players see, in lower case; several blocks
may share one ("wood" is log and log2), and then the usual one is taken. A name that
`envs.names` does not hold, of a creeper for instance, is `UNKNOWN`: the id of the empty
string, which no block, item or mob bears. So it is not air, and it is not no mob.
"""

from collections.abc import Iterable

import numpy as np

from rlgpt_jax.envs.names import MOBS, NAME_ID, NAMES, load
from rlgpt_jax.envs.view.strings import spell

UNKNOWN = NAME_ID[""]
AIR = NAME_ID["air"]


def _inverse(group: str, key: str, names: Iterable[str]) -> dict[str, int]:
    """What `spell` makes of these names, back to their ids.

    Of names that are spelled alike, the one that is spelled as it is written is meant, else
    the first.
    """
    ids = np.array([NAME_ID[name] for name in names])
    found: dict[str, int] = {}
    for name_id, shown in zip(ids.tolist(), spell(group, key, ids).tolist()):
        if shown not in found or NAMES[name_id] == shown.replace(" ", "_"):
            found[shown] = name_id
    return found


BLOCKS = _inverse("voxels", "block_name", load("blocks_all")["blocks"])
ENTITIES = _inverse("rays", "entity_name", MOBS)
# Items keep their names; the client's own lists have underscores or spaces.
ITEMS = {**{name.replace("_", " "): i for i, name in enumerate(NAMES) if name}, **NAME_ID}


def ids_of(table: dict[str, int], shown: np.ndarray) -> np.ndarray:
    """int32 of the same shape; `UNKNOWN` where the table does not know a name."""
    flat = [table.get(name, UNKNOWN) for name in shown.ravel().tolist()]
    return np.array(flat, np.int32).reshape(shown.shape)
