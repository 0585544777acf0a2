"""From options to a played session."""

import sys

from rich.console import Console

from experiments import machine
from experiments.play import headless, window
from experiments.play.actions_file import read_actions
from experiments.play.options import Options
from experiments.play.session import Session
from experiments.values import refusing
from rlgpt_jax.envs.voxel.terrain.pool import load_pool


def run(options: Options) -> None:
    """Plays the file of actions, or opens the window.

    Raises:
      ConfigError: a bad file of actions, a biome that there is not, no pygame, no
        display.
    """
    console = Console(file=sys.stdout)
    actions = read_actions(options.actions) if options.actions else None
    if actions is None:
        window.load_pygame()  # before the worlds are made, which takes its time
    task, cache = options.task, machine.CACHE / "worlds"
    with console.status("Worlds and the compiler") as status:

        def tell(done: int, of: int) -> None:
            status.update(f"Worlds: {done} of {of}")

        with refusing(ValueError):
            pool = load_pool(task.biome, "train", options.world, cache, tell)
        session = Session(task, options.world, pool, options.seed)
    if actions is None:
        window.Window(session, options.record).run()
    else:
        headless.play(session, actions, console, options.record, options.out)
