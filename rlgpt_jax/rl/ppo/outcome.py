"""What an update came to: metrics, counts of episodes, and whether all is finite."""

import math
from typing import Any

import numpy as np

from rlgpt_jax.rl.interface import STOP_EPISODES
from rlgpt_jax.rl.learner import Learner
from rlgpt_jax.rl.ppo.optimizer import TrainState
from rlgpt_jax.rl.rollout import one_tick


class TrainingDiverged(RuntimeError):
    """A metric of an update is not finite."""


def episode_metrics(episodes: one_tick.Episodes, solved: Any) -> dict[str, float]:
    """Of a rollout, and `Lanes.solved` after it.

    `success_rate` is the share of lanes whose last episode that ended was a success; a lane in
    which none has ended yet counts as none. Of the episodes that ended in a rollout, those of the
    first ticks would all be successes, which end sooner. Return and ticks are of these: NaN if
    there are none. Worlds that can lose episodes also have `lost`, how many were.
    """
    done = np.asarray(episodes.done)
    count = int(done.sum())

    def mean(x: Any) -> float:
        return float(np.asarray(x)[done].mean()) if count else math.nan

    lost = {} if episodes.lost is None else dict(lost=float(np.asarray(episodes.lost).sum()))
    return dict(
        success_rate=float(np.asarray(solved).mean()),
        episode_return=mean(episodes.episode_return),
        episode_ticks=mean(episodes.ticks), episodes=float(count), **lost,
    )  # fmt: skip


def outcomes(learner: Learner, episodes: one_tick.Episodes) -> dict[str, Any]:
    """`Learner.finished` and `recent` after a rollout; its episodes count tick by tick."""
    success = np.asarray(episodes.success)[np.asarray(episodes.done)]
    return dict(
        finished=int(learner.finished) + len(success),
        recent=np.concatenate([learner.recent, success])[-STOP_EPISODES:],
    )


def updated(learner: Learner, state: TrainState, batch: one_tick.Batch) -> Learner:
    """The learner after an update from a batch."""
    return learner.replace(
        params=state.params, opt_state=state.opt_state, num_updates=learner.num_updates + 1,
        ticks=learner.ticks + batch.reward.size, **outcomes(learner, batch.episodes),
    )  # fmt: skip


# Metrics that are NaN where there is nothing to measure.
_MAY_BE_NAN = (
    "episode_return", "episode_ticks", "time_policy", "time_world", "time_macros", "imitation_loss"
)  # fmt: skip


def check_finite(metrics: dict[str, float], num_updates: int) -> None:
    bad = {k: v for k, v in metrics.items() if not math.isfinite(v) and k not in _MAY_BE_NAN}
    if bad:
        raise TrainingDiverged(
            f"update {num_updates} gave {bad}. The metrics and parameters of training must "
            "stay finite. Try a smaller ppo.learning_rate or ppo.max_grad_norm, or look for "
            "rewards that are not finite."
        )
