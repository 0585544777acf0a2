"""The trusted skills, written in the macro language. What is shown of them: `skills.py`.

A skill's docstring is the one text about it. It ends soon when there is nothing to do,
gives the newest observation, and is bounded in ticks.
"""

# Skills for both sensor levels: compass, gps, inventory, the blocks around the feet.
PAPER = {
    "look_level": '''
def look_level(obs):
    """Turns the view to level. At most 1 tick."""
    if abs(obs.pitch) > 8:
        obs = yield turn(pitch=-obs.pitch)
    return obs
''',
    "face": '''
def face(obs, yaw):
    """Turns to a compass direction: 0 = +z, 90 = -x, 180 = -z, -90 = +x. At most 1 tick."""
    by = (yaw - obs.yaw + 180) % 360 - 180
    if abs(by) > 8:
        obs = yield turn(yaw=by)
    return obs
''',
    "walk": '''
def walk(obs, ticks=20):
    """Walks straight ahead for so many ticks, jumping up steps and in water. Ends early
    when it is stuck for 10 ticks."""
    stuck = 0
    for _ in range(ticks):
        x, z = obs.x, obs.z
        obs = yield forward(jump=stuck > 0 or obs.in_water)
        stuck = stuck + 1 if abs(obs.x - x) + abs(obs.z - z) < 0.05 else 0
        if stuck > 10:
            return obs
    return obs
''',
    "walk_to": '''
def walk_to(obs, x, z, ticks=100):
    """Walks to the place (x, z) by compass and gps, jumping up steps and going around what
    stops it. Ends within 0.6 blocks of it or after so many ticks."""
    left, side = ticks, 60
    while left > 0 and hypot(x - obs.x, z - obs.z) > 0.6:
        obs = yield from face(obs, degrees(atan2(obs.x - x, z - obs.z)))
        before, start = hypot(x - obs.x, z - obs.z), (obs.x, obs.z)
        obs = yield from walk(obs, min(left, 6 if before > 2 else 2))
        left -= 7
        if left > 0 and hypot(obs.x - start[0], obs.z - start[1]) < 0.1:
            obs = yield turn(yaw=side)
            obs = yield from walk(obs, min(left, 12))
            left, side = left - 13, -side
    return obs
''',
    "climb_out": '''
def climb_out(obs):
    """Gets out of water or of a hole one block deep: jumps forward in 8 directions until it
    stands higher than before. At most 128 ticks."""
    y = obs.y
    for _ in range(8):
        for _ in range(15):
            obs = yield forward(jump=True)
            if obs.on_ground and not obs.in_water and obs.y > y + 0.4:
                return obs
        obs = yield turn(yaw=45)
    return obs
''',
    "pillar_up": '''
def pillar_up(obs, item="dirt", blocks=2):
    """Rises by so many blocks: looks down, jumps and puts blocks of the item under its feet,
    then looks level. Ends when it has none left. About 14 ticks per block."""
    obs = yield turn(pitch=90 - obs.pitch)
    if obs.held != item and obs.count(item) > 0:
        obs = yield equip(item)
    for _ in range(blocks):
        y, have = obs.y, obs.count(item)
        if have == 0:
            break
        obs = yield jump()
        for _ in range(12):
            if obs.count(item) < have:
                break
            obs = yield use() if obs.y > y + 1.05 else noop()
        for _ in range(12):
            if obs.on_ground:
                break
            obs = yield noop()
    obs = yield turn(pitch=-obs.pitch)
    return obs
''',
    "place_ahead": '''
def place_ahead(obs, item):
    """Puts a carried block on the ground before the feet, trying 4 directions, and looks
    level. Does nothing without the item. At most 21 ticks."""
    have = obs.count(item)
    for _ in range(4):
        if have == 0 or obs.count(item) < have:
            break
        obs = yield turn(pitch=45 - obs.pitch)
        obs = yield place(item)
        if obs.count(item) == have:
            obs = yield turn(yaw=90)
    obs = yield from look_level(obs)
    return obs
''',
    "craft_up_to": '''
def craft_up_to(obs, item, count=1):
    """Crafts or smelts the item until so many are carried; ends when a try brings none (an
    ingredient, the table or the furnace is missing)."""
    have = -1
    while obs.count(item) < count and obs.count(item) > have:
        have = obs.count(item)
        obs = yield craft(item)
    return obs
''',
    "collect": '''
def collect(obs, item, ticks=40):
    """Picks up drops that lie within 2 or 3 blocks: walks in a growing spiral until more of the
    item is carried, or so many ticks have passed."""
    have, left, size = obs.count(item), ticks, 5
    while left > 0 and obs.count(item) == have:
        for _ in range(size):
            obs = yield forward(jump=True)
        obs = yield turn(yaw=75)
        left -= size + 1
        size = size + 2
    return obs
''',
}

# Skills that need rays.
FULL = {
    "scan_for": '''
def scan_for(obs, name):
    """Turns around, at level and then looking down, until a block or mob of that name is in
    sight. At most 9 ticks."""
    obs = yield from look_level(obs)
    for pitch in (0, 30):
        for _ in range(4):
            if obs.sees(name):
                return obs
            obs = yield turn(yaw=90)
        if not obs.sees(name):
            obs = yield turn(pitch=30 - pitch * 2)
    return obs
''',
    "aim_at": '''
def aim_at(obs, name):
    """Puts the crosshair on a block or mob of that name in sight: turns, and where a step of
    15 degrees is too coarse, steps aside or nearer. Ends when it is hit, or after 12 ticks."""
    for _ in range(12):
        centre, least = obs.rays[66], obs.nearest(name).distance
        if centre.block == name or centre.entity == name or least > 900:
            return obs
        yaw, pitch, off = 0, 0, 999
        for r in obs.rays:
            if (r.block == name or r.entity == name) and r.distance < least + 1:
                if abs(r.yaw) + abs(r.pitch) < off:
                    yaw, pitch, off = r.yaw, r.pitch, abs(r.yaw) + abs(r.pitch)
        if abs(yaw) > 10 or abs(pitch) > 9:
            obs = yield turn(yaw=yaw, pitch=pitch)
        elif yaw != 0:
            obs = yield left() if yaw < 0 else right()
        elif least > 1.5:
            obs = yield forward()
        else:
            obs = yield turn(pitch=15 if pitch > 0 else -15)
    return obs
''',
    "go_to": '''
def go_to(obs, name, reach=2.5, ticks=150):
    """Walks to the nearest block or mob of that name in sight, jumping up steps, breaking
    leaves and going around what stops it. Ends at that distance (blocks), when it is out of
    sight for 10 ticks, or after so many ticks."""
    lost, stuck, side, left, turned = 0, 0, 45, ticks, ticks + 9
    while left > 0:
        left -= 1
        near, ahead = obs.nearest(name), obs.rays[66]
        if near.distance <= reach:
            return obs
        lost = lost + 1 if near.distance > 900 else 0
        if lost > 10:
            return obs
        if lost == 0 and abs(near.yaw) > 12 and stuck == 0 and turned - left > 4:
            turned = left
            obs = yield turn(yaw=near.yaw, pitch=-obs.pitch)
            continue
        if stuck > 1 and "leaves" in ahead.block and ahead.distance < 2:
            obs = yield attack()
            continue
        x, z = obs.x, obs.z
        obs = yield forward(jump=stuck > 0 or obs.in_water)
        stuck = stuck + 1 if abs(obs.x - x) + abs(obs.z - z) < 0.05 else 0
        if stuck > 8:
            obs = yield turn(yaw=side)
            obs = yield from walk(obs, min(left, 10))
            stuck, side, left = 0, -side, left - 10
    return obs
''',
    "mine_ahead": '''
def mine_ahead(obs, ticks=80):
    """Mines the block under the crosshair with what is in hand: holds attack until the block
    is gone or so many ticks have passed. Ends at once if none is within 4.5 blocks."""
    first = obs.rays[66]
    for _ in range(ticks):
        ray = obs.rays[66]
        if ray.block != first.block or ray.distance > min(first.distance + 0.3, 4.5):
            return obs
        obs = yield attack()
    return obs
''',
    "mine": '''
def mine(obs, name, item="", ticks=190):
    """Goes to the nearest block of that name in sight, mines it and leaves in its way, and
    picks up what it drops: walks to where the block was until more of the item (by default of
    that name) is carried. When it does not succeed it ends some steps aside."""
    wanted = item if item != "" else name
    have = obs.count(wanted)
    for reach in (2.4, 1.8):
        obs = yield from go_to(obs, name, reach, (ticks - 90) // 2)
        for _ in range(10):
            if not obs.on_ground and not obs.in_water:
                obs = yield noop()
        obs = yield from aim_at(obs, name)
        if "leaves" in obs.rays[66].block:
            obs = yield from mine_ahead(obs, 20)
            obs = yield from aim_at(obs, name)
        # A trunk's lowest block: what falls from higher up may stay up or roll away.
        if abs(obs.pitch) < 8:
            obs = yield turn(pitch=30)
            if obs.rays[66].block != name:
                obs = yield turn(pitch=-30)
        ray = obs.rays[66]
        if ray.block == name and ray.distance < 4.5:
            flat = (ray.distance + 0.4) * cos(radians(obs.pitch))
            dx, dz = -sin(radians(obs.yaw)), cos(radians(obs.yaw))
            x, z = obs.x + dx * flat, obs.z + dz * flat
            obs = yield from mine_ahead(obs)
            obs = yield from look_level(obs)
            # To where it was, then around it: drops roll away to any side.
            for ahead, aside in ((0, 0), (0.2, 1.2), (1.4, 0.5), (1.2, -1)):
                for _ in range(5):
                    if obs.count(wanted) > have:
                        return obs
                    obs = yield noop()
                to_x, to_z = x + dx * ahead - dz * aside, z + dz * ahead + dx * aside
                obs = yield from walk_to(obs, to_x, to_z, 16)
            return obs
    obs = yield turn(yaw=75)
    obs = yield from walk(obs, 10)
    return obs
''',
    "use_on": '''
def use_on(obs, name, ticks=100):
    """Goes to the nearest mob of that name in sight and uses the item in hand on it (milks,
    shears): ends when the inventory changes hands, or after so many ticks."""
    held, left = obs.count(obs.held), ticks
    item = obs.held
    while left > 0 and obs.sees(name) and obs.held == item and obs.count(item) == held:
        if obs.nearest(name).distance > 2.2:
            obs = yield from go_to(obs, name, 2.0, min(left, 20))
            left -= 20
        obs = yield from aim_at(obs, name)
        obs = yield use()
        left -= 4
    return obs
''',
}
