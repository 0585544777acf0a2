"""Frames, on both sides of the pipe; the worker's file itself."""

import ast
import json
import os
import sys
import threading
import types

import numpy as np
import pytest

from rlgpt_jax.envs.minedojo import request, worker
from rlgpt_jax.envs.minedojo.link import WORKER
from rlgpt_jax.envs.minedojo.request import PREFIX, BrokenFrame, FrameBuffer, decode, encode

ARRAYS = {
    "inventory/name": np.array(["iron pickaxe", "air", "Ä"]),
    "pos": np.arange(3, dtype=np.float32),
    "flag": np.array(True),
    "none": np.zeros((0, 4), np.int64),
    "rgb": np.arange(12, dtype=np.uint8).reshape(3, 4)[:, ::-1],
}


def assert_equal(found: dict[str, np.ndarray]) -> None:
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].shape == array.shape and found[name].dtype == array.dtype


def test_a_frame_comes_whole_out_of_any_pieces():
    frame = encode({"op": "step", "words": "ä"}, ARRAYS)
    buffer, found = FrameBuffer(), []
    for k in range(0, 2 * len(frame), 7):
        buffer.feed((frame + frame)[k : k + 7])
        while (got := buffer.pop()) is not None:
            found.append(got)
    assert len(found) == 2
    for header, arrays in found:
        assert header == {"op": "step", "words": "ä"}
        assert_equal(arrays)


def test_what_the_worker_writes_the_parent_reads_and_the_other_way_round():
    read, write = os.pipe()
    try:
        os.write(write, encode({"op": "step", "action": [1, 2]}, {"ignored": np.zeros(3)}))
        assert worker.read_frame(read)["action"] == [1, 2]
        big = {"big": np.zeros(1 << 20, np.uint8), **ARRAYS}  # more than a pipe holds at once
        writer = threading.Thread(
            target=worker.write_frame, args=(write, {"ok": True, "number": np.float32(2)}, big)
        )
        writer.start()
        buffer = FrameBuffer()
        while (frame := buffer.pop()) is None:
            buffer.feed(os.read(read, 1 << 16))
        writer.join()
        header, arrays = frame
        assert header == {"ok": True, "number": 2.0} and arrays.pop("big").shape == (1 << 20,)
        assert_equal(arrays)
        os.close(write)
        assert worker.read_frame(read) is None
    finally:
        os.close(read)


def header_of(**fields: object) -> bytes:
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (b"{", b""),
        (b"[]", b""),
        (header_of(op="step"), b""),
        (header_of(arrays=[["a", "<f4", [3]]]), bytes(11)),
        (header_of(arrays=[["a", "<f4", [3]]]), bytes(13)),
        (header_of(arrays=[["a", "|O", [1]]]), bytes(8)),
        (header_of(arrays=[["a", "<U0", [3]]]), b""),
        (header_of(arrays=[["a", "<f4", [-1]]]), b""),
        (header_of(arrays=[["a", "no such", [1]]]), b""),
        (header_of(arrays=[["a", "<f4"]]), b""),
        (b"\xff\xfe", b""),
    ],
)
def test_bytes_that_are_no_frame_are_refused(text, body):
    with pytest.raises(BrokenFrame):
        decode(text, body)


@pytest.mark.parametrize("sizes", [(9 << 20, 0), (10, 65 << 20), (2**32 - 1, 2**64 - 1)])
def test_lengths_beyond_the_limits_are_refused_before_they_are_read(sizes):
    buffer = FrameBuffer()
    buffer.feed(PREFIX.pack(*sizes))
    with pytest.raises(BrokenFrame, match="no frame is so large"):
        buffer.pop()
    with pytest.raises(ValueError):
        encode({}, {"a": np.zeros(65 << 20, np.uint8)})
    with pytest.raises(ValueError, match="object"):
        encode({}, {"a": np.array([None])})


# --- the worker's file -----------------------------------------------------------------
def test_the_worker_is_python_3_9_and_imports_nothing_of_ours():
    tree = ast.parse(WORKER.read_text(), feature_version=(3, 9))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module
            found.add(node.module.split(".")[0])
        assert not isinstance(node, ast.Match)
        # X | Y of types is a TypeError in 3.9, where annotations are evaluated.
        for part in ("annotation", "returns"):
            assert "|" not in ast.unparse(getattr(node, part, None) or ast.Constant(0))
    assert found - set(sys.stdlib_module_names) == {"numpy", "minedojo"}


def test_both_sides_have_the_same_rules():
    for name in ("MAX_HEADER", "MAX_BODY", "KINDS"):
        assert getattr(worker, name) == getattr(request, name)
    assert worker.PREFIX.format == request.PREFIX.format
    asked = {request.HELLO, request.MAKE, request.RESET, request.STEP}
    assert set(worker.REQUESTS) == asked


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("", (None, None, [])),  # a fork with none of the parts
        (
            "def _specific_task_make(task_id): return specs[task_id].copy()\n"
            "class MetaTaskBase:\n def _determine_success_hook(self): return any([])\n"
            "class HarvestMeta:\n def __init__(self, *, fast_reset, fast_reset_range): pass\n",
            (True, "any", ["fast_reset", "fast_reset_range"]),
        ),
    ],
)
def test_what_forks_of_minedojo_differ_in_is_told_and_may_be_unknown(monkeypatch, source, told):
    module = types.ModuleType("minedojo")
    exec(source, module.__dict__)
    for name in ("", ".tasks", *([".tasks.meta", ".tasks.meta.base"] if source else [])):
        monkeypatch.setitem(sys.modules, f"minedojo{name}", module)
    found = worker.capabilities()
    assert tuple(found.values()) == told


def test_a_request_that_cannot_be_is_answered_in_words():
    answer = worker.Worker().answer
    for ask, words in (({"op": "jump"}, "no request 'jump'"), ({"op": "step"}, "make comes first"),
                       ({}, "no request None")):  # fmt: skip
        reply, arrays = answer(ask)
        assert reply["ok"] is False and reply["kind"] == "bad_request"
        assert words in reply["error"] and not arrays


def test_quick_copies_are_deep():
    value = {"stat": {"kill_entity": {"cow": 1}}, "rows": [{"name": "log"}, 2.5, "x", None],
             "pov": b"12", "array": np.arange(3), "pair": (1, [2])}  # fmt: skip
    copied = worker.quick_copy(value)
    copied["stat"]["kill_entity"]["cow"] = 2
    copied["rows"][0]["name"] = "dirt"
    copied["array"][0] = 9
    copied["pair"][1].append(3)
    assert value["stat"]["kill_entity"]["cow"] == 1 and value["rows"][0]["name"] == "log"
    assert value["array"][0] == 0 and value["pair"] == (1, [2])
