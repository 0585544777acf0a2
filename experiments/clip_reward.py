"""The CLIP reward of a run: its model and sentences, and the worlds that it is computed in."""

from pathlib import Path
from typing import NamedTuple

from experiments.configs.base import Config
from rlgpt_jax.envs.base import HostEnvironment
from rlgpt_jax.loop.tools import TRAIN
from rlgpt_jax.rl.mineclip import prompts, texts, weights
from rlgpt_jax.rl.mineclip.config import MineClipConfig
from rlgpt_jax.rl.mineclip.faults import MineClipError
from rlgpt_jax.rl.mineclip.reward import Scorer
from rlgpt_jax.rl.mineclip.world import ClipWorld, with_clip


class Clip(NamedTuple):
    """What is read before anything starts."""

    scorer: Scorer
    config: MineClipConfig
    num_lanes: int

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of the pictures that it needs."""
        return self.scorer.sizes.image_size

    def is_for(self, split: str, num_envs: int) -> bool:
        """Only training is rewarded; trials of macros and evaluations would pay for nothing."""
        return split == TRAIN and num_envs == self.num_lanes

    def around(self, env: HostEnvironment) -> ClipWorld:
        """The world with the reward."""
        return with_clip(env, self.scorer, self.config.window, self.config.every)


def make_clip(config: Config) -> Clip | None:
    """Reads weights and sentences; None for a run without this reward.

    Raises:
      MineClipError: a file is missing or does not fit the others.
    """
    if not config.reward.clip:
        return None
    given, task = config.mineclip, config.task_record
    loaded = weights.load(Path(given.weights))
    if given.window > loaded.sizes.max_frames:
        raise MineClipError(
            f"mineclip.window={given.window}, but the weights know {loaded.sizes.max_frames} "
            "positions at most."
        )
    sentences = prompts.sentences(given, task.name, task.words)
    features = texts.features_of(given, loaded, sentences)
    return Clip(Scorer(loaded, features, given.block), given, config.rl.ppo.num_envs)
