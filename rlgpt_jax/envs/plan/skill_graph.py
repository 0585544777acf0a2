"""Basic skills of a task, what each needs and gives, and the search over them (Plan4MC).

    find        looks about until something that is to be harvested is near
    harvest     from something near: one piece more (mine, kill, shear, milk, scoop)
    place       puts down a station that is carried
    craft       by one recipe; puts down the station that it is made at

Kinds, needs and time limits are Plan4MC's (arXiv 2303.16563; `skills/skills.yaml` and
`skills/load_skills.yaml` of its repository). What is made of what comes from the recipe tables
of the embedded world, where Plan4MC asked a language model once.
"""

import collections
import functools
from collections.abc import Mapping
from typing import NamedTuple

from rlgpt_jax.envs.plan.recipe_graph import best_ways, sources
from rlgpt_jax.envs.plan.sources import Way
from rlgpt_jax.envs.tasks.table import Task

FIND, HARVEST, PLACE, CRAFT = "find", "harvest", "place", "craft"
NEAR = 10  # blocks, within which a target in sight is near
FIND_TICKS = 20 * 50  # 20 choices of a direction, each walked in for 50 ticks
PLACE_TICKS = 200
CRAFT_TICKS = 60  # of ours, whose programs place the station too; Plan4MC's craft in one step
TICKS = {"mine": 500, "kill": 400}  # of what is harvested so; others have 200
COBBLESTONE_TICKS = OTHER_TICKS = 200
LONGEST = 400  # skills of a sequence; more is a circle


class Skill(NamedTuple):
    """A node of the graph."""

    name: str
    kind: str
    item: str = ""  # that it gives; "" of a find
    pieces: int = 1
    uses: tuple[tuple[str, int], ...] = ()  # used up
    hand: str = ""  # item that it is done with and that stays
    targets: tuple[str, ...] = ()  # blocks or mobs of which one must be near
    station: str = ""  # that must stand near; one that is carried is put down
    ticks: int = CRAFT_TICKS  # time limit

    @property
    def needs(self) -> tuple[tuple[str, int], ...]:
        """What must be held, that for the hand first."""
        hand, station = ([(name, 1)] if name else [] for name in (self.hand, self.station))
        return (*hand, *self.uses, *station)


class Graph(NamedTuple):
    """The skills that a task may take."""

    goal: Skill  # the last one
    makers: tuple[Skill, ...]  # for each item that is needed the one skill that gives it

    @property
    def targets(self) -> tuple[str, ...]:
        """All that is looked for."""
        return tuple(sorted({name for skill in self.makers for name in skill.targets}))

    @property
    def hands(self) -> frozenset[str]:
        """All that something is harvested with."""
        return frozenset(skill.hand for skill in self.makers) - {""}

    @property
    def items(self) -> tuple[str, ...]:
        """All that skills need or give."""
        needed = {item for skill in (*self.makers, self.goal) for item, _ in skill.needs}
        return tuple(sorted(needed | {skill.item for skill in self.makers}))


class Missing(ValueError):
    """No sequence of skills leads to the goal; the message says what no skill gives."""


@functools.cache
def graph_of(task: Task) -> Graph:
    """The skills that the search from a task's start takes.

    Raises:
      Missing: there is no way to its goal.
    """
    graph = _all(task)
    taken = search(graph, dict(task.start_items), frozenset())
    return Graph(graph.goal, tuple(skill for skill in graph.makers if skill.name in taken))


def skills_of(task: Task) -> tuple[Skill, ...]:
    """The skills of `graph_of` in the order in which the search first takes them."""
    graph = graph_of(task)
    known = {skill.name: skill for skill in (*graph.makers, graph.goal)}
    # One find for all: which of its targets is looked for makes no difference to it.
    known[FIND] = Skill(FIND, FIND, targets=graph.targets, ticks=FIND_TICKS)
    names = search(graph, dict(task.start_items), frozenset())
    return tuple(known[name] for name in dict.fromkeys(names))


def _all(task: Task) -> Graph:
    """The skill of a task's goal, and those that give what others need."""
    makers: dict[str, Skill] = {}
    weapon = next((name for name, _ in task.start_items if name.endswith("_sword")), "")
    goal = Skill(
        f"place_{task.goal_item}", PLACE, task.goal_item, uses=((task.goal_item, 1),),
        ticks=PLACE_TICKS,
    )  # fmt: skip
    todo = [task.goal_item]
    while todo:
        item = todo.pop()
        skill = None if item in makers else _maker(item, task, weapon)
        if skill is not None:
            makers[item] = skill
            todo += [name for name, _ in skill.needs]
    if not task.nearby:
        if task.goal_item not in makers:
            raise Missing(f"no basic skill gives {task.goal_item}, the goal of {task.name}.")
        goal = makers[task.goal_item]
    return Graph(goal, tuple(makers.values()))


def _maker(item: str, task: Task, weapon: str) -> Skill | None:
    """The skill that gives an item: from what of the land is sure to leave it, else crafted."""
    ways = best_ways(item)
    left = [source for source in sources(item) if source.sure or not ways]
    if left:
        best = max(left, key=lambda source: (source.sure, source.most))
        return _harvest(item, best, task, weapon)
    for way in ways[:1]:
        uses = way.needs + ((("planks", 1),) if way.how == "smelt" else ())  # as fuel
        return Skill(f"craft_{item}", CRAFT, item, way.most, uses, station=way.station)
    return None


def _harvest(item: str, source: Way, task: Task, weapon: str) -> Skill:
    """By the tool that the task starts with, else by the weakest; mobs are killed with the sword
    that there is from the start. The bucket that becomes the product is in the hand too."""
    start = [tool for tool in source.tools if tool in dict(task.start_items)]
    tool = (*start, *source.tools, "")[0]
    hand = weapon if source.how == "kill" else "" if source.needs else tool
    ticks = COBBLESTONE_TICKS if item == "cobblestone" else TICKS.get(source.how, OTHER_TICKS)
    return Skill(f"get_{item}", HARVEST, item, 1, source.needs, hand, (source.source,), ticks=ticks)


def nearby(target: str) -> str:
    """How a block or mob that is near is called among the stations that are."""
    return f"{target}_nearby"


def search(graph: Graph, held: Mapping[str, int], near: frozenset[str]) -> tuple[str, ...]:
    """Names of the skills to be done from here, depth first, as in Plan4MC's algorithm.

    What a skill uses up is set aside before its next need is looked at: first what is used up,
    then the hand's, then the station, last what must be near. Looking for something loses the
    stations; what was harvested is near no more.

    Args:
      held: pieces by item.
      near: stations that stand near and, by `nearby`, targets that are.

    Raises:
      Missing: an item that no skill of the graph gives.
    """
    return _search(graph, frozenset((k, v) for k, v in held.items() if v > 0), near)


@functools.lru_cache(maxsize=65_536)
def _search(
    graph: Graph, held: frozenset[tuple[str, int]], near: frozenset[str]
) -> tuple[str, ...]:
    state = _State(graph, collections.Counter(dict(held)), set(near))
    state.do(graph.goal)
    return tuple(state.sequence)


class _State:
    """An inventory on paper, and the skills that led to it."""

    def __init__(self, graph: Graph, held: collections.Counter[str], near: set[str]):
        self.makers = {skill.item: skill for skill in graph.makers}
        self.held, self.near = held, near
        self.sequence: list[str] = []
        self._doing: list[str] = []

    def get(self, item: str, pieces: int) -> None:
        while self.held[item] < pieces:
            if item not in self.makers:
                raise Missing(f"no basic skill gives {item}, of which {pieces} are needed.")
            self.do(self.makers[item])

    def do(self, skill: Skill) -> None:
        if skill.name in self._doing or len(self.sequence) > LONGEST:
            raise Missing(f"{skill.name} needs what it gives itself.")
        self._doing.append(skill.name)
        for item, pieces in skill.uses:
            self.get(item, pieces)
            self.held[item] -= pieces
        if skill.hand:
            self.get(skill.hand, 1)
        if skill.station and skill.station not in self.near:
            self.get(skill.station, 1)
            self.held[skill.station] -= 1
            self.near.add(skill.station)
        found = {nearby(target) for target in skill.targets}
        if found and not found & self.near:
            self.sequence.append(FIND)
            self.near.clear()
        self.near -= found
        self._doing.pop()
        self.sequence.append(skill.name)
        self.held[skill.item] += skill.pieces
