"""Episodes that an evaluation or a trial loses with their workers: counted, and limited.

Others are played in their place. Where games keep dying before their episodes are over, that
would never come to an end.
"""

import numpy as np

from rlgpt_jax.envs.base import Step
from rlgpt_jax.rl.rollout.one_tick import lost_in

SPARE = 3  # episodes that may be lost besides one for each that is wanted


class TooManyLost(RuntimeError):
    """Workers die so often that the episodes do not come to their ends."""


class Lost:
    """Counts the lost episodes while `num_episodes` are played to their ends."""

    def __init__(self, num_episodes: int):
        self.num = 0
        self._wanted = num_episodes

    def add(self, step: Step, counts: np.ndarray, ended: int) -> np.ndarray:
        """One tick of the lanes `counts` bool[N], after `ended` episodes came to their ends.

        Returns:
          int[K], those of the lanes whose episode was lost.

        Raises:
          TooManyLost: it is no use to go on.
        """
        lost = np.flatnonzero(counts & lost_in(step))
        self.num += len(lost)
        if self.num > self._wanted + SPARE:
            raise TooManyLost(
                f"{self.num} episodes were lost with their workers, while {ended} of "
                f"{self._wanted} came to their ends. Games that die before an episode is over "
                "measure nothing. Look at the ends of the workers' logs "
                "(minedojo.log_folder keeps them) and at `python -m experiments.minedojo "
                "doctor`; try fewer minedojo.workers, or a larger minedojo.call_timeout."
            )
        return lost
