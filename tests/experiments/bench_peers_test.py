"""Peers that are there run with resets; each one that is missing is one clear line."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from experiments.bench.peers import craftax, jaxenstein, minedojo, pong, ticks
from experiments.bench.peers import run as peers
from experiments.bench.peers.missing import Missing
from experiments.bench.table import Row

FAKE = '''
import jax, jax.numpy as jnp

class Maze:
    """Counts its steps; an episode takes three."""

    num_actions = 5

    def __init__(self, size):
        self.size = size

    def reset(self, key):
        return jnp.zeros((self.size, self.size, 3), jnp.uint8), jnp.int32(0)

    def step(self, state, action):
        state = state + 1
        picture = jnp.full((self.size, self.size, 3), state, jnp.uint8)
        return picture, state, jnp.float32(0), state >= 3, {}

def make_jaxenstein_env(name, img_h, img_w):
    assert name == "my-way-home" and img_h == img_w
    return Maze(img_h)
'''


@pytest.mark.parametrize(
    ("package", "make"),
    [
        ("craftax", lambda: craftax.make(craftax.SYMBOLIC, 2)),
        ("craftax", lambda: craftax.make(craftax.PIXELS, 2)),
        ("envpool", lambda: pong.make(2)),
        ("jaxenstein", lambda: jaxenstein.make(None, 2)),
    ],
)
def test_a_package_that_is_not_installed_is_one_line(
    package: str, make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # importing it fails
    found, missing = peers.ready([make])
    assert not found and len(missing) == 1 and "\n" not in missing[0]
    assert package in missing[0] and ("pip install" in missing[0] or "--jaxenstein" in missing[0])


def test_a_folder_without_the_package_is_named(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=f"{tmp_path} holds no package"):
        jaxenstein.make(tmp_path, 2)


@pytest.mark.parametrize(
    ("interpreter", "words"),
    [(None, "--minedojo=PATH"), (Path("/nowhere/python"), "No such file"),
     (Path(sys.executable), "No module named 'minedojo'")],
)  # fmt: skip
def test_no_interpreter_with_minedojo_is_one_line(interpreter: Path | None, words: str) -> None:
    with pytest.raises(Missing, match=words) as raised:
        minedojo.measure(interpreter, 0.1)
    assert "\n" not in str(raised.value)


def test_a_checkout_runs_with_resets_and_is_not_left_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jaxenstein").mkdir()
    (tmp_path / "jaxenstein" / "__init__.py").write_text(FAKE)
    monkeypatch.delitem(sys.modules, "jaxenstein", raising=False)
    kept, contestant = {}, ticks.contestant

    def keep(name, lanes, tick, carry):
        kept.update(tick=tick, carry=carry)
        return contestant(name, lanes, tick, carry)

    monkeypatch.setattr(jaxenstein.ticks, "contestant", keep)
    one = jaxenstein.make(tmp_path, 4, size=8)
    monkeypatch.delitem(sys.modules, "jaxenstein")
    assert one.name == "JAXenstein 8x8" and one.lanes == 4 and one.steps == 4 * one.ticks
    assert str(tmp_path) not in sys.path
    carry, seen = kept["carry"], []
    for index in range(5):
        carry = kept["tick"](carry, jax.random.key(index))
        seen.append(int(carry[1][0]))
        assert (carry[0] == carry[1][:, None, None, None]).all()  # the picture of the new start
    assert seen == [1, 2, 0, 1, 2]


def test_a_contestant_goes_on_from_its_last_tick() -> None:
    seen: list[int] = []

    def tick(carry: jax.Array, key: jax.Array) -> jax.Array:
        jax.debug.callback(lambda now: seen.append(int(now)), carry, ordered=True)
        return carry + 1

    one = ticks.contestant("counts", 2, tick, jnp.int32(0))
    one.run()
    jax.effects_barrier()
    assert seen == list(range((ticks.WARM + 1) * one.ticks)) and one.steps == 2 * one.ticks


def test_both_shapes_of_a_step_tell_who_is_done() -> None:
    yes, no = jnp.array([True, False]), jnp.array([False, False])
    assert craftax._done((0, 0, 0, yes, {})).tolist() == [True, False]
    assert craftax._done((0, 0, 0, no, yes, {})).tolist() == [True, False]


def test_ratios_are_to_the_peers_that_were_measured() -> None:
    rows = [
        Row("peers", name, {"steps_per_second": rate})
        for name, rate in (("ours, with rays", 800.0), (craftax.SYMBOLIC, 100.0))
    ]
    ours, theirs = peers.with_ratios(rows)
    assert ours.numbers[f"times {craftax.SYMBOLIC}"] == 8.0
    assert theirs.numbers[f"times {craftax.SYMBOLIC}"] == 1.0
    assert not any("JAXenstein" in name for name in ours.numbers)
