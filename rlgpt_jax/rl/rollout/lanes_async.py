"""Lanes of a host world that steps them on their own, each at a tick of its own.

A lane that has answered rests until it is sent again. The policy is computed for all N lanes,
however many of them rest, so that one program serves; what it says of the others is not used.
Their macros wait as those of busy lanes do.
"""

from typing import Any, NamedTuple

import jax
import numpy as np

from rlgpt_jax.envs.base import AsyncEnvironment, Observation, Step
from rlgpt_jax.rl.actions import HybridAction, HybridSpace
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.networks import actor_critic, frame_stack
from rlgpt_jax.rl.networks.frame_stack import FrameStack
from rlgpt_jax.rl.policy import PolicyArrays, Problem, problem_of
from rlgpt_jax.rl.rollout import macro_step, one_tick
from rlgpt_jax.rl.rollout.macro_step import Act
from rlgpt_jax.rl.rollout.one_tick import Decision, Lanes, RolloutState, TickResult
from rlgpt_jax.rl.rollout.rollout_host import Seconds


class Answer(NamedTuple):
    """Lanes that have ended a tick. All arrays are of N lanes; the others' mean nothing."""

    mask: np.ndarray  # bool[N]  the lanes that have answered
    obs: Observation  # before the tick
    lanes: Lanes  # before the tick
    result: TickResult


@jax.jit
def _decide(
    actor: PolicyArrays, lanes: Lanes, obs: Observation, key: jax.Array, number: jax.Array,
    tick: jax.Array, mine: jax.Array, sent: tuple[HybridAction, FrameStack | None],
) -> Decision:  # fmt: skip
    """`one_tick.decide` with the keys of each lane's own rollout and tick. Lanes other than
    `mine` keep the action and the memory that they were `sent` with."""
    keys = jax.vmap(lambda n: one_tick.keys_of(key, n)[0])(number)
    decision = one_tick.decide(actor, lanes, obs, keys, tick)
    action, memory = frame_stack.choose(mine, (decision.action, decision.frames), sent)
    return decision._replace(action=action, frames=memory)


@jax.jit
def _settle(
    problem: Problem, lanes: Lanes, act: Act, step: Step, seen: FrameStack | None,
    answered: jax.Array,
) -> tuple:  # fmt: skip
    """`one_tick.end_tick`, after which lanes that have not answered are as they were."""
    after, *rest = one_tick.end_tick(problem, lanes, act, step, seen)
    return frame_stack.choose(answered, after, lanes), *rest


class AsyncLanes:
    """What N lanes remember, which of them rest, and what the others were told to do."""

    def __init__(
        self, env: AsyncEnvironment, space: HybridSpace, config: RLConfig, key: jax.Array,
        state: RolloutState,
    ):  # fmt: skip
        """All lanes rest.

        Args:
          key: that of every lane's rollouts is made from.
          state: of new episodes, or as another driver left them.
        """
        num = env.num_envs
        self.lanes, self.obs = state.lanes, state.obs
        self.macros = jax.tree.map(np.copy, state.macros)  # the interpreter works in place
        self.rests = np.ones(num, bool)
        self.seconds = Seconds()
        self.problem = problem_of(config, env.goal_names, space)
        self._env, self._space, self._network, self._key = env, space, config.network, key
        self._sent = self.problem.world.no_action(num), state.lanes.frames
        self._decision: Any = None  # the last one, in which every lane has what it was sent
        self._act: Any = None  # likewise

    def send(
        self, params: actor_critic.Params, mine: np.ndarray, number: np.ndarray, tick: np.ndarray
    ) -> tuple[Decision, Act]:
        """Decides in the lanes `mine` bool[N], which must rest, runs their macros, sends them.

        Args:
          number, tick: int[N], which rollout each lane is in, and where: they pick its sampling
            key, so that what a lane does does not depend on when the others answer.

        Returns:
          Decision and action of all lanes; what is new counts in `mine` alone.
        """
        with self.seconds.measure("policy"):
            decision = _decide(
                PolicyArrays(self._network, params, self.problem), self.lanes, self.obs, self._key,
                number.astype(np.int32), tick.astype(np.int32), mine, self._sent,
            )  # fmt: skip
            chosen, primitive, busy = map(
                np.asarray, (decision.chosen, decision.primitive, self.lanes.busy)
            )
        with self.seconds.measure("macros"):
            self.macros, act = macro_step.act(
                self._space, self.macros, self.obs, chosen, primitive, busy | ~mine
            )
        lanes = np.flatnonzero(mine)
        self._env.send(lanes, act.action[lanes])
        self.rests = self.rests & ~mine
        self._decision, self._sent = decision, (decision.action, decision.frames)
        self._act = act if self._act is None else _choose(mine, act, self._act)
        return decision, self._act

    def receive(self) -> Answer:
        """Waits for lanes and ends their tick."""
        with self.seconds.measure("world"):
            lanes, step = self._env.receive()
            step = self._spread(lanes, step)
        answered = np.isin(np.arange(len(self.rests)), lanes)
        obs, before, act = self.obs, self.lanes, self._act
        with self.seconds.measure("policy"):
            plain = act._replace(macro=None, running=None)
            self.lanes, reward, previous, episodes = _settle(
                self.problem, before, plain, one_tick.keep_read_info(step), self._sent[1], answered
            )
        with self.seconds.measure("macros"):
            done = np.asarray(step.terminated | step.truncated) & answered
            self.macros = macro_step.cut(self.macros, done)
        self.obs, self.rests = step.obs, self.rests | answered
        after = RolloutState(self.lanes, self.macros, self.obs)
        result = TickResult(after, self._decision, act, reward, previous, episodes, step)
        return Answer(answered, obs, before, result)

    def _spread(self, lanes: np.ndarray, step: Step) -> Step:
        """The answers of some lanes among those of all; elsewhere nothing has happened.

        Arrays are copied: JAX may still read the old ones.
        """
        num = len(self.rests)
        if len(lanes) == num:
            return step

        def among(old: Any, new: Any) -> Any:
            out = np.array(old)
            out[lanes] = new
            return out

        def put(new: Any) -> Any:
            return among(np.zeros((num, *np.shape(new)[1:]), np.asarray(new).dtype), new)

        obs = jax.tree.map(among, self.obs, step.obs)
        is_same = step.final_obs is step.obs
        final_obs = obs if is_same else jax.tree.map(among, self.obs, step.final_obs)
        return Step(
            obs, put(step.reward), put(step.terminated), put(step.truncated), final_obs,
            {name: put(step.info[name]) for name in one_tick.READ if name in step.info},
        )  # fmt: skip


def _choose(mine: np.ndarray, new: Any, old: Any) -> Any:
    """`new` in the lanes `mine` bool[N], `old` in the others; NumPy."""
    where = lambda x, y: np.where(mine.reshape(-1, *[1] * (x.ndim - 1)), x, y)  # noqa: E731
    return jax.tree.map(where, new, old)
