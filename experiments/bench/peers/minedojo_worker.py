"""Runs in MineDojo's own interpreter (Python 3.9 or later): its client without a game.

    PATH/bin/python -I minedojo_worker.py SECONDS

A thread of this process stands in for Minecraft: it speaks the bridge's protocol (every
message is a big-endian length of 4 bytes and that many bytes) and answers with constants.
The last line of the output is JSON: steps, seconds, cpu_seconds.
"""

import json
import random
import re
import socket
import struct
import sys
import threading
import time

HEIGHT, WIDTH = 160, 256
TASK = "harvest_milk"
WARM_UP = 10


def read_message(connection):
    """One framed message, or None at the end of the stream."""
    size = read_exactly(connection, 4)
    return None if size is None else read_exactly(connection, struct.unpack("!I", size)[0])


def read_exactly(connection, size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return None
        data += part
    return data


def send(connection, *messages):
    connection.sendall(b"".join(struct.pack("!I", len(m)) + m for m in messages))


def make_info():
    """A message of the game with every statistic that the client knows, and empty slots."""
    import minedojo.sim.mc_meta.mc as mc

    slot = {
        "name": "air",
        "variant": 0,
        "quantity": 0,
        "max_durability": -1,
        "cur_durability": -1,
        "inventory": "inventory",
    }
    info = {
        "inventory": [{**slot, "index": index} for index in range(41)],
        "xpos": 0.5,
        "ypos": 70.0,
        "zpos": 0.5,
        "yaw": 0.0,
        "pitch": 0.0,
        "nearby_crafting_table": False,
        "nearby_furnace": False,
        "life": 20.0,
        "armor": 0,
        "food": 20,
        "saturation": 5.0,
        "xp": 0,
        "air": 300,
        "is_sleeping": False,
        "biome_id": 1,
        "biome_rainfall": 0.4,
        "biome_temperature": 0.8,
        "sea_level": 63,
        "light_level": 15,
        "is_raining": False,
        "can_see_sky": True,
        "sun_brightness": 1.0,
        "sky_light_level": 1.0,
    }
    cell = ["air", 0, False, True, False, False, False, False, False, 0.0]
    info["voxels"] = 27 * cell
    for path in mc.ALL_STAT_KEYS:  # such as ["stat", "mine_block", "minecraft", "log"]
        place: dict = info
        for name in path[:-1]:
            place = place.setdefault(name, {})
        place.setdefault(path[-1], 0)
    return info


def serve(listener, info):
    """Answers every connection in a thread of its own."""
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection, info), daemon=True).start()


def answer(connection, info):
    shape = [HEIGHT, WIDTH]
    while True:
        message = read_message(connection)
        if message is None:
            return
        if message.startswith(b"<MissionInit"):
            for i, name in enumerate((b"Height", b"Width")):
                found = re.search(rb"<%s>\s*(\d+)\s*</%s>" % (name, name), message)
                shape[i] = int(found.group(1)) if found else shape[i]
            read_message(connection)  # the token
            send(connection, struct.pack("!I", 1))
        elif message.startswith(b"<Peek"):
            send(connection, bytes(3 * shape[0] * shape[1]), info, b"\0")
        elif message.startswith(b"<StepClient"):
            reply = struct.pack("!dbb", 0.0, 0, 1)
            send(connection, bytes(3 * shape[0] * shape[1]), reply, info)
        elif message.startswith((b"<Quit", b"<Exit")):
            send(connection, struct.pack("!I", 1))


def make_env(port):
    import minedojo
    from minedojo.sim.bridge.bridge_env.bridge_env import BridgeEnv

    launch = BridgeEnv._get_new_instance

    def attach(self, port=port, instance_id=None):
        return launch(self, port=port, instance_id=instance_id)

    BridgeEnv._get_new_instance = attach
    return minedojo.make(TASK, image_size=(HEIGHT, WIDTH))


def main(seconds):
    import minedojo  # noqa: F401  its import is not counted

    info = json.dumps(make_info()).encode()
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener, info), daemon=True).start()
    env = make_env(listener.getsockname()[1])
    env.reset()
    draw = random.Random(0)

    def step():
        walk = [draw.randrange(3), draw.randrange(3), draw.randrange(4), 12]
        env.step([*walk, draw.randrange(25), 0, 0, 0])

    for _ in range(WARM_UP):
        step()
    count, began, worked = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        step()
        count += 1
    took, cpu = time.perf_counter() - began, time.process_time() - worked
    print(json.dumps({"steps": count, "seconds": took, "cpu_seconds": cpu}), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]))
