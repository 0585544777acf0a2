"""Set-up shared by all tests, before anything imports jax."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

# Programs compiled once are kept between test runs; bits depend on the thread count, so
# it is fixed (the same two settings as `experiments.machine`).
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.5")
os.environ.setdefault("NPROC", "2")
os.environ.setdefault("NUMBA_THREADING_LAYER", "workqueue")  # OpenMP workers spin
os.environ.setdefault("JAX_PLATFORMS", "cpu")
