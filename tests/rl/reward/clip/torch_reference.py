"""The published architecture in PyTorch, with the names of its checkpoints, random weights.

Written from the description of the architecture: CLIP's two towers (Radford et al. 2021), a
pre-norm transformer with gated SiLU layers over the frames, residual adapters before the cosine.
"""

import math

import torch
from torch import nn

from rlgpt_jax.rl.reward.clip.sizes import HEAD_WIDTH, PIXEL_MEAN, PIXEL_STD, Sizes


class Block(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.ModuleDict(
            {"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)}
        )

    def forward(self, x, mask=None):
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, need_weights=False, attn_mask=mask)[0]
        y = self.mlp["c_fc"](self.ln_2(x))
        return x + self.mlp["c_proj"](y * torch.sigmoid(1.702 * y))


class Image(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        width = s.image_width
        self.conv1 = nn.Conv2d(3, width, s.patch, stride=s.patch, bias=False)
        self.cls_token = nn.Parameter(torch.randn(width))
        self.pos_embed = nn.Parameter(torch.randn(s.num_patches + 1, width))
        self.ln_pre, self.ln_post = nn.LayerNorm(width), nn.LayerNorm(width)
        self.blocks = nn.ModuleList([Block(width, s.image_heads) for _ in range(s.image_layers)])
        self.projection = nn.Parameter(torch.randn(width, s.features) * width**-0.5)

    def forward(self, rgb):  # uint8[B, H, W, 3]
        x = rgb.permute(0, 3, 1, 2).float() / 255.0
        mean, std = (torch.tensor(c)[:, None, None] for c in (PIXEL_MEAN, PIXEL_STD))
        x = self.conv1((x - mean) / std).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(len(x), 1, -1), x], dim=1) + self.pos_embed
        x = self.ln_pre(x)
        for block in self.blocks:
            x = block(x)
        return self.ln_post(x[:, 0]) @ self.projection


class Text(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        width = s.text_width
        self.token_embedding = nn.Embedding(s.vocabulary, width)
        self.pos_embed = nn.Parameter(torch.randn(s.text_length, width))
        self.blocks = nn.ModuleList([Block(width, s.text_heads) for _ in range(s.text_layers)])
        self.ln_final = nn.LayerNorm(width)
        self.projection = nn.Parameter(torch.randn(width, s.features) * width**-0.5)

    def forward(self, tokens):
        x = self.token_embedding(tokens) + self.pos_embed
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        for block in self.blocks:
            x = block(x, mask)
        return self.ln_final(x)[torch.arange(len(x)), tokens.argmax(dim=1)] @ self.projection


class Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        inner = heads * HEAD_WIDTH
        self.to_q, self.to_k, self.to_v = (nn.Linear(width, inner, bias=False) for _ in "qkv")
        self.to_out = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        split = lambda y: y.unflatten(-1, (-1, HEAD_WIDTH)).transpose(1, 2)  # noqa: E731
        seen = nn.functional.scaled_dot_product_attention(
            split(self.to_q(x)), split(self.to_k(x)), split(self.to_v(x))
        )
        return self.to_out(seen.transpose(1, 2).flatten(2))


class Gated(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        expand = nn.ModuleDict({"proj": nn.Linear(width, 8 * width)})
        self.net = nn.ModuleDict({"0": expand, "3": nn.Linear(4 * width, width)})

    def forward(self, x):
        value, gate = self.net["0"]["proj"](x).chunk(2, dim=-1)
        return self.net["3"](value * nn.functional.silu(gate))


class Temporal(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        width = s.features
        self.pos_emb = nn.ModuleDict({"emb": nn.Embedding(s.max_frames, width)})
        layers = []
        for i in range(2 * s.temporal_layers):
            layer = Gated(width) if i % 2 else Attention(width, s.temporal_heads)
            layers.append(nn.ModuleList([nn.ModuleList([nn.LayerNorm(width)]), layer]))
        self.attn_layers = nn.ModuleDict({"layers": nn.ModuleList(layers)})
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        x = x + self.pos_emb["emb"].weight[: x.shape[1]] / math.sqrt(x.shape[2])
        for (norm,), layer in self.attn_layers["layers"]:
            x = x + layer(norm(x))
        return self.norm(x).mean(dim=1)


class Clip(nn.Module):
    """The two towers and the scale: in MineDojo's file they stand under several names."""

    def __init__(self, s: Sizes):
        super().__init__()
        self.vision_model, self.text_model = Image(s), Text(s)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))


class Head(nn.Module):
    def __init__(self, s: Sizes, clip: Clip):
        super().__init__()
        self.clip_model = clip
        for part in ("video", "text"):
            layers = getattr(s, f"{part}_adapter")
            if layers:
                linear = {str(3 * i): nn.Linear(s.features, s.features) for i in range(layers)}
                setattr(self, f"{part}_adapter", nn.ModuleDict(linear))
                setattr(self, f"{part}_residual_weight", nn.Parameter(torch.tensor(1.0)))

    def adapted(self, part, x):
        if not hasattr(self, f"{part}_adapter"):
            return x
        y = x
        for i, layer in enumerate(getattr(self, f"{part}_adapter").values()):
            y = layer(y.relu() if i else y)
        keep = torch.sigmoid(getattr(self, f"{part}_residual_weight"))
        return keep * x + (1 - keep) * y


class Reference(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        self.clip_model = Clip(s)
        self.image_encoder = self.clip_model.vision_model
        if s.temporal == "attn":
            inner = nn.ModuleDict({"model": Temporal(s)})
            self.temporal_encoder = nn.ModuleDict({"attn": inner})
        self.reward_head = Head(s, self.clip_model)

    def video(self, frames):
        if not hasattr(self, "temporal_encoder"):
            return frames.mean(dim=1)
        return self.temporal_encoder["attn"]["model"](frames)

    def logits(self, video, texts):
        video = nn.functional.normalize(self.reward_head.adapted("video", video), dim=1)
        texts = nn.functional.normalize(self.reward_head.adapted("text", texts), dim=1)
        return self.clip_model.logit_scale.exp() * video @ texts.T


def make(sizes: Sizes, seed: int) -> Reference:
    """With random biases and norms too, so that none of them can be mixed up."""
    torch.manual_seed(seed)
    model = Reference(sizes).eval()
    with torch.no_grad():
        for name, x in model.named_parameters():
            if x.ndim == 1 and "cls_token" not in name:
                x.add_(0.2 * torch.randn_like(x))
    return model


def published_file(model: Reference, path) -> None:
    """As MineDojo's training wrote it: other things beside the state dictionary."""
    state = {f"model.{name}": x for name, x in model.state_dict().items()}
    torch.save({"epoch": 3, "state_dict": state, "optimizer": [{"lr": 1e-4}]}, path)


def released_file(model: Reference, path) -> None:
    """As the released RL-GPT code reads it: each part once, under other names."""
    renamed = {}
    for name, x in model.state_dict().items():
        if name.startswith(("image_encoder.", "reward_head.clip_model.")):
            continue
        name = name.replace("clip_model.vision_model.", "image_encoder.")
        name = name.replace("clip_model.text_model.", "text_encoder.")
        name = name.replace("clip_model.logit_scale", "logit_scale")
        name = name.replace("temporal_encoder.attn.", "temporal_encoder.")
        name = name.replace("reward_head.", "reward_adapter.").replace("_adapter.3.", "_adapter.2.")
        renamed[name] = x
    torch.save(renamed, path)
