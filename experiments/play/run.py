"""From options to a played session."""

import functools
import sys

from rich.console import Console

from experiments import machine
from experiments.play import headless, window
from experiments.play.actions_file import read_actions
from experiments.play.options import Options
from experiments.play.session import Session
from experiments.values import ConfigError
from rlgpt_jax.envs.voxel.terrain.pool import load_pool


def run(options: Options) -> None:
    """Plays the file of actions, or opens the window.

    Raises:
      ConfigError: a bad file of actions, a biome that there is not, no pygame, no
        display.
    """
    console = Console(file=sys.stdout)
    actions = read_actions(options.actions) if options.actions else None
    if not options.headless:
        window.load_pygame()  # before the worlds are made, which takes its time
    with console.status("Worlds and the compiler") as status:
        session = begin(options, lambda done, of: status.update(f"Worlds: {done} of {of}"))
    if actions is not None:
        headless.play(session, actions, console, options.record, options.out)
        return
    window.Window(session, options.record).run()


def begin(options: Options, on_worlds=lambda done, of: None) -> Session:
    """The worlds, and the first episode in them."""
    task = options.task
    cache = machine.CACHE / "worlds"
    load = functools.partial(load_pool, task.biome, "train", options.world, cache)
    try:
        pool = load(on_worlds)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    return Session(task, options.world, pool, options.seed)
