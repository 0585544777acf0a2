"""The protocol on a port, and what goes wrong on purpose."""

import socket
import threading
import time

import numpy as np
import pytest

from tests.doubles.minecraft import instance as instance_module
from tests.doubles.minecraft.instance import Fault, Instance
from tests.envs.minedojo.standin.client import SIZE, Client, lidar_xml, mission_xml
from tests.envs.minedojo.standin.serving import connected, make_game, serving

pytestmark = pytest.mark.slow  # a double, with a world of its own to compile


def test_a_mission_is_played_over_the_wire():
    with connected() as client:
        first = client.reset()
        assert not first.done and first.image.shape == (*SIZE, 3)
        assert first.info["inventory"][0]["name"] == "bucket" and len(first.info["voxels"]) == 270
        assert "rays" not in first.info
        client.step("chat /tp ~ ~ ~ 0 0")
        client.step("chat /summon cow ~0 ~1 ~2")
        last = client.step("camera 15.0 0.0", "use 1")
        assert last.info["inventory"][0]["name"] == "milk_bucket" and not last.done
        again = client.reset(mission_xml(handlers=lidar_xml((0.0, 0.0, 8.0))))
        assert again.info["inventory"][0]["name"] == "bucket" and len(again.info["rays"]) == 16
        assert again.info["total_time"] == 0


def test_the_top_row_of_the_picture_is_the_sky():
    with connected() as client:
        image = client.reset().image.astype(int)
        assert (image[0, :, 2] - image[0, :, 0]).mean() > (image[-1, :, 2] - image[-1, :, 0]).mean()


def test_instances_step_by_themselves_and_differ():
    with serving() as one, serving() as other:
        clients = [Client(one.port), Client(other.port)]
        results: dict[int, list[float]] = {0: [], 1: []}

        def play(k: int) -> None:
            clients[k].reset()
            for tick in range(8 + 4 * k):
                turn = 15.0 * (k + 1)
                results[k].append(clients[k].step(f"camera 0.0 {turn}", "forward 1").info["yaw"])
                assert len(results[k]) == tick + 1

        threads = [threading.Thread(target=play, args=(k,)) for k in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert np.diff(results[0]).tolist() == pytest.approx([15.0] * 7)
        assert np.diff(results[1]).tolist() == pytest.approx([30.0] * 11)
        for client in clients:
            client.close()


def test_equal_seeds_give_equal_worlds_in_games_of_other_seeds():
    world = '<BiomeGenerator forceReset="true" seed="{}" biome="1"/>'
    mission, another = (mission_xml(world=world.format(seed)) for seed in (12, 13))
    with connected(seed=1) as one, connected(seed=2) as other:
        first, same = (client.reset(mission).info for client in (one, other))
        third = other.reset(another).info
    assert first == same != third


def test_disconnect_leaves_the_game_and_exit_ends_it():
    with serving() as instance:
        client = Client(instance.port)
        client.reset()
        client.send(b"<Disconnect/>")
        with pytest.raises(EOFError):
            client.receive()
        again = Client(instance.port)
        again.send(b"<Quit/>")
        assert again.number() == 1 and not instance.exited.is_set()
        killer = Client(instance.port)
        killer.send(b"<Exit>NOW</Exit>")
        assert killer.number() == 1
        assert instance.exited.wait(5.0)
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", instance.port), timeout=1.0).close()


@pytest.mark.parametrize("hello", [b"GET / HTTP/1.1", b"<Peek/>"])
def test_who_does_not_say_hello_is_cut_off(hello):
    with serving() as instance:
        client = Client(instance.port, hello)
        with pytest.raises(EOFError):
            client.receive()


@pytest.mark.parametrize("message", [b"<Find/>", b"<StepClient0>use 1", b"<MissionInit>"])
def test_what_is_no_message_ends_the_connection_alone(message):
    with serving() as instance:
        client = Client(instance.port)
        client.send(message, b"a:0:0:1:true")
        with pytest.raises((EOFError, ConnectionResetError)):
            client.receive()
        assert Client(instance.port).reset().info["life"] == 20.0


@pytest.mark.parametrize("message", [b"<Peek/>", b"<StepClient0>use 1</StepClient0 >"])
def test_what_needs_a_mission_ends_the_connection_with_the_reason(message):
    said: list[str] = []
    with serving(on_event=said.append) as instance:
        client = Client(instance.port)
        client.send(message)
        with pytest.raises((EOFError, ConnectionResetError)):
            client.receive()
        assert len(said) == 1 and "no mission runs" in said[0]
        assert Client(instance.port).reset().info["life"] == 20.0


def test_a_killed_instance_is_gone_at_once_and_a_new_game_can_be_joined_later():
    with serving(Fault("kill", at=2, away=0.5)) as instance:
        client = Client(instance.port)
        client.reset()
        client.step("forward 1")
        with pytest.raises((EOFError, ConnectionResetError)):
            client.step("forward 1")
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", instance.port), timeout=1.0)
        deadline = time.monotonic() + 20.0
        while True:
            try:
                client = Client(instance.port)
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        client.reset()
        assert not client.step("forward 1").done


def killed(instance: Instance) -> None:
    """Meets the fault of the first step."""
    client = Client(instance.port)
    client.reset()
    with pytest.raises((EOFError, ConnectionResetError)):
        client.step("forward 1")
    client.close()


def test_an_instance_whose_port_was_taken_meanwhile_says_so_and_is_gone():
    said: list[str] = []
    with serving(Fault("kill", at=1, away=1.0), on_event=said.append) as instance:
        killed(instance)
        with socket.create_server(("127.0.0.1", instance.port)):
            assert instance.exited.wait(20.0)
        assert f"port {instance.port}: cannot come back" in said[-1]


def test_an_instance_that_is_told_to_exit_as_it_comes_back_closes_its_port_again(monkeypatch):
    listen, opened = instance_module._listen, []
    with serving(Fault("kill", at=1)) as instance:

        def told_meanwhile(port: int) -> socket.socket:
            instance.exited.set()
            opened.append(listen(port))
            return opened[0]

        monkeypatch.setattr(instance_module, "_listen", told_meanwhile)
        killed(instance)
        deadline = time.monotonic() + 20.0
        while not opened or opened[0].fileno() >= 0:
            assert time.monotonic() < deadline, "the port is still open"
            time.sleep(0.01)


def test_a_stalled_instance_does_not_answer_but_another_connection_is_served():
    with serving(Fault("stall", at=1)) as instance:
        client = Client(instance.port)
        client.reset()
        client.link.settimeout(0.5)
        with pytest.raises(TimeoutError):
            client.step("forward 1")
        other = Client(instance.port)
        other.reset()
        assert not other.step("forward 1").done


def test_a_truncated_answer_ends_in_the_picture():
    with serving(Fault("truncate", at=1)) as instance:
        client = Client(instance.port)
        client.reset()
        half = SIZE[0] * SIZE[1] * 3 // 2
        with pytest.raises(EOFError, match=f"{half} of {2 * half}"):
            client.step("forward 1")


def test_what_cannot_be_served_is_refused():
    with pytest.raises(ValueError, match="explode"):
        Fault("explode", 1)
    with pytest.raises(ValueError, match="step 0"):
        Fault("kill", 0)
    with pytest.raises(ValueError, match="sideways"):
        make_game(lidar="sideways")
