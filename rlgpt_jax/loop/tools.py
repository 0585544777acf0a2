"""What the loop is given: a task, worlds, a model, a learner's settings, a folder; what agents
are told of it, and the task that training sees.

Everything comes as an argument, so that a test can pass a corridor and written answers.
"""

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from rlgpt_jax.agents import prompts
from rlgpt_jax.agents.ask import Question, Value, ask_all
from rlgpt_jax.agents.llm.base import Completion, OnAnswer, Provider, Request, untold
from rlgpt_jax.agents.llm.budget import Budget, Budgeted
from rlgpt_jax.agents.llm.transcript import Recorded, Transcript
from rlgpt_jax.agents.prompt_state import Refusal
from rlgpt_jax.agents.prompts import Prompts
from rlgpt_jax.envs.base import Environment, HostEnvironment
from rlgpt_jax.envs.spec import SpecTask
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.loop import events
from rlgpt_jax.loop.config import CriticConfig, LoopConfig
from rlgpt_jax.loop.library.offer import NOTHING, Offer
from rlgpt_jax.loop.record import RunFolder
from rlgpt_jax.loop.spaces import Language
from rlgpt_jax.macros.limits import TICK_LIMIT
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.interface import DEFAULT, Given, RewardTerms, RLInterface, TrainingTask

World = Environment | HostEnvironment
# Splits of worlds. Iterations are judged and compared on "validation"; only the best one
# is evaluated on "eval", so that choosing it does not flatter the number that is reported.
TRAIN, VALIDATION, EVAL = "train", "validation", "eval"


@dataclasses.dataclass(frozen=True)
class Tools:
    """The outside of a run."""

    task: Task | SpecTask
    # (split, num_envs, seed) -> world of `task`; a fourth argument is another task, for
    # training episodes that an RL interface wants different.
    make_env: Callable[..., World]
    provider: Provider | None  # None is enough for mode pure_rl
    folder: RunFolder
    rl: RLConfig
    key_prefix: str = ""  # before every request key: a sub-task of a longer one has its own
    seed: int = 0
    sensors: str = "paper"  # of macros
    tick_limit: int = TICK_LIMIT  # of one activation of a macro
    offer: Offer = NOTHING  # of a library: what macros may call and the policy may choose
    prompts: Prompts = dataclasses.field(default_factory=prompts.load)
    critic: CriticConfig = CriticConfig()  # what the critic is shown
    budget: Budget | None = None  # what the run may spend; None is no limit
    set_up: RLInterface = DEFAULT  # of training without agents
    on_event: events.OnEvent = events.ignore
    # Asked after every update: if so there is a checkpoint of it, for whoever ends the run then.
    is_told_to_end: Callable[[], bool] = lambda: False

    @property
    def minecraft_task(self) -> Task:
        """The task, for what only Minecraft has."""
        assert isinstance(self.task, Task), "a task of another world"
        return self.task

    @property
    def language(self) -> Language:
        """What the macros of the run are written in."""
        return Language(self.sensors, self.tick_limit, self.offer.sources, self.task.spec)

    def seed_of(self, *purpose: str | int) -> int:
        """A seed in 0..2**31-1 for one purpose, for example ("train", 0)."""
        words = "/".join(map(str, (self.seed, *purpose)))
        return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "little") >> 1

    def request_key(self, config: LoopConfig, iteration: int, *parts: str) -> str:
        """The key of one question in an iteration, for example iter0/fast/walk/try1."""
        return "/".join((f"{self.key_prefix}{config.key_prefix}iter{iteration}", *parts))

    @functools.cached_property
    def asker(self) -> Provider:
        """The provider behind budget and transcript; tells what is asked.

        What the run's own transcript answers never comes to the budget.
        """
        if self.provider is None:
            raise ValueError(
                "this mode asks language models, but there is no provider. Give one, or "
                "set loop.mode to pure_rl."
            )
        transcript, provider = Transcript(self.folder.transcript), self.provider
        if self.budget is not None:
            provider = Budgeted(provider, self.budget)
        return _Announced(Recorded(provider, transcript), self.on_event)

    def ask(self, question: Question[Value], phase: str) -> Value | Refusal:
        """What the model's answer says; refused ones are told. `phase` is what takes the time."""
        return self.ask_all([question], phase)[0]

    def ask_all(self, questions: Sequence[Question[Value]], phase: str) -> list[Value | Refusal]:
        """The same of questions that do not depend on each other."""
        with self.folder.timed(phase):
            return ask_all(
                self.asker, self.prompts, questions,
                lambda key, reason: self.on_event(events.AnswerRefused(key, reason)),
            )  # fmt: skip

    @functools.cached_property
    def _worlds(self) -> dict[tuple[str, int, Task | SpecTask | None], World]:
        return {}

    def world(self, split: str, num_envs: int, task: Task | SpecTask | None = None) -> World:
        """The world of that split and size, with the run's task or another; made once.

        Of the worlds with other tasks the last one alone is kept: they are large.
        """
        other = None if task == self.task else task
        if (split, num_envs, other) not in self._worlds:
            for key in [key for key in self._worlds if other and key[2]]:
                del self._worlds[key]
            args = (split, num_envs, self.seed_of("world", split), *[other] * bool(other))
            self._worlds[split, num_envs, other] = self.make_env(*args)
        return self._worlds[split, num_envs, other]


class _Announced:
    """A provider whose questions and answers are events."""

    def __init__(self, provider: Provider, on_event: events.OnEvent):
        self._provider = provider
        self._on_event = on_event

    def complete(
        self, requests: Sequence[Request], on_answer: OnAnswer = untold
    ) -> list[Completion]:
        self._on_event(events.Asked(tuple(r.key for r in requests)))
        answers = self._provider.complete(requests, on_answer)
        for request, answer in zip(requests, answers, strict=True):
            self._on_event(events.Answered(request.key, answer))
        return answers


def given(task: Task | SpecTask, config: RLConfig, warm_start: bool = True) -> Given:
    """What an interface keeps where it sets nothing, for `Setting.given`."""
    reward, ppo, network = config.reward, config.ppo, config.network
    terms: dict[str, Any]
    own: dict[str, Any] = {}  # what only Minecraft has
    if isinstance(task, SpecTask):
        progress = reward.progress or task.spec.progress
        terms = dict(environment=reward.environment or None, progress=progress)
    else:
        terms = dict(
            distance=reward.distance, targets=reward.targets or task.sources,
            items=reward.items, exploration=reward.exploration,
        )  # fmt: skip
        own = dict(mobs=task.mobs, mob_range=max(task.mob_range), start_items=task.start_items)
    return Given(
        reward=RewardTerms(success=reward.success, step_cost=reward.step_cost, **terms), **own,
        gamma=ppo.gamma, ticks_per_update=ppo.num_envs * ppo.unroll_length,
        observation=config.observation, image_size=network.image_size,
        frame_stack=network.frame_stack,
        target_memory=network.remembers, network="last" if warm_start else "fresh",
    )  # fmt: skip


def training_task(task: Task | SpecTask, wanted: TrainingTask) -> Task | SpecTask:
    """The task of training episodes: `task` with what `wanted` sets; in a world with a spec that
    is the horizon alone.

    Another goal item is one to be held, so that it ends a task of stages or of a station
    to be placed; the blocks and mobs of the distance term stay those of `task`.
    """
    if isinstance(task, SpecTask):
        return dataclasses.replace(task, horizon=wanted.horizon or task.horizon)
    changes = {
        name: value for name, value in dataclasses.asdict(wanted).items() if value is not None
    }
    if wanted.mob_range is not None:
        changes["mob_range"] = (wanted.mob_range, wanted.mob_range)
    if wanted.goal_item not in (None, task.goal_item):
        changes = {"goal_quantity": 1, "nearby": False, "stages": (), **changes}
    return dataclasses.replace(task, **changes)
