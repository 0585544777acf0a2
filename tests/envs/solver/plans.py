"""From a goal to a list of skills: what to gather, hunt, craft and smelt, in which order."""

import collections
import dataclasses
import functools
import math
from collections.abc import Iterable
from typing import NamedTuple

from rlgpt_jax.envs.names import CRAFT_LISTS, load
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.rules.items.item_table import parse
from tests.envs.solver.moving import PICKAXES

# Item -> blocks ("name:meta" for one kind) and the weakest pickaxe that leaves the item.
RAW: dict[str, tuple[tuple[str, ...], str]] = {
    "log": (("log", "log2"), ""),
    "cobblestone": (("stone:0", "cobblestone"), "wooden_pickaxe"),
    "coal": (("coal_ore",), "wooden_pickaxe"),
    "iron_ore": (("iron_ore",), "stone_pickaxe"),
    "diamond": (("diamond_ore",), "iron_pickaxe"),
}
HUNT = {"beef": "cow", "leather": "cow", "mutton": "sheep", "wool": "sheep"}
SMELT = {"iron_ingot": "iron_ore", "cooked_beef": "beef", "cooked_mutton": "mutton"}
SMELT_TICKS, PLANK_TICKS = 200, 300


class Step(NamedTuple):
    """One skill call."""

    kind: str  # gather, kill, shear, milk, craft, smelt, place, fetch
    name: str  # what it gives, or the station
    number: int = 1  # pieces, or times


class Recipe(NamedTuple):
    """One way to craft an item."""

    needs: dict[str, int]  # pieces by name
    pieces: int  # made at once
    at_table: bool


@functools.cache
def recipes() -> dict[str, Recipe]:
    """For every item that can be crafted from what can be had: the first such recipe."""
    known = {*RAW, *HUNT, *SMELT}
    found: dict[str, Recipe] = {}
    rows = [row for row in load("recipes")["recipes"] if "back" not in row]
    size = -1
    while len(found) > size:
        size = len(found)
        for row in rows:
            name = parse(row["out"])[0]
            cells = row.get("shapeless") or [cell for line in row["shape"] for cell in line]
            needs = collections.Counter(parse(cell)[0] for cell in cells if cell)
            if name not in known and known.issuperset(needs):
                found[name] = Recipe(dict(needs), row["n"], name in CRAFT_LISTS["table"])
                known.add(name)
    return found


@dataclasses.dataclass
class Planner:
    """Plays the inventory forward on paper. `take` makes what is missing and spends it."""

    held: collections.Counter[str]
    stations: set[str]  # placed and near
    steps: list[Step] = dataclasses.field(default_factory=list)

    def ensure(self, name: str, pieces: int) -> None:
        missing = pieces - self.held[name]
        if missing > 0:
            self._make(name, missing)

    def take(self, name: str, pieces: int) -> None:
        self.ensure(name, pieces)
        self.held[name] -= pieces

    def station(self, name: str) -> None:
        """A station that one carries or that stands near."""
        if name not in self.stations:
            self.take(name, 1)
            self.stations.add(name)

    def pickaxe(self, least: str) -> None:
        """A pickaxe at least as good as this one."""
        good = PICKAXES[: PICKAXES.index(least) + 1]
        if not any(self.held[name] for name in good):
            self.ensure(least, 1)

    def _make(self, name: str, missing: int) -> None:
        if name in RAW:
            if RAW[name][1]:
                self.pickaxe(RAW[name][1])
            self._do(Step("gather", name, missing))
        elif name == "milk_bucket":
            for _ in range(missing):
                self.take("bucket", 1)
            self._do(Step("milk", name, missing))
        elif name in HUNT:
            self._hunt(name, missing)
        elif name in SMELT:
            self.station("furnace")
            self.take(SMELT[name], missing)
            self.take("planks", math.ceil(missing * SMELT_TICKS / PLANK_TICKS))
            self._do(Step("smelt", name, missing))
        else:
            self._craft(name, missing)

    def _hunt(self, name: str, missing: int) -> None:
        if name == "wool" and self.held["iron_ingot"] >= 2:
            self.ensure("shears", 1)
        shears = name == "wool" and self.held["shears"] > 0
        self._do(Step("shear" if shears else "kill", name, missing))

    def _craft(self, name: str, missing: int) -> None:
        needs, pieces, at_table = recipes()[name]
        times = math.ceil(missing / pieces)
        for item, number in needs.items():
            self.take(item, number * times)
        if at_table:
            self.station("crafting_table")
        self._do(Step("craft", name, times), times * pieces)

    def _do(self, step: Step, gives: int | None = None) -> None:
        self.steps.append(step)
        self.held[step.name] += step.number if gives is None else gives


def plan(
    task: Task, held: dict[str, int], stations: set[str] | frozenset[str] = frozenset()
) -> list[Step]:
    """The steps from an inventory to the goal of a task."""
    planner = Planner(collections.Counter(held), set(stations))
    if task.nearby:
        planner.station(task.goal_item)
        planner.steps.append(Step("place", task.goal_item))
    else:
        start = sum(n for name, n in task.start_items if name == task.goal_item)
        planner.ensure(task.goal_item, start + task.goal_quantity)
    return with_fetching(merged(planner.steps), stations)


def merged(steps: list[Step]) -> list[Step]:
    """Gathers all of one material at its first occasion."""
    total = collections.Counter()
    for step in steps:
        if step.kind == "gather":
            total[step.name] += step.number
    result, seen = [], set()
    for step in steps:
        if step.kind != "gather":
            result.append(step)
        elif step.name not in seen:
            seen.add(step.name)
            result.append(step._replace(number=total[step.name]))
    # Wood comes first: it needs no tool and lies above the ground.
    wood = [step for step in result if step.kind == "gather" and step.name == "log"]
    return wood + [step for step in result if step not in wood]


def station_of(step: Step) -> str:
    """The station that a step is done at, "" for none."""
    if step.kind == "smelt":
        return "furnace"
    if step.kind == "craft" and step.name in CRAFT_LISTS["table"]:
        return "crafting_table"
    return ""


def with_fetching(steps: list[Step], stations: Iterable[str]) -> list[Step]:
    """Takes stations along whenever one leaves and needs them later."""
    result: list[Step] = []
    placed = sorted(stations)
    for i, step in enumerate(steps):
        if step.kind in ("gather", "kill", "shear", "milk"):
            later = {station_of(other) for other in steps[i:]}
            result += [Step("fetch", station) for station in placed if station in later]
            placed = [station for station in placed if station not in later]
        station = station_of(step)
        if station and station not in placed:
            placed.append(station)
        result.append(step)
    return result
