"""The skills that a long task is played with, and their arrays."""

import dataclasses
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.actions import HybridSpace, empty_space
from rlgpt_jax.rl.chain.rule import Goal, Reach, Search
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.interface import MAX_TARGETS
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.policy import Problem, problem_of
from rlgpt_jax.rl.reward import rewards

SCRIPT = ("script_length", "lead", "lead_length", "repeat")  # fields of `SpaceArrays`


@dataclasses.dataclass(frozen=True)
class Skill:
    """A finished sub-task: what acts, and when it is started."""

    goal: Goal
    space: HybridSpace
    observation: tuple[str, ...]  # parts that its networks see
    params: actor_critic.Params | None  # None if its script alone acts
    targets: tuple[str, ...] = ()  # what its reward was about; () is what the whole task is about


@dataclasses.dataclass(frozen=True)
class Chain:
    """The skills of a task in the order of its plan; the last one reaches the goal."""

    skills: tuple[Skill, ...]
    items: tuple[str, ...]  # that the rule and `reach` look at
    reach: Reach
    search: Search | None = None  # what picks; None is the rule
    # (block or mob, what is told to the search when one is near and in sight)
    targets: tuple[tuple[str, str], ...] = ()
    near: float = 0.0  # blocks

    @property
    def goals(self) -> tuple[Goal, ...]:
        return tuple(skill.goal for skill in self.skills)


class Prepared(NamedTuple):
    """What stays the same in every tick."""

    chain: Chain
    config: RLConfig
    problems: tuple[Problem, ...]  # one per skill
    whole: Problem  # of the long task: its reward
    item_ids: np.ndarray  # int32[I]  of `Chain.items`
    targets: np.ndarray  # int32[S, K]  ids of each skill's
    scripts: dict[str, np.ndarray]  # [S, ...]  `SCRIPT` of the space of each skill

    def of_lanes(self, skill: np.ndarray) -> Problem:
        """The long task; every lane has the script, the leads and the targets of its skill
        int32[N]."""
        own = {name: x[skill] for name, x in self.scripts.items()}
        space = self.whole.space._replace(**own)
        return self.whole._replace(space=space, targets=self.targets[skill])


def prepare(chain: Chain, config: RLConfig, goal_names: tuple[str, ...]) -> Prepared:
    """Arrays of a chain in a world that is about `goal_names`."""
    seeing = (dataclasses.replace(config, observation=s.observation) for s in chain.skills)
    problems = (
        problem_of(given, goal_names, skill.space)
        for given, skill in zip(seeing, chain.skills, strict=True)
    )
    spaces = [skill.space.arrays() for skill in chain.skills]
    targets = [skill.targets or goal_names for skill in chain.skills]
    size = max(MAX_TARGETS, *map(len, targets))
    return Prepared(
        chain=chain,
        config=config,
        problems=tuple(problems),
        whole=problem_of(config, goal_names, empty_space()),
        item_ids=np.array([NAME_ID[name] for name in chain.items], np.int32),
        targets=np.stack([rewards.padded_ids(names, size) for names in targets]),
        scripts={name: np.stack([getattr(x, name) for x in spaces]) for name in SCRIPT},
    )
