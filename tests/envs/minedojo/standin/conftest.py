"""One game for tests that begin a mission of their own."""

import pytest

from tests.doubles.minecraft.game import Game
from tests.envs.minedojo.standin.serving import make_game


@pytest.fixture(scope="module")
def shared() -> Game:
    return make_game()
