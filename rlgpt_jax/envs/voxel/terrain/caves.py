"""Caves: winding tunnels and rooms through the stone, lava at their bottom.

Numbers are those of Minecraft 1.11.2 (systems a chunk, heights, widths, how tunnels turn
and fork); sea level 62, scaled for lower test worlds. Tunnels keep two blocks away from
water and lava of the surface, so nothing flows. What the game does not do: a world with
less than half the usual number of systems gets more, and one whose caves hardly open to
the sky gets a way in.
"""

from typing import NamedTuple

import numpy as np

from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID, IS_LIQUID, IS_SOLID, is_one_of

kernel = make_kernel("terrain/caves.py")

LAVA_LEVEL = 10  # highest cell that lava fills
_SHELL = 2  # blocks left between a cave and a liquid
_FLAT = -0.7  # height of a tunnel's floor, in radii below its middle
_ENTRANCE = 1.9  # radius of a way in that is dug because there was none
_SLOPE = 0.75  # its fall, in blocks a block
_OPEN = 20.0  # cells a chunk of caves that the open air must reach
CARVED = IS_SOLID & ~is_one_of("bedrock")
_FALLING = is_one_of("sand", "gravel")
_STAND_IN = np.zeros(256, np.uint8)  # what takes the place of sand and gravel that would fall
_STAND_IN[is_one_of("sand")] = BLOCK_ID["sandstone"]
_STAND_IN[is_one_of("gravel")] = BLOCK_ID["stone"]
_LAVA = np.uint8(BLOCK_ID["lava"])


class Limits(NamedTuple):
    """Where one may dig: not from `low` to `high`, and lava up to `lava`."""

    low: np.ndarray  # int32[X, Z]
    high: np.ndarray  # int32[X, Z]
    lava: int


def dig_caves(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, sea_level: int
) -> None:
    """In place: caves under the ground of a world of stone, earth and surface water.

    Args:
      rng: drawn from.
      blocks: uint8[X, Z, Y], periodic in x and z.
      height: int32[X, Z], y of the ground.
      sea_level: heights are scaled by it / 62.
    """
    scale = sea_level / 62.0
    limits = Limits(*_shells(blocks), max(1, round(LAVA_LEVEL * scale)))
    chunks = blocks.shape[0] * blocks.shape[1] // 256
    systems = sum(_systems(rng) for _ in range(chunks))
    for _ in range(max(systems, 1 + chunks // 9)):
        y = float(rng.integers(rng.integers(120) + 8)) * scale
        x, z = (float(rng.uniform(0, size)) for size in blocks.shape[:2])
        _system(rng, blocks, limits, (x, y, z))
    _open_to_sky(rng, blocks, height, limits)
    _prop_up(blocks, _FALLING, IS_SOLID, _STAND_IN)


def _systems(rng: np.random.Generator) -> int:
    """Cave systems that start in a chunk: none in 6 of 7, else up to 14, rather few."""
    if rng.integers(7):
        return 0
    return int(rng.integers(rng.integers(rng.integers(15) + 1) + 1))


def _shells(blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int32[X, Z] twice: the lowest and highest y that a liquid near a column forbids."""
    liquid = IS_LIQUID[blocks]
    wet, size_y = liquid.any(2), blocks.shape[2]
    low = np.where(wet, liquid.argmax(2), 2 * size_y)
    high = np.where(wet, size_y - 1 - liquid[..., ::-1].argmax(2), -1)
    steps = range(-_SHELL, _SHELL + 1)
    for axis in (0, 1):
        low = np.min([np.roll(low, step, axis) for step in steps], axis=0)
        high = np.max([np.roll(high, step, axis) for step in steps], axis=0)
    return (low - _SHELL).astype(np.int32), (high + _SHELL).astype(np.int32)


def _system(
    rng: np.random.Generator, blocks: np.ndarray, limits: Limits, start: tuple[float, float, float]
) -> None:
    """One tunnel, or in 1 of 4 a room with up to 4 tunnels from it."""
    tunnels = 1
    if not rng.integers(4):
        radius = 1.5 + 1.0 + 6.0 * rng.random()
        _hollow(blocks, CARVED, *limits, *start, radius, radius / 2.0)
        tunnels += int(rng.integers(4))
    for _ in range(tunnels):
        yaw, pitch = rng.uniform(0, 2 * np.pi), rng.uniform(-0.125, 0.125)
        radius = 2.0 * rng.random() + rng.random()
        if not rng.integers(10):
            radius *= rng.random() * rng.random() * 3.0 + 1.0
        length = 112 - int(rng.integers(28))
        fork = int(rng.integers(length // 2)) + length // 4 if radius > 1.0 else length
        end = _tunnel(rng, blocks, CARVED, *limits, *start, yaw, pitch, radius, 0, fork, length)
        for side in (-np.pi / 2, np.pi / 2) if fork < length else ():
            _tunnel(
                rng, blocks, CARVED, *limits, *end[:3], end[3] + side, end[4] / 3.0,
                0.5 + 0.5 * rng.random(), fork, length, length,
            )  # fmt: skip


@kernel
def _tunnel(rng, blocks, carved, low, high, lava, x, y, z, yaw, pitch, radius, first, last, length):
    """Digs steps `first` to `last` of a tunnel that is widest in the middle of `length`.

    Returns where it has come to: (x, y, z, yaw, pitch).
    """
    turn, bend = 0.0, 0.0
    steep = rng.random() * 6.0 < 1.0
    for step in range(first, last):
        wide = 1.5 + np.sin(np.pi * step / length) * radius
        x += np.cos(yaw) * np.cos(pitch)
        z += np.sin(yaw) * np.cos(pitch)
        y += np.sin(pitch)
        pitch = pitch * (0.92 if steep else 0.7) + bend * 0.1
        yaw += turn * 0.1
        bend = 0.9 * bend + (rng.random() - rng.random()) * rng.random() * 2.0
        turn = 0.75 * turn + (rng.random() - rng.random()) * rng.random() * 4.0
        if rng.random() * 4.0 >= 1.0:
            _hollow(blocks, carved, low, high, lava, x, y, z, wide, wide)
    return x, y, z, yaw, pitch


@kernel
def _hollow(blocks, carved, low, high, lava, x, y, z, radius, half_height):
    """Digs a ball with a flat floor."""
    size_x, size_z, size_y = blocks.shape
    bottom = max(1, int(np.floor(y - half_height)))
    top = min(size_y - 1, int(np.floor(y + half_height)))
    for bx in range(int(np.floor(x - radius)), int(np.floor(x + radius)) + 1):
        for bz in range(int(np.floor(z - radius)), int(np.floor(z + radius)) + 1):
            flat = ((bx + 0.5 - x) / radius) ** 2 + ((bz + 0.5 - z) / radius) ** 2
            wx, wz = bx % size_x, bz % size_z
            for by in range(bottom, top + 1):
                rise = (by + 0.5 - y) / half_height
                if rise <= _FLAT or flat + rise * rise >= 1.0:
                    continue
                if not carved[blocks[wx, wz, by]] or low[wx, wz] <= by <= high[wx, wz]:
                    continue
                blocks[wx, wz, by] = _LAVA if by <= lava else 0


def ground_of(blocks: np.ndarray) -> np.ndarray:
    """int32[X, Z]: y of the highest block that is neither air nor liquid."""
    solid = IS_SOLID[blocks]
    return (blocks.shape[2] - 1 - solid[..., ::-1].argmax(2)).astype(np.int32)


def _open_to_sky(
    rng: np.random.Generator, blocks: np.ndarray, height: np.ndarray, limits: Limits
) -> None:
    """In place: digs down to the higher caves until some can be walked into."""
    below = np.arange(blocks.shape[2]) < height[..., None]
    for _ in range(8):
        outside = _outside(blocks, height)
        if (outside & below).sum() >= _OPEN * height.size / 256.0:
            return
        x, z, y = np.nonzero((blocks == 0) & below & ~outside)
        if not len(y):
            return
        goal = rng.choice(np.argsort(y)[-max(1, len(y) // 3) :])
        angle = rng.uniform(0, 2 * np.pi)
        path = _way_up(height, limits, (x[goal], y[goal], z[goal]), angle)
        for at in () if path is None else path:
            _hollow(blocks, CARVED, *limits, *at, _ENTRANCE, _ENTRANCE)


@kernel
def _outside(blocks, height):
    """bool[X, Z, Y]: air that the open air reaches through cells with air above or below."""
    size_x, size_z, size_y = blocks.shape
    seen = np.zeros(blocks.shape, np.bool_)
    queue = np.empty((blocks.size, 3), np.int32)
    end = 0
    for x in range(size_x):
        for z in range(size_z):
            for y in range(height[x, z] + 1, size_y):
                if blocks[x, z, y] == 0:
                    seen[x, z, y] = True
                    queue[end] = x, z, y
                    end += 1
    steps = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
    at = 0
    while at < end:
        x, z, y = queue[at]
        at += 1
        for dx, dz, dy in steps:
            nx, nz, ny = (x + dx) % size_x, (z + dz) % size_z, y + dy
            if ny < 1 or ny >= size_y - 1 or seen[nx, nz, ny] or blocks[nx, nz, ny] != 0:
                continue
            if blocks[nx, nz, ny + 1] == 0 or blocks[nx, nz, ny - 1] == 0:
                seen[nx, nz, ny] = True
                queue[end] = nx, nz, ny
                end += 1
    return seen


def _way_up(
    height: np.ndarray, limits: Limits, start: tuple[int, int, int], angle: float
) -> np.ndarray | None:
    """float64[S, 3]: a straight slope from a cell to the surface; None if water is near."""
    path = []
    x, y, z = (c + 0.5 for c in start)
    for _ in range(200):
        column = int(x) % height.shape[0], int(z) % height.shape[1]
        if limits.low[column] <= limits.high[column]:
            return None
        path.append((x, y, z))
        if y > height[column] + _ENTRANCE:
            return np.array(path)
        x, y, z = x + np.cos(angle), y + _SLOPE, z + np.sin(angle)
    return None


@kernel
def _prop_up(blocks, falling, holds, stand_in):
    """Sand and gravel over a hole become stone."""
    size_x, size_z, size_y = blocks.shape
    for x in range(size_x):
        for z in range(size_z):
            for y in range(1, size_y):
                byte = blocks[x, z, y]
                if falling[byte] and not holds[blocks[x, z, y - 1]]:
                    blocks[x, z, y] = stand_in[byte]
