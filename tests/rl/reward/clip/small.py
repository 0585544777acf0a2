"""A MineCLIP of a few thousand parameters, its list of merges, and worlds that show pictures."""

import functools
from pathlib import Path
from typing import Any

import jax
import numpy as np

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.rl.reward.clip import weights as weights_file
from rlgpt_jax.rl.reward.clip.model import init_params, shapes_of
from rlgpt_jax.rl.reward.clip.sizes import Sizes
from rlgpt_jax.rl.reward.clip.tokenizer import NUM_MERGES
from rlgpt_jax.rl.reward.clip.torch_names import sources
from rlgpt_jax.rl.reward.clip.weights import Weights

REAL_VOCABULARY = 49408


def sizes(**changes: Any) -> Sizes:
    """Of frames of 16 x 24 pixels, unless `changes` says otherwise."""
    given: dict[str, Any] = dict(
        image_size=(16, 24), patch=8, image_width=24, image_layers=2, image_heads=3, features=16,
        temporal_layers=2, temporal_heads=2, max_frames=8, text_length=12, vocabulary=50,
        text_width=16, text_layers=2, text_heads=2,
    )  # fmt: skip
    return Sizes(**{**given, **changes})


# For whole runs: frames of the real size and CLIP's real vocabulary.
RUNNABLE = sizes(
    image_size=(160, 256), patch=32, image_layers=1, text_layers=1, temporal_layers=1,
    max_frames=32, text_length=77, vocabulary=REAL_VOCABULARY,
)  # fmt: skip


@functools.cache
def weights(given: Sizes = sizes()) -> Weights:  # noqa: B008
    """Random ones, larger than at first, so that pictures tell."""
    params = init_params(given, jax.random.key(0))
    params = jax.tree.map(lambda x: np.asarray(x) * (4.0 if x.ndim > 1 else 1.0), params)
    return Weights(given, params, digest="0" * 64)


def write_merges(path: Path) -> Path:
    """A list of the real length: its published beginning, then pairs that meet nothing."""
    begin = ["#version: 0.2", "i n", "t h", "a n", "r e", "a r", "e r", "th e</w>", "in g</w>"]
    rest = [f"~{i} ~{i}" for i in range(NUM_MERGES - len(begin) + 1)]
    path.write_text("\n".join([*begin, *rest]) + "\n")
    return path


def files(folder: Path) -> dict[str, str]:
    """Fields of `MineClipConfig` for a run with `RUNNABLE`."""
    weights_file.save(folder / "weights.npz", weights(RUNNABLE))
    merges = write_merges(folder / "merges.txt")
    return {"weights": str(folder / "weights.npz"), "merges": str(merges)}


class Film:
    """A host world of pictures drawn by chance: lane n ends its episodes after n + 3 ticks."""

    def __init__(self, num_envs: int = 2, size: tuple[int, int] = (16, 24)):
        self.num_envs, self.goal_names = num_envs, ("cow",)
        self.image_size = size
        self.lost: np.ndarray | None = None  # what `info["lost"]` is at the next tick
        self._ticks = np.zeros(num_envs, int)
        self._rng = np.random.default_rng(0)

    def picture(self) -> np.ndarray:
        return self._rng.integers(0, 256, (self.num_envs, *self.image_size, 3)).astype(np.uint8)

    def _obs(self, rgb: np.ndarray) -> Observation:
        return Observation(*[None] * (len(Observation._fields) - 1))._replace(rgb=rgb)

    def reset(self, seed: int) -> Observation:
        self._rng = np.random.default_rng(seed)
        self._ticks[:] = 0
        return self._obs(self.picture())

    def step(self, action: np.ndarray) -> Step:
        self._ticks += 1
        done = self._ticks >= np.arange(self.num_envs) + 3
        seen = self.picture()
        first = np.where(done[:, None, None, None], self.picture(), seen)
        self._ticks[done] = 0
        info = {"success": np.zeros(self.num_envs, bool), "busy": np.zeros(self.num_envs, bool)}
        if self.lost is not None:
            info["lost"] = self.lost
        zeros = np.zeros(self.num_envs, np.float32)
        return Step(self._obs(first), zeros, np.zeros(len(done), bool), done, self._obs(seen), info)

    def save(self) -> Any:
        return {"ticks": self._ticks.copy(), "seed": np.array(self._rng.integers(2**31))}

    def load(self, saved: Any) -> Observation:
        self._ticks = saved["ticks"].copy()
        self._rng = np.random.default_rng(int(saved["seed"]))
        return self._obs(self.picture())


def count_frames(monkeypatch: Any, module: Any) -> list[int]:
    """The frames of each call of the image encoder that a module makes from now on."""
    calls, whole = [], module.apply

    def counting(sizes: Sizes, params: Any, part: str, *given: Any) -> Any:
        if part == "image":
            calls.append(len(given[0]))
        return whole(sizes, params, part, *given)

    monkeypatch.setattr(module, "apply", counting)
    return calls


def checkpoint(sizes: Sizes) -> dict[str, np.ndarray]:
    """Arrays under PyTorch's names and in its layouts, as in MineDojo's file."""
    rng = np.random.default_rng(0)
    given, table = {}, sources(sizes)
    names = {
        "image.": "image_encoder.", "text.": "clip_model.text_model.",
        "temporal.": "temporal_encoder.attn.model.", "head.": "reward_head.",
        "logit_scale": "clip_model.logit_scale",
    }  # fmt: skip
    for path, shape in shapes_of(sizes).items():
        source = table[path]
        array = rng.normal(size=shape).astype(np.float32)
        name = source.names[0]
        if name == "image.conv1.weight":
            side = sizes.patch
            array = array.T.reshape(shape[1], side, side, 3).transpose(0, 3, 1, 2)
        elif path.endswith("kernel") and not name.endswith("projection"):
            array = array.T
        ours = next(x for x in names if name.startswith(x))
        given["model." + name.replace(ours, names[ours], 1)] = array
    copies = {
        name.replace("image_encoder", f"{prefix}clip_model.vision_model"): x
        for name, x in given.items() if "image_encoder" in name
        for prefix in ("", "reward_head.")
    }  # fmt: skip
    return {**given, **copies}
