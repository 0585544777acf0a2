"""Plays a task to its end: plans, does the steps, plans anew when one does not succeed."""

from typing import NamedTuple

from rlgpt_jax.envs.tasks.tasks import get_task
from tests.envs.solver import plans
from tests.envs.solver.game import Game, Over
from tests.envs.solver.moving import Stuck
from tests.envs.solver.skills import Player


class Result(NamedTuple):
    """How an episode ended."""

    success: bool
    tick: int
    why: str
    reward: float
    game: Game
    told: list[str]  # what did not succeed on the way


def solve(name: str, seed: int = 0, tries: int = 8) -> Result:
    """Plays one episode of a task."""
    game = Game(name, seed)
    player = Player(game)
    told: list[str] = []
    try:
        for _ in range(tries):
            before = game.tick
            try:
                for step in plans.plan(get_task(name), game.inventory(), player.standing()):
                    do(player, step)
            except Stuck as problem:
                told.append(f"tick {game.tick}: {problem}")
            if game.tick == before:
                game.wait(100)  # for animals to come near, items to fall
    except Over as over:
        return Result(over.success, over.tick, over.why, game.reward, game, told)
    return Result(False, game.tick, "gave up", game.reward, game, told)


def do(player: Player, step: plans.Step) -> None:
    """One step of a plan."""
    kind, name, number = step
    station = plans.station_of(step)
    if station:
        player.at(station)
    if kind == "smelt" and player.game.count("planks"):
        player.hold("planks")  # fuel is taken from the hand on, and tools of wood burn
    if kind == "gather":
        player.gather(name, number, *plans.RAW[name][0])
    elif kind == "craft" or kind == "smelt":
        player.craft(name, number)
    elif kind == "place":
        player.at(name)
    elif kind == "fetch":
        player.fetch(name)
    elif kind == "milk":
        player.use_on("cow", "bucket")
    else:
        hunt(player, kind, name, number)


def hunt(player: Player, kind: str, item: str, number: int) -> None:
    """Shears or kills until there are so many more pieces."""
    target = player.game.count(item) + number
    for _ in range(6 * number + 6):
        if player.game.count(item) >= target:
            return
        if kind == "shear":
            player.use_on("sheep", "shears")
        else:
            player.kill(plans.HUNT[item])
    raise Stuck(f"{player.game.count(item)} of {target} {item}")
