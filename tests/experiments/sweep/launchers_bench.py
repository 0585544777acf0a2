"""What launchers cost per job, and what a second Ray host gives: `python -m ...launchers_bench`.

Jobs are programs that sleep, so that a busy machine does not decide the figures.
"""

import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from experiments.sweep import launchers
from experiments.sweep.jobs import Call, run_all
from tests.experiments.sweep.sweep_test import PROGRAM, Small


def seconds(launcher: AbstractContextManager[Call], num: int, many: int, sleep: float) -> float:
    """Wall seconds of so many jobs, without the launcher's own start."""
    program = f"import time; time.sleep({sleep})\n{PROGRAM}"
    with tempfile.TemporaryDirectory() as folder, launcher as call:
        jobs = [Small(Path(folder) / str(i), program=program) for i in range(num)]
        run_all(jobs[:1], [], call, 1, 1, lambda job, words: None)
        began = time.perf_counter()
        failed = run_all(jobs[1:], [], call, many, 1, lambda job, words: None)
        assert not failed, failed
        return time.perf_counter() - began


def main(num: int = 9, sleep: float = 4.0) -> None:
    began = time.perf_counter()
    for _ in range(num - 1):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    bare = (time.perf_counter() - began) / (num - 1)
    sys.stdout.write(f"a process that does nothing: {bare:.2f} s\n")
    with tempfile.TemporaryDirectory() as folder:
        slurm = launchers.on_slurm(Path(folder), 1, 0, {"cluster": "local"})
        for name, launcher in (("local", launchers.local()), ("submitit", slurm)):
            each = seconds(launcher, num, 1, 0.0) / (num - 1)
            sys.stdout.write(f"{name}: {each:.2f} s a job that does nothing\n")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        for hosts in (1, 2):
            cluster.add_node(num_cpus=1)
            cluster.wait_for_nodes()
            ray.init(address=cluster.address, log_to_driver=False)
            nothing = seconds(launchers.on_ray(1, 0), num, num, 0.0)
            wall = seconds(launchers.on_ray(1, 0), num, num, sleep)
            sys.stdout.write(
                f"ray, {hosts} hosts of one core: {nothing / (num - 1):.2f} s a job that does "
                f"nothing; {num - 1} jobs of {sleep} s in {wall:.1f} s\n"
            )
            ray.shutdown()
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
