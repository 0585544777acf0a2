"""What a run needs of its process, and what is written down about the machine.

`prepare` must come before the first import of jax: it fixes the number of threads (the
bits of long sums depend on it) and says where compiled programs are kept.
"""

import importlib.metadata
import os
import platform
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from rlgpt_jax import files

CACHE = files.kept(".cache")
PACKAGES = (
    "jax", "jaxlib", "flax", "optax", "distrax", "orbax-checkpoint", "numpy", "numba", "absl-py",
)  # fmt: skip


def prepare(num_threads: str | None = None) -> None:
    """Sets what jax reads when it is imported; what the caller has set already stands.

    Args:
      num_threads: of the run that is resumed, None for a new one.
    """
    assert "jax" not in sys.modules, "machine.prepare must come before jax is imported"
    default = num_threads or str(len(os.sched_getaffinity(0)))
    os.environ.setdefault("NPROC", default)
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CACHE / "jax"))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.5")
    # jax warns of every child process; ours (git, ffmpeg) exec at once and touch no lock.
    warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
    # numba's OpenMP workers spin between kernels and starve XLA's threads.
    os.environ.setdefault("NUMBA_THREADING_LAYER", "workqueue")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # XLA's notes on cached programs


def describe() -> dict[str, Any]:
    """Code, packages and machine, for version.json. Imports jax."""
    import jax

    return {
        "commit": _git("rev-parse", "HEAD"),
        "changed_files": len((_git("status", "--porcelain", "-uno") or "").splitlines()),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "platform": platform.platform(),
        "processor": _processor(),
        "cpus": len(os.sched_getaffinity(0)),
        "nproc": os.environ["NPROC"],
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
        "device": f"{jax.default_backend()}: {jax.devices()[0].device_kind}",
    }


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _git(*arguments: str) -> str | None:
    """What git says about the checkout; None outside of one."""
    command = ["git", "-C", str(files.CHECKOUT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _processor() -> str:
    """The model name of the first CPU."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
