"""Where tasks run: processes of this machine, hosts of a Ray cluster, jobs of Slurm.

Each gives a function that does one task and waits for its end. What a lost host leaves is
resumed elsewhere, from the checkpoints of the run folder, which all hosts must see.
"""

import contextlib
import importlib.util
import logging
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from experiments.sweep.jobs import Call, Task, work
from experiments.values import ConfigError

NAMES = ("local", "ray", "slurm")
RETRIES = 5  # of a task whose host was lost


@contextlib.contextmanager
def local() -> Iterator[Call]:
    """This machine."""
    yield work


@contextlib.contextmanager
def on_ray(cpus: int, gpus: float) -> Iterator[Call]:
    """The cluster of RAY_ADDRESS, or the one of `ray start`, else this machine as one.

    Args:
      cpus, gpus: that a task keeps of its host.
    """
    import ray

    mine = not ray.is_initialized()
    if mine:
        ray.init(logging_level=logging.ERROR, log_to_driver=False)
    remote = ray.remote(num_cpus=cpus, num_gpus=gpus, max_retries=RETRIES)(work)
    try:
        yield lambda task: ray.get(remote.remote(task))
    finally:
        if mine:
            ray.shutdown()


@contextlib.contextmanager
def on_slurm(
    folder: Path, cpus: int, gpus: float, options: Mapping[str, str | int]
) -> Iterator[Call]:
    """Slurm by submitit; a job that is preempted, or runs out of its time, is queued again.

    Args:
      folder: of submitit's own files.
      options: of `AutoExecutor.update_parameters`, such as slurm_partition; `cluster=local` is
        this machine instead, and `cluster=debug` this process.
    """
    import submitit
    from submitit.helpers import Checkpointable

    class Requeued(Checkpointable):
        def __call__(self, task: Task) -> int:
            return work(task)

    rest: dict[str, Any] = dict(options)
    executor = submitit.AutoExecutor(folder=folder, cluster=rest.pop("cluster", "slurm"))
    executor.update_parameters(
        name="rlgpt", cpus_per_task=cpus, gpus_per_node=int(gpus), timeout_min=24 * 60
    )
    executor.update_parameters(**rest)
    yield lambda task: executor.submit(Requeued(), task).result()


def choose(
    name: str, folder: Path, cpus: int, gpus: float, options: Mapping[str, str | int]
) -> Callable[[], AbstractContextManager[Call]]:
    """The launcher that was asked for; nothing is started yet.

    Raises:
      ConfigError: it is not there.
    """
    if name == "local":
        return local
    package = {"ray": "ray", "slurm": "submitit"}[name]
    if importlib.util.find_spec(package) is None:
        raise ConfigError(
            f"--launcher={name}: {package} is not installed: pip install -e '.[scale]', or take "
            "--launcher=local."
        )
    if name == "ray":
        return lambda: on_ray(cpus, gpus)
    if options.get("cluster", "slurm") == "slurm" and shutil.which("sbatch") is None:
        raise ConfigError(
            "--launcher=slurm: there is no sbatch here. Start it on a machine of the cluster, or "
            "take --launcher=local."
        )
    return lambda: on_slurm(folder, cpus, gpus, options)
