"""The bench reads its options, draws valid actions, and writes what it measured."""

import math
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from experiments.bench import __main__ as command
from experiments.bench import ppo, world
from experiments.bench.table import Row, plot, show
from rlgpt_jax.envs.base import ACTION_SIZES

ROWS = [
    Row("world", "no rays", {"lanes": lanes, "steps_per_second": 1000.0 * lanes})
    for lanes in (16, 64)
] + [Row("ppo", "training", {"lanes": 16, "steps_per_second": 900.0, "share rays": 0.25})]


def test_lanes_are_a_list_of_positive_numbers(capsys: pytest.CaptureFixture) -> None:
    assert command.parse(["world", "ppo", "--lanes=16,512"]).lanes == [16, 512]
    for wrong in ("--lanes=16,x", "--lanes=0"):
        with pytest.raises(SystemExit):
            command.parse(["world", wrong])
        assert "needs whole numbers with commas" in capsys.readouterr().err


def test_random_actions_are_valid_and_not_all_the_same() -> None:
    actions = np.stack(world.random_actions(32))
    assert actions.shape == (world.NUM_ACTIONS, 32, 8) and actions.dtype == np.int32
    assert (actions >= 0).all() and (actions < np.array(ACTION_SIZES)).all()
    assert len(np.unique(actions.reshape(-1, 8), axis=0)) > 20


def test_the_macro_of_the_training_bench_is_in_the_language() -> None:
    space = ppo.one_macro()
    assert space.offered[0] and space.uses_macros


def test_shares_are_of_the_wall_time_and_unknown_where_not_measured() -> None:
    updates = [{"time_world": 1.0}, {"time_world": 2.0}]
    assert ppo.share(updates, "time_world", 6.0) == 0.5
    assert math.isnan(ppo.share(updates, "time_macros", 6.0))


def test_tables_and_the_plot_show_every_row(tmp_path: Path) -> None:
    console = Console(width=120, record=True, file=(tmp_path / "out").open("w"))
    show(console, ROWS)
    words = console.export_text()
    assert "64,000" in words and "25%" in words and "no rays" in words
    plot(tmp_path / "bench.png", ROWS)
    assert (tmp_path / "bench.png").stat().st_size > 5000
