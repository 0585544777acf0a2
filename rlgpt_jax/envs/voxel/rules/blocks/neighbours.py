"""The cells around a cell that the rules of blocks look at, in a fixed order."""

import numpy as np

# Sides in this order wherever there are four of them: +x, -x, +z, -z.
_SIDES = ((1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1))
_UP, _DOWN = (0, 1, 0), (0, -1, 0)


def _beside(step: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    return [(x + step[0], y + step[1], z + step[2]) for x, y, z in _SIDES]


# int32[15, 3]: x, y, z from the cell. The rules read the first 11, see `NEAR`.
STEPS = np.array([(0, 0, 0), _UP, _DOWN, *_SIDES, *_beside(_DOWN), *_beside(_UP)], np.int32)
SELF, UP, DOWN = 0, 1, 2
SIDES, DOWN_SIDES, UP_SIDES = slice(3, 7), slice(7, 11), slice(11, 15)
NEAR = STEPS[:11]  # the cell, above, below, its four sides, and what is below those
