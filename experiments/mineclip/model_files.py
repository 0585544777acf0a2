"""Flags that several commands share: weights, sentences, what makes features of these, and the
file that a command writes."""

import argparse
import os
from pathlib import Path

import numpy as np

from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.rl.reward.clip import prompts, texts, weights
from rlgpt_jax.rl.reward.clip.config import MineClipConfig
from rlgpt_jax.rl.reward.clip.weights import Weights


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--weights", required=True, help="what `convert` has written")
    words = "CLIP's merges.txt or bpe_simple_vocab_16e6.txt.gz"
    parser.add_argument("--merges", default="", help=words)
    parser.add_argument("--texts", default="", help="what `texts` has written, instead of --merges")
    parser.add_argument("--task", default="", help="whose sentence is the prompt")
    parser.add_argument("--prompt", default="", help="the prompt itself")
    parser.add_argument("--prompts", default="", help="instead of prompts/mineclip.json")
    parser.add_argument("--negatives", default="", help="text file, one sentence a line")


def config_of(options: argparse.Namespace) -> MineClipConfig:
    """The files that the flags name.

    Raises:
      ValueError: they name too few or too many.
    """
    config = MineClipConfig(
        weights=options.weights, merges=options.merges, texts=options.texts,
        prompt=options.prompt, prompts=options.prompts, negatives=options.negatives,
    )  # fmt: skip
    if not config.merges and not config.texts:
        raise ValueError("give --merges, CLIP's list, or --texts, what was made with it.")
    if not options.prompt and not options.task:
        raise ValueError("give the sentence with --prompt=..., or --task=NAME.")
    return config


def sentences_of(options: argparse.Namespace, config: MineClipConfig) -> tuple[str, ...]:
    """The prompt and the negatives."""
    words = get_task(options.task).words if options.task else ""
    return prompts.sentences(config, options.task, words)


def load(options: argparse.Namespace) -> tuple[Weights, tuple[str, ...], np.ndarray]:
    """Weights, sentences, and the features float32[D, E] of these."""
    config = config_of(options)
    loaded = weights.load(Path(config.weights))
    sentences = sentences_of(options, config)
    return loaded, sentences, texts.features_of(config, loaded, sentences)


def check_out(path: Path) -> None:
    """Refuses a file that cannot be written, before the work for it is done; writes nothing.

    Raises:
      ValueError: no name of an `.npz` file, or none that can be written.
    """
    if path.suffix != ".npz":
        raise ValueError(f"{path} must end in .npz, the format that is written.")
    folder = next(parent for parent in path.absolute().parents if os.path.exists(parent))
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError(
            f"{path} cannot be written: it is a folder, or {folder} is none that can be written "
            "to. Give another name."
        )
