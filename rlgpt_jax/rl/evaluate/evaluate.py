"""Seeded episodes with a fixed policy, and what came of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rlgpt_jax.envs.base import HostEnvironment, Step
from rlgpt_jax.rl.evaluate.episodes import Lanes, Lockstep, OwnPace, Played, chunks
from rlgpt_jax.rl.evaluate.keyframes import Recorder
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.evaluate.tally import Tally
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.rollout import on_host
from rlgpt_jax.rl.rollout.one_tick import lost_in

OnTick = Callable[[Any, list[str], Step], None]
Listener = Callable[[Played, np.ndarray], None]  # also hears which lanes ended an episode


def evaluate(
    env: on_host.World,
    policy: Policy,
    seed: int,
    *,
    num_episodes: int,
    on_tick: OnTick | None = None,
    task: str | None = None,
    split: str = "eval",
    recorder: Recorder | None = None,
) -> EvalReport:
    """Runs the stochastic policy for `num_episodes`, one per lane, lanes in chunks.

    Every lane's first episode counts, whatever its length, so that short episodes are
    not counted more often than long ones. Worlds whose lanes step on their own do so, each with
    a fixed share of the episodes, unless somebody listens to the ticks (`on_tick`, `recorder`).

    Args:
      env: pure or host environment; it is reset, so do not give the one that trains
        unless it is pure.
      on_tick: called after every tick as `on_tick(env, labels, step)`.
      task: the report's task; by default the name of `env.task`, if it has one.
      split: which worlds `env` holds, for the report.
      recorder: keeps the episodes that are worth a picture.

    Raises:
      ValueError: if `num_episodes` is less than 1.
      TooManyLost: workers die so often that the episodes do not end.
    """
    world = on_host.as_host(env)
    parts = chunks(seed, num_episodes, world.num_envs)
    tally = Tally(policy.space, world.goal_names, num_episodes)
    if on_host.is_async(world) and on_tick is None and recorder is None:
        num, parts = world.num_envs, []
        tally.begin(seed, num)
        share = num_episodes // num + (np.arange(num) < num_episodes % num)
        play(OwnPace(world, policy, seed), share, tally)
    for part_seed, share in parts:
        lanes = Lockstep(world, policy, part_seed)
        tally.world_of = worlds_of(world)
        tally.begin(part_seed, world.num_envs)
        play(lanes, share, tally, _listener(env, tally, part_seed, on_tick, recorder))
        if recorder is not None:
            recorder.finish()
    name = task or str(getattr(getattr(env, "task", None), "name", type(env).__name__))
    return tally.report(name, split, seed)


def play(lanes: Lanes, share: np.ndarray, tally: Tally, listener: Listener | None = None) -> None:
    """Plays until every lane has ended its `share` int[N] of the episodes, one after the other,
    whatever their length, so that short ones are not counted more often than long ones."""
    while share.any():
        played = lanes.tick(share > 0)
        ended = tally.add_tick(played, played.lanes & (share > 0))
        if listener is not None:
            listener(played, ended)
        step = played.result.step
        over = played.lanes & np.asarray(step.terminated | step.truncated)
        tally.renew(np.flatnonzero(over))
        share = share - ended


def _listener(
    env: on_host.World, tally: Tally, seed: int, on_tick: OnTick | None, recorder: Recorder | None
) -> Listener:
    """Tells a recorder and whoever else listens of the ticks of a chunk of lanes."""
    if recorder is not None:
        recorder.start(seed)
    lost = np.zeros(len(tally.watches), bool)  # an episode of the lane was

    def listen(played: Played, ended: np.ndarray) -> None:
        nonlocal lost
        step = played.result.step
        lost = lost | lost_in(step)
        if recorder is not None:
            recorder.tick(played.obs, played.labels, played.result.act, played.free)
            success = np.asarray(played.result.episodes.success)
            for lane in map(int, np.flatnonzero(ended & ~lost)):
                dead = tally.watches[lane].is_dead()
                recorder.end(lane, bool(success[lane]), dead, step.final_obs)
        if on_tick is not None:
            on_tick(env, played.labels, step)

    return listen


def worlds_of(world: HostEnvironment) -> np.ndarray | None:
    """int[N]  which world of the pool each lane is in; None of worlds that have no pool."""
    index = getattr(getattr(world, "state", None), "pool_index", None)
    return None if index is None else np.array(index)
