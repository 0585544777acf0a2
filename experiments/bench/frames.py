"""Pictures per second against their size, the world's step and its rays included.

Every picture is of another tick of a world that moves on: nothing is drawn twice. Larger
pictures are drawn in fewer lanes, so that a call is about as much work at every size.
"""

from collections.abc import Callable, Iterator, Sequence

from experiments.bench import turns, world
from experiments.bench.table import Row
from experiments.bench.turns import Contestant
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel

BASE_PIXELS = 64 * 64
RENDERERS = {"host": ("numba", "jax"), "device": ("jax",)}
Size = tuple[int, int]


def lanes_for(at: int, size: Size) -> int:
    """As many lanes as have the pixels of `at` lanes of 64 x 64; at least one."""
    return max(1, min(at, at * BASE_PIXELS // (size[0] * size[1])))


def make(env: VoxelEnv, driver: str, renderer: str, size: Size) -> Contestant:
    """A world that draws, ready to run."""
    if driver == "device":
        pool = env.default_params.pool
        seeing = VoxelEnv(env.task, env.sizes, env.num_envs, pool, image_size=size)
        return world.on_device(renderer, seeing)
    return world.on_host(renderer, HostVoxel(env, image_size=size, renderer=renderer))


def measure(
    env_of: Callable[[int], VoxelEnv], driver: str, at: int, sizes: Sequence[Size], seconds: float
) -> Iterator[Row]:
    """One row per size and renderer; the renderers of one size in turns."""
    for size in sizes:
        env = env_of(lanes_for(at, size))
        ready = [make(env, driver, name, size) for name in RENDERERS[driver]]
        rates = turns.measure(ready, seconds)
        about = {"height": size[0], "width": size[1], "pixels": size[0] * size[1]}
        for one in ready:
            yield Row("frames", one.name, {**about, **turns.numbers(one, rates[one.name])})
