"""What a trial of one macro found, and how it is put in words for the trial critic."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from rlgpt_jax.rl.report import lost_words

PRELUDE = 10  # ticks of random primitives, at most, before the macro starts


@dataclasses.dataclass(frozen=True)
class TrialReport:
    """What one macro did when it was started once per episode."""

    name: str
    goal: str  # goal names in words
    num_episodes: int  # episodes in which the macro was started
    ends: Mapping[str, int]  # returned, trapped, tick_limit, interrupted
    trap_messages: Mapping[str, int]
    mean_ticks: float  # of one activation
    action_ticks: Mapping[str, int]  # what it did, in ticks
    successes: int  # episodes whose task was solved while it ran
    items_gained: Mapping[str, float]  # item -> mean change of the count
    mean_walked: float  # blocks, horizontal, along the path
    mean_displacement: float  # blocks between start and end
    visible_before: int  # episodes with the goal in sight when it started
    visible_after: int
    mean_distance_before: float | None  # blocks, of episodes in sight at both times
    mean_distance_after: float | None
    mean_life_lost: float
    mean_final_pitch: float  # degrees, +90 looks down
    deaths_or_time_up: int  # episodes that ended without success while it ran
    seed: int
    lost: int = 0  # further episodes, which ended with their workers

    def to_json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "TrialReport":
        """The inverse of `to_json`."""
        return cls(**json.loads(json.dumps(dict(data))))

    def describe(self) -> str:
        """For the trial critic: facts in words, no judgement."""
        n = self.num_episodes
        ended = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in self.ends.items() if v)
        total = max(sum(self.action_ticks.values()), 1)
        did = ", ".join(f"{name} {ticks / total:.0%}" for name, ticks in self.action_ticks.items())
        lines = [
            f"{self.name} was started once in each of {n} episodes, after up to {PRELUDE} random "
            f"actions. How it ended: {ended}. It ran for {self.mean_ticks:.1f} ticks on average.",
            f"What it did, in share of ticks: {did or 'nothing'}.",
            f"The task was solved while it ran in {self.successes} of {n} episodes; in "
            f"{self.deaths_or_time_up} the episode ended otherwise (death or time).",
            self._goal_words(),
            f"It walked {self.mean_walked:.1f} blocks on average and ended "
            f"{self.mean_displacement:.1f} blocks from where it began; life lost: "
            f"{self.mean_life_lost:.1f} of 20; it ended looking at pitch "
            f"{self.mean_final_pitch:.0f} degrees (0 is level, 90 is down).",
            self._item_words(),
            *(f"Error in {text} ({count} times)." for text, count in self.trap_messages.items()),
            lost_words(self.lost),
        ]
        return "\n".join(line for line in lines if line)

    def _goal_words(self) -> str:
        n = self.num_episodes
        text = (
            f"A {self.goal} was in sight in {self.visible_before} of {n} episodes before and in "
            f"{self.visible_after} after it."
        )
        if self.mean_distance_before is not None and self.mean_distance_after is not None:
            text += (
                " Where it was in sight both times, the nearest was "
                f"{self.mean_distance_before:.1f} blocks away before and "
                f"{self.mean_distance_after:.1f} after."
            )
        return text

    def _item_words(self) -> str:
        if not self.items_gained:
            return "The inventory did not change."
        changes = ", ".join(f"{name} {change:+.2f}" for name, change in self.items_gained.items())
        return f"Mean change of the inventory: {changes}."
