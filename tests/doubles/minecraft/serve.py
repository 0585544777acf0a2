"""Instances that wait for clients."""

import argparse
import contextlib
import functools
import os
import re
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from experiments import machine
from experiments.values import ConfigError
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel.params import WorldParams
from tests.doubles.minecraft.game import Game
from tests.doubles.minecraft.instance import HOST, Fault, Instance
from tests.doubles.minecraft.lands import Lands
from tests.doubles.minecraft.mission import Mission

SMALL = WorldParams(size_x=32, size_z=32, size_y=40, sea_level=16, num_worlds=2)
# What MineDojo's launcher waits for in the output of the game.
PORT_MARK, READY_MARK = "***** Start MalmoEnvServer on port ", "CLIENT enter state: DORMANT"


def lands_of(options: argparse.Namespace) -> Lands:
    """The worlds that the command line asks for."""
    if options.worlds < 1:
        raise ConfigError(f"--worlds={options.worlds}: need 1 or more.")
    params = SMALL if options.small else WorldParams(num_worlds=options.worlds)
    return Lands(get_task(options.task), params, options.split, machine.CACHE / "worlds")


def warm(lands: Lands) -> None:
    """Compiles what every game needs, so that the first mission is quick."""
    game = Game(lands)
    game.begin(Mission((16, 16), biome=None))
    game.step("")


def serve(options: argparse.Namespace) -> int:
    """Serves until it is interrupted or all instances were told to exit."""
    if options.instances < 1 or not 0 <= options.lane < options.instances:
        raise ConfigError(
            f"--instances={options.instances} --lane={options.lane}: need 1 or more "
            "instances, and a lane of them."
        )
    lands, fault = lands_of(options), _fault(options)
    ports = range(options.port, options.port + options.instances)
    check_free(ports)
    warm(lands)
    with contextlib.ExitStack() as opened:
        instances = []
        for k, port in enumerate(ports):
            make_game = functools.partial(Game, lands, options.seed + k, options.lidar)
            instances.append(open_at(port, make_game, fault if k == options.lane else None))
            opened.callback(instances[-1].close)
        _say(f"serving {len(ports)} instances of {options.task} on ports {ports[0]} to {ports[-1]}")
        with contextlib.suppress(KeyboardInterrupt):
            while not all(instance.exited.is_set() for instance in instances):
                time.sleep(0.2)
    return 0


def game(options: argparse.Namespace) -> int:
    """One instance in the place of a game that MineDojo's launcher has started."""
    launcher = os.getppid()
    port = read_port(options.run_dir)
    lands, fault = lands_of(options), _fault(options)
    _say(f"a stand-in for Minecraft: {options.task}, port {port}")
    check_free([port])
    warm(lands)
    make_game = functools.partial(Game, lands, options.seed, options.lidar)
    instance = open_at(port, make_game, fault, on_kill=lambda: os._exit(137))
    _say(f"{PORT_MARK}{instance.port}")
    _say(READY_MARK)
    while not instance.exited.wait(1.0):
        if os.getppid() != launcher:  # it is gone, and somebody else has taken this process over
            instance.close()
    return 0


def check_free(ports: Sequence[int]) -> None:
    """Refuses ports that no instance can listen at, before worlds are built for it.

    Raises:
      ConfigError: one is no port, taken or not for this user.
    """
    if not (ports[0] > 0 and ports[-1] < 65_536):
        words = f"ports {ports[0]} to {ports[-1]} are not in 1..65535"
        raise ConfigError(f"--port={ports[0]}: {words}.")
    for port in ports:
        try:
            socket.create_server((HOST, port)).close()
        except OSError as error:
            raise _not_open(port, error) from error


def open_at(
    port: int,
    make_game: Callable[[], Game],
    fault: Fault | None,
    on_kill: Callable[[], None] | None = None,
) -> Instance:
    """An instance that says what happens.

    Raises:
      ConfigError: somebody has taken the port.
    """
    try:
        return Instance(make_game, port, fault, _say, on_kill)
    except OSError as error:
        raise _not_open(port, error) from error


def _not_open(port: int, error: OSError) -> ConfigError:
    return ConfigError(f"cannot listen at port {port}: {error.strerror}. Choose another.")


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
