"""The host driver: a Python loop around two jitted calls per tick.

For worlds that live on the host, and for every world on CPU, where macros by the
compiled host interpreter are cheapest.
"""

import operator
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import jax
import numpy as np

from rlgpt_jax.envs.base import HostEnvironment, Step
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.networks.frame_stack import FrameStack
from rlgpt_jax.rl.policy import Policy, PolicyArrays, Problem, arrays_of
from rlgpt_jax.rl.rollout import macro_step, one_tick
from rlgpt_jax.rl.rollout.macro_step import Act
from rlgpt_jax.rl.rollout.one_tick import Batch, Episodes, Lanes, RolloutState, TickResult
from rlgpt_jax.rl.rollout.open_decisions import open_after
from rlgpt_jax.rl.worlds.minecraft import Seen

decide = jax.jit(one_tick.decide)
compiled_end_tick = jax.jit(one_tick.end_tick)
start_lanes = jax.jit(one_tick.start_lanes, static_argnums=2)


class Seconds:
    """Wall seconds spent in each part of a rollout."""

    def __init__(self):
        self.policy = self.world = self.macros = 0.0

    @contextmanager
    def measure(self, part: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        setattr(self, part, getattr(self, part) + time.perf_counter() - began)

    def metrics(self) -> dict[str, float]:
        """`time_policy`, `time_world` and `time_macros`."""
        return {f"time_{part}": seconds for part, seconds in vars(self).items()}


class Cut(NamedTuple):
    """Last observations of truncated episodes in one tick."""

    tick: int
    lanes: np.ndarray  # int[C]
    seen: Seen  # [C, ...]
    frames: FrameStack | None  # [C, ...]  after the tick, before anything is forgotten


def end_tick(
    problem: Problem, lanes: Lanes, act: Act, step: Step, seen: FrameStack | None
) -> tuple[Lanes, jax.Array, jax.Array, Episodes]:
    """`one_tick.end_tick`, compiled; what it does not read stays on the host."""
    act = act._replace(running=None, macro=None)
    return compiled_end_tick(problem, lanes, act, one_tick.keep_read_info(step), seen)


def tick(
    env: HostEnvironment,
    space: HybridSpace,
    actor: PolicyArrays,
    state: RolloutState,
    key: jax.Array,
    index: int,
    seconds: Seconds,
) -> TickResult:
    """Decides, runs the macros, steps the world and ends the tick. `index` picks the key."""
    lanes, obs = state.lanes, state.obs
    with seconds.measure("policy"):
        decision = decide(actor, lanes, obs, key, np.int32(index))
        chosen, primitive, busy = map(np.asarray, (decision.chosen, decision.primitive, lanes.busy))
    with seconds.measure("macros"):
        macros, act = macro_step.act(
            space, state.macros, obs, chosen, primitive, busy, decision.arguments
        )
    with seconds.measure("world"):
        step = env.step(act.action)
    with seconds.measure("policy"):
        lanes, reward, previous, episodes = end_tick(
            actor.problem, lanes, act, step, decision.frames
        )
    with seconds.measure("macros"):
        macros = macro_step.cut(macros, np.asarray(step.terminated | step.truncated))
    after = state._replace(lanes=lanes, macros=macros, obs=step.obs)
    return TickResult(after, decision, act, reward, previous, episodes, step)


value_of = jax.jit(one_tick.value_of)


def cut_values(
    actor: PolicyArrays, cuts: list[Cut], shape: tuple[int, int], everyone: Cut
) -> np.ndarray:
    """float32[T, N]: values of the last observations of truncated episodes, in blocks of N.

    Without any, those of `everyone` are computed in vain: what the first time limit needs is
    compiled in the first rollout, and not in the middle of training.
    """
    out = np.zeros(shape, np.float32)
    if not cuts:
        value_of(actor, everyone.seen, everyone.frames)
        return out
    join = lambda *xs: np.concatenate(xs)  # noqa: E731
    seen = jax.tree.map(join, *[(c.seen, c.frames) for c in cuts])
    rows = np.concatenate([np.full(len(c.lanes), c.tick) for c in cuts])
    columns = np.concatenate([c.lanes for c in cuts])
    block = shape[1]
    for at in range(0, len(rows), block):
        # The last block is filled up with copies of its first row: one compiled shape.
        pick = np.arange(at, at + block)
        pick = np.where(pick < len(rows), pick, at)
        value = value_of(actor, *jax.tree.map(operator.itemgetter(pick), seen))
        real = min(block, len(rows) - at)
        out[rows[at : at + real], columns[at : at + real]] = np.asarray(value)[:real]
    return out


def cut_of(index: int, lanes: Lanes, result: TickResult, cut: np.ndarray) -> Cut:
    """What a tick told of the lanes `cut` int[C], which were so before it."""
    seen = Seen(result.step.final_obs, result.previous, lanes.start)
    some = jax.tree.map(lambda x: np.asarray(x)[cut], (seen, result.decision.frames))
    return Cut(index, cut, *some)


def rollout_host(
    env: HostEnvironment, policy: Policy, state: RolloutState, key: jax.Array
) -> tuple[RolloutState, Batch, Seconds]:
    """Records T = `unroll_length` ticks. Returns where the lanes stand, and the batch [T, N]."""
    actor = arrays_of(policy, env.goal_names)
    lanes = state.lanes
    before, carried = lanes.frames, lanes.open
    # The interpreter works in place.
    state = state._replace(
        lanes=lanes._replace(open=None), macros=jax.tree.map(np.copy, state.macros)
    )
    seconds, rows, cuts = Seconds(), [], []
    for index in range(policy.config.ppo.unroll_length):
        lanes = state.lanes
        result = tick(env, policy.space, actor, state, key, index, seconds)
        step = result.step
        cut = np.flatnonzero(step.truncated & ~np.asarray(step.terminated))
        if len(cut):
            cuts.append(cut_of(index, lanes, result, cut))
        learns = result.act.decided & ~np.asarray(result.decision.scripted)
        # Copies: the world may use these again.
        ended = dict(terminated=np.array(step.terminated), truncated=np.array(step.truncated))
        rows.append(one_tick.row_of(result, learns) | ended)
        state = result.after
    with seconds.measure("policy"):
        # np.stack copies, so no row keeps a view of a buffer that a later call reuses.
        columns = jax.tree.map(lambda *xs: np.stack([np.asarray(x) for x in xs]), *rows)
        everyone = cut_of(index, lanes, result, np.arange(len(lanes.start)))
        final = cut_values(actor, cuts, columns["reward"].shape, everyone)
        batch = Batch(final_value=final, carried=carried, frames=before, **columns)
        lanes = state.lanes._replace(open=open_after(batch, actor.problem.gamma))
    return state._replace(lanes=lanes), batch, seconds
