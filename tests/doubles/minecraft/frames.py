"""The messages on MineDojo's wire.

Every message, both ways, is four bytes of length (big-endian), then that many bytes.
What the client sends is text; the answers are text, pixels or packed numbers.
"""

import socket
import struct

HELLO = b"<MalmoEnv"  # first on every connection, a version number follows
QUIT, PEEK, DISCONNECT, EXIT = b"<Quit", b"<Peek", b"<Disconnect", b"<Exit"
STEP_CLIENT, STEP_SERVER, MISSION = b"<StepClient", b"<StepServer", b"<MissionInit"

OK = struct.pack("!I", 1)
MAX_MESSAGE = 4 << 20  # bytes; a mission takes some 30 kB
_LENGTH = struct.Struct("!I")
_RESULT = struct.Struct("!dbb")


class ProtocolError(Exception):
    """The other side sent what this protocol does not know."""


def receive(link: socket.socket) -> bytes | None:
    """The next message, None when the other side has closed between two messages.

    Raises:
      ProtocolError: a message that is too long, or ends before its length.
    """
    head = _exactly(link, _LENGTH.size)
    if not head:
        return None
    if len(head) < _LENGTH.size:
        raise ProtocolError("the connection closed in the length of a message.")
    (length,) = _LENGTH.unpack(head)
    if length > MAX_MESSAGE:
        raise ProtocolError(f"a message of {length} bytes; at most {MAX_MESSAGE} are taken.")
    body = _exactly(link, length)
    if len(body) < length:
        raise ProtocolError(f"the connection closed in a message of {length} bytes.")
    return body


def send(link: socket.socket, *messages: bytes) -> None:
    """Sends messages in their order, in one piece."""
    link.sendall(b"".join(_LENGTH.pack(len(message)) + message for message in messages))


def result(done: bool) -> bytes:
    """The middle part of the answer to a step: the game's own reward is not used."""
    return _RESULT.pack(0.0, done, True)


def flag(value: bool) -> bytes:
    """One byte, 0 or 1."""
    return struct.pack("!b", value)


def commands_of(message: bytes) -> str:
    """The lines between the tags of a StepClient message.

    Raises:
      ProtocolError: tags that do not match, or no UTF-8.
    """
    start, end = message.find(b">") + 1, message.rfind(b"</StepClient")
    if not message.startswith(STEP_CLIENT) or not 0 < start <= end:
        raise ProtocolError(f"not a step: {message[:60]!r}.")
    try:
        return message[start:end].decode()
    except UnicodeDecodeError as problem:
        raise ProtocolError(f"the commands of a step are no UTF-8 text: {problem}.") from problem


def _exactly(link: socket.socket, count: int) -> bytes:
    """`count` bytes, fewer only where the other side has closed."""
    parts, missing = [], count
    while missing:
        part = link.recv(min(missing, 1 << 16))
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
