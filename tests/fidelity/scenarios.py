"""Makes scenarios among blocks of all shapes, for recording with prismarine-physics.

    python -m tests.fidelity.scenarios make DIRECTORY COUNT SEED
    python -m tests.fidelity.scenarios pack FILE.json.gz TRAJECTORY ...

`make` writes COUNT files `shapes_SEED.json` and on, one scenario each: the `scenario` part
of a trajectory file (see `tests/fidelity/trajectories.py`). A simulator around
prismarine-physics 1.11.1, which is not part of this repository, turns each into a trajectory.
`pack` puts recorded trajectories into one file and keeps ticks and positions alone.
"""

import argparse
import gzip
import json
import random
import sys
from pathlib import Path

REACH = 12  # blocks from the middle to the wall around the field
TICKS = 200
FLOOR = 64
KINDS = ("steps", "posts", "climbing", "slow", "currents", "all")
STEPS = (
    [(name, meta) for name in ("oak_stairs", "stone_stairs") for meta in range(8)]
    + [("snow_layer", meta) for meta in range(8)]
    + [("stone_slab", 0), ("stone_slab", 8), ("carpet", 0), ("bed", 0), ("trapdoor", 0)]
    + [("farmland", 0), ("chest", 0), ("cake", 0), ("hopper", 0), ("soul_sand", 0)]
)
POSTS = (
    [("fence", 0), ("cobblestone_wall", 0), ("glass_pane", 0), ("iron_bars", 0), ("cactus", 0)]
    + [("fence_gate", meta) for meta in range(8)]
    + [("wooden_door", meta) for meta in range(8)]
    + [("trapdoor", meta) for meta in range(4, 8)]
)
SLOW = [("web", 0), ("soul_sand", 0), ("ice", 0), ("packed_ice", 0), ("slime", 0)]
SIDES = {2: (0, 1), 3: (0, -1), 4: (1, 0), 5: (-1, 0)}  # of a ladder: where its wall is


def scenario(seed: int) -> dict:
    """One field of blocks and the keys of 200 ticks, from the seed alone."""
    chance = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    fill = [_box("stone", (-REACH, 60, -REACH), (REACH, 71, REACH))]
    fill.append(_box("air", (1 - REACH, FLOOR, 1 - REACH), (REACH - 1, 71, REACH - 1)))
    if kind in ("slow", "all"):
        fill += _floors(chance)
    if kind in ("currents", "all"):
        fill += _streams(chance, 8 if kind == "currents" else 3)
    if kind in ("steps", "all"):
        fill += _scattered(chance, STEPS, 90)
    if kind in ("posts", "all"):
        fill += _scattered(chance, POSTS, 60)
    if kind in ("slow", "all"):
        fill += _scattered(chance, [("web", 0), ("stone_slab", 0), ("snow_layer", 3)], 30)
    if kind in ("climbing", "all"):
        fill += _ladders(chance, 25)
    fill.append(_box("air", (0, FLOOR, 0), (0, FLOOR + 3, 0)))
    fill.append(_box("stone", (0, FLOOR - 2, 0), (0, FLOOR - 1, 0)))
    return {
        "name": f"shapes_{seed}", "kind": kind, "seed": seed, "version": "1.11.2",
        "world": {"fill": fill},
        "start": {
            "pos": [0.5, FLOOR, 0.5], "yaw_deg": chance.randint(-180, 179), "onGround": True,
        },
        "controls": _controls(chance),
    }  # fmt: skip


def _box(block: str, low: tuple[int, ...], high: tuple[int, ...], meta: int = 0) -> dict:
    return {"block": block, "meta": meta, "from": list(low), "to": list(high)}


def _place(chance: random.Random) -> tuple[int, int]:
    return chance.randint(2 - REACH, REACH - 2), chance.randint(2 - REACH, REACH - 2)


def _scattered(chance: random.Random, states: list[tuple[str, int]], count: int) -> list[dict]:
    """Single blocks, some of them on top of others."""
    boxes = []
    for _ in range(count):
        (x, z), (name, meta) = _place(chance), chance.choice(states)
        y = FLOOR + (chance.random() < 0.15)
        boxes.append(_box(name, (x, y, z), (x, y, z), meta))
    return boxes


def _floors(chance: random.Random) -> list[dict]:
    """Patches of ice, soul sand and slime in the ground."""
    boxes = []
    for _ in range(14):
        (x, z), (name, meta) = _place(chance), chance.choice(SLOW[1:])
        wide, deep = chance.randint(1, 5), chance.randint(1, 5)
        end = (min(x + wide, REACH - 1), FLOOR - 1, min(z + deep, REACH - 1))
        boxes.append(_box(name, (x, FLOOR - 1, z), end, meta))
    return boxes


def _streams(chance: random.Random, count: int) -> list[dict]:
    """Trenches in which the water's level falls along x or z, some with a fall at the end."""
    boxes = []
    for _ in range(count):
        x, z = _place(chance)
        along_x, wide = chance.random() < 0.5, chance.randint(1, 3)
        bottom = chance.randint(FLOOR - 3, FLOOR - 1)
        for level in range(8):
            low = (x + level, z) if along_x else (x, z + level)
            end = (low[0], low[1] + wide) if along_x else (low[0] + wide, low[1])
            low, end = _inside(low), _inside(end)
            top = FLOOR - 1 if level else FLOOR
            for y in range(bottom, top + 1):
                meta = level if y == FLOOR - 1 or level else 8
                cells = (low[0], y, low[1]), (end[0], y, end[1])
                boxes.append(_box("flowing_water", *cells, meta))
    return boxes


def _inside(place: tuple[int, int]) -> tuple[int, int]:
    return min(place[0], REACH - 1), min(place[1], REACH - 1)


def _ladders(chance: random.Random, count: int) -> list[dict]:
    """Pillars with a ladder or a vine on one side."""
    boxes = []
    for _ in range(count):
        x, z = _place(chance)
        meta, top = chance.choice(list(SIDES)), FLOOR + chance.randint(1, 5)
        wall_x, wall_z = SIDES[meta]
        wall = (x + wall_x, FLOOR, z + wall_z)
        boxes.append(_box("stone", wall, (wall[0], top, wall[2])))
        hung = ("vine", 1) if chance.random() < 0.4 else ("ladder", meta)
        boxes.append(_box(hung[0], (x, FLOOR, z), (x, top, z), hung[1]))
    return boxes


def _controls(chance: random.Random) -> list[dict]:
    entries, left = [], TICKS
    while left:
        entry: dict = {"ticks": min(chance.randint(3, 25), left)}
        left -= entry["ticks"]
        move = chance.random()
        if move < 0.8:
            entry["forward"] = 1
        elif move < 0.85:
            entry["back"] = 1
        side = chance.random()
        if side < 0.2:
            entry["left" if side < 0.1 else "right"] = 1
        if chance.random() < 0.3:
            entry["jump"] = 1
        if "forward" in entry and chance.random() < 0.4:
            entry["sprint"] = 1
        if chance.random() < 0.12:
            entry["sneak"] = 1
            entry.pop("sprint", None)
        if chance.random() < 0.5:
            entry["dyaw_deg"] = chance.choice((-15, -7.5, -3, 3, 7.5, 15))
        entries.append(entry)
    return entries


def make(directory: Path, count: int, seed: int) -> None:
    """Writes the scenarios of `count` seeds."""
    directory.mkdir(parents=True, exist_ok=True)
    for made in map(scenario, range(seed, seed + count)):
        (directory / f"{made['name']}.json").write_text(json.dumps(made))


def pack(out: Path, files: list[Path]) -> None:
    """Writes one file of trajectories, which `trajectories.load` reads."""
    cases = []
    for path in files:
        table = json.loads(path.read_text())
        cases.append(
            {
                "scenario": table["scenario"],
                "columns": table["columns"][:4],  # tick, x, y, z
                "rows": [row[:4] for row in table["rows"]],
            }
        )
    text = json.dumps({"cases": cases}, separators=(",", ":"))
    out.write_bytes(gzip.compress(text.encode(), mtime=0))


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser("python -m tests.fidelity.scenarios")
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("directory", type=Path)
    making.add_argument("count", type=int)
    making.add_argument("seed", type=int)
    packing = commands.add_parser("pack")
    packing.add_argument("out", type=Path)
    packing.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args(argv)
    if options.command == "make":
        make(options.directory, options.count, options.seed)
    else:
        pack(options.out, options.files)


if __name__ == "__main__":
    main(sys.argv[1:])
