"""Programs with lists, tuples, dictionaries and sets, for Python and for the macro language."""

# Bodies of `def macro(obs):`.
BODIES = {
    "sets that change": """
    from collections import deque
    near = {obs.block(dx, 0, 0) for dx in (-1, 0, 1)}
    near.update(["log", "dirt", "stone"])
    same = near
    near.difference_update({"dirt"}, ("sand",))
    obs = yield turn(yaw=15 * len(same), pitch=15 * ("dirt" in same))
    few, more = {"log"}, {obs.held, "log"}
    obs = yield turn(yaw=15 * (few < near), pitch=15 * (few < more))
    obs = yield turn(yaw=15 * (few < few), pitch=15 * (more > few))
    last = {3: 6, 1: 2}
    key, value = last.popitem()
    obs = yield turn(yaw=15 * key, pitch=15 * value)
    history = deque()
    for k in range(7):
        history.append(k)
    history.appendleft(9)
    obs = yield turn(yaw=15 * history[-1], pitch=15 * sum(history) % 180)
    queue = deque([(0, 1)])
    queue.append((2, 3))
    a, b = queue.popleft()
    obs = yield turn(yaw=15 * b, pitch=15 * len(queue))
    row = [1, 2, 3]
    other = row
    row[:] = [x * 2 for x in row] + [1]
    row[:] = row
    obs = yield turn(yaw=15 * len(other), pitch=15 * other[0])""",
    "truth of what is inside": """
    places = {"log": {1}, "dirt": set()}
    places["log"].discard(1)
    tables = [{}, {}]
    obs = yield turn(yaw=15 * any(places.values()), pitch=15 * any(tables))
    tables[1]["log"] = 1
    obs = yield turn(yaw=15 * any(tables), pitch=15 * all(t for t in tables))
    places["log"].add(obs.x)
    obs = yield turn(yaw=15 * any(places.values()), pitch=15 * all(places.values()))
    obs = yield jump()""",
    "dict display": """
    d = {"log": 1, "stone": obs.count("log"), "dirt": 3}
    d["cow"] = 4
    d["log"] += 5
    obs = yield turn(yaw=15 * d["log"], pitch=15 * len(d))
    obs = yield turn(yaw=15 * d.get("cow"), pitch=15 * d.get("pig", -2))
    if d.get("pig") is None and "dirt" in d and "pig" not in d:
        obs = yield jump()
    for k in d:
        if k == "dirt":
            obs = yield turn(yaw=15 * d[k])
    for k, v in d.items():
        obs = yield turn(yaw=15 * v, pitch=15 * (k == "cow"))
    obs = yield turn(yaw=15 * sum(d.values()) % 180, pitch=15 * len(list(d.keys())))""",
    "constant dict": """
    turns = {"north": 180, "south": 0, "west": 90, "east": -90}
    yaws = {0: (0, 1), 90: (-1, 0), 180: (0, -1), -90: (1, 0)}
    for name in ("east", "north"):
        obs = yield turn(yaw=turns[name] / 2)
    for yaw, (dx, dz) in yaws.items():
        obs = yield turn(yaw=yaw / 2, pitch=15 * (dx + 2 * dz))
    for yaw in yaws:
        obs = yield turn(yaw=yaw / 3, pitch=15 * yaws[yaw][1])
    for item in turns.values():
        obs = yield turn(pitch=item / 3)
    b = obs.block(0, -1, 0)
    obs = yield turn(yaw=15 * COSTS.get(b, 7), pitch=15 * (b in COSTS))
    obs = yield turn(yaw=15 * COSTS.get(obs.block(1, 0, 0), -1), pitch=15 * len(COSTS))
    best = max(COSTS, key=COSTS.get)
    obs = yield turn(yaw=15 * COSTS[best], pitch=15 * min(COSTS.values()))
    obs = yield turn(yaw=15 * {1: 3, 2: 5}[2], pitch=15 * {"a": 1}.get("b", 4))
    total = sum(COSTS.get(r.block, 0) for r in obs.rays)
    none = sum(COSTS.get(r.block) is None for r in obs.rays)
    obs = yield turn(yaw=15 * (total % 12), pitch=15 * (none % 9))
    obs = yield turn(yaw=15 * HELD.get(obs.held, 3), pitch=15 * sorted(COSTS.values())[1])""",
    "dict building": """
    seen = {}
    if not seen:
        obs = yield jump()
    for r in obs.rays:
        seen[r.block] = seen.get(r.block, 0) + 1
    obs = yield turn(yaw=15 * (seen.get("log", 0) % 12), pitch=15 * len(seen))
    cells = {}
    for x in range(-1, 2):
        for z in range(-1, 2):
            cells[(x, z)] = obs.block(x, 0, z)
    n = sum(1 for b in cells.values() if b == "stone")
    m = sum(1 for (x, z), b in cells.items() if b == "air" and x == 1)
    obs = yield turn(yaw=15 * n, pitch=15 * m)
    if cells[(0, 1)] == cells.get((0, 1)) and (5, 5) not in cells and seen:
        obs = yield back()
    where = {b: (x, z) for (x, z), b in cells.items()}
    obs = yield turn(yaw=15 * len(where), pitch=15 * where[cells[1, 1]][0])
    groups = {}
    for k in range(7):
        groups.setdefault(k % 3, []).append(k)
    obs = yield turn(yaw=15 * groups[1][-1], pitch=15 * len(groups[0]))
    old = groups.pop(2)
    none = groups.pop(9, None)
    obs = yield turn(yaw=15 * sum(old), pitch=15 * (len(groups) + (none is None)))
    groups.update({0: [9], 5: [5]})
    obs = yield turn(yaw=15 * groups[0][0], pitch=15 * groups[5][0])
    del groups[0]
    obs = yield turn(yaw=15 * len(groups), pitch=15 * (0 in groups))
    a = dict(zip(("p", "q"), (4, 5)))
    b = dict(a)
    b["p"] += 1
    c = {**a, "q": 9, "r": 1}
    obs = yield turn(yaw=15 * a["p"], pitch=15 * b["p"])
    obs = yield turn(yaw=15 * c["q"], pitch=15 * len(c))
    if a == {"q": 5, "p": 4} and a != b and dict(x=1)["x"] == 1:
        obs = yield left()
    d = a | {"z": 3}
    obs = yield turn(yaw=15 * len(d), pitch=15 * len(a))
    key, value = c.popitem()
    obs = yield turn(yaw=15 * value, pitch=15 * (key == "r"))
    a.clear()
    obs = yield turn(yaw=15 * len(a), pitch=15 * bool(a))""",
    "dict passed around": """
    state = {"n": 0, "phase": "walk"}
    for _ in range(3):
        bump(state, 2)
    same = state
    same["n"] += 1
    obs = yield turn(yaw=15 * state["n"])
    obs = yield from use_state(obs, state)
    obs = yield turn(yaw=15 * state["n"], pitch=15 * (state["phase"] == "done"))
    either = [1, 2] if obs.x > 0 else {0: 5, 1: 6}
    obs = yield turn(yaw=15 * either[1], pitch=15 * len(either))
    either[0] = 3
    obs = yield turn(yaw=15 * either[0], pitch=15 * (1 in either))
    n = 0
    for x in either:
        n += x
    obs = yield turn(yaw=15 * n)
    plans = {"a": {"x": 1, "y": 2}, "b": {"x": 3}}
    for name, plan in plans.items():
        for k, v in plan.items():
            obs = yield turn(yaw=15 * v, pitch=15 * (name == "b"))
    rows = [{"k": i, "v": i * i % 7} for i in range(4)]
    best = max(rows, key=lambda row: row["v"])
    obs = yield turn(yaw=15 * best["k"], pitch=15 * best["v"])
    plans["c"] = plans["a"].copy()
    plans["c"]["x"] = 7
    obs = yield turn(yaw=15 * plans["c"]["x"], pitch=15 * plans["a"]["x"])""",
    "sets": """
    seen = set()
    for k in range(9):
        seen.add((k % 3, k // 5))
    obs = yield turn(yaw=15 * len(seen), pitch=15 * ((1, 1) in seen))
    seen.discard((0, 0))
    seen.discard((7, 7))
    seen.remove((1, 0))
    obs = yield turn(yaw=15 * len(seen), pitch=15 * ((1, 0) in seen))
    names = {"log", "stone", obs.held}
    if obs.held in names and "cow" not in names and names:
        obs = yield jump()
    a, b = {1, 2, 3}, set([3, 4])
    obs = yield turn(yaw=15 * len(a | b), pitch=15 * len(a & b))
    obs = yield turn(yaw=15 * sum(a - b), pitch=15 * len(a ^ b))
    obs = yield turn(yaw=15 * len(a.union(b, [9])), pitch=15 * len(a.difference([1])))
    if a == {3, 2, 1} and a != b and {1} <= a and not b.issubset(a) and a >= {2}:
        obs = yield back()
    kinds = {r.block for r in obs.rays if r.distance < 20}
    odd = {k % 4 for k in range(20) if k % 2}
    obs = yield turn(yaw=15 * len(kinds), pitch=15 * sum(odd))
    a |= {8}
    a -= {1}
    c = a
    c.update([5, 6])
    obs = yield turn(yaw=15 * len(a), pitch=15 * max(c))
    for x in sorted(a, reverse=True):
        obs = yield turn(yaw=15 * x)
    a.clear()
    obs = yield turn(yaw=15 * len(c), pitch=15 * (not c))
    near = {"log", "log2"}
    hits = [r for r in obs.rays if r.block in near]
    obs = yield turn(yaw=15 * (len(hits) % 12), pitch=15 * len(near & {"log"}))
    if SOLID & {"stone"} and "dirt" in SOLID and len(SOLID) == 3:
        obs = yield left()""",
    "slices": """
    a = [1, 2, 3, 4, 5, 6]
    t = (7, 8, 9)
    n = int(obs.life) % 4
    obs = yield turn(yaw=15 * sum(a[1:]), pitch=15 * len(a[-3:]))
    obs = yield turn(yaw=15 * a[::-1][0], pitch=15 * len(a[:n]))
    obs = yield turn(yaw=15 * sum(a[n:]), pitch=15 * sum(a[-n:]))
    obs = yield turn(yaw=15 * a[4:1:-2][1], pitch=15 * len(a[10:]))
    obs = yield turn(yaw=15 * sum(a[:-n - 1]), pitch=15 * len(a[-100:2]))
    obs = yield turn(yaw=15 * t[1:][0], pitch=15 * t[n:][-1]) if n < 3 else jump()
    obs = yield turn(yaw=15 * (t[:2] == (7, 8)), pitch=15 * (a[:2] == [1, 2]))
    b = a[:]
    b[0] = 9
    obs = yield turn(yaw=15 * a[0], pitch=15 * b[0])
    row = obs.rays[5:12]
    obs = yield turn(yaw=15 * len(row), pitch=15 * sum(r.block == "log" for r in obs.rays[:12]))
    if row[1].distance == obs.rays[6].distance:
        obs = yield back()
    for x in a[2:4]:
        obs = yield turn(yaw=15 * x)""",
    "list methods": """
    a = [3, 1, 2]
    a.insert(0, 7)
    a.insert(-1, 8)
    a.insert(99, 9)
    for x in a:
        obs = yield turn(yaw=15 * x)
    obs = yield turn(yaw=15 * a.pop(), pitch=15 * a.pop(0))
    a.remove(8)
    obs = yield turn(yaw=15 * a.index(2), pitch=15 * len(a))
    a.extend([4, 4])
    a.extend(x for x in range(2))
    obs = yield turn(yaw=15 * a.count(4), pitch=15 * obs.count("log"))
    a.reverse()
    obs = yield turn(yaw=15 * a[0], pitch=15 * a[-1])
    b = a.copy()
    b.append(5)
    obs = yield turn(yaw=15 * len(a), pitch=15 * len(b))
    b.sort()
    obs = yield turn(yaw=15 * b[-1], pitch=15 * b[1])
    b.sort(key=lambda x: -x)
    obs = yield turn(yaw=15 * b[0], pitch=15 * b[2])
    b.sort(reverse=True)
    del b[0]
    obs = yield turn(yaw=15 * b[0], pitch=15 * len(b))
    alias = b
    alias += [1, 2]
    b.clear()
    obs = yield turn(yaw=15 * len(alias), pitch=15 * (not alias))
    queue = [(0, 0)]
    seen = {(0, 0)}
    while queue:
        x, z = queue.pop(0)
        for dx, dz in ((1, 0), (0, 1)):
            p = (x + dx, z + dz)
            if p not in seen and p[0] < 3 and p[1] < 3:
                seen.add(p)
                queue.append(p)
    obs = yield turn(yaw=15 * len(seen))
    stack = [1]
    for k in range(30):
        stack.append(k)
        stack.append(k)
        stack.pop()
    while len(stack) > 3:
        stack.pop()
    obs = yield turn(yaw=15 * stack.pop(-2), pitch=15 * stack[-1])""",
    "sums of lists": """
    a, b = [1, 2], [3]
    c = a + b + [4]
    a += (5, 6)
    d = c
    d += [7]
    t = (1, 2)
    t += (obs.life % 3,)
    u = t + (4,)
    obs = yield turn(yaw=15 * len(c), pitch=15 * len(a))
    obs = yield turn(yaw=15 * c[-1], pitch=15 * len(t + t))
    obs = yield turn(yaw=15 * u[-1], pitch=15 * t[2])
    n = 3
    z = [0] * n
    z[1] = 4
    w = n * [1, 2] + [0] * 2
    obs = yield turn(yaw=15 * len(z), pitch=15 * sum(w))
    grid = [[0] * 3 for _ in range(2)]
    grid[1][2] = 5
    obs = yield turn(yaw=15 * grid[1][2], pitch=15 * grid[0][2])
    rows = [(left, 1)] * 2 + [(right, 2)]
    for move, k in rows:
        for _ in range(k):
            obs = yield move()
    both = a + list(t) + [9]
    obs = yield turn(yaw=15 * len(both), pitch=15 * both[-1])
    flat = sum([[1], [2, 3]], [])
    obs = yield turn(yaw=15 * len(flat), pitch=15 * flat[2])
    p = (0,) * 3 + (2,)
    obs = yield turn(yaw=15 * len(p), pitch=15 * p[3])
    step = add3((1, 2, 3), (1, 1, 1))
    obs = yield turn(yaw=15 * step[0], pitch=15 * step[2])""",
    "comparing what holds dictionaries and sets": """
    near = {"log": {1, 2}, "dirt": {"n": {"at": [3, (4, 5)]}}}
    same = {"dirt": {"n": {"at": [3, (4, 5)]}}, "log": {2, 1}}
    obs = yield turn(yaw=15 * (near == same), pitch=15 * (near != same))
    rows, others = [{1}, {"k": 2}, [[{3}]]], [{1}, {"k": 2}, [[{3}]]]
    obs = yield turn(yaw=15 * (rows == others), pitch=15 * (({1}, 2) == ({1}, 2)))
    same["dirt"]["n"]["at"][1] = (4, 6)
    others[2][0][0].add(obs.x)
    obs = yield turn(yaw=15 * (near == same), pitch=15 * (rows == others))
    deep, deeper = (1, (2, (3, 4))), (1, (2, (3, 5)))
    obs = yield turn(yaw=15 * (deep == deeper), pitch=15 * ([deep] == [(1, (2, (3, 4)))]))
    obs = yield jump()""",
    "comparing": """
    a, b = [1, 2, 3], [1, 2, 3]
    obs = yield turn(yaw=15 * (a == b), pitch=15 * (a is b))
    long = [k for k in range(12)]
    other = [k for k in range(12)]
    other[5] += obs.life % 2
    obs = yield turn(yaw=15 * (long == other), pitch=15 * (long != other))
    n = [[1, 2], [3, (4, 5)]]
    m = [[1, 2], [3, (4, 5)]]
    obs = yield turn(yaw=15 * (n == m), pitch=15 * ([1, 2] in n))
    x, y = (1, (2, 3)), (1, (2, 4))
    obs = yield turn(yaw=15 * (x == y), pitch=15 * (x < y))
    obs = yield turn(yaw=15 * (a < [1, 3]), pitch=15 * (a <= b))
    obs = yield turn(yaw=15 * (a > [1]), pitch=15 * ((1, 2) >= (1, 2, 0)))
    pairs = [(1, 2), (3, 4)]
    q = (3, obs.life % 3 + 3)
    if q in pairs:
        obs = yield jump()
    low, high = min((2, 1), (1, q[1])), max(q, (3, 4))
    zeros = {"a": 0, "b": 0}
    zeros["a"] += low[0]
    obs = yield turn(yaw=15 * zeros["a"], pitch=15 * (high[1] + zeros["b"]))
    nested = [((1, 2), 3), ((4, 5), 6)]
    k = ((4, 5), 6)
    obs = yield turn(yaw=15 * (k in nested), pitch=15 * (((1, 2), 4) in nested))""",
    "sorted": """
    xs = [5, 2, 8, 2, 9, -1]
    for x in sorted(xs):
        obs = yield turn(yaw=15 * x)
    for x in sorted(xs, reverse=True)[:2]:
        obs = yield turn(pitch=15 * x)
    pairs = sorted([(2, "b"), (1, "a"), (2, "a"), (1, "b")], key=lambda p: p[0])
    obs = yield turn(yaw=15 * (pairs[0][1] == "a"), pitch=15 * (pairs[2][1] == "b"))
    back = sorted(pairs, key=lambda p: p[0], reverse=True)
    obs = yield turn(yaw=15 * (back[0][1] == "b"), pitch=15 * (back[3][1] == "b"))
    rows = sorted([(2, 3), (1, 9), (2, -1)])
    obs = yield turn(yaw=15 * rows[1][0], pitch=15 * rows[1][1])
    rays = sorted(obs.rays[:50], key=lambda r: (r.block != "log", r.distance))
    obs = yield turn(yaw=15 * round(rays[0].yaw / 15), pitch=15 * round(rays[1].pitch / 15))
    near = sorted((r for r in obs.rays if r.block == "log"), key=lambda r: r.distance)
    obs = yield turn(yaw=15 * round(near[3].yaw / 15), pitch=15 * round(near[-1].pitch / 15))
    all_rays = sorted(obs.rays, key=lambda r: r.distance)
    a, b = all_rays[7], all_rays[99]
    obs = yield turn(yaw=15 * round(a.yaw / 15), pitch=15 * round(b.pitch / 15))
    far = sorted(obs.rays, key=lambda r: -r.distance)[0]
    one = sorted(obs.rays, key=lambda r: r.block == "log")[-1]
    obs = yield turn(yaw=15 * round(far.yaw / 15), pitch=15 * round(one.pitch / 15))
    one = sorted(obs.rays, key=lambda r: r.block == "log", reverse=True)[-1]
    two = sorted(obs.rays, key=lambda r: r.block == "log", reverse=True)[0]
    obs = yield turn(yaw=15 * round(two.yaw / 15), pitch=15 * round(one.pitch / 15))
    up = obs.x > 0
    obs = yield turn(yaw=15 * sorted(xs, key=abs, reverse=up)[0])
    counts = {"log": 3, "stone": 1, "dirt": 2}
    order = sorted(counts, key=counts.get)
    obs = yield turn(yaw=15 * counts[order[1]], pitch=15 * (order[0] == "stone"))
    items = sorted(counts.items(), key=lambda kv: -kv[1])
    obs = yield turn(yaw=15 * items[0][1], pitch=15 * (items[2][0] == "stone"))
    least = min((r.distance, i) for i, r in enumerate(obs.rays) if r.block == "stone")
    obs = yield turn(yaw=15 * (least[1] % 12), pitch=15 * round(least[0] / 4))
    best = max(rows, key=lambda r: (r[0], -r[1]))
    obs = yield turn(yaw=15 * best[0], pitch=15 * best[1])
    obs = yield turn(yaw=15 * len(sorted([])), pitch=15 * sorted([4])[0])
    up = sorted([])""",
    "order of names": """
    names = sorted({obs.held, "log", "stone", "Zebra", "no_such_thing", "a"})
    obs = yield turn(yaw=15 * names.index("log"), pitch=15 * names.index("a"))
    obs = yield turn(yaw=15 * (names[0] == "Zebra"), pitch=15 * (names[-1] == "stone"))
    n = {}
    for r in obs.rays:
        n[r.block] = n.get(r.block, 0) + 1
    order = sorted(n)
    obs = yield turn(yaw=15 * order.index("log"), pitch=15 * len(order))
    pairs = sorted([(2, "b"), (1, "d"), (2, "a"), (1, "c")], reverse=True)
    obs = yield turn(yaw=15 * (pairs[0][1] == "b"), pitch=15 * (pairs[3][1] == "c"))
    best = max((k % 2, name) for k, name in enumerate(names))
    obs = yield turn(yaw=15 * names.index(best[1]), pitch=15 * (min(names) == "Zebra"))
    if "log" < obs.held or obs.block(0, 0, 0) >= "grass":
        obs = yield jump()""",
    "sorting many": """
    many = sorted([(k * 37) % 60 for k in range(60)])
    ok = all(many[i] == i for i in range(60))
    obs = yield turn(yaw=15 * ok, pitch=15 * (len(many) - 55))
    many = sorted([((k * 37) % 3, k) for k in range(50)], reverse=True)
    obs = yield noop()
    ok = all(many[i] > many[i + 1] for i in range(49))
    obs = yield turn(yaw=15 * ok, pitch=15 * (many[0][1] - 45))
    many = sorted([(2, k % 2, -k) for k in range(30)])
    obs = yield turn(yaw=15 * many[0][2] % 180, pitch=15 * many[29][2])
    many.sort(key=lambda p: p[2])
    obs = yield turn(yaw=15 * (many[0][2] + 25), pitch=15 * many[28][2])
    many = sorted(((k % 5, [k % 2, k]) for k in range(9)), key=lambda p: p[1])
    obs = yield turn(yaw=15 * many[0][0], pitch=15 * many[8][1][1] % 180)""",
    "iterables": """
    xs, ys = (3, 1, 2), [4, 5, 6]
    total = sum(a * b for a, b in zip(xs, ys))
    obs = yield turn(yaw=15 * total % 180, pitch=15 * max(map(abs, (-3, 2))))
    three = list(zip(xs, ys, range(2)))
    obs = yield turn(yaw=15 * len(three), pitch=15 * three[1][2])
    for i, (a, b) in enumerate(zip(xs, reversed(ys)), 1):
        obs = yield turn(yaw=15 * a * i, pitch=15 * b)
    for i, x in enumerate(sorted(xs), start=2):
        obs = yield turn(yaw=15 * x, pitch=15 * i)
    back = list(reversed(range(2, 9, 3)))
    obs = yield turn(yaw=15 * back[0], pitch=15 * tuple(range(4))[2])
    for x in map(lambda a: a + 4, xs):
        obs = yield turn(yaw=15 * x)
    for x in filter(lambda a: a > 1, xs):
        obs = yield turn(yaw=15 * x)
    for x in (a * a for a in xs if a != 1):
        obs = yield turn(yaw=15 * x)
    for a, b in ((a, b) for a in xs for b in ys if a + b == 7):
        obs = yield turn(yaw=15 * a, pitch=15 * b)
    table = [[a * b for b in range(3)] for a in range(3)]
    best = max(max(row) for row in table)
    obs = yield turn(yaw=15 * sum(sum(row) for row in table), pitch=15 * best)
    obs = yield turn(yaw=15 * sum(x for row in table for x in row if x % 2 == 0))
    logs = len([r for r in obs.rays if r.block == "log"])
    cows = any(r.entity == "cow" for r in obs.rays[::2])
    obs = yield turn(yaw=15 * cows, pitch=15 * logs % 180)
    first, *rest = ys
    *init, last = [first] + rest + [9]
    a, *mid, z = (1, 2, 3, 4)
    obs = yield turn(yaw=15 * len(rest), pitch=15 * last)
    obs = yield turn(yaw=15 * len(init), pitch=15 * mid[1] * z)
    for head, *tail in [(1, 2, 3), (4, 5)]:
        obs = yield turn(yaw=15 * head, pitch=15 * len(tail))
    obs = yield turn(yaw=15 * next(y for y in ys), pitch=15 * next(x for x in xs if x < 3))
    obs = yield turn(yaw=15 * (3 in range(2, 5)), pitch=15 * (7 in (a + 4 for a in xs)))
    obs = yield turn(yaw=15 * len(set(k % 4 for k in range(9))), pitch=15 * sum([1, 2], 3))
    pairs = list(enumerate(("log", "dirt")))
    obs = yield turn(yaw=15 * len(pairs), pitch=15 * (pairs[1][1] == "dirt"))
    total = sum(v for k, v in {"a": 1, "b": 2}.items() if k != "a")
    obs = yield turn(yaw=15 * total, pitch=15 * [10, 20, 4][2])
    obs = yield turn(yaw=15 * ["a", "b"].index("b"), pitch=15 * (1, 5, 5).count(5))""",
    "mutation while iterating": """
    a = [1, 2, 3, 4]
    for x in a:
        if x == 2:
            a.remove(x)
        if len(a) < 6:
            a.append(x + 10)
        obs = yield turn(yaw=15 * (x % 10))
    obs = yield turn(yaw=15 * len(a))
    for x in list(a):
        a.remove(x)
    obs = yield turn(yaw=15 * len(a))
    d = {1: 2, 3: 4}
    for k in d:
        d[k] = d[k] + 1
    for k in list(d):
        if d[k] == 3:
            del d[k]
    obs = yield turn(yaw=15 * len(d), pitch=15 * d[3])""",
    "garbage": """
    n = 0
    for k in range(120):
        d = {"x": k, "y": k + 1, "z": (k, k)}
        s = {k, k + 1}
        row = [d["x"], d["y"]] + [3]
        row = sorted(row, key=lambda v: -v)[:2]
        n += row[0] - d["z"][0] + len(s)
        d["new"] = row
        if k % 20 == 0:
            obs = yield turn(yaw=15 * (n % 12))
    obs = yield turn(yaw=15 * (n % 12))""",
    "rays kept": """
    hits = [r for r in obs.rays if r.block == "log"][:5]
    best = sorted(hits, key=lambda r: r.distance)[:2]
    scored = [(r.distance, r) for r in hits]
    obs = yield forward()
    obs = yield turn(yaw=15 * round(best[0].yaw / 15), pitch=15 * round(best[1].pitch / 15))
    for r in hits:
        obs = yield turn(yaw=15 * round(r.yaw / 15), pitch=round(r.distance))
    d, r = min(scored, key=lambda p: p[0])
    obs = yield turn(yaw=15 * round(r.yaw / 15), pitch=round(d))""",
    "helpers that do not always act": """
    old = obs
    near = obs.nearest("log")
    state = {"obs": obs, "pair": (1, obs.rays[3])}
    for k in range(4):
        yield from perhaps(k % 2 == 1, state)
        seen = state["obs"]
        obs = seen
        if state["pair"][1].distance > 8 and near.distance < 99:
            obs = yield turn(yaw=15 * (seen.count("log") % 12), pitch=15 * (obs.x > old.x))
            state["obs"] = obs
    yield from perhaps(False, state)
    obs = yield turn(yaw=15 * (state["obs"].block(0, 0, 0) == "air"))""",
    "numbers where containers may be": """
    plan = [{"at": (15, 30), "names": {"log"}}, {"at": [45, 60], "names": set()}]
    t = plan[0]["at"][0]
    for p in plan:
        t += p["at"][1]
        obs = yield turn(yaw=t)
    xs = plan[1]["at"]
    xs += plan[0]["at"]
    xs += {5} if obs.x == obs.x else [1]
    obs = yield turn(yaw=sum(xs))
    a = {1}
    a |= {2}
    obs = yield turn(yaw=15 * len(a))
    a = 5
    a |= 2
    a &= 3
    a -= 1
    obs = yield turn(yaw=15 * a)""",
}
HELPERS = """
COSTS = {"stone": 3, "log": 1, "dirt": 2}
HELD = {"log": 1, "bucket": 2}
SOLID = {"stone", "dirt", "grass"}

def bump(state, by):
    state["n"] += by

def use_state(obs, state):
    for _ in range(2):
        obs = yield forward()
        state["n"] += 1
    state["phase"] = "done"
    return obs

def perhaps(acts, state):
    if acts:
        state["obs"] = yield jump()

def add3(a, b):
    return tuple(x + y for x, y in zip(a, b))
"""
