"""The quickest success of a macro and a typical failure in one video, one above the other.

The same seeded episodes are played a second time and these two are drawn.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.films import choose, encoding, video
from rlgpt_jax.envs.base import Step
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.report import EpisodeEnd, EvalReport
from rlgpt_jax.rl.policy import Policy

MAX_TICKS = 2400  # two minutes; longer episodes are cut


def write(path: Path, world: Any, policy: Policy, report: EvalReport) -> list[EpisodeEnd]:
    """Writes the video. Returns the episodes that it shows, from above to below."""
    shown = choose.typical(report.episodes, world.num_envs)
    drawn = [video.Lane(e.number, "success" if e.success else "failure") for e in shown]

    def draw(env: Any, labels: list[str], step: Step) -> None:
        for lane in drawn:
            if lane.is_open and lane.tick < MAX_TICKS:
                label = f"{labels[lane.lane][:20]}  (episode {lane.lane})"
                video.add_tick(lane, world.state, label, step)

    evaluate(world, policy, report.seed, num_episodes=world.num_envs, on_tick=draw)
    path.parent.mkdir(parents=True, exist_ok=True)
    encoding.write_mp4(path, above_each_other([lane.frames for lane in drawn]))
    return shown


def above_each_other(films: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
    """One film; the last picture of a shorter one stays."""
    length = max(map(len, films))
    return [np.concatenate([film[min(i, len(film) - 1)] for film in films]) for i in range(length)]
