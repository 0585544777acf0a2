"""Writes the features of sentences, so that a run needs no list of merges.

    python -m experiments.mineclip texts OUT.npz --weights=mineclip.npz --merges=merges.txt
        --task=harvest_milk [--prompt=... --prompts=FILE --negatives=FILE]

Without --task and --prompt the sentences of all tasks of the prompts file are taken.
"""

import argparse
from pathlib import Path

from experiments.mineclip import model_files
from rlgpt_jax.rl.reward.clip import prompts, texts, weights
from rlgpt_jax.rl.reward.clip.config import MineClipConfig


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", type=Path, help="of the features; ends in .npz")
    model_files.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    model_files.check_out(options.out)
    if not options.merges:
        raise ValueError("give --merges: CLIP's list is what the sentences are read with.")
    if options.task or options.prompt:
        found = model_files.sentences_of(options, model_files.config_of(options))
    else:
        found = _all(options)
    loaded = weights.load(Path(options.weights))
    config = MineClipConfig(merges=options.merges)
    texts.save(options.out, found, texts.features_of(config, loaded, found), loaded.digest)
    print(f"features of {len(found)} sentences written to {options.out}")
    return 0


def _all(options: argparse.Namespace) -> tuple[str, ...]:
    shipped = prompts.load(Path(options.prompts) if options.prompts else prompts.SHIPPED)
    negatives = shipped.negatives
    if options.negatives:
        negatives = prompts.read_negatives(Path(options.negatives))
    return tuple(dict.fromkeys((*shipped.tasks.values(), *negatives)))
