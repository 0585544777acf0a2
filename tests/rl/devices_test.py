"""Several devices give the numbers of one, and pass nothing but the update's two sums."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.rl import actions, devices, distribution
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.ppo import groups, losses
from rlgpt_jax.rl.train import init_learner
from tests.corridor import Corridor
from tests.rl import eight_devices
from tests.rl.small import CONFIG

GROUPS = 8


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.slow) for name in ("corridor", "voxel")],
)
def run(request) -> dict:
    """What training in a world on eight devices and on one gave."""
    env = {**os.environ, "XLA_FLAGS": eight_devices.FLAGS, "JAX_PLATFORMS": "cpu"}
    # Macros need a thread more than there are devices.
    env["NPROC"] = str(2 * eight_devices.DEVICES)
    done = subprocess.run(
        [sys.executable, "-m", "tests.rl.eight_devices", request.param],
        cwd=Path(__file__).parents[2], env=env, capture_output=True, text=True, timeout=3600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_eight_devices_give_the_numbers_of_one(run):
    assert run["devices"] == 8
    assert run["params"] < 1e-5 and run["moments"] < 1e-5 and run["metrics"] < 1e-4
    assert run["lanes"] < 1e-4  # the same worlds, decisions and rewards
    if "with macros" in run:
        assert run["with macros"] < 1e-4 and run["macros run"] > 0


def test_devices_pass_the_gradient_and_one_table_and_nothing_else(run):
    """The table is one row of six numbers per group, once per update."""
    rollout, update = run["programs"]
    assert rollout["collectives"] == []
    kinds = sorted(kind.split("{")[0] for _, kind in update["collectives"])
    numbers = run["parameters"] + 5 + 1  # the gradient, five metrics, and a weight
    assert kinds == sorted([f"f32[{numbers}]", f"f32[{GROUPS},6]"])
    assert {name for name, _ in update["collectives"]} == {"all-reduce"}


def test_nothing_inside_a_phase_waits_for_the_host(run):
    assert [program["host"] for program in run["programs"]] == [[], []]


def test_worlds_and_networks_are_written_in_place(run):
    assert run["taken_over"]
    for program in run["programs"]:
        assert program["in_place"] >= program["given"] > 0


def test_nothing_is_compiled_after_the_first_update(run):
    assert run["compiled"][0] > 0
    assert len(set(run["compiled"])) == 1, run["compiled"]


# --- without devices ---------------------------------------------------------------
def config(num_devices: int | str = "auto", **ppo):
    return dataclasses.replace(
        CONFIG, devices=num_devices, driver="device", ppo=dataclasses.replace(CONFIG.ppo, **ppo)
    )


def test_the_device_driver_is_for_pure_worlds_where_there_is_no_cpu(monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert devices.uses_device("auto", on_host=False)
    assert not devices.uses_device("auto", on_host=True)
    assert not devices.uses_device("host", on_host=False)
    monkeypatch.setattr(jax, "default_backend", lambda: "cpu")
    assert not devices.uses_device("auto", on_host=False)
    assert devices.uses_device("device", on_host=False)


def test_auto_takes_as_many_devices_as_divide_the_lanes():
    num = lambda wanted, backend="gpu", on_device=True: devices.num_devices(  # noqa: E731
        wanted, on_device, 8, backend
    )
    assert num(config()) == 8
    assert num(config(num_envs=12)) == 6
    assert num(config(groups=4)) == 4
    assert num(config(), backend="cpu") == 1
    assert num(config(), on_device=False) == 1
    assert num(config(2)) == 2


@pytest.mark.parametrize(
    ("wanted", "on_device", "message"),
    [
        (config(4), False, "host driver is in use"),
        (config(9), True, "JAX has 8 of kind gpu"),
        (config(3), True, "ppo.num_envs is 16; it must be a multiple of devices = 3"),
        (config(4, groups=2), True, "ppo.groups is 2; it must be a multiple of devices = 4"),
    ],
)
def test_devices_that_cannot_share_the_lanes_are_refused(wanted, on_device, message):
    with pytest.raises(ValueError, match=message):
        devices.num_devices(wanted, on_device, 8, "gpu")


def test_groups_that_cannot_be_dealt_are_refused_before_anything_is_compiled():
    wanted = config(groups=32)
    with pytest.raises(ValueError, match="ppo.num_envs=16 in 32 groups.*a multiple of 32"):
        init_learner(Corridor(num_envs=16), empty_space(), wanted, 0)


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "all"])
def test_bad_numbers_of_devices_are_refused(bad):
    with pytest.raises(ValueError, match="devices is .*auto or an integer"):
        config(bad)


def test_a_part_of_the_lanes_draws_what_it_would_among_all():
    logits = jax.random.normal(jax.random.key(0), (12, 12))
    masks = actions.Masks((np.ones(12, bool), np.ones(12, bool)), np.ones(12, bool))
    everyone = distribution.distribution((logits, -logits), logits, masks)
    whole = everyone.sample(jax.random.key(3))
    own = distribution.distribution((logits[4:8], -logits[4:8]), logits[4:8], masks)
    part = own.sample(jax.random.key(3), distribution.Part(jnp.int32(4), 12))
    np.testing.assert_array_equal(part.macro, whole.macro[4:8])
    np.testing.assert_array_equal(part.primitive, whole.primitive[4:8])


def spread(function, *args):
    """`function(groups, *args)` in groups along the first axis."""
    mapped = groups.Groups(len(args[0]), ("g",))
    return jax.vmap(lambda *xs: function(mapped, *xs), axis_name="g", out_axes=None)(*args)


def test_a_summary_of_groups_is_that_of_all_rows():
    """Also where a group has no decision at all."""
    rng = np.random.default_rng(0)
    decision = rng.random((5, 40)) < np.array([0.0, 0.2, 0.5, 0.9, 1.0])[:, None]
    advantage, target = rng.normal(3.0, 2.0, (2, 5, 40)).astype(np.float32)
    got = spread(lambda g, *xs: groups.summarise(g, *xs, 8, 40), decision, advantage, target)
    np.testing.assert_allclose(got.decisions, decision.mean(), rtol=1e-6)
    assert int(got.num) == 5  # the last group has 40 decisions
    for name, x in (("advantage", advantage), ("target", target)):
        want = losses.moments(jnp.array(x), jnp.array(decision))
        np.testing.assert_allclose(getattr(got, name), want, rtol=1e-5)


def test_means_over_groups_are_weighted_and_of_one_group_untouched():
    x, weight = jnp.array([1.0, 2.0, 6.0]), jnp.array([1, 0, 3])
    mean = spread(lambda g, x, w: g.mean({"x": x, "y": 2 * x}, w), x, weight)
    np.testing.assert_allclose([mean["x"], mean["y"]], [19 / 4, 19 / 2])
    tree = {"x": x}
    assert groups.ONE.mean(tree, weight.sum()) is tree


def test_two_fields_of_a_state_that_are_one_array_are_parted():
    x = jnp.arange(4.0)
    state = devices.taken_over(None, {"a": x, "b": x, "c": np.arange(4.0)})
    addresses = {y.unsafe_buffer_pointer() for y in state.values()}
    assert len(addresses) == 3 and state["a"] is x
