"""A sub-task played on paper: what crafting and the land can make of an inventory.

With code alone a sub-task crafts; with learning the land gives raw items too, where the tool
is held. A station that is used is put down and stays behind.
"""

import collections
import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import NamedTuple

from rlgpt_jax.envs.plan.recipe_graph import FUEL_ORDER, best_sources, best_ways, sources
from rlgpt_jax.envs.plan.sources import Way
from rlgpt_jax.envs.voxel.rules.items.smelting import FUELS, TICKS

Items = tuple[tuple[str, int], ...]


class Step(NamedTuple):
    """One sub-task, as the rules read it."""

    name: str
    item: str  # the goal
    quantity: int
    needs: Items  # what it starts with
    land: bool  # whether it may gather: it is learned, not pure code
    placed: bool = False  # the goal is a station of one's own that stands near


@dataclasses.dataclass
class Paper:
    """An inventory on paper. What nothing gives is borrowed, and so is told."""

    held: collections.Counter[str]
    land: bool
    near: frozenset[str] = frozenset()  # stations that stand near
    burning: int = 0  # ticks of fuel that are left in the furnace
    taken: frozenset[str] = frozenset()  # blocks and mobs that items came from
    borrowed: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    def copy(self) -> "Paper":
        return dataclasses.replace(self, held=self.held.copy(), borrowed=self.borrowed.copy())

    @property
    def cost(self) -> int:
        return self.borrowed.total()


def ensure(paper: Paper, item: str, quantity: int, top: bool = False) -> Paper:
    """The paper on which so many pieces are held; the dearest is to borrow.

    Args:
      top: the item itself may not be borrowed.
    """
    missing = quantity - paper.held[item]
    if missing <= 0:
        return paper
    results = [_craft(paper, item, missing, way) for way in best_ways(item)]
    if paper.land and sources(item):
        # What is only now and then left somewhere is rather made.
        sure = any(source.sure for source in best_sources(item))
        results.insert(0 if sure else len(results), _gather(paper, item, missing))
    if not top or not results:
        lent = paper.copy()
        lent.held[item] += missing
        lent.borrowed[item] += missing
        results.append(lent)
    return min(results, key=lambda result: result.cost)  # the first of equal ones


def _gather(paper: Paper, item: str, missing: int) -> Paper:
    """Takes from the land, by the source whose tool is held."""
    paper = paper.copy()
    chosen = sorted(
        best_sources(item) or sources(item),
        key=lambda s: (not _has_tool(paper, s.tools), not s.sure),
    )[0]
    if not _has_tool(paper, chosen.tools):
        paper.held[chosen.tools[0]] += 1
        paper.borrowed[chosen.tools[0]] += 1
    for need, _ in chosen.needs:  # the bucket that becomes the product
        paper = ensure(paper, need, missing).copy()
        paper.held[need] -= missing
    paper.held[item] += missing
    paper.taken |= {s.source for s in sources(item) if _has_tool(paper, s.tools) and s.sure}
    paper.taken |= {chosen.source}
    return paper


def _has_tool(paper: Paper, tools: tuple[str, ...]) -> bool:
    return not tools or any(paper.held[tool] > 0 for tool in tools)


def _craft(paper: Paper, item: str, missing: int, way: Way) -> Paper:
    times = math.ceil(missing / way.most)
    for need, pieces in way.needs:
        paper = ensure(paper, need, pieces * times).copy()
        paper.held[need] -= pieces * times
    if way.station:
        paper = _station(paper, way.station)
    if way.how == "smelt":
        paper = _burn(paper, TICKS * times)
    paper = paper.copy()
    paper.held[item] += times * way.most
    return paper


def _station(paper: Paper, name: str) -> Paper:
    """A station near: one that stands there, or one of the needs, put down."""
    if name in paper.near:
        return paper
    made = ensure(dataclasses.replace(paper, land=False), name, 1).copy()
    made.held[name] -= 1
    return dataclasses.replace(made, land=paper.land, near=made.near | {name})


def _burn(paper: Paper, ticks: int) -> Paper:
    paper = paper.copy()
    for fuel in FUEL_ORDER:
        if paper.burning >= ticks:
            break
        pieces = min(paper.held[fuel], math.ceil((ticks - paper.burning) / FUELS[fuel]))
        paper.held[fuel] -= pieces
        paper.burning += pieces * FUELS[fuel]
    if paper.burning < ticks:
        fuel = "log" if paper.land else "coal"
        pieces = math.ceil((ticks - paper.burning) / FUELS[fuel])
        paper = ensure(paper, fuel, paper.held[fuel] + pieces).copy()
        paper.held[fuel] -= pieces
        paper.burning += pieces * FUELS[fuel]
    paper.burning -= ticks
    return paper


def play(step: Step, held: Mapping[str, int], near: frozenset[str] = frozenset()) -> Paper:
    """A sub-task on paper, from what is held."""
    paper = Paper(collections.Counter(held), step.land, near)
    if step.placed:
        return _station(paper, step.item)
    return ensure(paper, step.item, step.quantity, top=True)


@functools.lru_cache(maxsize=65_536)
def _reachable(step: Step, held: frozenset[tuple[str, int]], near: frozenset[str]) -> bool:
    return play(step, dict(held), near).cost == 0 and (
        step.land or step.placed or bool(best_ways(step.item)) or dict(held).get(step.item, 0) > 0
    )


def reachable(step: Step, held: Mapping[str, int], near: frozenset[str] = frozenset()) -> bool:
    """Whether the goal can still be made of what is held and what stands near, and, where
    the sub-task is learned, of what the land gives to the tools that are held."""
    return _reachable(step, frozenset((k, v) for k, v in held.items() if v > 0), near)


def targets(step: Step) -> tuple[str, ...]:
    """Blocks and mobs that the goal comes from, for the distance term of the reward."""
    return tuple(sorted(play(step, dict(step.needs)).taken)) if step.land else ()
