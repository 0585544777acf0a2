"""A worker process on this machine, and the pipes to it."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from rlgpt_jax.envs.minedojo.request import Arrays, BrokenFrame, FrameBuffer, Header, encode

WORKER = Path(__file__).with_name("worker.py")
CHUNK = 1 << 20  # bytes read at once
PIPE = 1 << 20  # bytes that may wait while we are busy: a picture is more than the usual 64 KiB
FOLDER_VARIABLE = "RLGPT_MINEDOJO_FOLDER"  # of a worker, known to all that it starts
LAST_WORDS = 2000  # characters of a worker's log that an error quotes
# Of this process's Python; the worker's is another one, which would take the wrong packages.
OWN_VARIABLES = ("PYTHONPATH", "PYTHONHOME")
GRACE_SECONDS = 1.0  # for games to end by themselves
LOOK_SECONDS = 0.02  # between two looks at whether processes have ended
LOOKS = 50  # for those that are started while others are killed


class LinkClosed(Exception):
    """The worker cannot be reached any more, or its answer makes no sense."""


class Link(Protocol):
    """A worker, wherever it runs."""

    def send(self, header: Header, arrays: Mapping[str, np.ndarray] | None = None) -> None:
        """Asks for something. Raises LinkClosed."""
        ...

    def receive(self) -> tuple[Header, Arrays]:
        """The answer, after `Launcher.wait` has said that it is there. Raises LinkClosed."""
        ...

    def kill(self) -> None:
        """Ends the process and its children; never raises."""
        ...

    def last_words(self) -> str:
        """The end of the worker's log, for error messages."""
        ...

    def waits_for_room(self) -> bool:
        """Whether there is no process yet, because no host has room for one."""
        return False


class LocalLink(Link):
    """A process with a folder of its own, in which it runs and logs."""

    def __init__(self, python: Path, environment: Mapping[str, str], log_folder: str, name: str):
        """Starts the worker; it answers nothing before it is asked.

        Args:
          python: its interpreter.
          environment: added to that of this process.
          log_folder: where its folder is made and kept; "" makes a temporary one.
          name: of the folder.

        Raises:
          OSError: the interpreter cannot be started.
        """
        # Absolute, because the worker runs in it.
        where = Path(log_folder).absolute() if log_folder else None
        if where is not None:
            where.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix=f"{name}_", dir=where))
        self._keeps = bool(log_folder)
        self._log = self.folder / "worker.log"
        self._scratch = self.folder / "tmp"  # the client copies the whole game to there
        self._scratch.mkdir()
        self._frames = FrameBuffer()
        self._answer: tuple[Header, Arrays] | None = None
        self._broken = ""
        worker_in, self._to = os.pipe()
        self.fd, worker_out = os.pipe()
        for fd in (self._to, self.fd):
            os.set_blocking(fd, False)
        with contextlib.suppress(OSError, AttributeError):  # not all of a user's pipes; Linux only
            fcntl.fcntl(self.fd, fcntl.F_SETPIPE_SZ, PIPE)
        try:
            self.process = self._run(python, environment, worker_in, worker_out)
        except OSError:
            self._clean()
            raise
        finally:
            os.close(worker_in)
            os.close(worker_out)

    def _run(
        self, python: Path, environment: Mapping[str, str], *fds: int
    ) -> subprocess.Popen[bytes]:
        inherited = {key: value for key, value in os.environ.items() if key not in OWN_VARIABLES}
        of_its_own = {FOLDER_VARIABLE: str(self.folder), "TMPDIR": str(self._scratch)}
        with self._log.open("wb") as log:
            return subprocess.Popen(
                [python, str(WORKER), *map(str, fds)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env={**inherited, **environment, **of_its_own}, pass_fds=fds,
                start_new_session=True,
            )  # fmt: skip

    def send(self, header: Header, arrays: Mapping[str, np.ndarray] | None = None) -> None:
        """Writes one request; a worker that does not read its pipe is as good as gone."""
        frame = encode(header, arrays)
        try:
            written = os.write(self._to, frame)
        except OSError as error:
            raise LinkClosed(f"its pipe is closed ({error})") from error
        if written < len(frame):
            raise LinkClosed("it does not read its pipe")

    def fill(self) -> bool:
        """Reads what is there. Returns whether `receive` has something to say."""
        while self._answer is None and not self._broken:
            try:
                some = os.read(self.fd, CHUNK)
            except BlockingIOError:
                break
            except OSError as error:
                self._broken = f"its pipe broke ({error})"
                break
            if not some:
                self._broken = f"its process ended{self._code()}"
                break
            self._frames.feed(some)
            try:
                self._answer = self._frames.pop()
            except BrokenFrame as error:
                self._broken = f"its answer was no frame: {error}"
        return self._answer is not None or bool(self._broken)

    def _code(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return f" with code {self.process.wait(timeout=0.5)}"
        return ""

    def receive(self) -> tuple[Header, Arrays]:
        """The answer that `fill` has found."""
        answer, self._answer = self._answer, None
        if answer is None:
            raise LinkClosed(self._broken or "it has not answered")
        return answer

    def kill(self) -> None:
        """Ends the worker, its game and whatever these have started."""
        if self.fd < 0:
            return
        for _ in range(LOOKS):
            if not _signal(marked(self.folder), signal.SIGKILL):
                break
            time.sleep(LOOK_SECONDS)
        self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5.0)
        self._clean()

    def _clean(self) -> None:
        """Closes the pipes and removes what is not kept."""
        for fd in (self._to, self.fd):
            with contextlib.suppress(OSError):
                os.close(fd)
        self._to = self.fd = -1
        self._broken = self._broken or "it was killed"
        shutil.rmtree(self._scratch if self._keeps else self.folder, ignore_errors=True)

    def last_words(self) -> str:
        """The end of what the worker and its game have printed."""
        with contextlib.suppress(OSError):
            return self._log.read_bytes()[-4 * LAST_WORDS :].decode(errors="replace")[-LAST_WORDS:]
        return ""


def end_all(links: Sequence[LocalLink]) -> None:
    """Ends workers and their games beside each other.

    They are asked to end before they are killed: a virtual display that is killed leaves the
    lock file of its number behind.
    """
    folders = [link.folder for link in links if link.fd >= 0]
    end = time.monotonic() + GRACE_SECONDS
    _signal(marked(*folders), signal.SIGTERM)
    while marked(*folders) and time.monotonic() < end:
        time.sleep(LOOK_SECONDS)
    for link in links:
        link.kill()


def _signal(pids: Iterable[int], number: signal.Signals) -> bool:
    """Sends a signal. Returns whether there was somebody to send it to."""
    found = False
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)
            found = True
    return found


def marked(*folders: Path) -> list[int]:
    """The processes that workers and their children have started, where /proc tells.

    They are known by a variable of their environment: a game has a session of its own, and
    it loses its parent when the worker is killed.
    """
    marks = {f"{FOLDER_VARIABLE}={folder}".encode() for folder in folders}
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if not marks.isdisjoint(entry.read_bytes().split(b"\0")):
                found.append(int(entry.parent.name))
    return found
