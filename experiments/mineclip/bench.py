"""Frames and windows per second of the published sizes, with random weights.

    python -m experiments.mineclip bench [--batch=1,8,16 --seconds=5]

"whole" is a tick of that many lanes: one new frame each, one window each, the reward.
"""

import argparse
import time
from collections.abc import Callable

import jax
import numpy as np

from rlgpt_jax.rl.reward.clip.model import apply, init_params
from rlgpt_jax.rl.reward.clip.reward import ClipReward, Scorer
from rlgpt_jax.rl.reward.clip.sizes import PUBLISHED
from rlgpt_jax.rl.reward.clip.weights import Weights

NUM_TEXTS = 32


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--batch", default="1,8,16", help="frames, or lanes, at once")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each row, at least")
    parser.add_argument("--window", type=int, default=16)


def run(options: argparse.Namespace) -> int:
    try:
        batches = [int(part) for part in options.batch.split(",")]
    except ValueError:
        batches = []
    if not batches or min(batches) < 1:
        raise ValueError(f"--batch={options.batch} must be positive integers, for example 1,8,16.")
    if not 1 <= options.window <= PUBLISHED.max_frames:
        raise ValueError(f"--window={options.window} must be 1 to {PUBLISHED.max_frames} frames.")
    weights = Weights(PUBLISHED, init_params(PUBLISHED, jax.random.key(0)), "")
    device = jax.devices()[0]
    print(f"{device.platform} {device.device_kind}, float32, window of {options.window} frames")
    print("part      batch  ms/call  per second")
    for batch in batches:
        for part, call in parts(weights, batch, options.window):
            seconds = measure(call, options.seconds)
            print(f"{part:8}  {batch:5d}  {1e3 * seconds:7.1f}  {batch / seconds:10.1f}")
    return 0


def parts(weights: Weights, batch: int, window: int) -> list[tuple[str, Callable[[], object]]]:
    """What is measured with that batch, by name."""
    rng = np.random.default_rng(0)
    sizes = weights.sizes
    rgb = rng.integers(0, 256, (batch, *sizes.image_size, 3)).astype(np.uint8)
    windows = rng.normal(size=(batch, window, sizes.features)).astype(np.float32)
    texts = rng.normal(size=(NUM_TEXTS, sizes.features)).astype(np.float32)
    tokens = np.zeros((batch, sizes.text_length), np.int32)
    scorer = Scorer(weights, texts, block=batch)
    clip = ClipReward(scorer, batch, window)
    lanes, going = np.arange(batch), np.zeros(batch, bool)
    return [
        ("image", lambda: scorer.frames(rgb)),
        ("temporal", lambda: scorer.probabilities(windows)),
        ("whole", lambda: clip.step(lanes, rgb, going, rgb)),
        ("text", lambda: np.asarray(apply(sizes, weights.params, "texts", tokens))),
    ]


def measure(call: Callable[[], object], least: float) -> float:
    """Seconds of one call: the median of as many as `least` seconds hold, three at least."""
    call()  # compiles
    taken: list[float] = []
    while len(taken) < 3 or sum(taken) < least:
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return float(np.median(taken))
