"""Games of the stand-in, served by a process of their own, for a test or a measurement."""

import contextlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rlgpt_jax.files import CHECKOUT

PORTS = range(9100, 9900)
READY_SECONDS = 600.0  # to build two small worlds and compile them, beside other jobs


@contextlib.contextmanager
def serving(count: int, task: str = "harvest_milk") -> Iterator[int]:
    """Serves `count` games on small worlds. Gives the port of the first one.

    Raises:
      RuntimeError: they do not come up; holds what the stand-in said.
    """
    first = free_ports(count)
    command = [
        sys.executable, "-m", "tests.doubles.minecraft", "serve", f"--task={task}", "--small",
        f"--instances={count}", f"--port={first}",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("w") as out:
            process = subprocess.Popen(command, cwd=CHECKOUT, stdout=out, stderr=out)
        try:
            _wait(process, log, f"serving {count} instances")
            yield first
        finally:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen, log: Path, words: str) -> None:
    end = time.monotonic() + READY_SECONDS
    while words not in log.read_text():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"the stand-in does not serve:\n{log.read_text()}")
        time.sleep(0.2)


def free_ports(count: int) -> int:
    """The first of `count` ports in a row that nobody listens at.

    Raises:
      RuntimeError: there are none.
    """
    for first in PORTS[::count]:
        with contextlib.suppress(OSError):
            for port in range(first, first + count):
                socket.create_server(("127.0.0.1", port)).close()
            return first
    raise RuntimeError(f"no {count} free ports in a row in {PORTS.start} to {PORTS.stop}.")
