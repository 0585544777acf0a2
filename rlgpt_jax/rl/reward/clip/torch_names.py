"""What the published PyTorch checkpoints call each parameter, and how its numbers are laid out.

Two files are known: MineDojo's own (`model.clip_model.vision_model...`, in which CLIP's parts
appear up to three times under several names) and the one that the released RL-GPT and Plan4MC
use (`image_encoder...`). Both are brought to one set of names first.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from rlgpt_jax.rl.reward.clip.sizes import Sizes

# Prefixes of either file, and the one that stands for them below. The first that fits counts.
PREFIXES = (
    (r"(reward_head\.)?clip_model\.vision_model\.|image_encoder\.", "image."),
    (r"(reward_head\.)?clip_model\.text_model\.|text_encoder\.", "text."),
    (r"(reward_head\.)?clip_model\.logit_scale$|logit_scale$", "logit_scale"),
    (r"temporal_encoder\.(attn\.)?model\.", "temporal."),
    (r"(reward_head|reward_adapter)\.", "head."),
)
WRAPPER = "model."  # before every name of MineDojo's file


class Source(NamedTuple):
    """Where a parameter comes from."""

    names: tuple[str, ...]  # that it may have; the first that is there counts
    turn: Callable[[np.ndarray], np.ndarray]  # PyTorch's layout to ours


def common_name(name: str) -> str:
    """The name that stands for `name` below, or `name` itself if it is unknown."""
    bare = name.removeprefix(WRAPPER)
    for prefix, ours in PREFIXES:
        found = re.match(prefix, bare)
        if found:
            return ours + bare[found.end() :]
    return name


def _as_is(x: np.ndarray) -> np.ndarray:
    return x


def _patches(x: np.ndarray) -> np.ndarray:
    """Convolution [W, 3, P, P] -> matrix [P * P * 3, W]."""
    return x.transpose(2, 3, 1, 0).reshape(-1, x.shape[0]) if x.ndim == 4 else x


def sources(sizes: Sizes) -> dict[str, Source]:
    """By the path of every parameter of `model.MineCLIP`."""
    table = dict(_image(sizes))
    table |= dict(_text(sizes))
    if sizes.temporal == "attn":
        table |= dict(_temporal(sizes))
    for part in ("video", "text"):
        table |= dict(_adapter(part, getattr(sizes, f"{part}_adapter")))
    table["log_scale"] = Source(("logit_scale",), _as_is)
    return table


Rows = Iterable[tuple[str, Source]]


def _dense(path: str, name: str, bias: bool = True) -> Rows:
    yield f"{path}/kernel", Source((f"{name}.weight",), np.transpose)
    if bias:
        yield f"{path}/bias", Source((f"{name}.bias",), _as_is)


def _norm(path: str, name: str) -> Rows:
    yield f"{path}/scale", Source((f"{name}.weight",), _as_is)
    yield f"{path}/bias", Source((f"{name}.bias",), _as_is)


def _block(path: str, name: str) -> Rows:
    yield f"{path}/qkv/kernel", Source((f"{name}.attn.in_proj_weight",), np.transpose)
    yield f"{path}/qkv/bias", Source((f"{name}.attn.in_proj_bias",), _as_is)
    yield from _dense(f"{path}/out", f"{name}.attn.out_proj")
    yield from _dense(f"{path}/expand", f"{name}.mlp.c_fc")
    yield from _dense(f"{path}/contract", f"{name}.mlp.c_proj")
    yield from _norm(f"{path}/norm_1", f"{name}.ln_1")
    yield from _norm(f"{path}/norm_2", f"{name}.ln_2")


def _image(sizes: Sizes) -> Rows:
    yield "image/patches/kernel", Source(("image.conv1.weight",), _patches)
    yield "image/class_token", Source(("image.cls_token",), _as_is)
    yield "image/positions", Source(("image.pos_embed",), _as_is)
    yield from _norm("image/norm_before", "image.ln_pre")
    for i in range(sizes.image_layers):
        yield from _block(f"image/block_{i}", f"image.blocks.{i}")
    yield from _norm("image/norm_after", "image.ln_post")
    yield "image/projection/kernel", Source(("image.projection",), _as_is)


def _text(sizes: Sizes) -> Rows:
    yield "text/tokens/embedding", Source(("text.token_embedding.weight",), _as_is)
    yield "text/positions", Source(("text.pos_embed",), _as_is)
    for i in range(sizes.text_layers):
        yield from _block(f"text/block_{i}", f"text.blocks.{i}")
    yield from _norm("text/norm_after", "text.ln_final")
    yield "text/projection/kernel", Source(("text.projection",), _as_is)


def _temporal(sizes: Sizes) -> Rows:
    yield "temporal/positions", Source(("temporal.pos_emb.emb.weight",), _as_is)
    for i in range(sizes.temporal_layers):
        # Attention and perceptron are layers of their own there, each after its norm.
        attention, gated = (f"temporal.attn_layers.layers.{2 * i + k}" for k in (0, 1))
        yield from _norm(f"temporal/norm_{i}_attention", f"{attention}.0.0")
        for part in ("q", "k", "v", "out"):
            yield from _dense(f"temporal/layer_{i}_{part}", f"{attention}.1.to_{part}", bias=False)
        yield from _norm(f"temporal/norm_{i}_gated", f"{gated}.0.0")
        yield from _dense(f"temporal/layer_{i}_expand", f"{gated}.1.net.0.proj")
        yield from _dense(f"temporal/layer_{i}_contract", f"{gated}.1.net.3")
    yield from _norm("temporal/norm_after", "temporal.norm")


def _adapter(part: str, layers: int) -> Rows:
    if layers:
        yield f"{part}_adapter/keep", Source((f"head.{part}_residual_weight",), _as_is)
    for i in range(layers):
        # The files count what lies between two linear layers differently: two modules or one.
        steps = (3, 2) if i else (3,)
        for kind, ours, turn in (("weight", "kernel", np.transpose), ("bias", "bias", _as_is)):
            names = tuple(f"head.{part}_adapter.{step * i}.{kind}" for step in steps)
            yield f"{part}_adapter/layer_{i}/{ours}", Source(names, turn)
