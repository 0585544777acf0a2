"""Training in worlds whose lanes step on their own: they go on while an update computes.

An update is made in a thread. Until it ends the lanes act with the parameters before it; every
tick holds the probability that it was acted with, so that the update's ratio is right. Lanes are
sent nothing while a batch is put together, while the caller's `on_update` runs, from when the
segments of another batch are complete until the update ends, and in the last update.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.base import AsyncEnvironment
from rlgpt_jax.rl.actions import HybridSpace, Masks
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.learner import Learner
from rlgpt_jax.rl.ppo import outcome, update_device
from rlgpt_jax.rl.ppo.optimizer import TrainState
from rlgpt_jax.rl.rollout import one_tick
from rlgpt_jax.rl.rollout.one_tick import Batch
from rlgpt_jax.rl.rollout.rollout_async import AsyncRollout

Learnt = tuple[TrainState, dict[str, float]]


def train_async(
    env: AsyncEnvironment,
    space: HybridSpace,
    config: RLConfig,
    learner: Learner,
    num_ticks: int,
    on_update: Callable[[Learner, dict[str, float]], None] | None,
    is_enough: Callable[[Learner], bool],
    rests: bool,
) -> Learner:
    """`train.train`; the optimiser's state of `learner` is given away.

    What is left of segments at the end is dropped, as it is by a checkpoint.
    """
    update = update_device.update_of(config, None)
    masks = jax.device_put(space.arrays().masks)
    assert learner.rollout is not None, "checked by `train`"
    rolling = AsyncRollout(env, space, config, learner.key, learner.num_updates, learner.rollout)
    per_update = config.ppo.num_envs * config.ppo.unroll_length
    stop = learner.ticks + num_ticks
    with ThreadPoolExecutor(1, thread_name_prefix="update") as thread:
        while learner.ticks < stop and not is_enough(learner):
            began = time.perf_counter()
            acting = learner.params, learner.num_updates
            while not rolling.is_whole:
                rolling.step(*acting)
            batch, parts = rolling.batch(*acting)
            # The lanes go on with these parameters, and the update overwrites its own.
            state = TrainState(jax.tree.map(jnp.copy, learner.params), learner.opt_state)
            key = one_tick.keys_of(learner.key, learner.num_updates)[1]
            running = thread.submit(_learn, update, state, batch, masks, key)
            goes_on = config.overlap and learner.ticks + per_update < stop
            while goes_on and not running.done() and not rolling.is_whole:
                rolling.step(*acting)
            state, numbers = _wait(running)
            rollout = rolling.stand()
            learner = outcome.updated(learner, state, batch).replace(rollout=rollout)
            seconds = time.perf_counter() - began
            metrics = {
                **outcome.episode_metrics(batch.episodes, rollout.lanes),
                **numbers,
                **parts,
                "steps_per_second": per_update / seconds,
            }
            del batch  # or there would be two while the next one is made
            outcome.check_finite(metrics, learner.num_updates)
            if on_update is not None:
                on_update(learner, metrics)
    if not rests:
        return learner.replace(rollout=None)
    rolling.rest()
    return learner.replace(rollout=rolling.stand())


def _learn(
    update: update_device.Update, state: TrainState, batch: Batch, masks: Masks, key: jax.Array
) -> Learnt:
    """An update, and its metrics with the seconds that it took."""
    began = time.perf_counter()
    state, measured = update(state, batch, masks, key)
    numbers = {name: float(x) for name, x in measured.items()}  # waits for the update
    return state, {**numbers, "time_update": time.perf_counter() - began}


def _wait(running: Future[Learnt]) -> Learnt:
    """What the update came to, with the seconds for which it was waited and nothing was sent."""
    began = time.perf_counter()
    state, numbers = running.result()
    return state, {**numbers, "time_waiting": time.perf_counter() - began}
