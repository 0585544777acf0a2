"""What a training run consists of between two updates."""

from typing import Any

import jax
import numpy as np
import optax
from flax import struct

from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.rollout.one_tick import RolloutState


@struct.dataclass
class Learner:
    """All that changes during training. Save this (and a host world): the run goes on."""

    params: actor_critic.Params
    opt_state: optax.OptState
    key: jax.Array  # never changes: rollouts and updates fold their number into it
    num_updates: int
    ticks: int  # ticks of all lanes together
    finished: int  # episodes that ended since the episodes were last restarted
    recent: np.ndarray  # bool[STOP_EPISODES]  success of the last of them, the latest last
    # None where no episode goes on, see `train.without_episodes` and `train.train`.
    rollout: RolloutState | None
    imitation: Any = None  # `self_imitation.Imitation`  None without self-imitation
