"""What a MissionInit message asks for: land, start, and what is to be observed."""

import dataclasses
import math
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

from tests.doubles.minecraft.frames import ProtocolError

NUM_PLACES = 41  # 36 slots, feet, legs, chest, head, off hand
MAX_SIDE, MAX_CELLS, MAX_RAYS = 2048, 40_000, 4096
MAX_STACK = 2**15 - 1  # a variant is a short in Minecraft, a quantity less than that


class Stack(NamedTuple):
    """Items in one place of the inventory."""

    place: int  # 0..40
    name: str
    variant: int
    quantity: int


class Ray(NamedTuple):
    """One direction of the lidar, from the view."""

    pitch: float  # radians, + is up
    yaw: float  # radians, + is to the left
    distance: float  # blocks at most


Limits = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]


@dataclasses.dataclass(frozen=True)
class Mission:
    """The parts of a mission that this world can do something about."""

    image_size: tuple[int, int]  # height, width
    inventory: tuple[Stack, ...] = ()
    biome: int | None = None  # Minecraft's number; None is any land
    world_seed: str = ""  # "" is none
    force_reset: bool = True  # a new world, or the one that is there
    start_time: int | None = None  # ticks
    time_passes: bool = True
    life: float | None = None
    food: float | None = None
    placement: tuple[float, ...] | None = None  # x, y, z, yaw, pitch
    break_speed: float = 1.0
    grid: Limits | None = None  # (lowest, highest) of x, y, z around the feet
    rays: tuple[Ray, ...] | None = None


def read_mission(text: bytes) -> Mission:
    """Reads a MissionInit message.

    Raises:
      ProtocolError: no such message, or one whose numbers are none or out of range.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as problem:
        raise ProtocolError(f"the mission is no XML: {problem}.") from problem
    if _plain(root.tag) != "MissionInit":
        raise ProtocolError(f"the mission is a {_plain(root.tag)!r}, not a MissionInit.")
    # All names of interest are used for one thing only.
    found: dict[str, list[ElementTree.Element]] = {}
    for element in root.iter():
        found.setdefault(_plain(element.tag), []).append(element)
    try:
        return _read(found)
    except (KeyError, ValueError, IndexError) as problem:
        raise ProtocolError(f"the mission lacks something or has a bad value: {problem!r}.") from (
            problem
        )


def _read(found: dict[str, list[ElementTree.Element]]) -> Mission:
    def text(name: str) -> str | None:
        return (found[name][0].text or "").strip() if name in found else None

    def number(name: str) -> float | None:
        value = text(name)
        return finite(value) if value else None

    worlds = found.get("BiomeGenerator", found.get("DefaultWorldGenerator", []))
    world = dict(worlds[0].attrib) if worlds else {}
    start = number("StartTime")
    return Mission(
        image_size=_image_size(text("Height"), text("Width")),
        inventory=tuple(_stack(row.attrib) for row in found.get("InventoryObject", [])),
        biome=int(world["biome"]) if "biome" in world else None,
        world_seed=world.get("seed", ""),
        force_reset=world.get("forceReset", "true") == "true",
        start_time=None if start is None else int(start),
        time_passes=text("AllowPassageOfTime") != "false",
        life=_attribute(found, "StartingHealth", "health"),
        food=_attribute(found, "StartingFood", "food"),
        placement=_placement(found),
        break_speed=number("BreakSpeedMultiplier") or 1.0,
        grid=_grid(found),
        rays=_rays(found),
    )


def finite(text: str) -> float:
    """A number of the wire.

    Raises:
      ValueError: it is none, or nan or infinite.
    """
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text}")
    return value


def make_stack(place: int, name: str, variant: str, quantity: str) -> Stack:
    """A stack of what a mission or a command says.

    Raises:
      ValueError: no whole numbers, or larger ones than Minecraft has.
    """
    stack = Stack(place, name, int(variant), int(quantity))
    if not (0 <= stack.variant <= MAX_STACK and stack.quantity <= MAX_STACK):
        raise ValueError(f"{quantity} of {name} {variant}; numbers are 0 to {MAX_STACK}")
    return stack


def _plain(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rpartition("}")[2]


def _image_size(height: str | None, width: str | None) -> tuple[int, int]:
    if not height or not width:
        raise ValueError("no Height and Width of a VideoProducer")
    size = int(height), int(width)
    if not all(0 < side <= MAX_SIDE for side in size):
        raise ValueError(f"a picture of {size}; sides are 1 to {MAX_SIDE}")
    return size


def _stack(row: dict[str, str]) -> Stack:
    place = int(row["slot"])
    if not 0 <= place < NUM_PLACES:
        raise ValueError(f"slot {place}; slots are 0 to {NUM_PLACES - 1}")
    return make_stack(place, row["type"], row.get("metadata", "0"), row.get("quantity", "1"))


def _attribute(found: dict[str, list[ElementTree.Element]], name: str, key: str) -> float | None:
    rows = [row for row in found.get(name, []) if key in row.attrib]
    return finite(rows[0].attrib[key]) if rows else None


def _placement(found: dict[str, list[ElementTree.Element]]) -> tuple[float, ...] | None:
    if "Placement" not in found:
        return None
    row = found["Placement"][0].attrib
    return tuple(finite(row.get(key, "0")) for key in ("x", "y", "z", "yaw", "pitch"))


def _grid(found: dict[str, list[ElementTree.Element]]) -> Limits | None:
    if "Grid" not in found:
        return None
    low, high = found["min"][0].attrib, found["max"][0].attrib
    x, y, z = ((int(low[axis]), int(high[axis])) for axis in "xyz")
    cells = 1
    for first, last in (x, y, z):
        cells *= last - first + 1
    if not 0 < cells <= MAX_CELLS:
        raise ValueError(f"a grid of {cells} cells; 1 to {MAX_CELLS} are taken")
    return x, y, z


def _rays(found: dict[str, list[ElementTree.Element]]) -> tuple[Ray, ...] | None:
    if "ObservationFromRichLidar" not in found:
        return None
    rows = [row.attrib for row in found.get("RayOffset", [])]
    if len(rows) > MAX_RAYS:
        raise ValueError(f"{len(rows)} rays; at most {MAX_RAYS} are taken")
    return tuple(Ray(*(finite(row[key]) for key in ("pitch", "yaw", "distance"))) for row in rows)
