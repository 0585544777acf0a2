"""One instance as the client finds it: a port, connections, and a game behind them."""

import contextlib
import dataclasses
import socket
import threading
import time
from collections.abc import Callable

from tests.doubles.minecraft import frames
from tests.doubles.minecraft.frames import ProtocolError
from tests.doubles.minecraft.game import Game
from tests.doubles.minecraft.mission import read_mission

FAULTS = ("kill", "stall", "truncate")
HOST = "127.0.0.1"
# The worlds of all instances in this process: numba's workers must not be called from two
# threads at once.
_WORLD = threading.Lock()
_POLL = 0.2  # seconds between looks at whether the instance is to end


@dataclasses.dataclass(frozen=True)
class Fault:
    """What goes wrong, once."""

    kind: str  # one of `FAULTS`
    at: int  # the step, counted from 1 over all missions, that is not answered as it should be
    away: float = 0.0  # seconds that an instance is away after "kill"

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise ValueError(f"no fault {self.kind!r}. Try: {', '.join(FAULTS)}.")
        if self.at < 1 or self.away < 0:
            raise ValueError(f"a fault at step {self.at} for {self.away} s: 1 or more, 0 or more.")


class _Cut(Exception):
    """The connection ends here, on purpose."""


class Instance:
    """Serves one game on one port until it is told to exit, from threads of its own."""

    def __init__(
        self,
        make_game: Callable[[], Game],
        port: int = 0,
        fault: Fault | None = None,
        on_event: Callable[[str], None] = lambda words: None,
        on_kill: Callable[[], None] | None = None,
    ):
        """Opens the port and starts to serve.

        Args:
          make_game: a fresh game; called again after a "kill".
          port: 0 takes a free one.
          fault: what goes wrong, if anything.
          on_event: is told in words what happens, from any thread.
          on_kill: ends the process at a "kill"; without it the instance is away for a while
            and then there again, as if another had been started on its port.

        Raises:
          OSError: the port is taken.
        """
        self.exited = threading.Event()
        self.steps = 0
        self.game = make_game()
        self._make_game, self._fault, self._on_event = make_game, fault, on_event
        self._on_kill = on_kill
        self._links: set[socket.socket] = set()
        self._listener = _listen(port)
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Closes the port and all connections."""
        _shut(self._listener)
        self.exited.set()
        self._drop()
        if threading.current_thread() is not self._thread:
            self._thread.join(5.0)

    def _accept(self) -> None:
        while not self.exited.is_set():
            try:
                link, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:  # closed: for a while, or for good
                time.sleep(_POLL / 10)
                continue
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link.settimeout(None)
            self._links.add(link)
            threading.Thread(target=self._converse, args=(link,), daemon=True).start()

    def _converse(self, link: socket.socket) -> None:
        """Answers one connection until it ends."""
        try:
            hello = frames.receive(link)
            if hello is None or not hello.startswith(frames.HELLO):
                raise ProtocolError(f"no hello: {hello!r}.")
            while (message := frames.receive(link)) is not None:
                self._answer(link, message)
        except (ProtocolError, OSError) as problem:
            self._on_event(f"port {self.port}: connection ended: {problem}")
        except _Cut:
            pass
        finally:
            self._links.discard(link)
            link.close()

    def _answer(self, link: socket.socket, message: bytes) -> None:
        if message.startswith(frames.STEP_CLIENT):
            self._step(link, message)
        elif message.startswith(frames.STEP_SERVER):
            pass  # the tick was taken with the client's half
        elif message.startswith(frames.PEEK):
            game = self._played()
            with _WORLD:
                told = game.pixels(), game.info()
            frames.send(link, *told, frames.flag(False))
        elif message.startswith(frames.QUIT):
            frames.send(link, frames.OK)
        elif message.startswith(frames.DISCONNECT):
            raise _Cut
        elif message.startswith(frames.EXIT):
            frames.send(link, frames.OK)
            self._on_event(f"port {self.port}: told to exit")
            self.close()
            raise _Cut
        elif frames.MISSION in message[:400]:
            self._begin(link, message)
        else:
            raise ProtocolError(f"no such message: {message[:60]!r}.")

    def _played(self) -> Game:
        """The game, in which a mission runs.

        Raises:
          ProtocolError: none does.
        """
        if self.game.host is None:
            raise ProtocolError("no mission runs: a MissionInit comes first.")
        return self.game

    def _begin(self, link: socket.socket, message: bytes) -> None:
        token = frames.receive(link)
        if token is None or token.count(b":") < 4:
            raise ProtocolError(f"a mission's token has five parts, got {token!r}.")
        mission = read_mission(message)
        with _WORLD:
            self.game.begin(mission)
        self._tell_refused()
        frames.send(link, frames.OK)

    def _step(self, link: socket.socket, message: bytes) -> None:
        lines, game = frames.commands_of(message), self._played()
        self.steps += 1
        due = self._fault is not None and self._fault.at == self.steps
        fault = self._fault.kind if due and self._fault else ""
        if fault:
            self._on_event(f"port {self.port}: {fault} at step {self.steps}")
        if fault == "kill":
            self._die()
        if fault == "stall":
            with _WORLD:
                self.game = self._make_game()
            while frames.receive(link) is not None:  # until the other side gives up
                pass
            raise _Cut
        with _WORLD:
            game.step(lines)
            pixels, told = game.pixels(), game.info()
        if fault == "truncate":
            link.sendall(len(pixels).to_bytes(4, "big") + pixels[: len(pixels) // 2])
            raise _Cut
        self._tell_refused()
        frames.send(link, pixels, frames.result(False), told)

    def _die(self) -> None:
        """As a killed process: connections and port are gone; then there is a new game."""
        assert self._fault is not None
        if self._on_kill is not None:
            self._on_kill()
        _shut(self._listener)  # first: who is cut off may come again at once
        self._drop()
        with _WORLD:
            self.game = self._make_game()
        time.sleep(self._fault.away)
        if not self.exited.is_set():
            self._come_back()
        raise _Cut

    def _come_back(self) -> None:
        """Opens the port again; if that cannot be, the instance is gone for good."""
        try:
            self._listener = _listen(self.port)
        except OSError as problem:
            self._on_event(f"port {self.port}: cannot come back: {problem}")
            self.exited.set()
            return
        if self.exited.is_set():  # told to in the meantime
            _shut(self._listener)

    def _drop(self) -> None:
        for link in list(self._links):
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)

    def _tell_refused(self) -> None:
        for words in self.game.refused:
            self._on_event(f"port {self.port}: cannot do: {words}")


def _shut(listener: socket.socket) -> None:
    """Closes a port at once, although a thread waits at it."""
    with contextlib.suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def _listen(port: int) -> socket.socket:
    listener = socket.create_server((HOST, port), backlog=16)
    listener.settimeout(_POLL)
    return listener
