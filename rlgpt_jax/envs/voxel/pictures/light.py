"""Light and colour of one point, for the picture kernels: sky, shade and texels.

In these functions `art` is an `art.Art` and `s` a `scene.Scene`.
"""

import math

from rlgpt_jax.envs.voxel.blocks import AIR_CODE
from rlgpt_jax.envs.voxel.kernels import make_kernel

CLOUD_HEIGHT = 112.0
FAST = {"contract", "nsz", "arcp"}
kernel = make_kernel(*(f"pictures/{name}.py" for name in ("light", "bodies", "trace", "art")))
jit = kernel(fastmath=FAST, forceinline=True)


@jit
def byte_at(world, x, y, z):
    if y < 0 or y >= world.shape[2]:
        return AIR_CODE + 1
    return int(world[x % world.shape[0], z % world.shape[1], y])


@jit
def sky(art, s, dx, dy, dz):
    """Colour of the sky in a direction: gradient, glow, sun, moon, stars, clouds."""
    up = max(0.0, dy) ** 0.6
    r = s.horizon[0] + (s.zenith[0] - s.horizon[0]) * up
    g = s.horizon[1] + (s.zenith[1] - s.horizon[1]) * up
    b = s.horizon[2] + (s.zenith[2] - s.horizon[2]) * up
    along = dx * s.sun[0] + dy * s.sun[1] + dz * s.sun[2]
    glow = s.dusk[3] * max(0.0, along) ** 4 * max(0.0, 1.0 - abs(dy) * 1.6)
    r += (s.dusk[0] - r) * glow
    g += (s.dusk[1] - g) * glow
    b += (s.dusk[2] - b) * glow
    if along > 0.9965:
        return 255.0, 250.0, 214.0
    if along < -0.9975:
        return 214.0, 220.0, 232.0
    if s.day < 0.3 and dy > 0.05:
        cell = math.floor(dx / dy * 40) * 7919 + math.floor(dz / dy * 40) * 104729
        if (cell * 2654435761 >> 7) % 97 == 0:
            star = 150.0 * (0.3 - s.day) / 0.3
            r, g, b = r + star, g + star, b + star
    if dy > 0.04:
        reach = (CLOUD_HEIGHT - s.eye[1]) / dy
        cx = math.floor((s.eye[0] + dx * reach + 0.03 * s.tick) / 12.0) % 64
        cz = math.floor((s.eye[2] + dz * reach) / 12.0) % 64
        if reach > 0 and art.clouds[cx, cz]:
            thick = 0.75 * max(0.0, 1.0 - reach / 500.0)
            light = 60.0 + 190.0 * s.day
            r += (light - r) * thick
            g += (light - g) * thick
            b += (light + 4.0 - b) * thick
    return r, g, b


@jit
def texel(art, s, byte, face, u, v, distance):
    """Colour and alpha of a block's face; far away it turns into its mean."""
    texture = art.faces[byte, face]
    iu, iv = min(15, max(0, int(u * 16.0))), min(15, max(0, int(v * 16.0)))
    pixel = art.pictures[texture, iv, iu]
    blur = min(0.85, max(0.0, (distance - 10.0) / 30.0))
    tint = art.tint[texture, iv, iu]
    r = (pixel[0] + (art.mean[texture, 0] - pixel[0]) * blur) * s.tints[tint, 0]
    g = (pixel[1] + (art.mean[texture, 1] - pixel[1]) * blur) * s.tints[tint, 1]
    b = (pixel[2] + (art.mean[texture, 2] - pixel[2]) * blur) * s.tints[tint, 2]
    return r, g, b, pixel[3]


@jit
def sunlit(art, s, x, y, z):
    """1 if the way to the sun is open, less in the shade of leaves and blocks."""
    if s.sun[1] < 0.05:
        return 0.5
    t = 0.0
    for _ in range(48):
        px, py, pz = x + s.sun[0] * t, y + s.sun[1] * t, z + s.sun[2] * t
        cx, cy, cz = math.floor(px), math.floor(py), math.floor(pz)
        if cy >= s.world.shape[2]:
            return 1.0
        byte = byte_at(s.world, cx, cy, cz)
        reach = max(1, byte - AIR_CODE)
        if art.sunlight[byte] < 1.0:
            return art.sunlight[byte]
        step = 1e9
        for k in range(3):
            d = s.sun[k]
            p, c = (px, cx) if k == 0 else (py, cy) if k == 1 else (pz, cz)
            if abs(d) > 1e-6:
                wall = c + reach if d > 0 else c + 1 - reach
                step = min(step, (wall - p) / d)
        t += max(step, 0.0) + 1e-4
    return 1.0


@jit
def _corner_light(art, s, cx, cy, cz, axis, x, y, z):
    """Soft darkening in corners: solid cells round the cell in front of the face."""
    b, c = (axis + 1) % 3, (axis + 2) % 3
    fb = x - cx if b == 0 else y - cy if b == 1 else z - cz
    fc = x - cx if c == 0 else y - cy if c == 1 else z - cz
    total = 0.0
    for ib in range(2):
        for ic in range(2):
            ob, oc = 2 * ib - 1, 2 * ic - 1
            bx, by, bz = ob * (b == 0), ob * (b == 1), ob * (b == 2)
            ax, ay, az = oc * (c == 0), oc * (c == 1), oc * (c == 2)
            one = art.corner[byte_at(s.world, cx + bx, cy + by, cz + bz)]
            two = art.corner[byte_at(s.world, cx + ax, cy + ay, cz + az)]
            both = art.corner[byte_at(s.world, cx + bx + ax, cy + by + ay, cz + bz + az)]
            dark = 3 if one and two else int(one) + int(two) + int(both)
            total += dark * (fb if ib else 1.0 - fb) * (fc if ic else 1.0 - fc)
    return 1.0 - 0.17 * total


@jit
def _mob_shadow(art, s, x, y, z):
    """Darkness of the ground under mobs."""
    light = 1.0
    for m in range(len(s.mob_kind)):
        kind = s.mob_kind[m]
        if kind > 0:
            dx, dz = x - s.mob_position[m, 0], z - s.mob_position[m, 2]
            above = s.mob_position[m, 1] - y
            radius = 0.45 * art.part_reach[kind]
            if -0.1 < above < 2.0 and dx * dx + dz * dz < radius * radius:
                away = (dx * dx + dz * dz) / (radius * radius)
                light = min(light, 0.55 + 0.45 * away)
    return light


@jit
def shade(art, s, cx, cy, cz, axis, forward, x, y, z, distance):
    """Brightness of a point on a block's face, seen by a ray going `forward` or not."""
    sign = -1 if forward else 1
    face = 1.0 if axis == 1 and sign > 0 else 0.55 if axis == 1 else 0.8 if axis == 2 else 0.64
    fx, fy, fz = cx + sign * (axis == 0), cy + sign * (axis == 1), cz + sign * (axis == 2)
    light = face
    if distance < 48.0:
        light *= _corner_light(art, s, fx, fy, fz, axis, x, y, z)
    lit = 0.0
    if s.sun[axis] * sign > 0.02:
        out = 0.01 * sign
        lit = sunlit(art, s, x + out * (axis == 0), y + out * (axis == 1), z + out * (axis == 2))
    elif axis != 1:
        lit = 0.45
    if axis == 1 and sign > 0:
        light *= _mob_shadow(art, s, x, y, z)
    return light * (0.68 + 0.36 * lit) * s.light
