"""The command of the stand-in: what cannot be is one error, before worlds are made for it."""

import contextlib
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from experiments import machine
from tests.doubles.minecraft import serve
from tests.doubles.minecraft.__main__ import main, parser
from tests.doubles.minecraft.comparison import compare

LOCAL = "127.0.0.1"


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "prepare", lambda: None)  # jax is there already
    monkeypatch.setattr(serve, "warm", lambda lands: pytest.fail("worlds were made"))


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["serve", "--port=70000"], "--port=70000: ports 70000 to 70000 are not in 1..65535"),
        (["serve", "--port=65535", "--instances=2"], "ports 65535 to 65536 are not in"),
        (["serve", "--port=0"], "--port=0"),
        (["serve", "--fault=kill", "--at=0"], "step 0"),
        (["serve", "--task=harvest_mlk"], "Try: harvest_milk"),
        (["compare", "--actions=0"], "--actions=0: need 1 or more"),
        (["compare", "--python=/nowhere/python"], "no interpreter at /nowhere/python"),
        (["compare", f"--python={sys.executable}"], "has no MineDojo. Make one with"),
    ],
)
def test_wrong_options_are_one_error(
    argv: list[str], words: str, capsys: pytest.CaptureFixture
) -> None:
    assert main(argv) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ") and told.count("\n") == 1 and words in told


def test_a_port_that_is_taken_is_one_error(capsys: pytest.CaptureFixture) -> None:
    with socket.create_server((LOCAL, 0)) as server:
        port = server.getsockname()[1]
        assert main(["serve", f"--port={port - 1}", "--instances=2", "--small"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and f"cannot listen at port {port}: Address already" in told


def test_a_port_of_the_system_is_one_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def refuse(address: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket, "create_server", refuse)
    assert main(["serve", "--port=80"]) == 2
    assert "cannot listen at port 80: Permission denied" in capsys.readouterr().err


def two_free_ports() -> int:
    """The first of them."""
    while True:
        with contextlib.suppress(OSError), socket.create_server((LOCAL, 0)) as first:
            port = first.getsockname()[1]
            with socket.create_server((LOCAL, port + 1)):
                return port


def test_a_port_that_is_taken_too_late_leaves_no_instance_open(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    port = two_free_ports()
    monkeypatch.setattr(serve, "check_free", lambda ports: None)
    monkeypatch.setattr(serve, "warm", lambda lands: None)
    with socket.create_server((LOCAL, port + 1)):
        assert main(["serve", f"--port={port}", "--instances=2", "--small"]) == 2
    assert f"cannot listen at port {port + 1}" in capsys.readouterr().err
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((LOCAL, port), timeout=1.0).close()


def test_what_the_client_raises_is_one_error_and_closes_the_instance(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    made = []
    whole = compare.Instance
    monkeypatch.setattr(compare, "check_client", lambda python: None)
    monkeypatch.setattr(compare, "Instance", lambda *a: made.append(whole(*a)) or made[-1])
    assert main(["compare", f"--python={sys.executable}", "--small"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: make: ModuleNotFoundError: No module named 'minedojo'")
    assert [instance.exited.is_set() for instance in made] == [True]
    assert told.count("\n") == 1


def test_a_game_ends_with_what_started_it_whoever_takes_it_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The process that takes orphans over need not be number 1."""
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "malmomodCLIENT.cfg").write_text("I:portOverride=9100\n")

    class Waiting(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            return self.is_set()

    class Instance:
        port, exited = 9100, Waiting()

        def close(self) -> None:
            self.exited.set()

    parents = [500, 500, 500, 77]
    monkeypatch.setattr(serve.os, "getppid", lambda: parents.pop(0))
    monkeypatch.setattr(serve, "warm", lambda lands: None)
    monkeypatch.setattr(serve, "check_free", lambda ports: None)
    monkeypatch.setattr(serve, "open_at", lambda *given, **more: Instance())
    assert serve.game(parser().parse_args(["game", f"--run-dir={tmp_path}", "--small"])) == 0
    assert Instance.exited.is_set() and not parents
