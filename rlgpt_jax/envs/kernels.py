"""Compiling host functions with a cache that knows what they depend on.

numba keeps compiled functions beside the source and looks only at the age of the file
that a function is in. Ours contain constants and functions of other files, so the cache
has a folder per state of all that they depend on.
"""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numba
from numba.core import config as numba_config

config: Any = numba_config  # its names are made when numba starts


def cache_folder(name: str, sources: Iterable[Path], tables: str) -> str:
    """The folder for compiled functions that depend on these files and tables.

    Args:
      name: begins the folder's name.
      sources: files with kernels and the constants that they use.
      tables: text of what else they contain.
    """
    state = hashlib.sha256(tables.encode())
    files = sorted(sources)
    for path in files:
        state.update(path.read_bytes())
    root = Path(config.CACHE_DIR or files[0].parent / "__pycache__")
    return str(root / f"{name}-{state.hexdigest()[:16]}")


def maker(folder: str) -> Callable[..., Any]:
    """Returns `numba.njit` with its cache in a folder, usable as a decorator.

    `NUMBA_DISABLE_JIT=1` leaves plain Python.
    """

    def kernel(function: Callable | None = None, **options: Any) -> Any:
        if function is None:
            return lambda f: kernel(f, **options)
        before = config.CACHE_DIR
        config.CACHE_DIR = folder
        try:
            return numba.njit(cache=True, error_model="numpy", **options)(function)
        finally:
            config.CACHE_DIR = before

    return kernel
