"""A worker of the bridge whose game is constant: what is left is what the bridge costs.

python -m tests.doubles.minecraft.bridge_worker FD_IN FD_OUT
"""

import os
import sys

import numpy as np

from rlgpt_jax.envs.minedojo.request import HELLO, MAKE, PREFIX, RESET, Arrays, decode, encode
from rlgpt_jax.envs.view.spec import SPEC

SIZE = (160, 256)
FACTS = {
    "inventory": [["bucket", 1]], "is_dead": False, "living_death_event_fired": False,
    "world_time": 6000, "deaths": 0,
}  # fmt: skip


def observation(with_picture: bool) -> Arrays:
    """What MineDojo's client gives of empty surroundings, with random pixels."""
    seen = {
        f"{group}/{key}": np.full(field.shape, "air") if field.is_name
        else np.zeros(field.shape, field.dtype)
        for group, fields in SPEC.items() for key, field in fields.items()
    }  # fmt: skip
    seen["life_stats/life"] = np.full((1,), 20.0, np.float32)
    if with_picture:
        seen["rgb"] = np.random.default_rng(0).integers(0, 256, (3, *SIZE), np.uint8)
    return seen


def read(fd: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(fd, size - len(data))
        if not part:
            sys.exit()
        data += part
    return data


def main(fd_in: int, fd_out: int) -> None:
    """Answers requests until the pipe ends."""
    seen: Arrays = {}
    while True:
        header, body = PREFIX.unpack(read(fd_in, PREFIX.size))
        request, _ = decode(read(fd_in, header), read(fd_in, body))
        reply: dict[str, object] = {"ok": True}
        if request["op"] == RESET:
            seen = observation(bool(request.get("rgb")))
        if request["op"] not in (HELLO, MAKE):
            reply |= {"facts": FACTS, "success": False}
        frame = memoryview(encode(reply, {} if request["op"] in (HELLO, MAKE) else seen))
        while frame:
            frame = frame[os.write(fd_out, frame) :]


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
