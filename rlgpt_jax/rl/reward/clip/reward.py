"""The CLIP reward of N lanes: how likely the last frames show what the prompt says.

    r = max(P(prompt) - 1 / D, 0), P the softmax over the D sentences

of the video of the last `window` frames; before an episode's first frame lie black ones. Each
frame goes through the image encoder once: a ring per lane keeps the features of the last ones.
The formula is that of the released RL-GPT code (D = 32).
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.rl.reward.clip.model import Params, apply
from rlgpt_jax.rl.reward.clip.sizes import Sizes
from rlgpt_jax.rl.reward.clip.weights import Weights


@functools.partial(jax.jit, static_argnums=0)
def _probabilities(sizes: Sizes, params: Params, texts: jax.Array, windows: jax.Array) -> jax.Array:
    video = apply(sizes, params, "temporal", windows)
    return jax.nn.softmax(apply(sizes, params, "logits", video, texts), axis=-1)


def earned(probabilities: np.ndarray) -> np.ndarray:
    """float32[K, D], the prompt's first -> the reward float32[K] in 0..1 - 1 / D."""
    chance = np.float32(1.0 / probabilities.shape[1])
    return np.maximum(probabilities[:, 0] - chance, 0.0)


class Scorer:
    """The model with D sentences, applied in blocks of one compiled shape."""

    def __init__(self, weights: Weights, texts: np.ndarray, block: int = 16):
        """`texts` are features float32[D, E], that of the prompt first."""
        self.sizes = weights.sizes
        self._block = block
        used = {name: x for name, x in weights.params.items() if name != "text"}
        self._params, self._texts = jax.device_put((used, jnp.asarray(texts)))
        black = np.zeros((1, *self.sizes.image_size, 3), np.uint8)
        self.black = self.frames(black)[0]  # float32[E]

    def frames(self, rgb: np.ndarray) -> np.ndarray:
        """uint8[K, H, W, 3] -> float32[K, E]."""
        return self._blockwise(lambda x: apply(self.sizes, self._params, "image", x), rgb)

    def probabilities(self, windows: np.ndarray) -> np.ndarray:
        """float32[K, T, E] features of frames, oldest first -> float32[K, D]."""
        call = lambda x: _probabilities(self.sizes, self._params, self._texts, x)  # noqa: E731
        return self._blockwise(call, windows)

    def reward(self, windows: np.ndarray) -> np.ndarray:
        """float32[K, T, E] -> float32[K]."""
        return earned(self.probabilities(windows))

    def _blockwise(self, call: Any, given: np.ndarray) -> np.ndarray:
        # Two shapes are compiled, whatever K is: of one row, and of a whole block.
        size = 1 if len(given) == 1 else self._block
        parts = []
        for at in range(0, len(given), size):
            part = given[at : at + size]
            short = size - len(part)
            if short:
                part = np.concatenate([part, np.repeat(part[:1], short, axis=0)])
            parts.append(np.asarray(call(part))[: size - short])
        return np.concatenate(parts)


class ClipReward:
    """Rings of N lanes, which may step at different times."""

    def __init__(self, scorer: Scorer, num_lanes: int, window: int = 16, every: int = 1):
        """Takes a frame of a lane every `every` ticks into its window."""
        self._scorer = scorer
        self._every = every
        self._ring = np.tile(scorer.black, (num_lanes, window, 1))  # oldest frame first
        self._ticks = np.zeros(num_lanes, np.int64)  # of the episode
        self._reward = np.zeros(num_lanes, np.float32)  # of the last window

    def begin(self, lanes: np.ndarray, rgb: np.ndarray) -> None:
        """An episode starts in lanes int[K] with pictures uint8[K, H, W, 3]."""
        self._ring[lanes] = self._scorer.black
        self._ticks[lanes] = 0
        self._reward[lanes] = 0.0
        self._push(lanes, rgb)

    def step(
        self, lanes: np.ndarray, seen: np.ndarray, done: np.ndarray, first: np.ndarray
    ) -> np.ndarray:
        """A tick of lanes int[K]. Returns the reward float32[K].

        Args:
          seen: uint8[K, H, W, 3] after the tick (of `Step.final_obs`).
          done: bool[K]  the episode ended with it.
          first: uint8[K, H, W, 3] of the next episode, where one ended (of `Step.obs`).
        """
        self._ticks[lanes] += 1
        due = self._ticks[lanes] % self._every == 0
        if due.any():
            self._push(lanes[due], seen[due])
            self._reward[lanes[due]] = self._scorer.reward(self._ring[lanes[due]])
        reward = self._reward[lanes]
        if done.any():
            self.begin(lanes[done], first[done])
        return reward

    def _push(self, lanes: np.ndarray, rgb: np.ndarray) -> None:
        features = self._scorer.frames(rgb)
        self._ring[lanes] = np.concatenate([self._ring[lanes][:, 1:], features[:, None]], axis=1)

    def save(self) -> dict[str, np.ndarray]:
        """All that changes, for a checkpoint."""
        return {"ring": self._ring.copy(), "ticks": self._ticks.copy(),
                "reward": self._reward.copy()}  # fmt: skip

    def load(self, saved: dict[str, np.ndarray]) -> None:
        """Restores what `save` returned.

        Raises:
          ValueError: it was saved with another number of lanes, window or features.
        """
        ring = np.array(saved["ring"])
        if ring.shape != self._ring.shape:
            raise ValueError(
                f"saved with rings of {ring.shape}, this run has {self._ring.shape}. Use the "
                "ppo.num_envs, mineclip.window and weights that it was saved with."
            )
        self._ring = ring
        self._ticks = np.array(saved["ticks"])
        self._reward = np.array(saved["reward"])
