"""Where the time of training goes: world, rays, render, policy, macros, update.

The host driver measures policy, world with its senses, macros and update while it trains.
The device driver runs all but the update in one program, so its parts are differences
between programs that lack one: training without macros, worlds without pictures, worlds
without rays. What is left of a rollout is the policy with its bookkeeping. In both the
world's time is split into rules, rays and pictures by worlds that lack the others, in
turns. Programs fuse across parts, so that shares are good to a few per cent.
"""

from experiments.bench import ppo, turns, world
from experiments.bench.setting import Setting
from experiments.bench.table import Row
from experiments.bench.turns import Contestant
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.rl.actions import empty_space

PARTS = ("world", "rays", "render", "policy", "macros", "update")


def measure(setting: Setting, lanes: int, seconds: float) -> list[Row]:
    """One row: shares of the wall time of an update."""
    ticks = setting.config.ppo.unroll_length
    measured = ppo.updates(setting, setting.world(lanes), ppo.one_macro(), seconds)
    count, total = len(measured), ppo.wall(measured, lanes * ticks)
    senses = sense_seconds(setting, lanes, seconds)
    if setting.driver == "host":
        parts = {
            "policy": ppo.share(measured, "time_policy", total),
            "macros": ppo.share(measured, "time_macros", total),
        } | split(senses, ppo.share(measured, "time_world", total))
    else:
        plain = ppo.updates(setting, setting.world(lanes), empty_space(), seconds)
        rolled = ppo.share(measured, "time_rollout", total)
        without = ppo.share(plain, "time_rollout", total * len(plain) / count)
        whole = sum(senses.values()) * ticks * count / total
        parts = remainders(rolled, without, whole) | split(senses, min(whole, without))
    parts["update"] = ppo.share(measured, "time_update", total)
    numbers = {"lanes": float(lanes), "steps_per_second": lanes * ticks * count / total}
    numbers |= {f"share {part}": parts.get(part, 0.0) for part in PARTS}
    return [Row("breakdown", f"{setting.name}, {setting.driver} driver", numbers)]


def split(senses: dict[str, float], of: float) -> dict[str, float]:
    """A share of the time, dealt out as the senses' seconds are."""
    whole = sum(senses.values())
    return {name: of * part / whole for name, part in senses.items()}


def remainders(rolled: float, without_macros: float, whole_world: float) -> dict[str, float]:
    """Shares of macros and policy from what programs take that lack a part."""
    return {
        "macros": max(0.0, rolled - without_macros),
        "policy": max(0.0, min(rolled, without_macros) - whole_world),
    }


def sense_seconds(setting: Setting, lanes: int, seconds: float) -> dict[str, float]:
    """Seconds per tick of rules, rays and pictures; parts that the world lacks are absent."""
    ready = worlds(setting, lanes)
    rates = turns.measure(ready, seconds)
    took = [one.lanes / rates[one.name].median for one in ready]
    steps = [max(0.0, now - before) for before, now in zip([0.0, *took], took)]
    return dict(zip((one.name for one in ready), steps))


def worlds(setting: Setting, lanes: int) -> list[Contestant]:
    """Worlds that sense more and more, each named by what it adds."""
    env = setting.env(lanes)
    plain = VoxelEnv(env.task, env.sizes, lanes, env.default_params.pool)

    def fresh() -> VoxelEnv | HostVoxel:
        """One that draws no pictures, as the driver takes it."""
        return HostVoxel(plain) if setting.driver == "host" else plain

    found = [world.ready("world", fresh(), rays=False), world.ready("rays", fresh())]
    if setting.config.network.image_size:
        found.append(world.ready("render", setting.world(lanes)))
    return found
