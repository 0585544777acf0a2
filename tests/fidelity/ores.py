"""Ores of generated stone against the stored Monte Carlo of Minecraft 1.11.2's veins.

`ores.json` holds means over 300 lone chunks of solid stone up to y 62. Veins make blocks of
a chunk depend on each other, so every comparison takes its variance from whole chunks.
"""

import functools

import jax
import numpy as np

from rlgpt_jax.envs.names import load
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, BYTE_OF, IS_SOLID
from rlgpt_jax.envs.voxel.terrain.veins import lay_bedrock, lay_emeralds, lay_veins
from rlgpt_jax.envs.voxel.terrain.worldgen import generate
from tests.fidelity.row import Row

TOP = 62  # highest layer of stone
LAYERS = 4  # heights of a bin
LEAST = 0.1  # blocks a chunk that a bin must hold
RARE = 1e-4  # probability under which a difference is no accident
_STONES = {"granite": 1, "diorite": 3, "andesite": 5}
_ORES = ("coal", "iron", "gold", "redstone", "diamond", "lapis")


def rows(chunks: int = 300, worlds: int = 4) -> list[Row]:
    """Measures `chunks` lone chunks and `worlds` whole worlds."""
    table = load("ores")
    counts = count_chunks(chunks)
    mean = [_mean_row(name, counts, table) for name in table["mean_blocks_per_chunk"]]
    height = [_height_row(name, counts, table) for name in _ORES]
    return [*mean, *height, _worlds_row(worlds, table), _emerald_row(worlds), _left_row(worlds)]


@functools.cache
def count_chunks(chunks: int) -> dict[str, np.ndarray]:
    """By kind, int64[chunks, 64]: blocks at each y of lone chunks, spilt ones included.

    Bedrock is laid as in a world; what it takes of granite, diorite and andesite (3 %) is
    counted, as in the table. Of ores and earth it takes nothing.
    """
    bytes_ = _bytes()
    counts = {name: np.zeros((chunks, 64), np.int64) for name in bytes_}
    for chunk in range(chunks):
        rng = np.random.default_rng([0, chunk])
        blocks = stone(48, 48)
        lay_veins(rng, blocks, area=(16, 16))
        for name in _STONES:
            counts[name][chunk] = (blocks == bytes_[name]).sum((0, 1))
        lay_bedrock(rng, blocks)
        for name in set(bytes_) - set(_STONES):
            counts[name][chunk] = (blocks == bytes_[name]).sum((0, 1))
    return counts


def stone(size_x: int, size_z: int) -> np.ndarray:
    """uint8[X, Z, 64]: solid stone from y 0 to 62."""
    blocks = np.zeros((size_x, size_z, 64), np.uint8)
    blocks[..., : TOP + 1] = BLOCK_ID["stone"]
    return blocks


def _bytes() -> dict[str, int]:
    stones = {name: BYTE_OF["stone", meta] for name, meta in _STONES.items()}
    earths = {name: BLOCK_ID[name] for name in ("dirt", "gravel")}
    return {**earths, **stones, **{name: BLOCK_ID[f"{name}_ore"] for name in _ORES}}


def _mean_row(name: str, counts: dict[str, np.ndarray], table: dict) -> Row:
    total = counts[name].sum(1)
    expected = table["mean_blocks_per_chunk"][name]
    error = total.std(ddof=1) * np.sqrt(1 / len(total) + 1 / table["chunks"])
    z = (total.mean() - expected) / error
    measured = f"{total.mean():.2f} of {expected:.2f} a chunk, z = {z:+.1f}"
    return Row("ores", f"{name}: blocks a chunk", measured, "|z| < 4", bool(abs(z) < 4))


def _height_row(name: str, counts: dict[str, np.ndarray], table: dict) -> Row:
    """Hotelling's test on bins of heights: chi-square with the chunks' covariance."""
    expected = np.array(table["mean_per_chunk_by_y"][name]).reshape(-1, LAYERS).sum(1)
    bins = counts[name].reshape(len(counts[name]), -1, LAYERS).sum(2)
    kept = expected >= LEAST
    away = bins.mean(0)[kept] - expected[kept]
    spread = np.cov(bins[:, kept].T) * (1 / len(bins) + 1 / table["chunks"])
    square, degrees = float(away @ np.linalg.solve(spread, away)), int(kept.sum())
    # A sample's covariance is too small on average when bins are many.
    square *= (len(bins) - degrees - 1) / (len(bins) - 1)
    chance = float(jax.scipy.special.gammaincc(degrees / 2, square / 2))
    measured = f"chi2 = {square:.1f} in {degrees} bins, p = {chance:.3f}"
    return Row("ores", f"{name}: by height", measured, f"p > {RARE:g}", chance > RARE)


def _worlds_row(worlds: int, table: dict) -> Row:
    """Whole worlds of stone, in which veins of neighbours meet."""
    bytes_ = _bytes()
    found = dict.fromkeys(bytes_, 0.0)
    for seed in range(worlds):
        blocks = stone(96, 96)
        lay_veins(np.random.default_rng([1, seed]), blocks)
        for name, byte in bytes_.items():
            found[name] += float((blocks == byte).sum()) / 36 / worlds
    parts = {n: found[n] / table["mean_blocks_per_chunk"][n] for n in ("coal", "iron", "redstone")}
    measured = ", ".join(f"{name} {part:.3f}" for name, part in parts.items())
    holds = all(abs(part - 1) < 0.06 for part in parts.values())
    return Row("ores", "whole worlds of stone, parts of the table", measured, "1 +- 0.06", holds)


def _emerald_row(worlds: int) -> Row:
    """3 to 8 tries a chunk; what meets another vein is lost."""
    found, heights = 0, []
    for seed in range(worlds):
        rng = np.random.default_rng([2, seed])
        blocks = stone(96, 96)
        lay_veins(rng, blocks)
        lay_emeralds(rng, blocks)
        heights.append(np.nonzero(blocks == BLOCK_ID["emerald_ore"])[2])
        found += len(heights[-1])
    y = np.concatenate(heights)
    mean = found / worlds / 36
    measured = f"{mean:.2f} a chunk at y {y.min()} to {y.max()}"
    holds = 4.6 < mean <= 5.5 and y.min() >= 4 and y.max() <= 31
    return Row("ores", "emerald, 3 to 8 tries a chunk", measured, "4.6 to 5.5, y 4 to 31", holds)


def _left_row(worlds: int) -> Row:
    """What caves and the shape of the land leave, for the reader."""
    made = [generate(seed, "forest", WorldParams()).blocks for seed in range(worlds)]
    iron = np.mean([(blocks == BLOCK_ID["iron_ore"]).sum() for blocks in made]) / 36
    hollow = np.mean([1 - IS_SOLID[blocks[..., 5:55]].mean() for blocks in made])
    measured = f"{iron:.0f} iron a chunk; {100 * hollow:.1f} % of y 5 to 54 is hollow"
    return Row("ores", "forests with caves", measured, "", True)
