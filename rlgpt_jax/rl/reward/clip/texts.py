"""Features of sentences: made by the text tower, or kept in a file for where no merges are."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rlgpt_jax.rl.reward.clip import tokenizer
from rlgpt_jax.rl.reward.clip.config import MineClipConfig
from rlgpt_jax.rl.reward.clip.faults import MineClipError
from rlgpt_jax.rl.reward.clip.model import apply
from rlgpt_jax.rl.reward.clip.weights import Weights, write


class TextsError(MineClipError):
    """Features that cannot be used: what was given and what to try."""


def encode(weights: Weights, tokens: tokenizer.Tokenizer, texts: Sequence[str]) -> np.ndarray:
    """float32[D, E] features of D texts.

    Raises:
      TextsError: the vocabulary is not that of the weights.
    """
    sizes = weights.sizes
    if tokens.vocabulary != sizes.vocabulary:
        raise TextsError(
            f"the list of merges gives {tokens.vocabulary} tokens, the weights have "
            f"{sizes.vocabulary}. Give the list that the checkpoint was trained with."
        )
    ids = tokens.encode(texts, sizes.text_length)
    return np.asarray(apply(sizes, weights.params, "text", ids))


def save(path: Path, texts: Sequence[str], features: np.ndarray, digest: str) -> None:
    """Writes D sentences with features float32[D, E] of the weights with that digest."""
    meta = {"texts": list(texts), "digest": digest}
    write(path, meta, {"features": np.asarray(features, np.float32)})


def load(path: Path, weights: Weights, texts: Sequence[str]) -> np.ndarray:
    """float32[D, E]: the features of these sentences from a file that `save` wrote.

    Raises:
      TextsError: there is no such file, it is of other weights, or a sentence is not in it.
    """
    again = "Make it anew: python -m experiments.mineclip texts OUT.npz --help"
    try:
        with np.load(path, allow_pickle=False) as stored:
            meta, features = json.loads(stored["meta"].tobytes()), stored["features"]
        rows = {text: i for i, text in enumerate(meta["texts"])}
        digest = meta["digest"]
        fits = features.shape == (len(meta["texts"]), weights.sizes.features)
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise TextsError(f"{path} holds no features of texts ({error}). {again}") from error
    if digest != weights.digest or not fits:
        raise TextsError(f"{path} was made with other weights than those of the run. {again}")
    missing = [text for text in texts if text not in rows]
    if missing:
        raise TextsError(
            f'{path} has no features of "{missing[0]}"'
            + (f" and {len(missing) - 1} more sentences" if len(missing) > 1 else "")
            + f". {again}"
        )
    return features[[rows[text] for text in texts]]


def features_of(config: MineClipConfig, weights: Weights, texts: Sequence[str]) -> np.ndarray:
    """float32[D, E] of the sentences, by whichever file the configuration names.

    Raises:
      TextsError, tokenizer.MergesError: that file cannot be used.
    """
    if config.texts:
        return load(Path(config.texts), weights, texts)
    return encode(weights, tokenizer.load(Path(config.merges)), texts)
