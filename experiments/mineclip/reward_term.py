"""The CLIP reward of a run: its model and sentences, and the worlds that it is computed in."""

from pathlib import Path
from typing import NamedTuple

from experiments.configs.base import Config
from rlgpt_jax.envs.base import HostEnvironment
from rlgpt_jax.loop.record import RunFolder, read_json, write_json
from rlgpt_jax.loop.tools import TRAIN
from rlgpt_jax.rl.reward.clip import prompts, texts, weights
from rlgpt_jax.rl.reward.clip.config import MineClipConfig
from rlgpt_jax.rl.reward.clip.faults import MineClipError
from rlgpt_jax.rl.reward.clip.reward import Scorer
from rlgpt_jax.rl.reward.clip.world import ClipWorld, with_clip

FILE = "mineclip.json"  # of a run: the digest of the weights that it is rewarded by


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
        """Worlds of the training split with as many lanes as training: only that is rewarded.

        Trials and evaluations of other splits or sizes would pay for nothing; one of just these
        lanes shares the world of training, and its term.
        """
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
    lanes = config.rl.ppo.num_envs
    return Clip(Scorer(loaded, features, min(given.block, lanes)), given, lanes)


def check_weights(config: Config, folder: RunFolder) -> None:
    """Refuses to go on with a run that was rewarded by other weights.

    Raises:
      MineClipError: the weights are others, or cannot be read.
    """
    before = read_json(folder.path(FILE))
    if not config.reward.clip or before is None:
        return
    digest = weights.digest_of(Path(config.mineclip.weights))
    if digest != before["weights"]:
        raise MineClipError(
            f"mineclip.weights={config.mineclip.weights} comes from another checkpoint than the "
            f"weights that {folder.root} was started with (SHA-256 {digest[:16]}... and "
            f"{before['weights'][:16]}...). Name a file that was converted from the same one."
        )


def note_weights(config: Config, folder: RunFolder) -> None:
    """Writes down by which weights the run is rewarded, for `check_weights`.

    Raises:
      MineClipError: they cannot be read.
    """
    if config.reward.clip:
        digest = weights.digest_of(Path(config.mineclip.weights))
        write_json(folder.path(FILE), {"weights": digest})
