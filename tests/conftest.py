"""Set-up shared by all tests, before anything imports jax."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

# Programs compiled once are kept between test runs; bits depend on the thread count, so
# it is fixed (the same two settings as `experiments.machine`).
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")
os.environ.setdefault("NPROC", "2")
os.environ.setdefault("NUMBA_THREADING_LAYER", "workqueue")  # OpenMP workers spin
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# XLA's older code for fusions, and none of LLVM's optimisations: the world's tick takes 16 s of
# processor time to compile and not 47 s, first parameters 4 s and not 15 s, and small worlds step
# fast enough. Tests of equal bits hold with both. `XLA_FLAGS= pytest` tests what users run.
os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false --xla_backend_optimization_level=0"
)
# Tracing takes a tenth less: programs say nothing of the lines they come from, and the many
# short-lived objects of a trace are not searched for cycles at every turn.
os.environ.setdefault("JAX_TRACEBACK_IN_LOCATIONS_LIMIT", "0")
os.environ.setdefault("JAX_TRACEBACK_FILTERING", "off")
gc.set_threshold(50_000, 20, 100)

# A compiled CPU program holds 9 memory maps and more; Linux kills a process that asks for more
# than vm.max_map_count of them, 65,530 by default, and one worker runs thousands of programs. No
# file adds more than 10,000. To drop them takes 8 s, and all that comes later is traced anew.
MANY_MAPS = 45_000

# Files that trace and compile the same programs: they go to one worker, one after the other,
# unless there are more workers than that.
TOGETHER = ("tests/envs/voxel/", "tests/macros/", "tests/rl/", "tests/loop/")


class ByProgram(LoadFileScheduling):
    """`--dist loadfile`, but folders of `TOGETHER` are as one file."""

    def _split_scope(self, nodeid: str) -> str:
        return next((folder for folder in TOGETHER if nodeid.startswith(folder)), None) or (
            super()._split_scope(nodeid)
        )


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    few = len(config.getoption("tx")) <= len(TOGETHER)
    return ByProgram(config, log) if few and config.getoption("dist") == "loadfile" else None


@pytest.fixture(scope="module", autouse=True)
def free_programs() -> Iterator[None]:
    """Drops compiled programs between files once they hold many memory maps."""
    yield
    maps = Path("/proc/self/maps")
    if "jax" in sys.modules and maps.exists() and maps.read_text().count("\n") > MANY_MAPS:
        sys.modules["jax"].clear_caches()
        gc.collect()
