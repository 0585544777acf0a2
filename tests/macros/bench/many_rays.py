"""Macros that look at every ray in every tick, for the benchmark.

The way of working is that of recorded answers at sensor level `full`: groups of rays
around what is nearest, the widest opening, the mean direction of what is seen. All of
them together run about 1,500 instructions per tick.
"""

# Walks to the nearest cow: its rays are grouped, and the aim is tested on pairs of them.
APPROACH = """
def approach(obs):
    stuck = 0
    for _ in range(190):
        near = obs.nearest("cow")
        if near.distance < 900:
            group = [r for r in obs.rays if r.entity == "cow" and r.distance < near.distance + 1]
            yaw = sum(r.yaw for r in group) / len(group)
            pitch = sum(r.pitch for r in group) / len(group)
            central = [r for r in group if abs(r.yaw) < 12 and abs(r.pitch) < 8]
            for a in central:
                for b in central:
                    if a.distance < 2.8 and abs(a.yaw + b.yaw) < 1 and abs(a.pitch + b.pitch) < 1:
                        return
            if abs(yaw) > 9 or abs(pitch) > 9:
                obs = yield turn(yaw=15 * round(yaw / 15), pitch=15 * round(pitch / 15))
                continue
        x, z = obs.x, obs.z
        obs = yield forward(jump=stuck > 1)
        stuck = stuck + 1 if abs(obs.x - x) + abs(obs.z - z) < 0.02 else 0
"""

# Turns to the direction with the most room: one pass over all rays per direction.
OPENING = """
def room_towards(obs, yaw):
    least = 99
    for r in obs.rays:
        if abs(r.yaw - yaw) <= 5 and abs(r.pitch) < 13 and r.distance < least:
            least = r.distance
    return least

def opening(obs):
    for k in range(60):
        best, best_yaw = -1, 0
        for yaw in (-45, -15, 0, 15, 45):
            room = room_towards(obs, yaw)
            if room > best:
                best, best_yaw = room, yaw
        if best_yaw != 0 and k % 4 == 0:
            obs = yield turn(yaw=best_yaw)
        else:
            obs = yield forward()
"""

# Weights every ray: a potential that draws to cows and away from what is close.
POTENTIAL = """
def potential(obs):
    names = ("cow", "sheep", "pig", "chicken")
    for k in range(120):
        pull = push = 0.0
        for r in obs.rays:
            if r.entity in names:
                pull += r.yaw / max(r.distance, 1)
            elif r.block != "air" and r.distance < 6:
                push += (60 - abs(r.yaw)) * (1 if r.yaw > 0 else -1) / max(r.distance, 0.5)
        heading = 15 * round((pull - push / 40) / 15)
        if heading != 0 and k % 3 == 0:
            obs = yield turn(yaw=heading)
        else:
            obs = yield forward(jump=obs.in_water)
"""

# Counts what is in sight, sorts directions by it, keeps what it has seen.
SURVEY = """
def seen_in(obs, low, high):
    blocks = [r.block for r in obs.rays if low <= r.yaw < high]
    return sum(1 for b in blocks if "grass" in b), sum(1 for b in blocks if b == "water")

def survey(obs):
    best = (-1, 0)
    for k in range(24):
        for low in range(-60, 60, 40):
            grass, water = seen_in(obs, low, low + 40)
            value = grass - 3 * water
            if value > best[0]:
                best = (value, obs.yaw + low + 20)
        obs = yield turn(yaw=15)
    turn_by = (best[1] - obs.yaw + 180) % 360 - 180
    obs = yield turn(yaw=15 * round(turn_by / 15))
    for step in range(20):
        ahead = min(r.distance for r in obs.rays if abs(r.yaw) < 15)
        if ahead < 1.5:
            return
        obs = yield forward()
"""

SOURCES = {"approach": APPROACH, "opening": OPENING, "potential": POTENTIAL, "survey": SURVEY}
