"""Training in worlds whose lanes step on their own: they go on while an update computes.

An update is made in a thread. Until it ends the lanes act with the parameters before it; every
tick holds the probability that it was acted with, so that the update's ratio is right. Lanes are
sent nothing while a batch is put together, while the caller's `on_update` runs, from when the
segments of another batch are complete until the update ends, and in the last update.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import optax

from rlgpt_jax.envs.base import AsyncEnvironment
from rlgpt_jax.rl.actions import HybridSpace, Masks
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.ppo import outcome, update_device
from rlgpt_jax.rl.rollout import one_tick
from rlgpt_jax.rl.rollout.one_tick import Batch
from rlgpt_jax.rl.rollout.rollout_async import AsyncRollout

# Fields of a learner whose episodes cannot go on, or have not begun.
NO_EPISODES: dict[str, Any] = dict(lanes=None, macros=None, obs=None)
Learnt = tuple[actor_critic.Params, optax.OptState, dict[str, float]]


def train_async(
    env: AsyncEnvironment,
    space: HybridSpace,
    config: RLConfig,
    learner: Any,
    num_ticks: int,
    on_update: Callable[[Any, dict[str, float]], None] | None,
    is_enough: Callable[[Any], bool],
    rests: bool,
) -> Any:
    """`train.train`; the optimiser's state of `learner` is given away.

    What is left of segments at the end is dropped, as it is by a checkpoint.
    """
    update = update_device.update_of(config, None)
    masks = jax.device_put(space.arrays().masks)
    rolling = AsyncRollout(
        env, space, config, learner.key, learner.num_updates, learner.lanes, learner.macros,
        learner.obs,
    )  # fmt: skip
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
            params = jax.tree.map(jnp.copy, learner.params)
            key = one_tick.keys_of(learner.key, learner.num_updates)[1]
            running = thread.submit(_learn, update, params, learner.opt_state, batch, masks, key)
            goes_on = config.overlap and learner.ticks + per_update < stop
            while goes_on and not running.done() and not rolling.is_whole:
                rolling.step(*acting)
            params, opt_state, numbers = _wait(running)
            learner = learner.replace(
                params=params,
                opt_state=opt_state,
                num_updates=learner.num_updates + 1,
                ticks=learner.ticks + per_update,
                **rolling.stand(),
                **outcome.outcomes(learner, batch.episodes),
            )
            seconds = time.perf_counter() - began
            metrics = {
                **outcome.episode_metrics(batch.episodes, learner.lanes),
                **numbers,
                **parts,
                "steps_per_second": per_update / seconds,
            }
            del batch  # or there would be two while the next one is made
            outcome.check_finite(metrics, learner.num_updates)
            if on_update is not None:
                on_update(learner, metrics)
    if not rests:
        return learner.replace(**NO_EPISODES)
    rolling.rest()
    return learner.replace(**rolling.stand())


def _learn(
    update: update_device.Update,
    params: actor_critic.Params,
    opt_state: optax.OptState,
    batch: Batch,
    masks: Masks,
    key: jax.Array,
) -> Learnt:
    """An update, and its metrics with the seconds that it took."""
    began = time.perf_counter()
    params, opt_state, measured = update(params, opt_state, batch, masks, key)
    numbers = {name: float(x) for name, x in measured.items()}  # waits for the update
    return params, opt_state, {**numbers, "time_update": time.perf_counter() - began}


def _wait(running: Future[Learnt]) -> Learnt:
    """What the update came to, with the seconds for which it was waited and nothing was sent."""
    began = time.perf_counter()
    params, opt_state, numbers = running.result()
    return params, opt_state, {**numbers, "time_waiting": time.perf_counter() - began}
