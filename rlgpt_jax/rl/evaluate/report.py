"""What an evaluation found: one record for the log, the tables and the critic."""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rlgpt_jax.rl.evaluate import crosshair, failures
from rlgpt_jax.rl.evaluate import facts as fact_words

MACRO_ENDS = ("returned", "trapped", "tick_limit", "interrupted")


def wilson(successes: float, num: float) -> tuple[float, float]:
    """The Wilson score interval of a proportion, 95 %.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical
    inference".
    """
    if num == 0:
        return 0.0, 1.0
    p, z = successes / num, 1.96
    centre = p + z * z / (2 * num)
    half = z * math.sqrt(p * (1 - p) / num + z * z / (4 * num * num))
    scale = 1 + z * z / num
    # It holds `p`, whatever rounding makes of it at 0 and 1.
    return max(0.0, min(p, (centre - half) / scale)), min(1.0, max(p, (centre + half) / scale))


def lost_words(lost: int) -> str:
    """Of an evaluation or a trial that lost episodes, a sentence; "" if none was."""
    if not lost:
        return ""
    return (
        f"Besides, {lost} {'episode was' if lost == 1 else 'episodes were'} lost with a broken "
        "game and played again."
    )


@dataclasses.dataclass(frozen=True)
class EpisodeEnd:
    """One episode of an evaluation, and how it ended."""

    number: int  # of its start: the same one in every evaluation with this seed and these lanes
    # (seed, lane): `reset(seed)` of as many lanes starts it again in this one; None: no reset does.
    start: tuple[int, int] | None
    success: bool
    ticks: int
    # "solved the task", "dead loop" or "death or time"; in worlds with a spec else "not solved"
    end: str
    doing: str  # most frequent of its last actions: a macro or a primitive
    first_sight: int | None  # actions before a goal was seen, None if none ever was
    distance: float | None  # blocks from the goal at the end, None if none is in sight
    # At the end, `WorldSpec.facts`.
    facts: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def describe(self, goal_names: Sequence[str] = ()) -> str:
        """In words, without an article: "episode 7 (tick 600, ...)"."""
        goal = " or ".join(goal_names)
        sight = f"no {goal} ever in sight" if self.first_sight is None else (
            f"a {goal} was in sight, not at the end" if self.distance is None
            else f"a {goal} in sight {self.distance:.1f} blocks away"
        )  # fmt: skip
        parts = [f"tick {self.ticks}", self.end, f"last mostly {self.doing}" * bool(self.doing),
                 sight * bool(goal), *(f"{k} {x:.3g}" for k, x in self.facts.items())]  # fmt: skip
        return f"episode {self.number} ({', '.join(p for p in parts if p)})"


@dataclasses.dataclass(frozen=True)
class EvalReport:
    """What one evaluation measured."""

    task: str
    split: str  # which worlds: "train", "validation" or "eval"
    num_episodes: int
    successes: int
    success_rate: float
    success_low: float  # Wilson 95 %
    success_high: float
    mean_return: float  # of the reward that PPO learns from, undiscounted
    mean_ticks: float  # game ticks per episode, 20 are 1 s
    action_counts: Mapping[str, int]  # primitive or macro -> times chosen
    action_ticks: Mapping[str, int]  # primitive or macro -> ticks
    macro_ends: Mapping[str, Mapping[str, int]]  # macro -> how its activations ended
    trap_messages: Mapping[str, int]  # "macro, line n: reason" -> times
    dead_loop_rate: float  # share of episodes, see `dead_loops.py`
    seed: int
    # "use" or "attack" -> what the crosshair was on when it was pressed -> ticks, see
    # `crosshair.py`. A critic reads it where a run says so, like `sights` and `ends_in_sight`.
    presses: Mapping[str, Mapping[str, int]] = dataclasses.field(default_factory=dict)
    # How the failed episodes ended, see `failures.py`; {} if none failed.
    failures: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    goal_names: tuple[str, ...] = ()  # what they would have had to see
    lost: int = 0  # further episodes, which ended with their workers
    # World of the pool -> (successes, episodes) in it; {} where every episode has its own.
    by_world: Mapping[str, tuple[int, int]] = dataclasses.field(default_factory=dict)
    # When successes and failures saw the goal and where they ended, see `failures.sights_of`.
    sights: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    # The part of `macro_ends` whose activations began with a goal in sight.
    ends_in_sight: Mapping[str, Mapping[str, int]] = dataclasses.field(default_factory=dict)
    # Every episode, by number. One that was played in place of a lost one is another episode, and
    # is not told of here.
    episodes: tuple[EpisodeEnd, ...] = ()
    # Of a world with a spec (`facts.facts_of`), which has neither dead loops, presses nor sights.
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`."""
        return {**dataclasses.asdict(self), "goal_names": list(self.goal_names)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "EvalReport":
        """The inverse of `to_json`; also takes what `json.loads` gives.

        Raises:
          ValueError: if fields are missing or unknown.
        """
        known = {field.name for field in dataclasses.fields(cls)}
        missing = _NEEDED - set(data)
        if missing or set(data) - known:
            raise ValueError(
                f"not an EvalReport: missing {sorted(missing)}, "
                f"unknown {sorted(set(data) - known)}."
            )
        plain = json.loads(json.dumps(dict(data)))
        episodes = tuple(
            EpisodeEnd(**e | {"start": e["start"] and tuple(e["start"])})
            for e in plain.get("episodes", ())
        )
        goal_names = tuple(plain.get("goal_names", ()))
        return cls(**plain | {"goal_names": goal_names, "episodes": episodes})

    def describe(self, facts: bool = True) -> str:
        """For the critic: facts in words, no judgement.

        `facts` adds what use and attack were pressed on, when the goal was seen, and how macros
        ended that were started with it in sight.
        """
        sentences = [
            f"{self.task}: {self.successes} of {self.num_episodes} episodes succeeded "
            f"({self.success_rate:.0%}, 95 % interval {self.success_low:.0%} to "
            f"{self.success_high:.0%}); an episode took {self.mean_ticks:.0f} ticks on average.",
            self._describe_use(),
            *(self._describe_macro(name, facts) for name in self.macro_ends),
            *(f"Trap in {text} ({n} times)." for text, n in top(self.trap_messages, 5)),
            *fact_words.describe(self.facts),
            ""
            if self.facts
            else f"{self.dead_loop_rate:.0%} of the episodes ended in a dead loop: over the last "
            "100 actions nothing was gained, no new cell was visited and the same actions "
            "were repeated in the same places.",
            *failures.describe(self.failures, self.goal_names, loops=not self.facts),
            *(failures.describe_sights(self.sights, self.goal_names) if facts else ()),
            *(crosshair.describe(self.presses) if facts else ()),
            lost_words(self.lost),
        ]
        return "\n".join(s for s in sentences if s)

    def _describe_use(self) -> str:
        total = max(sum(self.action_ticks.values()), 1)
        used = ", ".join(
            f"{name} (chosen {self.action_counts.get(name, 0)} times, {ticks / total:.0%} of ticks)"
            for name, ticks in top(self.action_ticks, 6)
        )
        return f"Most used: {used}." if used else ""

    def _describe_macro(self, name: str, facts: bool) -> str:
        """How its activations ended, with `facts` also of those that began in sight of a goal."""
        ends, near = self.macro_ends[name], self.ends_in_sight.get(name)
        total = sum(ends.values())
        if total == 0:
            return f"Macro {name} was never started."
        words = f"Macro {name}: {total} activations ended; {_ends(ends)}."
        if facts and near is not None and self.goal_names:
            goal, began = " or ".join(self.goal_names), sum(near.values())
            of_them = f" of these {_ends(near)}" if 0 < began < total else ""
            words += f" {began} began with a {goal} in sight;{of_them}".rstrip(";") + "."
        return words


# Reports of earlier versions lack the others.
_NEEDED = {
    field.name
    for field in dataclasses.fields(EvalReport)
    if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
}


def _ends(ends: Mapping[str, int]) -> str:
    words = dict(
        returned="returned by itself", trapped="stopped by an error",
        tick_limit="stopped by the tick limit", interrupted="cut by the end of the episode",
    )  # fmt: skip
    return ", ".join(f"{ends[k]} {words[k]}" for k in MACRO_ENDS if ends.get(k))


def top(counts: Mapping[str, int], num: int | None = None) -> list[tuple[str, int]]:
    """The most frequent entries, ties by name."""
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:num]
