"""The best and the worst episode of a macro in one video, one above the other.

The same seeded episodes are played a second time and these two are drawn.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.films import encoding, video
from experiments.macro.episodes import Episode, play
from rlgpt_jax.envs.base import Step
from rlgpt_jax.macros.vm.bytecode import Program

MAX_TICKS = 2400  # two minutes; longer episodes are cut


def best_and_worst(episodes: Sequence[Episode]) -> list[Episode]:
    """The quickest success and a failure; without one of them the slowest or one alone."""
    order = sorted(episodes, key=lambda e: (not e.success, e.ticks if e.success else 0, e.number))
    return order[:1] if len(order) == 1 else [order[0], order[-1]]


def write(
    path: Path,
    world: Any,
    program: Program,
    tick_limit: int,
    seed: int,
    episodes: Sequence[Episode],
) -> list[Episode]:
    """Writes the video. Returns the episodes that it shows, from above to below."""
    shown = best_and_worst(episodes)
    size = world.num_envs
    drawn = {
        e.number: video.Lane(e.number % size, "success" if e.success else "failure") for e in shown
    }

    def draw(begin: int, labels: list[str], step: Step) -> None:
        for number, lane in drawn.items():
            if begin <= number < begin + size and lane.is_open and lane.tick < MAX_TICKS:
                label = f"{labels[lane.lane][:20]}  (episode {number})"
                video.add_tick(lane, world.state, label, step)

    play(world, program, tick_limit, seed, len(episodes), draw)
    path.parent.mkdir(parents=True, exist_ok=True)
    encoding.write_mp4(path, above_each_other([lane.frames for lane in drawn.values()]))
    return shown


def above_each_other(films: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
    """One film; the last picture of a shorter one stays."""
    length = max(map(len, films))
    return [np.concatenate([film[min(i, len(film) - 1)] for film in films]) for i in range(length)]
