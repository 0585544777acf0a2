"""Answers of single lanes as one `Step` of K lanes."""

from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.minedojo.batch import of_no_lanes, stack
from rlgpt_jax.envs.minedojo.judging import Verdict


class Answer(NamedTuple):
    """One lane's part of a `Step`; observations have no batch axis."""

    obs: Observation
    verdict: Verdict
    final_obs: Observation
    busy: bool
    lost: bool


def gather(answers: list[Answer], image_size: tuple[int, int] | None) -> Step:
    """A `Step` with leading axis K, which may be 0; `image_size` is that of its pictures."""
    if answers:
        obs, final = stack([a.obs for a in answers]), stack([a.final_obs for a in answers])
    else:
        obs = final = of_no_lanes(image_size)
    flags = lambda values: np.array(list(values), bool)  # noqa: E731
    return Step(
        obs=obs,
        reward=np.array([a.verdict.reward for a in answers], np.float32),
        terminated=flags(a.verdict.terminated for a in answers),
        truncated=flags(a.verdict.truncated for a in answers),
        final_obs=final,
        info={
            "success": flags(a.verdict.success for a in answers),
            "busy": flags(a.busy for a in answers),
            "lost": flags(a.lost for a in answers),
        },
    )
