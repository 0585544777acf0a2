"""What a trial of one macro found: in words for the trial critic, and against another version."""

import collections
import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rlgpt_jax.rl.evaluate.approach import REACH, STRATA, UNSEEN
from rlgpt_jax.rl.evaluate.report import MACRO_ENDS, lost_words

NUM_TOLD = 4  # actions of an episode that are told by name
# A version is worse if the episodes it does worse in outnumber those it does better in by more
# than this share of all.
MARGIN = 0.1


@dataclasses.dataclass(frozen=True)
class TrialEpisode:
    """One start of the macro: plain data. In a world with a spec there are no targets, items or
    blocks, and `target` is ""."""

    number: int  # the same in every trial with this seed
    ticks_before: int  # of the episode, before it started
    ticks: int  # it ran
    end: str  # one of `MACRO_ENDS`
    trap: str  # where and why, "" if it did not trap
    success: bool  # the task was solved while it ran
    died: bool  # the episode ended while it ran, without success: death or time
    actions: Mapping[str, int]  # what it did, in ticks
    case: bool = False  # the program in use fails in this episode
    # Of Minecraft:
    target: str = ""  # one of `STRATA`, when it started
    materials: bool = False  # some of the goal's materials were in hand when it started
    # Item -> change of the count, where there is one.
    gained: Mapping[str, int] = dataclasses.field(default_factory=dict)
    # Of the nearest target, None if none was seen.
    distances: tuple[float | None, float | None] = (None, None)
    target_after: str = ""  # one of `STRATA`
    walked: float = 0.0  # blocks, horizontal, along the path
    displacement: float = 0.0  # blocks between start and end
    life_lost: float = 0.0
    pitch: float = 0.0  # degrees at the end, +90 looks down
    # Of worlds with a spec: its facts at the start and at the end, and by how much its progress
    # grew, weighted.
    facts: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    progress: float = 0.0


@dataclasses.dataclass(frozen=True)
class TrialReport:
    """What one macro did when it was started once per episode."""

    name: str
    goal: str  # what the task is about, in words
    goal_item: str
    materials: tuple[str, ...]  # see `approach.Scene`
    before: tuple[str, ...]  # the macros that ran before it
    player: str  # who played between those and its start; "" if nobody did
    episodes: tuple[TrialEpisode, ...]  # in which it was started
    solved_before: int  # further episodes, which ended before it could start
    over_before: int  # the same, without success
    env_ticks: int  # samples of the environment that the trial took
    seed: int
    lost: int = 0  # further episodes, which ended with their workers

    @property
    def num_episodes(self) -> int:
        return len(self.episodes)

    @property
    def ends(self) -> dict[str, int]:
        counts = collections.Counter(e.end for e in self.episodes)
        return {end: counts[end] for end in MACRO_ENDS}

    @property
    def successes(self) -> int:
        return sum(e.success for e in self.episodes)

    @property
    def mean_ticks(self) -> float:
        return _mean(e.ticks for e in self.episodes)

    @property
    def trap_messages(self) -> dict[str, int]:
        return dict(collections.Counter(e.trap for e in self.episodes if e.trap).most_common())

    def to_json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`, with totals for readers."""
        totals = ("num_episodes", "ends", "successes", "mean_ticks", "trap_messages")
        return {**{name: getattr(self, name) for name in totals}, **dataclasses.asdict(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "TrialReport":
        """The inverse of `to_json`."""
        plain = json.loads(json.dumps(dict(data)))
        fields = {f.name: plain[f.name] for f in dataclasses.fields(cls) if f.name in plain}
        lists = {name: tuple(plain[name]) for name in ("materials", "before")}

        def episode(e: dict[str, Any]) -> TrialEpisode:
            facts = {name: tuple(both) for name, both in e.get("facts", {}).items()}
            return TrialEpisode(**e | {"distances": tuple(e["distances"]), "facts": facts})

        return cls(**fields | lists | {"episodes": tuple(map(episode, plain["episodes"]))})

    def describe(self) -> str:
        """For the trial critic: facts in words, no judgement."""
        lines = [self._started()]
        if self.episodes:
            typical = [self._line(e) for e in self.typical()]
            lines += [
                *self._totals(), *self._strata(),
                *(f"Error in {text} ({n} times)." for text, n in self.trap_messages.items()),
                "Typical episodes:", *typical,
            ]  # fmt: skip
        return "\n".join([*lines, *[lost_words(self.lost)] * bool(self.lost)])

    def _started(self) -> str:
        n = self.num_episodes
        after = " and then ".join(
            [*[", ".join(self.before)] * bool(self.before), *[self.player] * bool(self.player)]
        )
        num_cases = sum(e.case for e in self.episodes)
        cases = f"episodes, {num_cases} of them CASES in which the program in use fails"
        words = f"{self.name} was started once in each of {n} "
        words += cases if num_cases else "fresh episodes"
        words += f", after {after}." if after else ", at their beginning."
        never = [
            *[f"the task was solved before in {self.solved_before}"] * bool(self.solved_before),
            *[f"death or time came before in {self.over_before}"] * bool(self.over_before),
        ]
        return words + f" In further episodes it was not: {', '.join(never)}." * bool(never)

    def _totals(self) -> list[str]:
        n, mean = self.num_episodes, lambda field: _mean(getattr(e, field) for e in self.episodes)
        ended = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in self.ends.items() if v)
        actions = sum((collections.Counter(e.actions) for e in self.episodes),
                      collections.Counter[str]())  # fmt: skip
        total = max(sum(actions.values()), 1)
        did = ", ".join(f"{name} {ticks / total:.0%}" for name, ticks in actions.most_common())
        died = sum(e.died for e in self.episodes)
        return [
            f"How it ended: {ended}. It ran for {self.mean_ticks:.1f} ticks on average, from tick "
            f"{mean('ticks_before'):.0f} of the episode on.",
            f"What it did, in share of ticks: {did or 'nothing'}.",
            f"The task was solved while it ran in {self.successes} of {n} episodes; in {died} the "
            f"episode ended otherwise{' (death or time)' * self.is_minecraft}.",
            *(self._minecraft() if self.is_minecraft else _facts(self.episodes)),
        ]

    @property
    def is_minecraft(self) -> bool:
        """Whether there are situations of targets, items and the like."""
        return any(e.target for e in self.episodes)

    def _minecraft(self) -> list[str]:
        mean = lambda field: _mean(getattr(e, field) for e in self.episodes)  # noqa: E731
        return [
            f"It walked {mean('walked'):.1f} blocks on average and ended "
            f"{mean('displacement'):.1f} blocks from where it began; life lost: "
            f"{mean('life_lost'):.1f} of 20; it ended looking at pitch {mean('pitch'):.0f} degrees "
            "(0 is level, 90 is down).",
            _items(self.episodes),
        ]

    def _strata(self) -> list[str]:
        """One line for every kind of situation in which it started, with its share."""
        groups = _groups(self.episodes)
        if not self.is_minecraft or (len(groups) == 1 and not self.goal):
            return []
        hands = len({e.materials for e in self.episodes}) > 1
        lines = [f"By situation at its start (target: {self.goal or 'none'}"
                 + f"; materials: {', '.join(self.materials)}" * hands + "):"]  # fmt: skip
        for (target, materials, case), group in groups:
            where = f"target {target}"
            where += f", {'some' if materials else 'no'} materials in hand" * hands
            where += ", cases" * case
            ends = collections.Counter(e.end.replace("_", " ") for e in group)
            lines.append(
                f"- {where}: {len(group)} of {self.num_episodes} episodes. Ended: "
                f"{', '.join(f'{end} {n}' for end, n in ends.most_common())}; solved "
                f"{sum(e.success for e in group)}; {_mean(e.ticks for e in group):.0f} ticks; "
                f"{_afterwards(group)}. {_items(group)}"
            )
        return lines

    def typical(self) -> list[TrialEpisode]:
        """Of every situation, and of what most of its episodes came to, the one of median
        length: by number."""
        found = []
        for _, group in _groups(self.episodes):
            (most, _), *_ = collections.Counter((e.end, e.success) for e in group).most_common()
            same = sorted((e for e in group if (e.end, e.success) == most),
                          key=lambda e: (e.ticks, e.number))  # fmt: skip
            found.append(same[len(same) // 2])
        return found

    def _line(self, e: TrialEpisode) -> str:
        actions = collections.Counter(e.actions).most_common()
        did = ", ".join(f"{name} {n}" for name, n in actions[:NUM_TOLD])
        rest = sum(n for _, n in actions[NUM_TOLD:])
        over = "death or time" if self.is_minecraft else "the end of the episode"
        how = f"error in {e.trap}" if e.trap else over if e.died else e.end.replace("_", " ")
        how = "solved the task" if e.success else how
        did = f"{did or 'did nothing'}{f', other {rest}' * bool(rest)} (ticks of {e.ticks})"
        if not self.is_minecraft:
            facts = ", ".join(f"{name} {a:.3g} then {b:.3g}" for name, (a, b) in e.facts.items())
            return f"- {did}; ended: {how}; {facts}."
        gained = ", ".join(f"{name} {change:+d}" for name, change in e.gained.items())
        return (
            f"- {_sight(e.target, e.distances[0])}: {did}; ended: {how}; then "
            f"{_sight(e.target_after, e.distances[1])}; {gained or 'gained nothing'}."
        )


def compare(new: TrialReport, old: TrialReport) -> tuple[bool, str]:
    """Whether a version did worse than one before it in the same episodes, and how, in words.

    The first of these that differs in clearly more episodes for one than for the other decides:
    it ended by a mistake; the task was solved while it ran; pieces of the goal item that it
    gained; how near to the goal the most advanced of the materials is that it gained; the target
    in reach at its end; it was cut at the tick limit. If none does, the new one is not worse.
    """
    olds = {e.number: e for e in old.episodes}
    pairs = [(e, olds[e.number]) for e in new.episodes if e.number in olds]
    values = {
        "ended by a mistake": lambda e: -bool(e.trap),
        "solved the task": lambda e: e.success,
        "progress": lambda e: round(e.progress, 3),
        f"gained {new.goal_item}": lambda e: e.gained.get(new.goal_item, 0),
        "gained materials nearer to the goal": lambda e: max(
            (i + 1 for i, name in enumerate(new.materials) if e.gained.get(name, 0) > 0), default=0
        ),
        "ended with the target in reach": lambda e: e.target_after == REACH,
        "was cut at the tick limit": lambda e: -(e.end == "tick_limit"),
    }
    for words, value in values.items():
        better = sum(value(a) > value(b) for a, b in pairs)
        worse = sum(value(a) < value(b) for a, b in pairs)
        if abs(better - worse) > max(1, MARGIN * len(pairs)):
            return worse > better, (
                f"as to '{words}' it was better in {better} and worse in {worse} of {len(pairs)}"
            )
    return False, f"no clear difference in {len(pairs)}"


def _groups(
    episodes: Sequence[TrialEpisode],
) -> list[tuple[tuple[str, bool, bool], list[TrialEpisode]]]:
    """The episodes by situation at the start, the nearest target first, and cases apart."""
    found: dict[tuple[str, bool, bool], list[TrialEpisode]] = {}
    for e in episodes:
        found.setdefault((e.target, e.materials, e.case), []).append(e)
    order = ("", *STRATA)
    return sorted(found.items(), key=lambda entry: (order.index(entry[0][0]), *entry[0][1:]))


def _afterwards(group: Sequence[TrialEpisode]) -> str:
    """Where the target was at the end."""
    counts = collections.Counter(e.target_after for e in group)
    words = "target then " + ", ".join(f"{s} {counts[s]}" for s in STRATA if counts[s])
    both = [e.distances for e in group if None not in e.distances]
    if both:
        before, after = (_mean(d[i] for d in both) for i in (0, 1))  # type: ignore[misc]
        words += f", where seen both times {before:.1f} blocks away before and {after:.1f} after"
    return words


def _sight(stratum: str, distance: float | None) -> str:
    near = "" if distance is None or stratum == UNSEEN else f" at {distance:.1f} blocks"
    return f"target {stratum}{near}"


def _items(episodes: Sequence[TrialEpisode]) -> str:
    total: collections.Counter[str] = collections.Counter()
    for e in episodes:
        total.update(e.gained)
    changes = {name: n / len(episodes) for name, n in total.items() if n}
    if not changes:
        return "The inventory did not change."
    words = ", ".join(f"{name} {change:+.2f}" for name, change in sorted(changes.items()))
    return f"Mean change of the inventory: {words}."


def _facts(episodes: Sequence[TrialEpisode]) -> list[str]:
    """One line for each fact of a world with a spec."""
    lines = []
    for name in episodes[0].facts:
        first, last = zip(*(e.facts[name] for e in episodes), strict=True)
        lines.append(
            f"{name}: {_mean(first):.3g} on average when it started, {_mean(last):.3g} "
            f"({min(last):.3g} to {max(last):.3g}) when it ended."
        )
    return lines


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values) or [0.0]))
