"""Lanes in which episodes are played, and the two ways in which a policy acts in them."""

from typing import Any, NamedTuple, Protocol

import jax
import numpy as np

from rlgpt_jax.envs.base import AsyncEnvironment, HostEnvironment, Observation
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.policy import Policy, arrays_of
from rlgpt_jax.rl.reward.rewards import RewardArrays
from rlgpt_jax.rl.rollout.lanes_async import AsyncLanes
from rlgpt_jax.rl.rollout.macro_step import init_macros
from rlgpt_jax.rl.rollout.one_tick import RolloutState, TickResult
from rlgpt_jax.rl.rollout.rollout_host import Seconds, start_lanes, tick


class Played(NamedTuple):
    """One tick of N lanes."""

    lanes: np.ndarray  # bool[N]  that ended a tick; what is told of the others means nothing
    obs: Observation  # before the tick
    free: np.ndarray  # bool[N]  lanes in which an action counted
    labels: list[str]  # what each lane did
    result: Any  # TickResult, or what else has `act`, `step` and `episodes`


class Lanes(Protocol):
    """Lanes of a world, and who acts in them."""

    def tick(self, wanted: np.ndarray) -> Played:
        """One tick, of the lanes `wanted` bool[N] at least."""
        ...


def chunks(seed: int, num_episodes: int, num_envs: int) -> list[tuple[int, np.ndarray]]:
    """Episodes one per lane, lanes in chunks: the seed of each reset, and int[N], 1 in the lanes
    that count.

    Raises:
      ValueError: if `num_episodes` is less than 1.
    """
    if num_episodes < 1:
        raise ValueError(f"num_episodes is {num_episodes}; at least 1 is needed.")
    return [
        (
            int(np.random.SeedSequence([seed, chunk]).generate_state(1)[0] >> 1),
            (np.arange(num_envs) < num_episodes - begin).astype(int),
        )
        for chunk, begin in enumerate(range(0, num_episodes, num_envs))
    ]


def _begin(world: HostEnvironment, policy: Policy, terms: RewardArrays, seed: int) -> RolloutState:
    obs = world.reset(seed)
    lanes = start_lanes(terms, obs, policy.config.network)
    return RolloutState(lanes, init_macros(policy.space, world.num_envs), obs)


class Lockstep:
    """A policy acts in all lanes of a host world, which tick together."""

    def __init__(self, world: HostEnvironment, policy: Policy, seed: int):
        self._world, self._space = world, policy.space
        self._actor = arrays_of(policy, world.goal_names)
        self._state = _begin(world, policy, self._actor.problem.reward, seed)
        self._key, self._index = jax.random.key(seed), 0

    def tick(self, wanted: np.ndarray) -> Played:
        """As `Lanes.tick`."""
        before = self._state
        result = tick(
            self._world, self._space, self._actor, before, self._key, self._index, Seconds()
        )
        self._state, self._index = result.after, self._index + 1
        free = ~np.asarray(before.lanes.busy)
        every = np.ones(len(free), bool)
        return Played(every, before.obs, free, labels_of(self._space, result), result)


class OwnPace:
    """A policy acts in lanes that tick on their own, as fast as each can."""

    def __init__(self, world: AsyncEnvironment, policy: Policy, seed: int):
        terms = arrays_of(policy, world.goal_names).problem.reward
        self._policy = policy
        self._walk = AsyncLanes(
            world, policy.space, policy.config, jax.random.key(seed),
            _begin(world, policy, terms, seed),
        )  # fmt: skip
        self._episode, self._tick = np.zeros((2, world.num_envs), int)

    def tick(self, wanted: np.ndarray) -> Played:
        """As `Lanes.tick`; only lanes that are wanted are sent."""
        mine = self._walk.rests & wanted
        if mine.any():
            self._walk.send(self._policy.params, mine, self._episode, self._tick)
        answered, obs, lanes, result = self._walk.receive()
        over = answered & np.asarray(result.step.terminated | result.step.truncated)
        self._episode = self._episode + over
        self._tick = np.where(over, 0, self._tick + answered)
        free = ~np.asarray(lanes.busy)
        return Played(answered, obs, free, labels_of(self._policy.space, result), result)


def labels_of(space: HybridSpace, result: TickResult) -> list[str]:
    """What each lane does in this tick: a macro's name or a primitive's label."""
    primitives = np.asarray(result.decision.action.primitive)
    pairs = zip(result.act.slot, primitives, strict=True)
    return [space.action_label(int(slot), primitive) for slot, primitive in pairs]
