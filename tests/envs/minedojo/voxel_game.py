"""The embedded world as the game behind the double of the client: one connection, one player.

Chat is understood as far as the tests of the contract need it: /kill, /spreadplayers, /time,
/tp, /replaceitem and /setblock.
"""

import contextlib
import socket
import threading
from typing import Any

import numpy as np

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.minedojo.request import Arrays, FrameBuffer, Header, encode
from rlgpt_jax.envs.names import NAME_ID, NAMES
from rlgpt_jax.envs.view.observation import Sight, lane, look, with_names
from tests.envs.contract_worlds import LANES, NOOPS, Embedded

LIES_DEAD = 20  # ticks until the player is revived
_ONE_AT_A_TIME = threading.Lock()  # compiled kernels of several threads would meet


class VoxelGame:
    """One player's world. All lanes of the embedded world do the same; the first is shown."""

    def __init__(self) -> None:
        self.world = Embedded()
        self._dead = 0
        # Compiled now, and not while a client waits for its answer.
        self.mission("0")
        self.tick(NOOPS[0].tolist(), "/time set 0", True)

    def mission(self, seed: str) -> tuple[Header, Arrays]:
        """A new world."""
        self.obs = self.before = self.world.reset(int(seed) % 2**31)
        self.action, self._dead = NOOPS, 0
        return self.raw()

    def tick(self, action: list[int], chat: str, begins: bool) -> tuple[Header, Arrays]:
        """One tick; what changed is told since the last one that `begins` an action."""
        if chat:
            self.hear(chat)
        rows = np.tile(np.array(action, np.int32), (LANES, 1))
        if begins:
            self.before, self.action = self.obs, rows
        self.obs = self.world.host.advance(rows).obs
        self._dead = self._dead + 1 if self.obs.life[0] <= 0 else 0
        if self._dead > LIES_DEAD:
            self.revive()
        return self.raw()

    def revive(self) -> None:
        self.obs = self.before = self.world.host.restart(np.ones(LANES, bool))
        self._dead = 0

    def hear(self, chat: str) -> None:
        """One command."""
        verb, *words = chat.split()
        host = self.world.host
        if verb == "/spreadplayers":
            return self.revive()
        saved = host.save()
        fields = saved["fields"]
        if chat == "/kill":
            fields.player.life[:] = 0.0
        elif verb == "/time":
            fields.world_time[:] = int(words[1])
        elif verb == "/tp":
            fields.player.position[:] = [float(word) for word in words[:3]]
            fields.player.yaw[:], fields.player.pitch[:] = (float(word) for word in words[3:])
            fields.player.velocity[:, [0, 2]] = 0.0
        elif verb == "/replaceitem":
            _, kind, slot = words[2].split(".")
            place = int(slot) + (9 if kind == "inventory" else 0)
            fields.inventory.item[:, place] = NAME_ID[words[3].removeprefix("minecraft:")]
            fields.inventory.quantity[:, place] = int(words[4])
        elif verb == "/setblock":
            x, y, z = (int(word[1:] or 0) for word in words[:3])
            return self.world.put(words[3], (x, y, z))
        host.load(saved)

    def raw(self) -> tuple[Header, Arrays]:
        """What the client makes of the game's answer."""
        obs: Observation = self.obs
        sight = Sight(obs, self.before, self.action, self.world.host, sea_level=63)
        seen = lane(with_names(look(sight)), 0)
        truth = {key: value.tolist() for key, value in seen["damage_source"].items()}
        for value in seen["damage_source"].values():
            value[...] = 0  # as in 0.1
        seen["location_stats"]["yaw"] += 360.0  # the game never wraps it
        rows = [
            {"name": NAMES[name], "quantity": int(quantity)}
            for name, quantity in zip(obs.slot_name[0], obs.slot_quantity[0])
        ]
        info: dict[str, Any] = {
            "inventory": rows, "is_dead": bool(obs.life[0] <= 0),
            "world_time": int(obs.time_of_day[0]), "damage_source": truth, "stat": {},
        }  # fmt: skip
        flat = {f"{group}/{key}": v for group, keys in seen.items() for key, v in keys.items()}
        return info, {"rgb": np.zeros((3, 4, 6), np.uint8), **flat}


def serve(games: list[VoxelGame]) -> int:
    """Serves each game at a port of its own, in threads. Returns the first port."""
    for _ in range(100):
        sockets = _listen(len(games))
        if sockets:
            break
    for server, game in zip(sockets, games, strict=True):
        threading.Thread(target=_serve, args=(server, game), daemon=True).start()
    return sockets[0].getsockname()[1]


def _listen(number: int) -> list[socket.socket]:
    """Sockets at ports in a row, or none where one of them is taken."""
    sockets = [socket.create_server(("127.0.0.1", 0))]
    port = sockets[0].getsockname()[1]
    try:
        sockets += [socket.create_server(("127.0.0.1", port + k)) for k in range(1, number)]
    except OSError:
        for server in sockets:
            server.close()
        return []
    return sockets


def _serve(server: socket.socket, game: VoxelGame) -> None:
    while True:
        connection, _ = server.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, contextlib.suppress(OSError):
            _serve_client(connection, game)


def _serve_client(connection: socket.socket, game: VoxelGame) -> None:
    frames = FrameBuffer()
    while some := connection.recv(1 << 20):
        frames.feed(some)
        while (frame := frames.pop()) is not None:
            connection.sendall(encode(*_answer(game, frame[0])))


def _answer(game: VoxelGame, request: Header) -> tuple[Header, Arrays]:
    with _ONE_AT_A_TIME:
        if request["op"] == "mission":
            return game.mission(request["seed"])
        return game.tick(request["action"], request["chat"], request["begins"])
