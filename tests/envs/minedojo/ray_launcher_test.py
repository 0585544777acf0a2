"""Workers of a Ray cluster: two nodes on this machine, one of which dies.

The worker is a small program that speaks the frames and tells where it runs.
"""

import dataclasses
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.link import LinkClosed

pytest.importorskip("ray", reason="needs the extra `scale`: pip install -e '.[scale]'")
import ray
from ray.cluster_utils import Cluster

from rlgpt_jax.envs.minedojo.host import HostMineDojo
from rlgpt_jax.envs.minedojo.ray_launcher import RayLauncher, RayLink
from tests.envs.minedojo import doubles

pytestmark = pytest.mark.slow  # a cluster takes half a minute to start

WORKER = """#!{python}
import json, os, struct, sys, time

def read(size):
    data = b""
    while len(data) < size:
        part = os.read(int(sys.argv[2]), size - len(data))
        if not part:
            sys.exit()
        data += part
    return data

while True:
    header, body = struct.unpack(">IQ", read(12))
    request, body = json.loads(read(header)), read(body)
    if request["op"] == "die":
        print("last words", flush=True)
        os._exit(3)
    if request["op"] == "sleep":
        time.sleep(600)
    reply = {{"ok": True, "node": os.environ["NODE"], "pid": os.getpid(),
             "lane": os.environ["RLGPT_MINEDOJO_WORKER"], "arrays": request["arrays"]}}
    text = json.dumps(reply).encode()
    os.write(int(sys.argv[3]), struct.pack(">IQ", len(text), len(body)) + text + body)
"""
TIMEOUT = 60.0  # seconds, for a cluster beside other jobs


@pytest.fixture(scope="module")
def cluster():
    os.environ.pop("RAY_ADDRESS", None)
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "env_vars": {"NODE": "a"}})
    made.second = made.add_node(num_cpus=1, env_vars={"NODE": "b"})
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def config(tmp_path) -> MineDojoConfig:
    python = tmp_path / "python"
    python.write_text(WORKER.format(python=sys.executable))
    python.chmod(0o755)
    return MineDojoConfig(python=str(python), launcher="ray")


def hear(launcher, link):
    """The answer of one link."""
    end = time.monotonic() + TIMEOUT
    while link not in launcher.wait([link], 1.0):
        assert time.monotonic() < end, "no answer"
    return link.receive()


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or only waits to be reaped."""
    status = Path(f"/proc/{pid}/stat")
    end = time.monotonic() + 10.0
    while status.exists() and ") Z" not in status.read_text() and time.monotonic() < end:
        time.sleep(0.1)
    return not status.exists() or ") Z" in status.read_text()


def test_a_host_without_an_interpreter_says_so(cluster, tmp_path):
    launcher = RayLauncher(
        MineDojoConfig(python=str(tmp_path / "none"), launcher="ray"), resources={"num_cpus": 1}
    )
    link = launcher.start(0)
    link.send({"op": "hello"})
    with pytest.raises(LinkClosed, match="no interpreter at .*none"):
        hear(launcher, link)
    launcher.close()


def test_a_worker_that_no_host_has_room_for_does_not_answer(cluster, config):
    launcher = RayLauncher(config, resources={"num_cpus": 99})
    link = launcher.start(0)
    link.send({"op": "hello"})
    assert launcher.wait([link], 1.0) == []
    assert link.waits_for_room()
    launcher.close()


def test_workers_die_alone_and_those_of_a_dead_host_come_back_on_the_other(cluster, config):
    launcher = RayLauncher(config, resources={"num_cpus": 1})
    links = [launcher.start(lane) for lane in range(2)]

    def hello(lane: int) -> dict:
        links[lane].send({"op": "hello"})
        return hear(launcher, links[lane])[0]

    def replace(lane: int) -> None:
        links[lane].kill()
        links[lane] = launcher.start(lane)

    picture = np.arange(12, dtype=np.uint8).reshape(3, 4)
    links[0].send({"op": "hello"}, {"rgb": picture})
    header, arrays = hear(launcher, links[0])
    np.testing.assert_array_equal(arrays["rgb"], picture)
    told = [header, hello(1)]
    assert [header["lane"] for header in told] == ["0", "1"]
    assert {header["node"] for header in told} == {"a", "b"}  # spread over the hosts
    assert not any(link.waits_for_room() for link in links)
    assert launcher.wait(links, 0.0) == []  # nothing was asked
    near, far = sorted((0, 1), key=lambda lane: told[lane]["node"])

    # A worker that dies closes its link; its actor tells the end of its log.
    links[near].send({"op": "die"})
    with pytest.raises(LinkClosed, match="code 3"):
        hear(launcher, links[near])
    assert links[near].last_words().strip() == "last words"
    replace(near)

    # One that hangs is killed with its process, and does not hold up the other.
    hangs = hello(near)
    links[near].send({"op": "sleep"})
    links[far].send({"op": "hello"})
    assert launcher.wait(links, TIMEOUT) == [links[far]] and links[far].receive()[0]["ok"]
    replace(near)
    assert has_ended(hangs["pid"])

    # The second host dies in the middle of a request.
    assert hello(near)["ok"]
    links[far].send({"op": "sleep"})
    cluster.remove_node(cluster.second, allow_graceful=False)
    with pytest.raises(LinkClosed, match="actor"):
        hear(launcher, links[far])
    assert links[far].last_words()  # says that the actor is gone
    replace(far)
    told = [hello(0), hello(1)]
    assert {header["node"] for header in told} == {"a"}

    launcher.close()
    assert all(has_ended(header["pid"]) for header in told)
    assert ray.is_initialized()  # the connection was not the launcher's


def node_of(lane) -> str:
    """Where a lane's worker lives."""
    link = lane.link
    assert isinstance(link, RayLink)
    return ray.get(link.actor.__ray_call__.remote(lambda self: os.environ["NODE"]))


def test_lanes_whose_host_dies_lose_their_episode_and_go_on_elsewhere(cluster, tmp_path):
    third = cluster.add_node(num_cpus=1, env_vars={"NODE": "c"})
    config = dataclasses.replace(doubles.CONFIG, launcher="ray", workers=2)
    environment = {"PYTHONPATH": f"{doubles.DOUBLE}:{doubles.ROOT}", "DOUBLE_FOLDER": str(tmp_path)}
    launcher = RayLauncher(config, environment, resources={"num_cpus": 1})
    task = dataclasses.replace(doubles.LOG, horizon=10_000)
    world = HostMineDojo(task, 2, config, launcher)
    world.reset(0)
    near, far = sorted((0, 1), key=lambda lane: node_of(world.lanes[lane]))
    assert node_of(world.lanes[far]) == "c"
    noop = np.stack([doubles.NOOP] * 2)
    assert not world.step(noop).info["lost"].any()

    cluster.remove_node(third, allow_graceful=False)
    # Its processes live on for a moment, unlike those of a host that loses its power.
    end = time.monotonic() + TIMEOUT
    while not (lost := world.step(noop)).info["lost"].any():
        assert time.monotonic() < end, "the death of the host was not seen"
    assert lost.info["lost"][far] and not lost.info["lost"][near]
    assert lost.truncated[far] and not lost.terminated[far] and lost.reward[far] == 0
    assert doubles.restarts(world) == 1 and node_of(world.lanes[far]) == "a"
    assert not world.step(noop).info["lost"].any()
    world.close()
