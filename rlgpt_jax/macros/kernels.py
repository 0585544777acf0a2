"""Compiling host functions with a cache that knows what they depend on.

numba keeps compiled functions beside the source and looks only at the age of the file
that a function is in. Ours contain constants and functions of other files (operations,
tags, name ids), so the cache has a folder per state of all of them.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config as numba_config

from rlgpt_jax.envs.names import NAMES

config: Any = numba_config  # its names are made when numba starts
HERE = Path(__file__).parent


def cache_folder() -> Path:
    """Returns the folder for the present sources and names."""
    state = hashlib.sha256(repr(NAMES).encode())
    for path in sorted(HERE.glob("*.py")):
        state.update(path.read_bytes())
    root = Path(config.CACHE_DIR or HERE / "__pycache__")
    return root / f"macros-{state.hexdigest()[:16]}"


Cells = np.ndarray  # int32, one-dimensional
Real = Any  # a NumPy float32 in plain Python, a float when compiled

FOLDER = str(cache_folder())


def kernel(function: Callable | None = None, **options: Any) -> Any:
    """Is `numba.njit` with our cache; `NUMBA_DISABLE_JIT=1` leaves plain Python."""
    if function is None:
        return lambda f: kernel(f, **options)
    before = config.CACHE_DIR
    config.CACHE_DIR = FOLDER
    try:
        return numba.njit(cache=True, error_model="numpy", **options)(function)
    finally:
        config.CACHE_DIR = before
