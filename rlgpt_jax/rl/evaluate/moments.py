"""The moments of an episode that tell what happened, each with its facts in words.

Moment `tick` is the world before that tick; the last one is the end. Chosen by events, in
this order, until there are enough: start and end; ticks that gain an item; for use and for
attack a tick of what it was pressed on most often; the first sight of a target; the
nearest approach to one; the first use and attack; the heaviest loss of life; macros that
start and end. What is left is filled up evenly.
"""

import collections
import dataclasses
import itertools
from collections.abc import Iterator

import numpy as np

from rlgpt_jax.envs.base import CAMERA_CENTRE, FUNCTION, PITCH, YAW
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl.evaluate.activation import action_words
from rlgpt_jax.rl.evaluate.crosshair import PRESSES
from rlgpt_jax.rl.evaluate.keyframes import Episode

NUM_MOMENTS = 8
MAX_GAINS = 2  # moments with a gain; a run of gains would leave no room
MAX_REASONS = 3  # told of one moment
# Ticks of which any will do, why, and whether it may stand close to others.
Event = tuple[list[int], str, bool]


@dataclasses.dataclass(frozen=True)
class Moment:
    """One picture's facts."""

    tick: int
    why: str  # why it was chosen; "" if it only fills a gap
    does: str  # what the agent does in this tick
    crosshair: str  # what the middle of the view is on, before the tick; "" with a spec
    in_reach: bool  # whether use and attack would act on it
    changed: str  # since the moment before this one
    told: str = ""  # numbers of a world that has no crosshair


def choose(episode: Episode, target: str, num: int = NUM_MOMENTS) -> list[Moment]:
    """At most `num` moments in their order. `target` names what the task is about."""
    reasons: dict[int, list[str]] = {}
    apart = max(1, episode.ticks // 24)
    for ticks, why, must in _events(episode, target):
        space = lambda at: min((abs(at - other) for other in reasons), default=apart)  # noqa: E731
        at = max(ticks, key=space)  # the first of those that are farthest from the others
        if at in reasons:
            reasons[at].append(why)
        elif len(reasons) < num and (must or space(at) >= apart):
            reasons[at] = [why]
    _fill(reasons, num)
    return _moments(episode, {at: "; ".join(reasons[at][:MAX_REASONS]) for at in sorted(reasons)})


def stretch(episode: Episode, begin: int, why: str) -> list[Moment]:
    """At most `NUM_MOMENTS`, spread evenly from row `begin` to the end, which came by `why`."""
    ticks = sorted({round(at) for at in np.linspace(begin, episode.ticks, NUM_MOMENTS)})
    reasons = {begin: "the macro starts", episode.ticks: f"end: {why}"}
    return _moments(episode, {at: reasons.get(at, "") for at in ticks})


def _events(episode: Episode, target: str) -> Iterator[Event]:
    """The most telling first."""
    end = episode.ticks
    yield [0], "start", True
    yield [end], f"end: {'success' if episode.success else 'failed'}", True
    gains = [(at, gained) for at in range(end) if (gained := episode.gains(at))]
    for at, gained in gains[:MAX_GAINS]:
        yield [at], f"this tick gains {_items(gained)}", True
    presses = episode.presses()
    for key in PRESSES.values():
        yield from _most_often(episode, key, presses)
    if episode.spec is None:
        yield from _minecraft(episode, target, presses)
    else:
        yield from _bests(episode, episode.spec)
    yield from _macros(episode)


def _bests(episode: Episode, spec: WorldSpec) -> Iterator[Event]:
    """Where each fact is at its highest, or at its lowest where a reward wants it low."""
    values = np.array([episode.row(at).facts[episode.lane] for at in range(episode.ticks + 1)])
    weights = dict(spec.progress)
    for name, column in zip(spec.facts, values.T, strict=True):
        low = weights.get(name, 0.0) < 0
        at = int(column.argmin() if low else column.argmax())
        yield [at], f"{name} is at its {'lowest' if low else 'highest'}, {column[at]:.3g}", False


def _minecraft(
    episode: Episode, target: str, presses: list[tuple[int, str, str]]
) -> Iterator[Event]:
    """The target, first presses and losses of life."""
    lane, end = episode.lane, episode.ticks
    distance = np.array([episode.row(at).nearest[lane] for at in range(end + 1)])
    if np.isfinite(distance).any():
        first, least = int(np.isfinite(distance).argmax()), int(distance.argmin())
        yield [first], f"first sight of {target}, {distance[first]:.1f} blocks", False
        yield [least], f"nearest to {target}, {distance[least]:.1f} blocks", False
    for key in PRESSES.values():
        ticks = [at for at, name, _ in presses if name == key]
        if len(ticks) > 1:
            yield ticks[:1], f"first {key}", False
    losses = -np.diff([episode.row(at).life[lane] for at in range(end + 1)])
    if end and losses.max() > 0:
        yield [int(losses.argmax())], "loses life in this tick", False


def _most_often(episode: Episode, key: str, presses: list[tuple[int, str, str]]) -> Iterator[Event]:
    """A press of what a key was pressed on most often, without a turn if there is one."""
    places = [place for _, name, place in presses if name == key]
    if not places:
        return
    most = min(set(places), key=lambda p: (-places.count(p), p))
    ticks = [at for at, name, place in presses if (name, place) == (key, most)]
    still = [at for at in ticks if not _turns(episode.row(at).action[episode.lane])]
    often = f", {len(ticks)} of {len(places)} times like this" if len(places) > 1 else ""
    yield still or ticks, f"{key}{often}", True


def _turns(action: np.ndarray) -> bool:
    return bool((action[[PITCH, YAW]] != CAMERA_CENTRE).any())


def _macros(episode: Episode) -> Iterator[Event]:
    """The first activation of every macro: where it starts and where it has ended."""
    lane, known, running = episode.lane, set(), ""
    for at in range(episode.ticks):
        row = episode.row(at)
        name = row.labels[lane] if row.slot[lane] > 0 else ""
        goes_on = name == running and not row.starts[lane]
        if running and not goes_on:
            yield [at], f"{running} has ended", False
            running = ""
        if name and not goes_on and name not in known:
            known.add(name)
            running = name
            yield [at], f"{name} starts", False


def _fill(reasons: dict[int, list[str]], num: int) -> None:
    """Adds the middle of the widest gap, again and again, while there is room."""
    while len(reasons) < num:
        ticks = sorted(reasons)
        gaps = [(b - a, -a) for a, b in itertools.pairwise(ticks)]
        width, start = max(gaps, default=(0, 0))
        if width < 2:
            return
        reasons[-start + width // 2] = []


def _moments(episode: Episode, reasons: dict[int, str]) -> list[Moment]:
    """By tick, in their order, and why."""
    lane, moments = episode.lane, []
    for before, (at, why) in zip([None, *reasons], reasons.items(), strict=False):
        sight = episode.row(at).sight
        moments.append(Moment(
            tick=at, why=why, does="" if at == episode.ticks else does(episode, at),
            crosshair="" if sight is None else sight.describe(lane),
            in_reach=sight is not None and sight.in_reach(lane),
            changed="" if before is None else _changes(episode, before, at),
        ))  # fmt: skip
    return moments


def does(episode: Episode, at: int) -> str:
    """The action of a tick in words; a macro's name comes first."""
    row, lane = episode.row(at), episode.lane
    action = row.action[lane]
    words = "nothing, still busy"
    if row.takes[lane]:
        words = action_words(action, episode.spec, numbers=True)
        if episode.spec is None and _turns(action) and int(action[FUNCTION]) in PRESSES:
            words += f" (then on {row.aimed.describe(lane)})"
    return f"{row.labels[lane]}: {words}" if row.slot[lane] > 0 else words


def _changes(episode: Episode, before: int, at: int) -> str:
    """Items, life and place compared with an earlier row."""
    lane, old, new = episode.lane, episode.row(before), episode.row(at)
    if episode.spec is not None:
        both = zip(episode.spec.facts, old.facts[lane], new.facts[lane], strict=True)
        return ", ".join(f"{name} {a:.3g} \N{RIGHTWARDS ARROW} {b:.3g}" for name, a, b in both)
    had, has = episode.items(before), episode.items(at)
    words = [_items(has - had, "+"), _items(had - has, "-")]
    if (a := float(old.life[lane])) != (b := float(new.life[lane])):
        words.append(f"life {a:g} \N{RIGHTWARDS ARROW} {b:g}")
    moved = np.linalg.norm(new.position[lane] - old.position[lane])
    words.append(f"moved {moved:.1f} blocks" if moved >= 0.05 else "same place")
    return ", ".join(word for word in words if word)


def _items(items: collections.Counter[str], sign: str = "") -> str:
    return ", ".join(f"{sign}{number} {name}" for name, number in sorted(items.items()))
