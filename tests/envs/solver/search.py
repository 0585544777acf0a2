"""The cheapest way through a world: walking, jumping, dropping, swimming and digging.

A node is the cell of the feet; costs are ticks. The search is Dijkstra's over the whole
periodic world, so the nearest of many goals (every log, every ore) is one search.
"""

import heapq
from typing import NamedTuple

import numba
import numpy as np

from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.voxel.rules.blocks.blocks import (
    BLOCKS,
    FIRST_LAVA,
    FIRST_WATER,
    HARDNESS,
    IS_SOLID,
    LAST_LAVA,
    LAST_WATER,
    is_one_of,
)
from rlgpt_jax.envs.voxel.rules.player import tools

Cell = tuple[int, int, int]
WALK, SWIM, DIG_MORE = 5.0, 14.0, 8.0  # ticks per block; aiming and the delay of mining
NEVER = np.float32(np.inf)
FALLS = is_one_of("sand", "gravel")
HURTS = is_one_of("cactus", "fire", "web")
WATER = (np.arange(256) >= FIRST_WATER) & (np.arange(256) <= LAST_WATER)
LAVA = (np.arange(256) >= FIRST_LAVA) & (np.arange(256) <= LAST_LAVA)
# What one can stand on: full blocks. Others are dug through, not stood on.
PARTIAL = is_one_of(
    "chest", "cactus", "fence", "cobblestone_wall", "ladder", "bed", "stone_slab", "web",
    "wooden_slab", "oak_stairs", "stone_stairs", "wooden_door", "trapdoor", "fence_gate",
    "iron_door", "snow_layer", "glass_pane", "iron_bars", "carpet", "soul_sand",
)  # fmt: skip
FULL = IS_SOLID & ~PARTIAL


class Terrain(NamedTuple):
    """What a way through the world costs, per cell [X, Z, Y]."""

    clear: np.ndarray  # float32, ticks to make the cell free, 0 if it is, inf if it must stay
    full: np.ndarray  # bool, can be stood on
    water: np.ndarray  # bool


def mining_ticks(byte: int, tool: str) -> float:
    """Ticks to break a block standing on the ground."""
    index = 0 if tool == "hand" else int(tools.TOOL_OF_ITEM[NAME_ID[tool]])
    divisor = 30.0 if tools.HARVESTS[index, byte] else 100.0
    hardness = HARDNESS[byte]
    if hardness < 0:
        return float("inf")
    return float(np.ceil(hardness * divisor / tools.SPEED[index, byte]))


def best_tool(byte: int, held: list[str], harvest: bool = False) -> str:
    """The fastest of some tools; if asked for one that leaves the drop."""
    index = lambda t: 0 if t == "hand" else int(tools.TOOL_OF_ITEM[NAME_ID[t]])  # noqa: E731
    fit = [t for t in ["hand", *held] if not harvest or tools.HARVESTS[index(t), byte]]
    return min(fit or ["hand"], key=lambda t: mining_ticks(byte, t))


def survey(blocks: np.ndarray, held: list[str], speed: float = 1.0) -> Terrain:
    """Reads the costs of a world uint8[X, Z, Y] off, given the tools at hand."""
    ticks = np.zeros(256, np.float32)
    for byte in range(1, len(BLOCKS)):
        if IS_SOLID[byte]:
            ticks[byte] = min(mining_ticks(byte, t) for t in ["hand", *held]) / speed + DIG_MORE
    ticks[LAVA | HURTS] = NEVER
    water, lava = WATER[blocks], LAVA[blocks]
    clear = ticks[blocks]
    digs = clear > 0
    # A dug cell must not let a liquid in or a block fall, nor may one walk beside lava.
    wet = _beside(water, below=False)
    clear[digs & (wet | _above(FALLS[blocks]))] = NEVER
    clear[_beside(lava | HURTS[blocks], below=True)] = NEVER
    return Terrain(clear, FULL[blocks], water)


def _above(mask: np.ndarray) -> np.ndarray:
    """bool[X, Z, Y]: the cell above is in the mask."""
    result = np.zeros_like(mask)
    result[..., :-1] = mask[..., 1:]
    return result


def _beside(mask: np.ndarray, below: bool) -> np.ndarray:
    """bool[X, Z, Y]: a neighbour above, at the sides or below is in the mask."""
    result = _above(mask)
    for axis in (0, 1):
        result |= np.roll(mask, 1, axis) | np.roll(mask, -1, axis)
    if below:
        result[..., 1:] |= mask[..., :-1]
    return result


def route(terrain: Terrain, start: Cell, goals: np.ndarray, limit: float) -> list[Cell] | None:
    """Cells of the feet from `start` to the cheapest goal, both included.

    Args:
      terrain: the world.
      start: unwrapped cell; the way is unwrapped with it.
      goals: bool[X, Z, Y] of feet cells.
      limit: ticks; what costs more is not found.
    """
    x, y, z = start
    size_x, size_z, _ = terrain.clear.shape
    steps = _dijkstra(*terrain, goals, x % size_x, y, z % size_z, float(limit))
    if len(steps) == 0:
        return None
    way = [start]
    for dx, dy, dz in steps[1:]:
        px, py, pz = way[-1]
        way.append((px + int(dx), py + int(dy), pz + int(dz)))
    return way


@numba.njit(cache=True)
def _dijkstra(clear, full, water, goals, start_x, start_y, start_z, limit):
    size_x, size_z, size_y = clear.shape
    cost = np.full(clear.shape, np.inf)
    back = np.zeros((*clear.shape, 3), np.int8)  # the move that led here
    cost[start_x, start_z, start_y] = 0.0
    heap = [(0.0, start_x, start_z, start_y)]
    while len(heap) > 0:
        spent, x, z, y = heapq.heappop(heap)
        if spent > cost[x, z, y]:
            continue
        if spent > limit:
            break
        if goals[x, z, y]:
            return _trace(back, x, z, y, start_x, start_z, start_y)
        for dx in range(-1, 2):
            for dz in range(-1, 2):
                tx, tz = (x + dx) % size_x, (z + dz) % size_z
                diagonal = dx != 0 and dz != 0
                for dy in range(-3, 2):
                    if dx == 0 and dz == 0 and dy != -1:
                        continue
                    if diagonal and dy != 0:
                        continue
                    ty = y + dy
                    if ty < 1 or ty + 3 >= size_y:
                        continue
                    if not full[tx, tz, ty - 1] and not water[tx, tz, ty]:
                        continue
                    work = clear[tx, tz, ty]
                    if dx != 0 or dz != 0:
                        work += clear[tx, tz, ty + 1]
                    for above in range(ty + 2, y + 2):  # what a drop passes through
                        if dx != 0 or dz != 0:
                            work += clear[tx, tz, above]
                    if dy == 1:
                        work += clear[x, z, y + 2]
                    if dy < -1 and work > 0:
                        continue
                    if diagonal:
                        work += clear[tx, z, y] + clear[tx, z, y + 1]
                        work += clear[x, tz, y] + clear[x, tz, y + 1]
                        # Over an edge one would fall, in water one would drift.
                        if work > 0 or not full[tx, z, y - 1] or not full[x, tz, y - 1]:
                            continue
                    work += 7.0 if diagonal else WALK
                    if water[tx, tz, ty]:
                        work += SWIM
                    if dy == 1:
                        work += 5.0
                    total = spent + work
                    if total < cost[tx, tz, ty]:
                        cost[tx, tz, ty] = total
                        back[tx, tz, ty, 0], back[tx, tz, ty, 1] = dx, dy
                        back[tx, tz, ty, 2] = dz
                        heapq.heappush(heap, (total, tx, tz, ty))
    return np.zeros((0, 3), np.int64)


@numba.njit(cache=True)
def _trace(back, x, z, y, start_x, start_z, start_y):
    size_x, size_z, _, _ = back.shape
    steps = [(0, 0, 0)]
    while not (x == start_x and z == start_z and y == start_y):
        dx, dy, dz = back[x, z, y, 0], back[x, z, y, 1], back[x, z, y, 2]
        steps.append((dx, dy, dz))
        x, y, z = (x - dx) % size_x, y - dy, (z - dz) % size_z
    steps.append((0, 0, 0))
    result = np.zeros((len(steps) - 1, 3), np.int64)
    for i in range(len(steps) - 1):
        dx, dy, dz = steps[len(steps) - 1 - i]
        result[i, 0], result[i, 1], result[i, 2] = dx, dy, dz
    return result


def to_clear(here: Cell, there: Cell) -> list[Cell]:
    """The cells that a move needs free, in the order in which they can be reached."""
    (x, y, z), (tx, ty, tz) = here, there
    if (x, z) == (tx, tz):
        return [there]
    cells = [(x, y + 2, z)] if ty > y else []
    cells += [(tx, level, tz) for level in range(max(y, ty) + 1, ty - 1, -1)]
    return cells


def near(mask: np.ndarray) -> np.ndarray:
    """bool[X, Z, Y]: feet cells from which a body touches a cell of the mask."""
    result = mask.copy()
    result[..., :-1] |= mask[..., 1:]  # the head's cell
    return result
