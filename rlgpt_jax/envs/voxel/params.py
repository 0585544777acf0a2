"""The sizes that fix the shapes of the embedded world (plain data, no jax)."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class WorldParams:
    """Static sizes of a world; changing one compiles anew."""

    size_x: int = 96  # blocks; the world is periodic in x and z
    size_z: int = 96  # as size_x
    size_y: int = 96  # y 0 is the lowest layer
    sea_level: int = 62  # y of the top layer of still water
    max_mobs: int = 24  # of one world at a time
    max_items: int = 8  # dropped item stacks
    max_stations: int = 8  # crafting tables and furnaces that the agent has placed
    max_lights: int = 16  # torches and other lights that the agent has placed
    max_updates: int = 48  # cells waiting to fall, flow or break
    num_worlds: int = 48  # worlds in the reset pool
