"""Which episodes of an evaluation are worth a look, and which moments of them.

A `Recorder` listens to an evaluation and keeps what is small: actions, positions and
what the crosshair was on. Pictures are drawn afterwards, by repeating the actions.

A typical success: the median in ticks. A typical failure: the median in how many ticks pressed
use and attack without gaining an item; of equal ones by ticks. Of equal ones the first lane, in
both. Both are taken from the first batch of lanes that has such an episode, so that one batch
has to be repeated as a rule. There may be no success or no failure.
"""

import collections
import dataclasses
from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs.base import FUNCTION, Observation
from rlgpt_jax.envs.names import NAME_ID, NAMES
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl.evaluate import crosshair
from rlgpt_jax.rl.evaluate.crosshair import PRESSES
from rlgpt_jax.rl.evaluate.facts import values_of
from rlgpt_jax.rl.rollout.macro_step import Act

Items = collections.Counter[str]


class Row(NamedTuple):
    """All lanes before one tick, and what they do in it. Row T is the end, without an action."""

    # Of Minecraft, None in a world with a spec:
    sight: Any  # Sight  what the crosshair is on
    aimed: Any  # Sight  what it is on when the action's function acts
    nearest: Any  # float32[N]  nearest target that a ray meets, inf if none does
    position: Any  # float32[N, 3]
    view: Any  # float32[N, 2]  yaw, pitch, degrees
    life: Any  # float32[N]
    action: np.ndarray  # int16[N, 8], float32[N, columns] with a spec
    takes: np.ndarray  # bool[N]  the world takes the action; false while a slow one runs
    labels: list[str]  # macro or primitive
    slot: np.ndarray  # int32[N]  the macro that acts, 0 if none
    starts: np.ndarray  # bool[N]  a decision was made in this tick
    facts: Any = None  # float32[N, facts]  of a world with a spec


@dataclasses.dataclass
class Batch:
    """One batch of lanes: what a repetition needs."""

    number: int
    seed: int  # of `world.reset`
    rows: list[Row] = dataclasses.field(default_factory=list)
    # Lane -> the inventory whenever it changed: (row in which it is first seen, items).
    items: dict[int, list[tuple[int, Items]]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Episode:
    """One recorded episode of T ticks."""

    batch: Batch
    lane: int
    ticks: int  # T
    success: bool
    dead_loop: bool
    end: Row  # of all lanes, when this one ended
    spec: WorldSpec | None = None

    def row(self, at: int) -> Row:
        """Row 0 to T."""
        return self.end if at == self.ticks else self.batch.rows[at]

    def items(self, at: int) -> Items:
        """What the agent holds in row `at`."""
        held = Items()
        for row, items in self.batch.items.get(self.lane, ()):
            if row > at:
                break
            held = items
        return held

    def gains(self, at: int) -> Items:
        """Items that tick `at` brought."""
        return self.items(at + 1) - self.items(at)

    def presses(self) -> list[tuple[int, str, str]]:
        """(tick, "use" or "attack", what the crosshair was on) of every press."""
        lane, rows = self.lane, self.batch.rows[: self.ticks]
        if self.spec is not None:
            return []
        return [
            (at, PRESSES[function], crosshair.place(row.aimed, lane))
            for at, row in enumerate(rows)
            if row.takes[lane] and (function := int(row.action[lane, FUNCTION])) in PRESSES
        ]

    def vain_presses(self) -> int:
        """Ticks with use or attack that gained no item."""
        changes = [row - 1 for row, _ in self.batch.items.get(self.lane, ()) if row > 0]
        gaining = {at for at in changes if self.gains(at)}
        return sum(at not in gaining for at, *_ in self.presses())


class Recorder:
    """Listens to `evaluate` and keeps a typical success and a typical failure."""

    def __init__(self, goal_names: tuple[str, ...], spec: WorldSpec | None = None):
        self._spec = spec
        self._goals = np.array([NAME_ID[name] for name in goal_names], np.int32)
        self._batch: Batch | None = None
        self.ended: list[Episode] = []  # of this batch
        self._number = -1
        self._slots: tuple[np.ndarray, np.ndarray] | None = None
        self.success: Episode | None = None
        self.failure: Episode | None = None

    def start(self, seed: int) -> None:
        """A batch of lanes begins."""
        self._number += 1
        self.ended, self._slots = [], None
        done = self.success is not None and self.failure is not None
        self._batch = None if done else Batch(self._number, seed)

    def tick(self, obs: Any, labels: list[str], act: Act, takes: np.ndarray) -> None:
        """One tick: what was seen before it, what every lane does, and bool[N], who was free to."""
        if self._batch is not None:
            self._batch.rows.append(self._row(obs, labels, act, takes))

    def end(self, lane: int, success: bool, dead_loop: bool, final: Any) -> None:
        """The episode of a lane ended with the last tick."""
        if self._batch is None:
            return
        end, ticks = self._batch.rows[-1]._replace(**self._seen(final)), len(self._batch.rows)
        if self._spec is None:
            held, changes = held_items(final, lane), self._batch.items.setdefault(lane, [])
            if not changes or changes[-1][1] != held:
                changes.append((ticks, held))
        self.ended.append(Episode(self._batch, lane, ticks, success, dead_loop, end, self._spec))

    def finish(self) -> None:
        """A batch of lanes is over: chooses among its episodes where a choice is still open."""
        if self._batch is None:
            return
        self.success = self.success or pick_success(self.ended)
        self.failure = self.failure or pick_failure(self.ended)

    def _seen(self, obs: Any) -> dict[str, Any]:
        """Fields of a `Row` that are seen."""
        if self._spec is not None:
            none = dict.fromkeys(("sight", "aimed", "nearest", "position", "view", "life"))
            return {**none, "facts": values_of(self._spec, obs)}
        seen = crosshair.sight(obs)
        return dict(
            sight=seen, aimed=seen, nearest=crosshair.nearest(obs, self._goals),
            position=np.array(obs.position), life=np.array(obs.life),
            view=np.stack([obs.yaw, obs.pitch], axis=1),
        )  # fmt: skip

    def _row(self, obs: Any, labels: list[str], act: Act, takes: np.ndarray) -> Row:
        assert self._batch is not None
        action, seen = np.array(act.action), self._seen(obs)
        if self._spec is None:
            self._note_items(obs, len(self._batch.rows))
            seen["aimed"], action = crosshair.aimed(obs, action), action.astype(np.int16)
        return Row(
            **seen, action=action, takes=takes.copy(), labels=labels, slot=np.array(act.slot),
            starts=np.array(act.decided),
        )  # fmt: skip

    def _note_items(self, obs: Observation, row: int) -> None:
        """Keeps the inventories that differ from the row before."""
        assert self._batch is not None
        now = np.array(obs.slot_name), np.array(obs.slot_quantity)
        changed = np.ones(len(now[0]), bool)
        if self._slots is not None:
            changed = np.logical_or.reduce(
                [(a != b).any(axis=1) for a, b in zip(now, self._slots, strict=True)]
            )
        self._slots = now
        ended = {episode.lane for episode in self.ended}
        for lane in np.flatnonzero(changed):
            if int(lane) not in ended:
                changes = self._batch.items.setdefault(int(lane), [])
                changes.append((row, held_items(obs, int(lane))))


def held_items(obs: Observation, lane: int) -> Items:
    """The inventory of a lane by name."""
    items = Items()
    for name, quantity in zip(obs.slot_name[lane], obs.slot_quantity[lane], strict=True):
        if quantity > 0:
            items[NAMES[int(name)]] += int(quantity)
    return items


def pick_success(episodes: list[Episode]) -> Episode | None:
    """The median success in ticks."""
    return median_in_ticks([e for e in episodes if e.success])


def median_in_ticks(episodes: list[Episode]) -> Episode | None:
    """Of equal ones the first lane."""
    return _median([(e.ticks, e.lane, e) for e in episodes])


def pick_failure(episodes: list[Episode]) -> Episode | None:
    """The median failure in acting without gain, see the top of this file."""
    return _median([(e.vain_presses(), e.ticks, e.lane, e) for e in episodes if not e.success])


def _median(ranked: list[tuple[Any, ...]]) -> Episode | None:
    """The last entry of the middle row, the lower one of two; None without any."""
    return sorted(ranked)[(len(ranked) - 1) // 2][-1] if ranked else None
