"""Whether a chain of sub-tasks can work, by the recipe tables; else what to write instead.

What a sub-task starts with are its needs. Each is played on paper (`on_paper.py`): what it uses
up is gone for the later ones, and so is a station that it puts down.
"""

import collections
import difflib
from collections.abc import Sequence

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.plan.on_paper import Items, Step, play
from rlgpt_jax.envs.plan.recipe_graph import best_ways, depths, sources
from rlgpt_jax.envs.plan.sources import STATIONS


def producer(steps: Sequence[Step], item: str) -> int | None:
    """Which sub-task makes an item to be carried."""
    makers = (i for i, step in enumerate(steps) if step.item == item and not step.placed)
    return next(makers, None)


def edges(steps: Sequence[Step]) -> tuple[tuple[int, ...], ...]:
    """For every sub-task those whose goals it needs, in the order of its needs."""
    makers = ([producer(steps, item) for item, _ in step.needs] for step in steps)
    return tuple(tuple(dict.fromkeys(m for m in row if m is not None)) for row in makers)


def check(steps: Sequence[Step], start: Items, goal: str, quantity: int) -> str:
    """Why a plan cannot work and what to write instead; "" if it can.

    Args:
      steps: in the order in which they are to be done.
      start: the inventory at the start.
      goal: the item of the task; the last sub-task must have it.
    """
    for rule in (_names, _goals, _order, _ways, _amounts):
        wrong = rule(steps, start)
        if wrong:
            return wrong
    last = steps[-1]
    if last.item != goal or last.quantity < quantity:
        return (
            f"The last sub-task must reach the task's goal, {quantity} {goal}; {last.name} has "
            f"{last.quantity} {last.item}. Write the sub-task with that goal last."
        )
    needed = {i for row in edges(steps) for i in row} | {len(steps) - 1}
    idle = [step.name for i, step in enumerate(steps) if i not in needed]
    if idle:
        return (
            f"No other sub-task needs the goal of {', '.join(idle)}. Leave it out, or write its "
            'item under the "needs" of the sub-task that it is for.'
        )
    return ""


def _names(steps: Sequence[Step], start: Items) -> str:
    """Items that do not exist, or that cannot be had."""
    known = set(depths()) | {name for name, _ in start}
    for step in steps:
        for item in (step.item, *(name for name, _ in step.needs)):
            if item not in NAME_ID or item not in known:
                near = difflib.get_close_matches(item, sorted(known), n=3)
                why = "cannot be had in this world" if item in NAME_ID else "is no item"
                hint = f" Try: {', '.join(near)}." if near else ""
                return f"{step.name}: {item!r} {why}.{hint}"
    return ""


def _goals(steps: Sequence[Step], start: Items) -> str:
    """One sub-task per goal."""
    for i, step in enumerate(steps):
        same = [s for s in steps[:i] if s.item == step.item and s.placed == step.placed]
        if same:
            return (
                f"{same[0].name} and {step.name} have the same goal, {step.item}. Write one "
                "sub-task with the whole quantity."
            )
        if step.item in dict(step.needs) and not step.placed:
            return (
                f"{step.name}: its goal {step.item} is also among its needs, which is a cycle. "
                "Leave it out of the needs."
            )
    return ""


def _order(steps: Sequence[Step], start: Items) -> str:
    """Every need is made by an earlier sub-task or there from the start."""
    after, held = edges(steps), dict(start)
    for i, step in enumerate(steps):
        for item, number in step.needs:
            maker = producer(steps, item)
            if maker is None and held.get(item, 0) < number:
                has = f"of which the start has {held.get(item)}"
                has = has if held.get(item) else "the start does not have"
                return (
                    f"{step.name} needs {number} {item}, which no sub-task has as its goal and "
                    f"{has}. Write a sub-task with that goal before it."
                )
            if maker is None or maker < i:
                continue
            way = _path(after, maker, i)
            if way:
                names = " needs ".join(steps[k].name for k in (i, *way))
                return f"The needs go round in a cycle: {names}. Leave one of these needs out."
            return (
                f"{step.name} needs {number} {item}, which comes later, from "
                f"{steps[maker].name}. Write {steps[maker].name} before {step.name}."
            )
    return ""


def _path(after: Sequence[Sequence[int]], begin: int, end: int) -> tuple[int, ...]:
    """A way along needs; () if there is none."""
    todo: list[tuple[int, ...]] = [(begin,)]
    seen: set[int] = set()
    while todo:
        way = todo.pop()
        if way[-1] == end:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            todo += [(*way, k) for k in after[way[-1]]]
    return ()


def _ways(steps: Sequence[Step], start: Items) -> str:
    """Every goal can be had from the needs."""
    for step in steps:
        if not step.land and not best_ways(step.item) and not step.placed:
            return (
                f'{step.name}: {step.item} is not crafted, so "solve": "code" cannot get it. '
                'Write "solve": "loop".'
            )
        paper = play(step, dict(step.needs))
        if paper.cost:
            lack = ", ".join(f"{number} {item}" for item, number in sorted(paper.borrowed.items()))
            wild = any(sources(item) for item in paper.borrowed) and not step.land
            more = ', or write "solve": "loop" if it is to be gathered' if wild else ""
            stations = [s for s in STATIONS if paper.borrowed[s]]
            near = f" ({' and '.join(stations)} must be carried to be put down)" if stations else ""
            return (
                f"{step.name}: {step.quantity} {step.item} cannot be had from its needs"
                f"{' and the land' if step.land else ''}: {lack} more would do{near}. Add that "
                f'to its "needs"{more}.'
            )
    return ""


def _amounts(steps: Sequence[Step], start: Items) -> str:
    """What earlier sub-tasks use up is made in enough quantity."""
    stock: collections.Counter[str] = collections.Counter(dict(start))
    used: dict[str, list[str]] = collections.defaultdict(list)
    for step in steps:
        needs = collections.Counter(dict(step.needs))
        for item, number in needs.items():
            if stock[item] < number:
                return _short(steps, step, item, number - stock[item], used[item])
        paper = play(step, needs)
        for item in {*needs, *paper.held}:
            change = paper.held[item] - needs[item]
            stock[item] += change
            if change < 0:
                used[item].append(f"{step.name} uses up {-change}")
    return ""


def _short(steps: Sequence[Step], step: Step, item: str, missing: int, used: Sequence[str]) -> str:
    maker = producer(steps, item)
    why = f", because {' and '.join(used)}" if used else ""
    why += " (a station that is put down stays behind)" if used and item in STATIONS else ""
    if maker is None:
        remedy = f"write a sub-task with the goal {missing} {item} before it"
    else:
        remedy = (
            f"raise the goal of {steps[maker].name} from {steps[maker].quantity} to "
            f"{steps[maker].quantity + missing} {item} (and what that needs)"
        )
    return (
        f"{step.name} needs {dict(step.needs)[item]} {item}, but {missing} of them are not left "
        f"by then{why}. To have enough, {remedy}."
    )
