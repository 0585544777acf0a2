"""A host of a Ray cluster is lost while it does a run of a sweep."""

import dataclasses
import threading
from pathlib import Path

import pytest

from experiments.sweep import launchers
from experiments.sweep.jobs import Job, run_all
from tests.faults.conftest import Ledger, lost_in

pytestmark = pytest.mark.faults

# Tells which host has the run, then is the run.
PROGRAM = """
import os, pathlib, runpy, sys
pathlib.Path(sys.argv.pop(1), os.environ["RAY_NODE"]).touch()
runpy.run_module("tests.faults.small_run", run_name="__main__", alter_sys=True)
"""


@dataclasses.dataclass(frozen=True)
class Small(Job):
    """A run in a corridor."""

    folder: Path
    flags: tuple[str, ...]
    config: str = "harvest_milk"
    overrides: tuple = ()

    def tasks(self, words, threads):
        for task in super().tasks((), threads):
            start = ("-c", PROGRAM, str(self.folder.parent), f"--workdir={self.folder}")
            yield dataclasses.replace(task, command=start + self.flags, again=(*start, "--resume"))


def test_a_run_whose_host_is_lost_goes_on_at_another(
    flags: tuple[str, ...], whole: Path, tmp_path: Path, ledger: Ledger
) -> None:
    ray = pytest.importorskip("ray")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "env_vars": {"RAY_NODE": "head"}}
    )
    try:
        hosts = {
            name: cluster.add_node(num_cpus=1, env_vars={"RAY_NODE": name})
            for name in ("left", "right")
        }
        ray.init(address=cluster.address, log_to_driver=False)
        job, told = Small(tmp_path / "run", flags), []
        with launchers.on_ray(1, 0) as call:
            say = lambda _, words: told.append(words)  # noqa: E731
            thread = threading.Thread(target=run_all, args=([job], [], call, 1, 1, say))
            thread.start()
            while not (job.folder / "checkpoints/0/latest.json").exists():
                assert thread.is_alive(), told
                thread.join(0.2)
            [name] = [name for name in hosts if (tmp_path / name).exists()]
            ledger.begin("Ray node killed")
            cluster.remove_node(hosts[name], allow_graceful=False)
            thread.join(600)
        assert told == ["started", "done"]
        assert all((tmp_path / name).exists() for name in hosts)
        ledger.end(job.log.read_text(), lost_in(job.folder, whole))
    finally:
        ray.shutdown()
        cluster.shutdown()
