"""The viewer lists, compares and follows runs, for this machine alone, and reads what it shows."""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.experiments import run_folder
from tests.experiments.report.report_test import checked

pytest.importorskip("plotly", reason="plotly is not installed: pip install -e '.[view]'")
pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[view]'")
uvicorn = pytest.importorskip("uvicorn", reason="not installed: pip install -e '.[view]'")

from experiments.view import __main__ as command  # noqa: E402
from experiments.view import runs  # noqa: E402
from experiments.view.server import make_app  # noqa: E402


class Served:
    """A viewer on a free port."""

    def __init__(self, root: Path):
        listener = command.listen(0)
        self.root, self.port = root, listener.getsockname()[1]
        self.server = uvicorn.Server(uvicorn.Config(make_app(root), log_level="warning"))
        self._thread = threading.Thread(target=self.server.run, args=([listener],), daemon=True)
        self._thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        self.server.should_exit = True
        self._thread.join(10)

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes, dict]:
        """The path as it is given: nothing is normalised on the way."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": f"127.0.0.1:{self.port}", **headers}.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read(), dict(answer.getheaders())

    def key(self, name: str) -> str:
        return next(run.key for run in runs.find(self.root).values() if run.name == name)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("served")
    secret = root.parent / "secret.txt"
    secret.write_text("secret")
    run_folder.make(root / "first")
    run_folder.make(root / "deep/second", num_iterations=1, finished=False)
    film = root / "first/videos/iteration0/success.mp4"
    film.parent.mkdir(parents=True)
    film.write_bytes(bytes(range(200)))
    (root / "first/videos/link.mp4").symlink_to(secret)
    (root / "first/videos/dir").symlink_to(root.parent, target_is_directory=True)
    (root / "linked").symlink_to(root / "first", target_is_directory=True)
    run_folder.write(root / "torn/config.json", "{")
    found = Served(root)
    yield found
    found.stop()


def test_the_list_has_every_run_once_and_names_what_cannot_be_read(served: Served) -> None:
    status, page, headers = served.ask("/")
    words = " ".join(checked(page.decode()).words)
    assert status == 200 and "deep/second" in words and "stopped" in words and "linked" not in words
    assert "torn" in words and "torn/config.json is damaged" in words
    assert "script-src 'self'" in headers["content-security-policy"]


def test_runs_stand_side_by_side_with_the_settings_that_differ(served: Served) -> None:
    saved = json.loads((served.root / "first/config.json").read_text())
    saved["config"]["seed"] = 7
    run_folder.write(served.root / "first/config.json", saved)
    keys = [served.key(name) for name in ("first", "deep/second")]
    status, page, _ = served.ask("/compare?" + "&".join(f"run={key}" for key in keys))
    words = " ".join(checked(page.decode()).words)
    assert status == 200 and "31.0, 48.0, 65.5" in words
    differ = words.partition("Settings that differ")[2]
    assert "seed" in differ and "ppo.num_envs" not in differ
    assert served.ask(f"/compare?run={keys[0]}")[0] == 400


def test_the_report_is_made_of_what_is_there_and_nothing_is_written(served: Served) -> None:
    before = sorted((p, p.stat().st_mtime_ns) for p in served.root.rglob("*"))
    base = f"/run/{served.key('first')}"
    status, page, _ = served.ask(f"{base}/report.html")
    found = checked(page.decode())
    assert status == 200 and "videos/iteration0/success.mp4" in found.links
    assert not [link for link in found.links if link.startswith("data:video")]
    for address in ("/", f"{base}/", f"{base}/live.json", "/live.json"):
        assert served.ask(address)[0] == 200
    assert sorted((p, p.stat().st_mtime_ns) for p in served.root.rglob("*")) == before


def test_parts_of_a_video_are_given_as_players_ask_for_them(served: Served) -> None:
    address = f"/run/{served.key('first')}/videos/iteration0/success.mp4"
    status, body, headers = served.ask(address, Range="bytes=10-19")
    assert (status, body) == (206, bytes(range(10, 20)))
    assert headers["content-type"] == "video/mp4"


ATTACKS = (
    "/../secret.txt", "/%2e%2e/secret.txt", "/run/../../secret.txt", "/run/{}/../../secret.txt",
    "/run/{}/%2e%2e/%2e%2e/secret.txt", "/run/{}/videos/../../../secret.txt",
    "/run/{}/videos/%2e%2e%2f%2e%2e%2f%2e%2e%2fsecret.txt", "/run/{}/videos/..%5c..%5csecret.txt",
    "/run/{}/videos/link.mp4", "/run/{}/videos/dir/secret.txt", "/run/{}/videos/dir/secret.mp4",
    "/run/{}//etc/passwd", "/run/{}/%2fetc%2fpasswd", "/run/{}/config.json",
    "/run/{}/transcript.jsonl", "/run/{}/videos/iteration0/success.mp4%00.png", "/run/linked/",
    "/run/first/", "/run/%2e%2e/", "/run/{}/tasks/..%2f..%2ffirst/report.html", "//etc/passwd",
)  # fmt: skip


@pytest.mark.parametrize("path", ATTACKS)
def test_no_address_leads_to_another_file(served: Served, path: str) -> None:
    status, body, _ = served.ask(path.format(served.key("first")))
    assert status in (307, 400, 404) and b"secret" not in body.replace(b"secret.", b"")


def test_only_this_machine_by_its_own_name_may_read(served: Served) -> None:
    assert served.ask("/", Host="evil.example")[0] == 400  # a name that was bent to 127.0.0.1
    for method in ("POST", "PUT", "DELETE"):
        assert served.ask("/", method)[0] == 405
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
    for address in addresses - {"127.0.0.1", "::1"}:
        with pytest.raises(OSError):
            socket.create_connection((address, served.port), timeout=2)


def test_a_run_that_goes_on_tells_new_rows_alone(served: Served) -> None:
    folder = served.root / "deep/second"
    key = served.key("deep/second")
    (folder / "lock").write_text(f"process {os.getpid()} on {socket.gethostname()}\n")
    command_line = Path(f"/proc/{os.getpid()}/cmdline").read_bytes()
    now = json.loads(served.ask(f"/run/{key}/live.json?start=88")[1])
    if b"experiments" in command_line or b"rlgpt" in command_line:
        assert now["status"] == "running" and "next iteration" in now["html"]["told"]
    assert [row["update"] for row in now["rows"]] == [88, 89] and now["evaluations"]
    (folder / "lock").write_text(f"process 999999999 on {socket.gethostname()}\n")
    assert json.loads(served.ask(f"/run/{key}/live.json")[1])["status"] == "stopped"
    assert served.ask(f"/run/{key}/live.json?start=-1")[0] == 400


def test_names_of_models_and_folders_stay_text(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    run_folder.make(tmp_path / evil)
    found = Served(tmp_path)
    try:
        for path in ("/", f"/run/{found.key(evil)}/"):
            page = found.ask(path)[1].decode()
            assert evil not in page and "&lt;img src=x" in page
    finally:
        found.stop()


def test_slips_of_the_command_are_one_line(tmp_path: Path, capsys) -> None:
    assert command.main([str(tmp_path / "none")]) == 2
    assert "is no folder" in capsys.readouterr().err
    with command.listen(0) as taken:
        assert command.main([str(tmp_path), f"--port={taken.getsockname()[1]}"]) == 2
    assert "cannot be used" in capsys.readouterr().err
    assert command.main([str(tmp_path), "--port=99999999"]) == 2


@pytest.mark.slow  # starts a process, which imports much
def test_the_command_serves_until_it_is_stopped(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "experiments.view", str(tmp_path), "--port=0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        words = process.stdout.readline()
        assert "http://127.0.0.1:" in words
        process.terminate()
