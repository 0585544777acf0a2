"""How likely a video shows what the prompt says, window by window.

    python -m experiments.mineclip score VIDEO_OR_FOLDER --weights=mineclip.npz
        --merges=merges.txt --prompt="milk a cow with an empty bucket"

The reward of a frame is max(P - 1/D, 0), P the probability of the prompt among the D sentences
for the last --window frames, black ones before the first.
"""

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path

import imageio.v3 as imageio
import numpy as np
from PIL import Image

from experiments.mineclip import model_files
from rlgpt_jax.rl.reward.clip.reward import Scorer, earned

BLOCK = 16  # frames that are encoded at once
KINDS = (".png", ".jpg", ".jpeg")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="video, or folder of PNG or JPEG files")
    model_files.add_arguments(parser)
    parser.add_argument("--window", type=int, default=16, help="frames of a window")
    parser.add_argument("--skip", type=int, default=1, help="take every so many-th frame")
    parser.add_argument("--stride", type=int, default=8, help="frames between two printed rows")


def run(options: argparse.Namespace) -> int:
    for flag in ("window", "skip", "stride"):
        if getattr(options, flag) < 1:
            raise ValueError(f"--{flag}={getattr(options, flag)} must be at least 1.")
    loaded, sentences, texts = model_files.load(options)
    if options.window > loaded.sizes.max_frames:
        raise ValueError(f"--window={options.window}: the model sees {loaded.sizes.max_frames}.")
    scorer = Scorer(loaded, texts, BLOCK)
    read = itertools.islice(frames(options.path, loaded.sizes.image_size), 0, None, options.skip)
    tell(watch(scorer, read, options.window), sentences, options.stride)
    return 0


def frames(path: Path, size: tuple[int, int]) -> Iterator[np.ndarray]:
    """uint8[H, W, 3] of a video, or of a folder's pictures in the order of their names, resized
    where they have another size.

    Raises:
      ValueError: there are none, or one cannot be read.
    """
    if not path.exists():
        raise ValueError(f"there is no {path}. Give a video or a folder of pictures.")
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    files = [file for file in files if file == path or file.suffix.lower() in KINDS]
    found = 0
    for file in files:
        kind = "video" if file == path else "picture"
        try:
            for picture in imageio.imiter(file):
                image = Image.fromarray(np.asarray(picture)).convert("RGB")
                if (image.height, image.width) != size:
                    image = image.resize((size[1], size[0]), Image.Resampling.BICUBIC)
                found += 1
                yield np.asarray(image)
        except (OSError, SyntaxError, ValueError, RuntimeError) as error:
            raise ValueError(f"{file} cannot be read as a {kind} ({error}).") from error
    if not found:
        raise ValueError(f"{path} holds no pictures. Give a video or a folder of {KINDS[0]} files.")


def watch(scorer: Scorer, film: Iterator[np.ndarray], window: int) -> np.ndarray:
    """Probabilities float32[T, D] of T frames; a block of them is in memory at a time."""
    features = [np.tile(scorer.black, (window - 1, 1))]
    while block := list(itertools.islice(film, BLOCK)):
        features.append(scorer.frames(np.stack(block)))
    windows = np.lib.stride_tricks.sliding_window_view(np.concatenate(features), window, axis=0)
    return scorer.probabilities(np.moveaxis(windows, 2, 1))


def tell(probabilities: np.ndarray, sentences: tuple[str, ...], stride: int) -> None:
    """Prints every `stride`-th frame of float32[T, D], and what the whole film looks like."""
    rewards = earned(probabilities)
    print(f'prompt "{sentences[0]}" among {len(sentences)} sentences')
    print("frame  P(prompt)  reward  most likely")
    for i in range(0, len(probabilities), stride):
        likely = sentences[int(probabilities[i].argmax())]
        print(f"{i:5d}  {probabilities[i, 0]:9.4f}  {rewards[i]:6.4f}  {likely}")
    print(f"reward over {len(rewards)} frames: mean {rewards.mean():.4f}, sum {rewards.sum():.3f}")
    mean = probabilities.mean(axis=0)
    for i in np.argsort(-mean)[:5]:
        print(f"  {mean[i]:.4f}  {sentences[i]}")
