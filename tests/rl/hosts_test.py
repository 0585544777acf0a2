"""Several hosts give the numbers of one with as many devices."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.rl import eight_devices

pytestmark = pytest.mark.slow
DEVICES = 8


def run(hosts: int, out: Path, *files: Path) -> dict[str, np.ndarray]:
    """What training on eight devices gave, these shared by so many processes."""
    flags = eight_devices.FLAGS.replace(f"count={DEVICES}", f"count={DEVICES // hosts}")
    flags += " --xla_cpu_collective_timeout_seconds=1200"  # one may compile for long
    env = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "2"}
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "tests.rl.hosts", "corridor", str(out), *map(str, files)]
    logs = [out.with_suffix(f".{number}.log") for number in range(hosts)]  # a full pipe stops one
    started = [
        subprocess.Popen(
            [*command, "--", str(hosts), str(number), port], cwd=Path(__file__).parents[2],
            env=env, stdout=log.open("w"), stderr=subprocess.STDOUT,
        )
        for number, log in enumerate(logs)
    ]  # fmt: skip
    try:
        codes = [process.wait(timeout=1800) for process in started]
    finally:
        for process in started:
            process.kill()
    assert codes == [0] * hosts, logs[0].read_text()[-3000:]
    return dict(np.load(out))


@pytest.fixture(scope="module")
def one(tmp_path_factory) -> dict[str, np.ndarray]:
    return run(1, tmp_path_factory.mktemp("one") / "one.npz")


def gap(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> float:
    """The largest difference; of numbers that are missing in both, none."""
    assert a.keys() == b.keys()
    names = set(a) - {"seconds"}
    pairs = [(np.asarray(a[n], float), np.asarray(b[n], float)) for n in names]
    assert all(np.array_equal(np.isfinite(x), np.isfinite(y)) for x, y in pairs)
    return max(float(np.max(np.abs(np.nan_to_num(x - y)), initial=0.0)) for x, y in pairs)


@pytest.mark.parametrize("hosts", [2, 4])
def test_hosts_give_the_numbers_of_one(hosts: int, one, tmp_path: Path) -> None:
    assert gap(run(hosts, tmp_path / "many.npz"), one) < 1e-5
