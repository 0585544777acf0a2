"""What the loop tells while it runs: plain records for a front end to show."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from rlgpt_jax.agents.prompt_state import Critique, Fate, Judgement, Plan
from rlgpt_jax.rl.interface import RLInterface


@dataclasses.dataclass(frozen=True)
class Started:
    mode: str
    num_iterations: int
    resumed: bool  # the run folder already held work


@dataclasses.dataclass(frozen=True)
class IterationStarted:
    iteration: int  # from 0


@dataclasses.dataclass(frozen=True)
class Asked:
    """Requests that wait for their answers."""

    keys: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Answered:
    key: str
    agent: str
    provider: str
    model: str
    seconds: float
    text: str
    stop: str = "end"


@dataclasses.dataclass(frozen=True)
class Planned:
    iteration: int
    plan: Plan


@dataclasses.dataclass(frozen=True)
class Refused:
    """Code that is outside the macro language."""

    iteration: int
    attempt: int  # from 0
    name: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Tried:
    """A macro that ran in trial episodes."""

    iteration: int
    attempt: int
    name: str
    facts: str
    worse: str = ""  # how it did worse than the version before, which stays in use


@dataclasses.dataclass(frozen=True)
class Judged:
    iteration: int
    attempt: int
    judgements: Mapping[str, Judgement]


@dataclasses.dataclass(frozen=True)
class Coded:
    """The end of the inner loop: what became of every coded sub-action."""

    iteration: int
    fates: tuple[Fate, ...]


@dataclasses.dataclass(frozen=True)
class Kept:
    """The fast agent is content with its code."""

    iteration: int
    attempt: int  # the try in which it said so
    name: str


@dataclasses.dataclass(frozen=True)
class InterfaceSet:
    """How the training run of this iteration is set up."""

    iteration: int
    interface: RLInterface
    words: str  # the same, for people and prompts


@dataclasses.dataclass(frozen=True)
class Updated:
    """One PPO update."""

    iteration: int
    update: int  # of the whole run
    ticks: int  # of the whole run
    iteration_ticks: int  # of this iteration
    target_ticks: int  # of this iteration
    metrics: Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class Evaluating:
    iteration: int
    num_episodes: int


@dataclasses.dataclass(frozen=True)
class Evaluated:
    iteration: int
    report: Any  # rl.evaluate.EvalReport


@dataclasses.dataclass(frozen=True)
class EvaluatedCode:
    """The coded parts of an iteration without its policy, in the same episodes."""

    iteration: int
    report: Any


@dataclasses.dataclass(frozen=True)
class Criticised:
    iteration: int
    critique: Critique


@dataclasses.dataclass(frozen=True)
class Solved:
    """The critic says that nothing is left to gain; no further iteration begins."""

    iteration: int


@dataclasses.dataclass(frozen=True)
class Finished:
    result: Mapping[str, Any]


OnEvent = Callable[[Any], None]


def ignore(event: Any) -> None:
    """The listener of a run that nobody watches."""
