"""The sizes that fix the shapes of the embedded world (plain data, no jax)."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class WorldParams:
    """Static sizes of a world; changing one compiles anew."""

    size_x: int = 96  # blocks; the world is periodic in x and z
    size_z: int = 96
    size_y: int = 96  # y 0 is the lowest layer
    sea_level: int = 62
    max_mobs: int = 8
    max_items: int = 8  # dropped item stacks
    max_stations: int = 4  # crafting tables and furnaces that the agent has placed
    num_worlds: int = 48  # worlds in the reset pool
