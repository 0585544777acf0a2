"""Frames between the parent and a worker, and what they ask for.

A frame is 4 bytes big-endian length of the header, 8 bytes big-endian length of the body, the
header as JSON in UTF-8, and the body: the raw bytes of the arrays that `header["arrays"]` lists
as [name, dtype, shape], in that order. Nothing is ever unpickled. `worker.py`, which imports
nothing of ours, has the same rules once more.
"""

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

PREFIX = struct.Struct(">IQ")
MAX_HEADER, MAX_BODY = 8 << 20, 64 << 20  # bytes; more is no frame of ours
KINDS = "biufU"  # of dtypes that may travel

# What a worker is asked for.
HELLO, MAKE, RESET, STEP = "hello", "make", "reset", "step"

Header = dict[str, Any]
Arrays = dict[str, np.ndarray]


class BrokenFrame(ValueError):
    """Bytes that are no frame."""


def encode(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None) -> bytes:
    """One frame.

    Raises:
      ValueError: too large, or an array of objects.
    """
    packed = {name: np.asarray(array) for name, array in (arrays or {}).items()}
    for name, array in packed.items():
        if array.dtype.kind not in KINDS:
            raise ValueError(f"{name} is an array of {array.dtype}; only {KINDS} can be sent.")
    table = [[name, array.dtype.str, array.shape] for name, array in packed.items()]
    text = json.dumps({**header, "arrays": table}).encode()
    body = b"".join(array.tobytes() for array in packed.values())
    if len(text) > MAX_HEADER or len(body) > MAX_BODY:
        raise ValueError(
            f"a frame of {len(text)} + {len(body)} bytes; {MAX_HEADER} + {MAX_BODY} are the most."
        )
    return PREFIX.pack(len(text), len(body)) + text + body


def decode(text: bytes, body: bytes) -> tuple[Header, Arrays]:
    """Header and arrays of one frame; the arrays are copies.

    Raises:
      BrokenFrame: it is none.
    """
    try:
        header = json.loads(text)
        table = [
            (str(name), np.dtype(kind), list(shape)) for name, kind, shape in header.pop("arrays")
        ]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BrokenFrame(f"not a header of a frame: {error}") from error
    arrays, at = {}, 0
    for name, kind, shape in table:
        fits = all(isinstance(n, int) and n >= 0 for n in shape)
        if kind.kind not in KINDS or not kind.itemsize or not fits:
            raise BrokenFrame(f"{name}: dtype {kind} and shape {shape} are not sent.")
        end = at + kind.itemsize * math.prod(shape)
        if end > len(body):
            raise BrokenFrame(f"{name} ends at byte {end} of a body of {len(body)}.")
        arrays[name] = np.frombuffer(body[at:end], kind).reshape(shape).copy()
        at = end
    if at != len(body):
        raise BrokenFrame(f"the arrays fill {at} of {len(body)} bytes.")
    return header, arrays


class FrameBuffer:
    """Puts frames together from bytes as they come."""

    def __init__(self, some: bytes = b"") -> None:
        self._bytes = bytearray(some)

    def feed(self, some: bytes) -> None:
        """Adds what was read."""
        self._bytes += some

    def pop(self) -> tuple[Header, Arrays] | None:
        """The next frame, or None while it is not whole.

        Raises:
          BrokenFrame: the bytes are none.
        """
        if len(self._bytes) < PREFIX.size:
            return None
        header, body = PREFIX.unpack_from(self._bytes)
        if header > MAX_HEADER or body > MAX_BODY:
            raise BrokenFrame(f"a frame of {header} + {body} bytes; no frame is so large.")
        start, end = PREFIX.size + header, PREFIX.size + header + body
        if len(self._bytes) < end:
            return None
        frame = bytes(self._bytes[PREFIX.size : start]), bytes(self._bytes[start:end])
        del self._bytes[:end]
        return decode(*frame)
