import socket

from rlgpt_jax.envs.minedojo.request import FrameBuffer, encode


class RemoteGame:
    """The game that a test serves at a port."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._frames = FrameBuffer()

    def mission(self, mission):
        return self._ask({"op": "mission", **mission})

    def tick(self, action, chat, begins):
        action = [int(a) for a in action]
        return self._ask({"op": "tick", "action": action, "chat": chat, "begins": begins})

    def _ask(self, header):
        self._socket.sendall(encode(header))
        while (frame := self._frames.pop()) is None:
            some = self._socket.recv(1 << 20)
            if not some:
                raise ConnectionResetError("the game is gone")
            self._frames.feed(some)
        info, arrays = frame
        obs = {}
        for name, array in arrays.items():
            group, _, key = name.partition("/")
            if key:
                obs.setdefault(group, {})[key] = array
            else:
                obs[group] = array
        return obs, info
