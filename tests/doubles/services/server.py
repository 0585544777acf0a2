"""A loopback server in a thread: one wire format, answers from a function, faults in a queue.

with Peer(WIRES["anthropic"], lambda seen: Answer("Yes.")) as peer:
    peer.faults.append(Fault("busy", status=529))
    ...  # a client of `peer.url` with the key `peer.key`
"""

import collections
import contextlib
import dataclasses
import http.server
import json
import socket
import threading
from collections.abc import Callable
from typing import Any, Literal

from tests.doubles.services.wire import Answer, Refused, Wire

KEY = "key-of-the-peer"
MODELS = ("model-a", "model-b")
TRICKLE_SECONDS = 0.02  # between two bytes


@dataclasses.dataclass(frozen=True)
class Fault:
    """What becomes of one request in place of a plain answer."""

    name: str
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    # silent: the connection stays open; before: nothing is sent; body: half of it, then the
    # connection is closed; quiet: half of it, and its end looks right; trickle: bytes
    # without end that mean nothing.
    drop: Literal["", "silent", "before", "body", "quiet", "trickle"] = ""
    event_status: int = 0  # of an error in the middle of a stream
    answer: Answer | None = None  # in place of the model's
    page: str = ""  # an HTML page in place of the answer
    # Values in place of those under these names, wherever they are in the answer.
    changed: tuple[tuple[str, Any], ...] = ()
    raw: bytes = b""  # in place of a whole answer; in a stream the data of its last event but one


@dataclasses.dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    prompt: str = ""
    fault: str = ""  # name; "" if there was none
    status: int = 0
    answered: bool = False  # a whole answer was sent: it would have been paid for


class Peer:
    """The server and what it saw."""

    def __init__(
        self, wire: Wire, respond: Callable[[Seen], Answer], key: str = KEY,
        models: tuple[str, ...] = MODELS,
    ):  # fmt: skip
        self.wire = wire
        self.respond = respond
        self.key = key  # "" asks for none
        self.models = models
        self.faults: collections.deque[Fault | None] = collections.deque()
        self.seen: list[Seen] = []
        self.lock = threading.Lock()
        self.closed = threading.Event()
        self._server: _Server | None = None
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}{self.wire.base}"

    def __enter__(self) -> "Peer":
        self.open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def open(self) -> None:
        """Listens; after `close` on the same port again."""
        self.closed.clear()
        self._server = _Server(("127.0.0.1", self._port), _Handler)
        self._server.peer = self
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        """Connections are refused from now on."""
        self.closed.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server.hang_up()
            self._server = None

    @property
    def answered_twice(self) -> int:
        """How many answers were sent to prompts that had a whole one before."""
        counts = collections.Counter(seen.prompt for seen in self.seen if seen.answered)
        return sum(count - 1 for count in counts.values())


class _Server(http.server.ThreadingHTTPServer):
    peer: Peer
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, *arguments: Any):
        self.connections: set[socket.socket] = set()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.add(request)
        super().process_request(request, client_address)

    def hang_up(self) -> None:
        """Ends the connections that clients keep for their next question."""
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:  # the client went away
            self.close_connection = True

    def do_POST(self) -> None:
        peer = self.server.peer
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with peer.lock:
            fault = peer.faults.popleft() if peer.faults else None
            seen = Seen(self.path, headers, {}, fault=fault.name if fault else "")
            peer.seen.append(seen)
        try:
            self._check(seen, raw)
        except Refused as error:
            self._error(seen, error.status, str(error))
            return
        self._reply(seen, fault or Fault(""))

    def _check(self, seen: Seen, raw: bytes) -> None:
        peer = self.server.peer
        if peer.key and seen.headers.get("authorization") != f"Bearer {peer.key}":
            raise Refused(401, "invalid bearer token")
        if seen.path != peer.wire.path:
            raise Refused(404, f"there is no {seen.path} here")
        if seen.headers.get("content-type") != "application/json":
            raise Refused(400, "content-type: must be application/json")
        try:
            seen.body = json.loads(raw)
        except ValueError as error:
            raise Refused(400, f"the body is not JSON: {error}") from error
        if seen.body.get("model") not in peer.models:
            raise Refused(404, f"model: {seen.body.get('model')}")
        if not isinstance(seen.body.get("stream", False), bool):
            raise Refused(400, "stream: must be true or false")
        peer.wire.check(seen.body, seen.headers)
        seen.prompt = peer.wire.prompt(seen.body)

    def _reply(self, seen: Seen, fault: Fault) -> None:
        peer = self.server.peer
        if fault.drop == "silent":
            peer.closed.wait()
        if fault.drop in ("silent", "before"):
            self.close_connection = True
        elif fault.status != 200:
            self._error(seen, fault.status, f"fault: {fault.name}", fault.headers)
        elif fault.page:
            self._send(seen, 200, "text/html", [fault.page.encode()])
        elif fault.drop == "trickle":
            self._trickle(seen)
        else:
            answer = fault.answer or peer.respond(seen)
            self._answer(seen, fault, answer)

    def _answer(self, seen: Seen, fault: Fault, answer: Answer) -> None:
        wire = self.server.peer.wire
        if not seen.body.get("stream"):
            if fault.event_status:  # without a stream it can only come as a status
                self._error(seen, fault.event_status, f"fault: {fault.name}")
                return
            whole = changed(wire.whole(seen.body, answer), dict(fault.changed))
            # Escaped if it was changed: half a surrogate pair has no bytes of its own.
            body = fault.raw or json.dumps(whole, ensure_ascii=bool(fault.changed)).encode()
            self._send(seen, 200, "application/json", [body], fault.drop)
            return
        events = [changed_event(e, dict(fault.changed)) for e in wire.events(seen.body, answer)]
        if fault.raw:
            events.insert(-1, b"event: message_delta\ndata: " + fault.raw + b"\n\n")
        if fault.event_status:
            half = events[: len(events) // 2]
            events = [*half, wire.error_event(fault.event_status, f"fault: {fault.name}")]
        self._send(seen, 200, "text/event-stream", events, fault.drop)
        if fault.event_status:
            seen.answered = False

    def _error(
        self, seen: Seen, status: int, words: str, headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        body = json.dumps(self.server.peer.wire.error(status, words)).encode()
        self._send(seen, status, "application/json", [body], headers=headers)

    def _send(
        self, seen: Seen, status: int, kind: str, parts: list[bytes], drop: str = "",
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:  # fmt: skip
        """Answers have a length, streams are chunked; a quiet drop has neither."""
        seen.status = status
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header(self.server.peer.wire.request_id, f"req_{len(self.server.peer.seen)}")
        for name, value in headers:
            self.send_header(name, value)
        chunked = kind == "text/event-stream" and drop != "quiet"
        if drop == "quiet":
            self.send_header("connection", "close")
        elif chunked:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(sum(map(len, parts))))
        self.end_headers()
        if drop:
            parts = [b"".join(parts)[: sum(map(len, parts)) // 2]]
            parts[0] = parts[0][: parts[0].rfind(b"\n\n") + 2] if chunked else parts[0]
            self.close_connection = True
        for part in parts:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
        if chunked and not drop:
            self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()
        if status == 200 and not drop and kind != "text/html":
            seen.answered = True

    def _trickle(self, seen: Seen) -> None:
        streamed = seen.body.get("stream")
        seen.status = 200
        self.send_response(200)
        kind = "text/event-stream" if streamed else "application/json"
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()
        while not self.server.peer.closed.wait(TRICKLE_SECONDS):
            self.wfile.write(b": on it\n\n" if streamed else b" ")
            self.wfile.flush()


def changed(data: Any, new: dict[str, Any]) -> Any:
    """`data` with other values under some names; those that are callable make them of the old."""
    if isinstance(data, list):
        return [changed(part, new) for part in data]
    if not isinstance(data, dict):
        return data
    found = {}
    for name, value in data.items():
        other = new.get(name, changed(value, new))
        found[name] = other(value) if callable(other) else other
    return found


def changed_event(event: bytes, new: dict[str, Any]) -> bytes:
    head, _, data = event.partition(b"data: ")
    if not new or data.startswith(b"[DONE]"):
        return event
    return head + b"data: " + json.dumps(changed(json.loads(data), new)).encode() + b"\n\n"
