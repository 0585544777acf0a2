"""Instances that wait for clients."""

import argparse
import functools
import os
import re
import time
from pathlib import Path

from experiments import machine
from experiments.values import ConfigError
from rlgpt_jax.envs.minedojo.standin.game import Game
from rlgpt_jax.envs.minedojo.standin.instance import Fault, Instance
from rlgpt_jax.envs.minedojo.standin.lands import Lands
from rlgpt_jax.envs.minedojo.standin.mission import Mission
from rlgpt_jax.envs.tasks import get_task
from rlgpt_jax.envs.voxel.params import WorldParams

SMALL = WorldParams(size_x=32, size_z=32, size_y=40, sea_level=16, num_worlds=2)
# What MineDojo's launcher waits for in the output of the game.
PORT_MARK, READY_MARK = "***** Start MalmoEnvServer on port ", "CLIENT enter state: DORMANT"


def lands_of(options: argparse.Namespace) -> Lands:
    """The worlds that the command line asks for."""
    if options.worlds < 1:
        raise ConfigError(f"--worlds={options.worlds}: need 1 or more.")
    params = SMALL if options.small else WorldParams(num_worlds=options.worlds)
    given = os.environ.get("RLGPT_CACHE")
    cache = Path(given) if given else machine.CACHE / "worlds"
    return Lands(get_task(options.task), params, options.split, cache)


def warm(lands: Lands) -> None:
    """Compiles what every game needs, so that the first mission is quick."""
    game = Game(lands)
    game.begin(Mission((16, 16), biome=None))
    game.step("")


def serve(options: argparse.Namespace) -> int:
    """Serves until it is interrupted or all instances were told to exit."""
    if options.instances < 1 or not 0 <= options.lane < options.instances:
        raise ConfigError(f"--instances={options.instances} --lane={options.lane}: need 1 or more "
                          "instances, and a lane of them.")
    lands, fault = lands_of(options), _fault(options)
    warm(lands)
    instances = [
        Instance(
            functools.partial(Game, lands, options.seed + k, options.lidar), options.port + k,
            fault if k == options.lane else None, _say,
        )
        for k in range(options.instances)
    ]  # fmt: skip
    ports = f"{options.port} to {options.port + options.instances - 1}"
    _say(f"serving {options.instances} instances of {options.task} on ports {ports}")
    try:
        while not all(instance.exited.is_set() for instance in instances):
            time.sleep(0.2)
    except KeyboardInterrupt:
        pass
    for instance in instances:
        instance.close()
    return 0


def game(options: argparse.Namespace) -> int:
    """One instance in the place of a game that MineDojo's launcher has started."""
    port = read_port(options.run_dir)
    lands = lands_of(options)
    _say(f"a stand-in for Minecraft: {options.task}, port {port}")
    warm(lands)
    instance = Instance(
        functools.partial(Game, lands, options.seed, options.lidar), port, _fault(options), _say,
        on_kill=lambda: os._exit(137),
    )  # fmt: skip
    _say(f"{PORT_MARK}{instance.port}")
    _say(READY_MARK)
    while not instance.exited.wait(1.0):
        if os.getppid() == 1:  # the launcher is gone
            instance.close()
    return 0


def read_port(run_dir: Path) -> int:
    """The port that the launcher has written down for the game.

    Raises:
      ConfigError: there is no such file, or no port in it.
    """
    path = run_dir / "config" / "malmomodCLIENT.cfg"
    if not path.exists():
        raise ConfigError(f"no {path}: --run-dir is the folder that MineDojo's launcher made.")
    found = re.search(r"portOverride=(\d+)", path.read_text())
    if not found:
        raise ConfigError(f"no portOverride in {path}.")
    return int(found.group(1))


def _fault(options: argparse.Namespace) -> Fault | None:
    return Fault(options.fault, options.at, options.away) if options.fault else None


def _say(words: str) -> None:
    print(words, flush=True)
