"""Periodic gradient noise over the ground plane, for terrain that has no seam."""

import numpy as np


def gradient_noise(rng: np.random.Generator, shape: tuple[int, int], scale: float) -> np.ndarray:
    """One octave of gradient noise that repeats with the world.

    Args:
      rng: drawn from for the gradients.
      shape: blocks in x and z.
      scale: wished size of a hill in blocks; rounded so that whole cells fit.

    Returns:
      float64[X, Z], mean about 0, mostly within [-0.7, 0.7].
    """
    cells = [max(1, round(size / scale)) for size in shape]
    angle = rng.uniform(0.0, 2.0 * np.pi, cells)
    # With one cell the corner gradients would cancel: shift the lattice at random.
    start = rng.uniform(size=2)
    x, z = (np.arange(s) * (c / s) + o for s, c, o in zip(shape, cells, start))
    corner_x, corner_z = np.floor(x).astype(int), np.floor(z).astype(int)
    part_x, part_z = (x - corner_x)[:, None], (z - corner_z)[None, :]

    def corner(dx: int, dz: int) -> np.ndarray:
        at = angle[np.ix_((corner_x + dx) % cells[0], (corner_z + dz) % cells[1])]
        return np.cos(at) * (part_x - dx) + np.sin(at) * (part_z - dz)

    ease_x, ease_z = (t * t * t * (t * (6.0 * t - 15.0) + 10.0) for t in (part_x, part_z))
    west = corner(0, 0) * (1.0 - ease_z) + corner(0, 1) * ease_z
    east = corner(1, 0) * (1.0 - ease_z) + corner(1, 1) * ease_z
    return west * (1.0 - ease_x) + east * ease_x


def fractal_noise(
    rng: np.random.Generator, shape: tuple[int, int], scale: float, octaves: int
) -> np.ndarray:
    """Sums octaves, each of half the size and 0.45 of the height of the one before.

    Returns:
      float64[X, Z], about [-1, 1].
    """
    total = np.zeros(shape)
    for octave in range(octaves):
        total += 0.45**octave * gradient_noise(rng, shape, scale / 2**octave)
    return 1.4 * total
