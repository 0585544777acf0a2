"""Ours and the peers, in turns in one process, each with random actions."""

from collections.abc import Callable
from pathlib import Path

from experiments.bench import frames, turns, world
from experiments.bench.peers import craftax, jaxenstein, minedojo, pong
from experiments.bench.peers.missing import Missing
from experiments.bench.table import Row
from experiments.bench.turns import Contestant
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel

SIZE = (64, 64)
RATIOS = (craftax.SYMBOLIC, craftax.PIXELS, f"JAXenstein {SIZE[0]}x{SIZE[1]}")


def ours(env: VoxelEnv, driver: str) -> list[Callable[[], Contestant]]:
    """The world with rays, and with a picture as large as the closest peer's."""
    renderer = frames.RENDERERS[driver][0]
    picture = f"ours, {SIZE[0]}x{SIZE[1]} pictures by {renderer}"
    if driver == "device":
        return [
            lambda: world.on_device("ours, no rays", world.Blind(env)),
            lambda: world.on_device("ours, with rays", env),
            lambda: named(picture, frames.make(env, driver, renderer, SIZE)),
        ]
    return [
        lambda: world.on_host("ours, no rays", HostVoxel(env), rays=False),
        lambda: world.on_host("ours, with rays", HostVoxel(env)),
        lambda: named(picture, frames.make(env, driver, renderer, SIZE)),
    ]


def named(name: str, one: Contestant) -> Contestant:
    return Contestant(name, one.lanes, one.run, one.ticks, one.device)


def theirs(lanes: int, checkout: Path | None) -> list[Callable[[], Contestant]]:
    return [
        lambda: craftax.make(craftax.SYMBOLIC, lanes),
        lambda: craftax.make(craftax.PIXELS, lanes),
        lambda: jaxenstein.make(checkout, lanes, SIZE[0]),
        lambda: pong.make(lanes),
    ]


def ready(makers: list[Callable[[], Contestant]]) -> tuple[list[Contestant], list[str]]:
    """Those that could be made, and a line for each that could not."""
    found, missing = [], []
    for make in makers:
        try:
            found.append(make())
        except Missing as error:
            missing.append(str(error))
    return found, missing


def measure(
    env: VoxelEnv,
    driver: str,
    seconds: float,
    checkout: Path | None = None,
    interpreter: Path | None = None,
) -> tuple[list[Row], list[str]]:
    """Rows with ratios of every rate to some peers', and lines on what is missing."""
    contestants, missing = ready(ours(env, driver) + theirs(env.num_envs, checkout))
    rates = turns.measure(contestants, seconds)
    rows = [
        Row("peers", one.name, turns.numbers(one, rates[one.name]), one.device)
        for one in contestants
    ]
    try:  # a process of its own, after the turns
        rows.append(minedojo.measure(interpreter, seconds))
    except Missing as error:
        missing.append(str(error))
    return with_ratios(rows), missing


def with_ratios(rows: list[Row]) -> list[Row]:
    """Adds to every row its rate divided by those of `RATIOS` that were measured."""
    rate = {row.name: row.numbers["steps_per_second"] for row in rows}
    return [
        Row(row.part, row.name, row.numbers | {
            f"times {name}": rate[row.name] / rate[name] for name in RATIOS if name in rate
        }, row.device)
        for row in rows
    ]  # fmt: skip
