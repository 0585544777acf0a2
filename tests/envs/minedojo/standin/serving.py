"""Instances of the stand-in on flat ground, for tests."""

import functools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rlgpt_jax.envs.tasks.tasks import get_task
from tests.doubles.minecraft.game import Game
from tests.doubles.minecraft.instance import Fault, Instance
from tests.doubles.minecraft.lands import Lands
from tests.doubles.minecraft.mission import Mission, Ray, Stack
from tests.doubles.minecraft.serve import SMALL as PARAMS
from tests.envs.minedojo.standin.client import SIZE, Client
from tests.envs.voxel import worlds

GROUND = 18  # y of the first free cell
CUBE = ((-1, 1),) * 3
BUCKET = Stack(0, "bucket", 0, 1)
# Where missions of `begin` start: in the middle of a block, looking south and level.
PLACE = (8.5, float(GROUND), 8.5, 0.0, 0.0)


@functools.cache
def lands() -> Lands:
    """One compiled world for all tests, that of `tests.doubles.minecraft --small` too."""
    flat = worlds.pool(PARAMS, GROUND)
    return Lands(get_task("harvest_milk"), PARAMS, load=lambda biome: flat)


def make_game(seed: int = 0, lidar: str = "view") -> Game:
    return Game(lands(), seed, lidar)


def begin(game: Game, *inventory: Stack, rays: tuple[Ray, ...] | None = None, **more) -> dict:
    """Starts a mission; returns what the client is told."""
    game.begin(Mission(SIZE, inventory, grid=CUBE, rays=rays, placement=PLACE, **more))
    return told(game)


def told(game: Game) -> dict:
    """The JSON of the last tick, read."""
    return json.loads(game.info())


@contextmanager
def serving(
    fault: Fault | None = None, lidar: str = "view", seed: int = 0, **options: Any
) -> Iterator[Instance]:
    """An instance on a free port; `options` are others of its own."""
    make = functools.partial(make_game, seed, lidar)
    instance = Instance(make, fault=fault, **options)
    try:
        yield instance
    finally:
        instance.close()


@contextmanager
def connected(lidar: str = "view", seed: int = 0) -> Iterator[Client]:
    """A client of an instance of its own."""
    with serving(lidar=lidar, seed=seed) as instance:
        client = Client(instance.port)
        try:
            yield client
        finally:
            client.close()
