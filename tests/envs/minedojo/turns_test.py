"""Of several worlds one at a time has its games."""

import numpy as np
import pytest

from rlgpt_jax.envs.minedojo.turns import OnTurn, Turns


class Game:
    """A world that notes what is done with it."""

    num_envs, goal_names = 2, ("cow",)

    def __init__(self, name: str, made: list["Game"]):
        self.name, self.done, self.seed, self.is_open = name, [], 0, False
        self.taken = ""
        made.append(self)

    def reset(self, seed):
        self.seed, self.is_open = seed, True
        return f"{self.name} {seed}"

    def load(self, saved):
        return self.reset(saved["seed"] + 1)

    def send(self, lanes, action):
        self.done.append(("send", lanes.tolist(), action.tolist()))

    def receive(self):
        return "answer"

    def save(self):
        return {"seed": self.seed}

    def take_over(self, other):
        self.taken, other.is_open = other.name, False


def test_a_world_takes_its_turn_and_the_games_of_the_one_before():
    made: list[Game] = []
    turns = Turns()
    train, judge = (OnTurn(lambda n=name: Game(n, made), turns) for name in ("train", "judge"))
    assert (train.num_envs, train.goal_names) == (2, ("cow",))
    assert len(made) == 2 and not any(game.is_open for game in made)
    assert train.reset(3) == "train 3" and train.reset(4) == "train 4"
    assert judge.reset(7) == "judge 7"
    assert [game.is_open for game in made] == [False, True] and made[1].taken == "train"
    assert judge.reset(8) == "judge 8" and len(made) == 2
    assert train.save() == {"seed": 4}, "what it had to save outlives its turn"
    assert train.load({"seed": 4}) == "train 5"
    assert [game.is_open for game in made] == [False, False, True]
    assert (made[2].name, made[2].taken, len(made)) == ("train", "judge", 3)


def test_ticks_go_to_the_world_whose_turn_it_is():
    made: list[Game] = []
    turns = Turns()
    train, judge = (OnTurn(lambda n=name: Game(n, made), turns) for name in ("train", "judge"))
    train.reset(0)
    train.send(np.array([1]), np.zeros((1, 8), np.int32))
    assert made[0].done == [("send", [1], [[0] * 8])]
    assert train.receive() == "answer"
    judge.reset(0)
    with pytest.raises(RuntimeError, match="another world has the games"):
        train.receive()
