"""The unmodified client of MineDojo 0.1, end to end, against the stand-in.

Needs MineDojo's interpreter: that of RLGPT_MINEDOJO_PYTHON, or the one that `python -m
experiments.minedojo setup` makes. Importing it takes the client 15 to 70 seconds, twice where its
launcher is used.
"""

import socket
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from tests.doubles.minecraft import shim
from tests.doubles.minecraft.comparison.client import Client, ClientError
from tests.doubles.minecraft.instance import Fault
from tests.envs.minedojo.standin.serving import serving

pytestmark = pytest.mark.minedojo
TASK = "harvest_milk_with_empty_bucket_and_cow"
SIZE = (160, 256)
NOOP, USE, WALK = ([*base.NOOP] for _ in range(3))
WALK[base.MOVE] = 1
USE[base.PITCH], USE[base.FUNCTION] = 13, base.FN_USE  # 15 degrees down


@pytest.fixture(scope="module")
def python() -> Path:
    try:
        return MineDojoConfig().interpreter()
    except ValueError as error:
        pytest.skip(str(error))


def make(client: Client, port: int | None, task: str = TASK, **kwargs) -> None:
    kwargs |= {"image_size": SIZE, "seed": 1}
    assert client.ask("make", task=task, port=port, kwargs=kwargs) == {
        "action": list(base.ACTION_SIZES)
    }


def make_with_lidar(client: Client, port: int) -> None:
    """`TASK` by its parts: a named task's own "use_lidar: false" cannot be overridden."""
    make(
        client, port, "harvest", use_voxel=True, use_lidar=True, lidar_rays=[[0.0, 0.0, 9.0]],
        target_names="milk_bucket", target_quantities=1, reward_weights=1, initial_mobs="cow",
        initial_mob_spawn_range_low=[-10, 1, -10], initial_mob_spawn_range_high=[10, 1, 10],
        initial_inventory=[["mainhand", "bucket", 0, 1]],
    )  # fmt: skip


def observed(client: Client, op: str, **request) -> dict[str, np.ndarray]:
    """The arrays of an operation that observes."""
    path = client.file("seen.npz")
    client.ask(op, out=path, **request)
    with np.load(path) as arrays:
        return dict(arrays)


def milk(client: Client) -> dict:
    """A cow right ahead, and the bucket used on it."""
    client.ask("command", text="/tp ~ ~ ~ 0 0")
    client.ask("command", text="/summon cow ~0 ~1 ~2")
    return client.ask("steps", actions=[NOOP, USE], out=None)


def test_a_cow_is_milked_through_an_existing_instance_twice(python):
    with serving() as instance, Client(python) as client:
        make_with_lidar(client, instance.port)
        first = observed(client, "reset")
        assert first["rgb"].shape == (1, 3, *SIZE) and first["rgb"].std() > 5
        assert first["inventory/name"][0, 0] == "bucket"
        assert first["voxels/block_name"].shape == (1, 3, 3, 3)
        assert set(first["voxels/block_name"][0, :, 0].ravel()) == {"grass block"}
        assert first["rays/block_name"].shape == (1, 1)
        # The client's spawn of the task's own cow.
        assert (instance.game.host.field("mobs.kind") > 0).sum() == 1

        walked = observed(client, "steps", actions=[WALK] * 5)
        way = walked["location_stats/pos"][-1] - first["location_stats/pos"][0]
        assert 0.3 < np.hypot(way[0], way[2]) < 1.5

        assert milk(client)["rewards"] == [0.0, 1.0]
        # A fast reset: the client kills, moves and equips the player by commands.
        again = observed(client, "reset")
        assert again["inventory/name"][0, 0] == "bucket"
        assert "milk bucket" not in again["inventory/name"][0]
        assert milk(client) | {"damage_source": 0} == {
            "rewards": [0.0, 1.0], "dones": [False, True], "damage_source": 0,
        }  # fmt: skip
        top, bottom = client.ask("picture")["colours"]
        assert top[2] - top[0] > bottom[2] - bottom[0]  # the sky is above
        client.ask("close")
        assert not instance.exited.is_set()


def test_the_launcher_starts_and_ends_the_stand_in(python, tmp_path):
    shim.write_script(tmp_path, ["--task=harvest_milk", "--small"])
    with Client(python, path_first=tmp_path) as client:
        make(client, None)
        first = observed(client, "reset")
        assert first["inventory/name"][0, 0] == "bucket"
        assert client.ask("steps", actions=[WALK] * 3, out=None)["dones"] == [False] * 3
        assert milk(client)["rewards"] == [0.0, 1.0]
        port = client.ask("port")["port"]
        socket.create_connection(("127.0.0.1", port), timeout=5.0).close()
        client.ask("close")
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=5.0)


@pytest.mark.parametrize("kind", ["kill", "truncate"])
def test_a_lost_game_looks_like_an_end_and_then_is_an_error(python, kind):
    # What the client does then is what a bridge must see through.
    with serving(Fault(kind, at=3, away=60.0)) as instance, Client(python) as client:
        make(client, instance.port)
        client.ask("reset", out=None)  # the task's cow takes step 1
        answer = client.ask("steps", actions=[NOOP, NOOP], out=client.file("seen.npz"))
        assert answer["dones"] == [False, True] and answer["rewards"] == [0.0, 0.0]
        with np.load(client.file("seen.npz")) as seen:
            assert (seen["rgb"][0] == seen["rgb"][1]).all()
        with pytest.raises(ClientError, match="RuntimeError"):
            client.ask("steps", actions=[NOOP], out=None)
