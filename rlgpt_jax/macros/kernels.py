"""The compiler of the host interpreter's functions: `envs.kernels` for this package."""

from pathlib import Path
from typing import Any

import numpy as np

from rlgpt_jax.envs import kernels
from rlgpt_jax.envs.names import NAMES

Cells = np.ndarray  # int32, one-dimensional
Real = Any  # a NumPy float32 in plain Python, a float when compiled

FOLDER = kernels.cache_folder("macros", Path(__file__).parent.glob("*.py"), repr(NAMES))
kernel = kernels.maker(FOLDER)
