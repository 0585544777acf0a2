"""The compiler of the host interpreter's functions: `envs.kernels` for this package."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from rlgpt_jax.envs import base, kernels
from rlgpt_jax.envs.names import CRAFT_NAMES, NAMES

Cells = np.ndarray  # int32, one-dimensional
Real = Any  # a NumPy float32 in plain Python, a float when compiled

# What the kernels are made of: code, and modules with constants.
HERE = Path(__file__).parent
MACROS = HERE.parents[1]
SOURCES = [
    *HERE.glob("*.py"),
    MACROS / "vm/bytecode.py",
    *(MACROS / f"{name}.py" for name in ("actions", "sensors", "values")),
]
TABLES = repr((NAMES, CRAFT_NAMES)) + Path(str(base.__file__)).read_text()
FOLDER = kernels.cache_folder("macros", SOURCES, TABLES)
kernel = kernels.maker(FOLDER)


def num_threads() -> int:
    """Threads that a kernel may use; not numba's own, which are not started for it."""
    return int(kernels.config.NUMBA_NUM_THREADS)


def lean(function: Callable) -> Any:
    """A kernel without counts of references, which would cost more than an instruction.

    It cannot make arrays.
    """
    return kernel(function, _nrt=False)


def small(function: Callable) -> Any:
    """A lean kernel that becomes part of its callers."""
    return kernel(function, _nrt=False, forceinline=True)


def rarely(condition):
    """Marks a condition that seldom holds."""
    return condition


@intrinsic
def _expect_false(typing_context, condition):
    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        bit = ir.IntType(1)
        shape = ir.FunctionType(bit, [bit, bit])
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], shape)
        return builder.call(expect, [values[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), code


@overload(rarely)
def _rarely(condition):  # no annotations: they would have to be on the lambda too
    return lambda condition: _expect_false(condition)  # type: ignore[call-arg]
