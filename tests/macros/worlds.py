"""Synthetic views, and Python's own meaning of the macro API for comparison."""

import math
from typing import Any

import numpy as np

from rlgpt_jax.envs.base import NOOP, NUM_RAYS, NUM_SLOTS, RAY_PITCHES, RAY_YAWS
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID, NAMES
from rlgpt_jax.macros import sensors
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm import bytecode
from rlgpt_jax.macros.vm.bytecode import MacroTick, Program
from rlgpt_jax.macros.vm.host import interpret_host

BLOCKS = ("air", "stone", "log", "dirt", "grass", "water")
ITEMS = ("log", "planks", "stick", "bucket", "stone_pickaxe", "crafting_table", "cobblestone")


def random_view(rng: np.random.Generator, lanes: int) -> np.ndarray:
    """Returns float32[lanes, VIEW_SIZE]; numbers are multiples of 1/8, exact in Python too."""
    view = np.zeros((lanes, sensors.VIEW_SIZE), np.float32)
    view[:, :3] = rng.integers(-400, 400, (lanes, 3)) / 8
    view[:, 3] = rng.integers(-180, 180, lanes)
    view[:, 4] = rng.integers(-90, 90, lanes)
    view[:, 5:7] = rng.integers(1, 21, (lanes, 2))
    view[:, 7] = 300
    view[:, 8] = rng.integers(0, 24000, lanes)
    view[:, 9:11] = rng.integers(0, 2, (lanes, 2))
    names = [NAME_ID[name] for name in ITEMS]
    view[:, sensors.HELD] = rng.choice([0, *names], lanes)
    view[:, sensors.NEAR_TABLE : sensors.NEAR_FURNACE + 1] = rng.integers(0, 2, (lanes, 2))
    blocks = [NAME_ID[name] for name in BLOCKS]
    view[:, sensors.VOXELS : sensors.VOXELS + 27] = rng.choice(blocks, (lanes, 27))
    view[:, sensors.SLOT_NAMES : sensors.SLOT_NAMES + len(names)] = names
    quantities = rng.integers(0, 9, (lanes, len(names)))
    view[:, sensors.SLOT_QUANTITIES : sensors.SLOT_QUANTITIES + len(names)] = quantities
    rays = (lanes, NUM_RAYS)
    view[:, sensors.RAY_BLOCKS : sensors.RAY_BLOCKS + NUM_RAYS] = rng.choice(blocks, rays)
    cows = np.where(rng.random(rays) < 0.1, NAME_ID["cow"], NAME_ID["none"])
    view[:, sensors.RAY_ENTITIES : sensors.RAY_ENTITIES + NUM_RAYS] = cows
    view[:, sensors.RAY_DISTANCES : sensors.RAY_DISTANCES + NUM_RAYS] = (
        rng.integers(8, 256, rays) / 8
    )
    return view


def program(source: str, sensors_level: str = "full", name: str | None = None) -> Program:
    """Compiles a macro that the test needs to be accepted."""
    result = parse_macro(source, name, sensors_level)
    assert not isinstance(result, Refusal), result.describe()
    return result


def run_alone(source: str, views: list[np.ndarray]) -> tuple[list[np.ndarray], MacroTick]:
    """Runs one macro on the host until it ends or the views do.

    Returns the actions of lane 0 and the tick in which it ended (else the last one).
    """
    macro_set = bytecode.link([program(source)])
    state = interpret_host.init_state(len(views[0]))
    actions = []
    for t, view in enumerate(views):
        chosen = np.full(len(view), t == 0, np.int32)
        state, out = interpret_host.tick(macro_set, state, view, chosen, np.zeros(len(view), bool))
        if out.ended[0]:
            break
        actions.append(out.action[0])
    return actions, out


# --- Python's meaning --------------------------------------------------------------
class Ray:
    """A ray of one view."""

    def __init__(self, view: np.ndarray, index: int):
        self.block = NAMES[int(view[sensors.RAY_BLOCKS + index])]
        self.entity = NAMES[int(view[sensors.RAY_ENTITIES + index])]
        self.distance = float(view[sensors.RAY_DISTANCES + index])
        self.yaw = RAY_YAWS[index % len(RAY_YAWS)]
        self.pitch = RAY_PITCHES[index // len(RAY_YAWS)]


class Obs:
    """An observation as the prompts describe it."""

    def __init__(self, view: np.ndarray):
        self.view = view
        for i, name in enumerate(sensors.SCALARS[:11]):
            setattr(self, name, float(view[i]))
        self.held = NAMES[int(view[sensors.HELD])]
        self.rays = [Ray(view, i) for i in range(NUM_RAYS)]

    def count(self, name: str) -> int:
        slots = range(NUM_SLOTS)
        return sum(
            int(self.view[sensors.SLOT_QUANTITIES + i])
            for i in slots
            if NAMES[int(self.view[sensors.SLOT_NAMES + i])] == name
        )

    def near(self, name: str) -> bool:
        place = {"crafting_table": sensors.NEAR_TABLE, "furnace": sensors.NEAR_FURNACE}[name]
        return bool(self.view[place])

    def block(self, dx: int, dy: int, dz: int) -> str:
        cell = (dx + 1) * 9 + (dy + 1) * 3 + dz + 1
        return NAMES[int(self.view[sensors.VOXELS + cell])]

    def sees(self, name: str) -> bool:
        return any(name in (r.block, r.entity) for r in self.rays)

    def nearest(self, name: str) -> Any:
        hits = [r for r in self.rays if name in (r.block, r.entity)]
        if not hits:
            nothing = Ray(self.view, 0)
            nothing.block, nothing.entity, nothing.distance = "air", "none", 999.0
            nothing.yaw = nothing.pitch = 0.0
            return nothing
        return min(hits, key=lambda r: r.distance)

    def slot(self, name: str) -> int | None:
        for i in range(NUM_SLOTS):
            if NAMES[int(self.view[sensors.SLOT_NAMES + i])] == name:
                if self.view[sensors.SLOT_QUANTITIES + i] > 0:
                    return i
        return None


def python_actions(source: str, views: list[np.ndarray], lane: int) -> list[list[int]]:
    """Runs one of our own test programs in Python on one lane's views."""
    seen: list[Obs] = []

    def act(**columns: int) -> list[int]:
        names = ("move", "strafe", "jump", "pitch", "yaw", "function", "craft", "slot")
        action = list(NOOP)
        for key, value in columns.items():
            action[names.index(key)] = value
        return action

    def camera(degrees: float) -> int:
        return int(max(-12, min(12, round(degrees / 15)))) + 12

    def slot_action(function: int, name: str) -> list[int]:
        slot = seen[-1].slot(name)
        return act() if slot is None else act(function=function, slot=slot)

    api = {
        "noop": act,
        "forward": lambda jump=False: act(move=1, jump=int(jump)),
        "back": lambda jump=False: act(move=2, jump=int(jump)),
        "left": lambda jump=False: act(strafe=1, jump=int(jump)),
        "right": lambda jump=False: act(strafe=2, jump=int(jump)),
        "jump": lambda: act(jump=1),
        "attack": lambda: act(function=3),
        "use": lambda: act(function=1),
        "turn": lambda yaw=0, pitch=0: act(yaw=camera(yaw), pitch=camera(pitch)),
        "craft": lambda name: act(function=4, craft=CRAFT_NAMES.index(name)),
        "equip": lambda name: slot_action(5, name),
        "place": lambda name: slot_action(6, name),
        "math": math,
        **{name: getattr(math, name) for name in ("sqrt", "floor", "ceil", "sin", "cos", "atan2",
                                                  "hypot", "pi", "radians", "degrees")},
    }  # fmt: skip
    exec(source, api)
    seen.append(Obs(views[0][lane]))
    generator = api["macro"](seen[0])
    actions = []
    try:
        action = next(generator)
        for view in views[1:]:
            actions.append(action)
            seen.append(Obs(view[lane]))
            action = generator.send(seen[-1])
    except StopIteration:
        return actions
    return [*actions, action]


def random_views(seed: int, lanes: int, ticks: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [random_view(rng, lanes) for _ in range(ticks)]


def host_actions(source: str, views: list[np.ndarray]) -> list[list[list[int]]]:
    """Runs `def macro(obs)` from the first tick on, until it returns or the views end.

    Returns the actions of every lane; none may end by a mistake.
    """
    lanes = len(views[0])
    macro_set = bytecode.link([program(source, name="macro")])
    state = interpret_host.init_state(lanes)
    actions: list[list[list[int]]] = [[] for _ in range(lanes)]
    for t, view in enumerate(views):
        chosen = np.full(lanes, t == 0, np.int32)
        state, out = interpret_host.tick(macro_set, state, view, chosen, np.zeros(lanes, bool))
        assert not np.any(out.ended == bytecode.TRAPPED), [
            bytecode.trap_message(c, line) for c, line in zip(out.trap_code, out.trap_line)
        ]
        for lane in np.flatnonzero(out.from_macro & (out.ended == 0)):
            actions[lane].append(out.action[lane].tolist())
    return actions


def compared_with_python(
    source: str, seed: int, lanes: int, ticks: int, in_python: str = ""
) -> list[list[list[int]]]:
    """Asserts that a program acts in every lane as it, or another one, does in Python.

    Returns what Python did, by lane.
    """
    views = random_views(seed, lanes, ticks)
    expected = [python_actions(in_python or source, views, lane) for lane in range(lanes)]
    assert host_actions(source, views) == expected
    return expected
