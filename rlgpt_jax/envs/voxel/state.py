"""The state of N embedded worlds; `WorldParams` holds the sizes that fix its shapes."""

from collections.abc import Mapping
from typing import Any

import jax
from flax import struct

from rlgpt_jax.envs.voxel.params import WorldParams as WorldParams


@struct.dataclass
class Player:
    """The player's body and what it is doing."""

    position: jax.Array  # float32[N, 3]  x, y, z of the feet
    velocity: jax.Array  # float32[N, 3]
    yaw: jax.Array  # float32[N]  degrees, [-180, 180), 0 = +z, 90 = -x
    pitch: jax.Array  # float32[N]  degrees, [-90, 90], +90 = down
    on_ground: jax.Array  # bool[N]
    in_water: jax.Array  # bool[N]  the feet's box touches water
    jump_cooldown: jax.Array  # int32[N]  ticks
    fall_distance: jax.Array  # float32[N]  blocks
    life: jax.Array  # float32[N]  0..20
    food: jax.Array  # float32[N]  0..20
    saturation: jax.Array  # float32[N]
    exhaustion: jax.Array  # float32[N]  0..4
    oxygen: jax.Array  # float32[N]  0..300
    hurt_time: jax.Array  # int32[N]  ticks of invulnerability left
    hurt_amount: jax.Array  # float32[N]  damage that started it; only more than it counts
    damage: jax.Array  # float32[N]  life lost in the last tick
    damage_kind: jax.Array  # int32[N]  what took it, index into `base.DAMAGE_KINDS`
    fire: jax.Array  # int32[N]  ticks that the body still burns
    food_timer: jax.Array  # int32[N]  ticks towards the next healing or starving
    eating: jax.Array  # int32[N]  ticks for which the food in hand has been eaten
    use_delay: jax.Array  # int32[N]  ticks until a held use key acts again
    burn_ticks: jax.Array  # int32[N]  furnace fuel left over from the last smelting
    xp: jax.Array  # float32[N]  experience points
    busy: jax.Array  # int32[N]  ticks that a functional action still takes
    attack_cooldown: jax.Array  # int32[N]  ticks since the last swing
    mining_block: jax.Array  # int32[N, 3]  unwrapped coordinates being mined
    mining_progress: jax.Array  # float32[N]  0..1
    mining_delay: jax.Array  # int32[N]  ticks until the next block may be started


@struct.dataclass
class Inventory:
    """What the player carries."""

    item: jax.Array  # int32[N, 36]  ids of `item_table`, 0 empty; slot 0 is the hand
    quantity: jax.Array  # int32[N, 36]
    damage: jax.Array  # int32[N, 36]  uses spent


@struct.dataclass
class Armor:
    """What the player wears."""

    item: jax.Array  # int32[N, 5]  feet, legs, chest, head, off hand
    damage: jax.Array  # int32[N, 5]  uses spent


@struct.dataclass
class Mobs:
    """Animals and zombies."""

    kind: jax.Array  # int32[N, M]  index into `names.MOBS`, 0 none
    position: jax.Array  # float32[N, M, 3]  feet
    velocity: jax.Array  # float32[N, M, 3]
    yaw: jax.Array  # float32[N, M]  degrees, as the player's
    on_ground: jax.Array  # bool[N, M]
    life: jax.Array  # float32[N, M]
    hurt_time: jax.Array  # int32[N, M]
    panic: jax.Array  # int32[N, M]  ticks of panic left
    target: jax.Array  # float32[N, M, 2]  x, z being walked to
    walk: jax.Array  # int32[N, M]  ticks left of the present walk, 0 idle
    sheared: jax.Array  # bool[N, M]
    variant: jax.Array  # int32[N, M]  colour of a sheep's wool, 0 white
    hurt_amount: jax.Array  # float32[N, M]  as the player's
    fire: jax.Array  # int32[N, M]  ticks that it still burns
    fall: jax.Array  # float32[N, M]  blocks fallen
    timer: jax.Array  # int32[N, M]  ticks: to the next egg, of eating grass, to the next hit


@struct.dataclass
class Items:
    """Stacks that lie about."""

    id: jax.Array  # int32[N, D]  ids of `item_table`, 0 none
    quantity: jax.Array  # int32[N, D]
    position: jax.Array  # float32[N, D, 3]
    velocity: jax.Array  # float32[N, D, 3]
    age: jax.Array  # int32[N, D]  ticks; picked up from age 10 on
    damage: jax.Array  # int32[N, D]  uses spent


@struct.dataclass
class Stations:
    """Crafting tables and furnaces that were placed."""

    name: jax.Array  # int32[N, S]  name ids of placed stations, 0 none
    block: jax.Array  # int32[N, S, 3]  unwrapped block coordinates


@struct.dataclass
class Lights:
    """Lights that were placed."""

    block: jax.Array  # int32[N, L, 3]  cells of lights that were placed, unwrapped
    level: jax.Array  # int32[N, L]  0 none


@struct.dataclass
class Updates:
    """Cells that wait to fall, flow or break."""

    cell: jax.Array  # int32[N, U]  flat cells of the lane's world waiting for an update
    due: jax.Array  # int32[N, U]  tick from which on it happens, 0 no update


@struct.dataclass
class WorldState:
    """N worlds. M mobs, D dropped items, S stations, L lights, U updates, K stages.

    Positions are unwrapped block coordinates (they never jump); the block array is
    periodic, so look-ups take x modulo X and z modulo Z. Velocities are blocks/tick.
    """

    blocks: jax.Array  # uint8[N, X, Z, Y]  see `blocks.py` for the byte
    pool_index: jax.Array  # int32[N]  which pool world the lane was reset from
    seed: jax.Array  # uint32[N]  of the lane's episode; all randomness hashes it
    tick: jax.Array  # int32[N]  ticks since reset
    world_time: jax.Array  # int32[N]  0..23999, 6000 is noon

    player: Player
    inventory: Inventory
    armor: Armor
    mobs: Mobs
    items: Items
    stations: Stations
    lights: Lights
    updates: Updates

    goal_start: jax.Array  # int32[N]  count of the goal item at reset
    stage_done: jax.Array  # bool[N, K]  stages of the task already rewarded
    biome: jax.Array  # int32[N]


PARTS: dict[str, Any] = {
    "player": Player, "inventory": Inventory, "armor": Armor, "mobs": Mobs, "items": Items,
    "stations": Stations, "lights": Lights, "updates": Updates,
}  # fmt: skip
# Of all arrays of a state, for example "tick" and "mobs.kind".
PATHS = tuple(
    path
    for name in WorldState.__dataclass_fields__
    for path in (
        [f"{name}.{own}" for own in PARTS[name].__dataclass_fields__] if name in PARTS else [name]
    )
)


def paths_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields by path: {"mobs": {"kind": x}} is {"mobs.kind": x}; {"life": x}, "player.life"."""
    own = Player.__dataclass_fields__
    found = {f"player.{name}" if name in own else name: value for name, value in fields.items()}
    for name in PARTS.keys() & found.keys():
        found |= {f"{name}.{own}": value for own, value in found.pop(name).items()}
    return found


def from_paths(fields: Mapping[str, Any]) -> WorldState:
    """A state of the arrays of these `PATHS`, and of nothing else (None).

    Raises:
      KeyError: there is no such path.
    """
    if unknown := fields.keys() - set(PATHS):
        raise KeyError(f"a world has no {', '.join(sorted(unknown))}.")
    parts = {
        name: kind(**{own: fields.get(f"{name}.{own}") for own in kind.__dataclass_fields__})
        for name, kind in PARTS.items()
    }
    parts |= {path: fields.get(path) for path in PATHS if "." not in path}
    return WorldState(**parts)


@struct.dataclass
class WorldPool:
    """Worlds that resets copy from. Training and evaluation have disjoint pools."""

    blocks: jax.Array  # uint8[P, X, Z, Y]
    light: jax.Array  # uint8[P, X, Z, Y]  16 * light of the sky + light of blocks, each 0..15
    surface: jax.Array  # int32[P, X, Z]  y of the first free cell above ground
    spawnable: jax.Array  # bool[P, X, Z]  dry, open ground
