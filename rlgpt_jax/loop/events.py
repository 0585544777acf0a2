"""What the loop tells while it runs: plain records for a front end to show."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, dataclass_transform

from rlgpt_jax.agents.llm.base import Completion
from rlgpt_jax.agents.prompt_state import Critique, Judgement, Plan
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.interface import RLInterface


@dataclass_transform(frozen_default=True)
class Event:
    """One thing that happened: every kind is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclasses.dataclass(frozen=True)(cls)


class Started(Event):
    mode: str
    num_iterations: int
    resumed: bool  # the run folder already held work


class IterationStarted(Event):
    iteration: int  # from 0


class Asked(Event):
    """Requests that wait for their answers."""

    keys: tuple[str, ...]


class Answered(Event):
    key: str
    answer: Completion


class AnswerRefused(Event):
    """An answer that cannot be used: not what was asked for."""

    key: str
    reason: str  # as it is told to who answered, who is asked once more


class Planned(Event):
    iteration: int
    plan: Plan


class Refused(Event):
    """Code that is outside the macro language."""

    iteration: int
    attempt: int  # from 0
    name: str
    reason: str


class Tried(Event):
    """A macro that ran in trial episodes."""

    iteration: int
    attempt: int
    name: str
    facts: str
    worse: str = ""  # how it did worse than the version before, which stays in use


class Judged(Event):
    iteration: int
    attempt: int
    judgements: Mapping[str, Judgement]


class Kept(Event):
    """The fast agent is content with its code."""

    iteration: int
    attempt: int  # the try in which it said so
    name: str


class InterfaceSet(Event):
    """How the training run of this iteration is set up."""

    iteration: int
    interface: RLInterface
    words: str  # the same, for people and prompts


class Updated(Event):
    """One PPO update."""

    iteration: int
    update: int  # of the whole run
    ticks: int  # of the whole run
    iteration_ticks: int  # of this iteration
    target_ticks: int  # of this iteration
    metrics: Mapping[str, float]


class Evaluating(Event):
    iteration: int
    num_episodes: int


class Evaluated(Event):
    iteration: int
    report: EvalReport


class EvaluatedCode(Event):
    """The coded parts of an iteration without its policy, in the same episodes."""

    iteration: int
    report: EvalReport


class Criticised(Event):
    iteration: int
    critique: Critique


class Solved(Event):
    """The critic says that nothing is left to gain; no further iteration begins."""

    iteration: int


class Finished(Event):
    result: Mapping[str, Any]


class Drawn(Event):
    """Videos of what the run ends with."""

    videos: tuple[Path, ...]


OnEvent = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener of a run that nobody watches."""
