"""What the loop tells while it runs: plain records for a front end to show."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rlgpt_jax.agents.llm.base import Completion
from rlgpt_jax.agents.prompt_state import Critique, Judgement, Plan
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.interface import RLInterface


class Event:
    """One thing that happened."""


@dataclasses.dataclass(frozen=True)
class Started(Event):
    mode: str
    num_iterations: int
    resumed: bool  # the run folder already held work


@dataclasses.dataclass(frozen=True)
class IterationStarted(Event):
    iteration: int  # from 0


@dataclasses.dataclass(frozen=True)
class Asked(Event):
    """Requests that wait for their answers."""

    keys: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Answered(Event):
    key: str
    answer: Completion


@dataclasses.dataclass(frozen=True)
class AnswerRefused(Event):
    """An answer that cannot be used: not what was asked for."""

    key: str
    reason: str  # as it is told to who answered, who is asked once more


@dataclasses.dataclass(frozen=True)
class Planned(Event):
    iteration: int
    plan: Plan


@dataclasses.dataclass(frozen=True)
class Refused(Event):
    """Code that is outside the macro language."""

    iteration: int
    attempt: int  # from 0
    name: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Tried(Event):
    """A macro that ran in trial episodes."""

    iteration: int
    attempt: int
    name: str
    facts: str
    worse: str = ""  # how it did worse than the version before, which stays in use


@dataclasses.dataclass(frozen=True)
class Judged(Event):
    iteration: int
    attempt: int
    judgements: Mapping[str, Judgement]


@dataclasses.dataclass(frozen=True)
class Kept(Event):
    """The fast agent is content with its code."""

    iteration: int
    attempt: int  # the try in which it said so
    name: str


@dataclasses.dataclass(frozen=True)
class InterfaceSet(Event):
    """How the training run of this iteration is set up."""

    iteration: int
    interface: RLInterface
    words: str  # the same, for people and prompts


@dataclasses.dataclass(frozen=True)
class Updated(Event):
    """One PPO update."""

    iteration: int
    update: int  # of the whole run
    ticks: int  # of the whole run
    iteration_ticks: int  # of this iteration
    target_ticks: int  # of this iteration
    metrics: Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class Evaluating(Event):
    iteration: int
    num_episodes: int


@dataclasses.dataclass(frozen=True)
class Evaluated(Event):
    iteration: int
    report: EvalReport


@dataclasses.dataclass(frozen=True)
class EvaluatedCode(Event):
    """The coded parts of an iteration without its policy, in the same episodes."""

    iteration: int
    report: EvalReport


@dataclasses.dataclass(frozen=True)
class Criticised(Event):
    iteration: int
    critique: Critique


@dataclasses.dataclass(frozen=True)
class Solved(Event):
    """The critic says that nothing is left to gain; no further iteration begins."""

    iteration: int


@dataclasses.dataclass(frozen=True)
class Finished(Event):
    result: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Drawn(Event):
    """Videos of what the run ends with."""

    videos: tuple[Path, ...]


OnEvent = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener of a run that nobody watches."""
