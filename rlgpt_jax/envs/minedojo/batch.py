"""Answers of single lanes as one `Step` of K lanes; pictures of another size."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.minedojo.judging import Verdict


class Answer(NamedTuple):
    """One lane's part of a `Step`; observations have no batch axis."""

    obs: Observation
    verdict: Verdict
    final_obs: Observation
    busy: bool
    lost: bool


def gather(answers: list[Answer]) -> Step:
    """A `Step` with leading axis K."""
    obs, verdicts, final, busy, lost = zip(*answers)
    reward, terminated, truncated, success = map(np.array, zip(*verdicts))
    info = {"success": success, "busy": np.array(busy), "lost": np.array(lost)}
    return Step(stack(obs), reward.astype(np.float32), terminated, truncated, stack(final), info)


def stack(lanes: Sequence[Observation]) -> Observation:
    """Observations of K lanes as one with a leading axis K."""
    return Observation(*(None if parts[0] is None else np.stack(parts) for parts in zip(*lanes)))


def resized(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """uint8[H, W, 3] at another height and width, each pixel the mean of what it covers."""
    if image.shape[:2] == tuple(size):
        return image
    rows, columns = (_shares(old, new) for old, new in zip(image.shape[:2], size))
    mean = np.einsum("ih,hwc,jw->ijc", rows, image, columns, optimize=True)
    return np.rint(mean).astype(np.uint8)


@functools.cache
def _shares(old: int, new: int) -> np.ndarray:
    """float32[new, old]: how much each old pixel counts for each new one; rows sum to 1."""
    edges = np.linspace(0, old, new + 1)
    cell = np.arange(old)
    overlap = np.minimum(edges[1:, None], cell + 1) - np.maximum(edges[:-1, None], cell)
    return (np.maximum(overlap, 0) * new / old).astype(np.float32)
