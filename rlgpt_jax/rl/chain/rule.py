"""Which skill a lane is in: the rule by which the planner picks by inventory.

    ready      the needs of a skill are held; a station that is near counts as one held
    pick       from the last skill backward: a ready one is picked; of one that is not, the
               needs that are not held are gone through in their order, each to the skill
               that makes it and whose goal is not met. If that ends nowhere: the last skill.

A skill is kept until its goal is met, its time is over, or its goal, which could be
reached when it was picked, no longer can. The last skill's goal is the task's, and the world
tells when that is met. The rule is asked in ticks in which a lane is free to act.

A chain may pick by a search of its own instead (`Search`). Then a goal is so many pieces more than
were held when its skill was picked.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

# Whether the goal of skill i can be reached from these items with these stations near.
Reach = Callable[[int, Mapping[str, int], frozenset[str]], bool]
# The skill to start with these items and with these stations and targets near.
Search = Callable[[Mapping[str, int], frozenset[str]], int]


@dataclasses.dataclass(frozen=True)
class Goal:
    """What the rule knows of a skill."""

    name: str
    item: str
    quantity: int
    needs: tuple[tuple[str, int], ...]  # (item, pieces), the one for the hand first
    ticks: int  # time limit
    learned: bool  # by a policy; else code alone


class Begun(NamedTuple):
    """How a lane's skill began."""

    ticks: int  # since it was picked
    could: bool  # whether its goal could be reached then
    wanted: int  # pieces of its item with which its goal is met


def held_with(held: Mapping[str, int], near: frozenset[str], item: str) -> int:
    """Pieces that count as held; a station that stands near is one."""
    return held.get(item, 0) + (item in near)


def is_met(
    goals: Sequence[Goal], index: int, held: Mapping[str, int], near: frozenset[str], wanted: int
) -> bool:
    """Whether so many of a skill's item are held; of the last one the world alone tells."""
    return index < len(goals) - 1 and held_with(held, near, goals[index].item) >= wanted


def pick(goals: Sequence[Goal], held: Mapping[str, int], near: frozenset[str]) -> int:
    """The skill to start now."""
    last = len(goals) - 1
    makers = {goal.item: i for i, goal in reversed(list(enumerate(goals))) if i < last}
    seen: set[int] = set()

    def backward(index: int) -> int | None:
        if index in seen:
            return None
        seen.add(index)
        needs = goals[index].needs
        missing = [item for item, number in needs if held_with(held, near, item) < number]
        if not missing:
            return index
        for maker in (makers[item] for item in missing if item in makers):
            if is_met(goals, maker, held, near, goals[maker].quantity):
                continue
            found = backward(maker)
            if found is not None:
                return found
        return None

    found = backward(last)
    return last if found is None else found


def is_over(
    goals: Sequence[Goal],
    index: int,
    begun: Begun,
    held: Mapping[str, int],
    near: frozenset[str],
    reach: Reach,
) -> bool:
    """Whether a skill is to be left."""
    return (
        begun.ticks >= goals[index].ticks
        or is_met(goals, index, held, near, begun.wanted)
        or (begun.could and not reach(index, held, near))
    )
