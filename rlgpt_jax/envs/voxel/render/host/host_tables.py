"""What the numba renderer reads besides worlds: its art, and its notes on one lane.

Both are NumPy records, which numba passes on as one pointer: a kernel that is given a tuple
of arrays instead copies the descriptions of all of them at each call.
"""

from typing import Any

import numpy as np
from numba.core.compiler import CompilerBase, DefaultPassBuilder

from rlgpt_jax.envs.voxel.kernels import make_kernel
from rlgpt_jax.envs.voxel.render.jax import near_light
from rlgpt_jax.envs.voxel.render.jax.near_light import WINDOW
from rlgpt_jax.envs.voxel.render.jax.scene import FAR
from rlgpt_jax.envs.voxel.render.jax.tables import CUBE, SOLID, TABLES
from rlgpt_jax.envs.voxel.rules.blocks.light import EMISSION, OPACITY

OPAQUE = 6  # a kind beside those of `tables`: a cube without holes
TILE = 8  # rays of a tile's side
RAYS = TILE * TILE
REACH = int(FAR) + 9  # cells to each side of the eye that a ray or its light may look up
SLOTS = 1024  # faces whose light is remembered, a power of two
FACE = 16  # numbers about one face, see `light_host`
STEPS = 1024  # of the table of powers
MAX_BODIES = 64  # of a tile: mobs, then items
SKY = 18  # numbers about the sky, see `sky_host`

# Rows of `front`, float32[RAYS] each: rays on their way, see `march_host`.
ORIGIN, SIGN, SPEED, INVERSE, CELL, DISTANCE, LIMIT, LIVE = 0, 3, 6, 9, 12, 15, 16, 17
FRONT_ROWS = 18
# Rows of `rays`, by pixel: direction, distance, cell met (local), axis crossed, colour.
RAY, MET_AT, MET, AXIS, COLOUR = 0, 3, 4, 7, 8
RAY_ROWS = 11

LANE = np.dtype([
    ("along_x", np.int32, 2 * REACH + 1),  # offset of each local x in a world, periodic
    ("along_z", np.int32, 2 * REACH + 1),
    ("size_y", np.int32), ("base_y", np.int32),  # base: the eye's cell
    ("is_inside", np.int32),  # whether the eye is within the world's height
    ("lane", np.int32), ("is_near", np.int32),  # whether the window of light is used
    ("num_lights", np.int32), ("num_bodies", np.int32), ("near", np.uint8, WINDOW**3),
    ("columns", np.uint32, 15 * (WINDOW + 2) ** 2),  # see `near_light_host`
    ("hand_item", np.int32), ("hand_dip", np.float32),
    ("eye", np.float32, 3), ("axes", np.float32, (3, 3)), ("sun", np.float32, 3),
    ("day", np.float32), ("zenith", np.float32, 3), ("horizon", np.float32, 3),
    ("dusk", np.float32, 4), ("clouds", np.float32, 3), ("sky_light", np.float32, 3),
    ("sky", np.float32, SKY), ("tints", np.float32, (3, 3)),
    ("mining_cell", np.int32, 3), ("mining_stage", np.int32),
    # By light byte: its three factors of colour, once they are known.
    ("lamp", np.float32, (256, 3)), ("is_lit", np.uint8, 256),
    ("face_key", np.int32, SLOTS), ("face", np.float32, SLOTS * FACE),
    ("front", np.float32, FRONT_ROWS * RAYS), ("pixel", np.int32, RAYS),  # of each ray of the front
    ("rays", np.float32, (RAY_ROWS, RAYS)),
    ("span", np.float32, 7), ("body", np.int32, MAX_BODIES),
])  # fmt: skip


def _look() -> Any:
    """One record of all tables, by the names of `tables.Tables`, and two more."""
    has_hole = (TABLES.texel.reshape(-1, 256) & SOLID == 0).any(1)
    is_cube = TABLES.block & 7 == CUBE
    fields = TABLES._asdict() | {
        # By byte: the kind, but `OPAQUE` for cubes without holes.
        "kind": np.where(
            is_cube & ~has_hole[TABLES.face.reshape(256, 6)].any(1), OPAQUE, TABLES.block & 7
        ).astype(np.uint8),
        "passing": near_light._PASS, "opacity": OPACITY, "emission": EMISSION,
        # x ** 0.6 by steps of the root of x; the last one twice.
        "power": (np.minimum(np.arange(STEPS + 2) / STEPS, 1.0) ** 1.2).astype(np.float32),
    }  # fmt: skip
    layout = np.dtype([(n, a.dtype, a.shape) for n, a in fields.items()], align=True)
    record = np.zeros(1, layout).view(np.recarray)
    for name, array in fields.items():
        record[name][0] = array
    return record


LOOK = _look()  # one record


class _NoAlias(CompilerBase):
    """Compiles as usual, with the promise that no two arguments overlap in memory."""

    def define_pipelines(self) -> list[Any]:
        self.state.flags.noalias = True
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


FAST = {"contract", "nsz", "arcp"}
# All that the kernels take constants from.
kernel = make_kernel(
    "render/host/render_host.py", "render/host/*.py", "render/jax/*.py", "render/art/*.py",
    "rules/blocks/light.py",
)  # fmt: skip
# Nothing inside allocates; with reference counts every call would count each of its arrays.
_PLAIN = {"_nrt": False}
inline = kernel(fastmath=FAST, forceinline=True, **_PLAIN)
jit = kernel(fastmath=FAST, **_PLAIN)
# For loops over arrays that LLVM shall turn into vector instructions. Without the promise
# it has to check at run time whether what is written is read again, and gives up.
vector = kernel(fastmath=FAST | {"nnan", "ninf"}, pipeline_class=_NoAlias, **_PLAIN)
