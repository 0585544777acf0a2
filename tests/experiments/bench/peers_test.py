"""Craftax-Classic beside our world: ratios where it is there, else one clear line."""

import sys
from types import SimpleNamespace

import jax.numpy as jnp
import pytest

from experiments.bench import peers
from experiments.bench.turns import Contestant, Rate


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The rates of three contestants that run at once."""
    names = ("ours, with rays", peers.SYMBOLIC, peers.PIXELS)
    rates = dict(zip(names, (Rate(r, r, r, r) for r in (800.0, 100.0, 50.0)), strict=True))
    own = [Contestant(names[0], 2, lambda: None)]
    monkeypatch.setattr(peers, "ours", lambda env, driver: list(own))
    monkeypatch.setattr(peers.turns, "measure", lambda contestants, seconds: rates)
    return SimpleNamespace(num_envs=2)


def test_a_package_that_is_not_installed_is_one_line(measured, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "craftax", None)  # importing it fails
    line, row = peers.measure(measured, "host", 0.1)
    assert isinstance(line, str) and "\n" not in line and "pip install" in line
    assert row.name == "ours, with rays" and not any("times" in name for name in row.numbers)


def test_ratios_are_to_those_that_were_measured(measured, monkeypatch) -> None:
    monkeypatch.setattr(peers, "craftax", lambda name, lanes: Contestant(name, lanes, lambda: None))
    ours, symbolic, _ = peers.measure(measured, "host", 0.1)
    assert ours.numbers[f"times {peers.SYMBOLIC}"] == 8.0
    assert symbolic.numbers[f"times {peers.SYMBOLIC}"] == 1.0


def test_both_shapes_of_a_step_tell_who_is_done() -> None:
    yes, no = jnp.array([True, False]), jnp.array([False, False])
    assert peers._done((0, 0, 0, yes, {})).tolist() == [True, False]
    assert peers._done((0, 0, 0, no, yes, {})).tolist() == [True, False]
