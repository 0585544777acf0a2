"""Actions for the comparison: a fall, a cow milked, some of everything, turning about."""

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.names import CRAFT_NAMES, MOBS, NAME_ID
from rlgpt_jax.envs.voxel.host import HostVoxel

# What is carried besides the task's own items; the bucket is in the hand.
KIT = (
    "slot.hotbar.1 minecraft:log 3 2", "slot.hotbar.2 minecraft:planks 20 1",
    "slot.hotbar.3 minecraft:crafting_table 1 0", "slot.hotbar.4 minecraft:iron_pickaxe 1 7",
    "slot.hotbar.5 minecraft:dirt 12 0", "slot.hotbar.6 minecraft:bread 2 0",
    "slot.hotbar.7 minecraft:furnace 1 0", "slot.hotbar.8 minecraft:coal 5 1",
    "slot.inventory.0 minecraft:cobblestone 30 0", "slot.inventory.5 minecraft:iron_helmet 1 3",
    "slot.inventory.9 minecraft:wool 6 14", "slot.inventory.20 minecraft:torch 9 0",
    "slot.inventory.26 minecraft:iron_ore 2 0", "slot.armor.chest minecraft:leather_chestplate 1 0",
)  # fmt: skip
# Commands before the first action: a cow two blocks to the south, and a fall that hurts.
ARRANGE = (
    *(f"/replaceitem entity @p {item}" for item in KIT), "/time set 6000",
    "/setblock ~ ~ ~1 air", "/setblock ~ ~ ~2 air",  # no grass in the way
    "/tp ~ ~ ~ 0 0", "/summon cow ~0 ~1 ~2", "/tp ~ ~5.5 ~ 0 0",
)  # fmt: skip
_FALL, _TRIES = 15, 14  # steps until the ground, and at most for the cow
_CRAFTS = ("stick", "wooden_pickaxe", "iron_ingot", "planks", "furnace")
_NEAR = 2.6  # blocks at which a mob is used
_EYE = 1.62


def row(**columns: int) -> np.ndarray:
    """int32[8]: a no-op but for the named columns of `envs.base`."""
    action = np.array(base.NOOP, np.int32)
    for name, value in columns.items():
        action[getattr(base, name)] = value
    return action


class Plan:
    """The next action, from what is seen in the world itself."""

    def __init__(self, seed: int):
        self._falling, self._tries = _FALL, _TRIES
        self._script = script(np.random.default_rng(seed))

    def next(self, host: HostVoxel, obs: Observation) -> np.ndarray:
        """int32[8]"""
        if self._falling:
            self._falling -= 1
            return row()
        if obs.slot_name[0, 0] == NAME_ID["milk_bucket"]:
            self._tries = 0
        if self._tries:
            self._tries -= 1
            return towards_cow(host, obs)
        if self._script:
            return resolve(self._script.pop(0), obs)
        return row(MOVE=1, JUMP=1, YAW=15, FUNCTION=base.FN_ATTACK)


def script(rng: np.random.Generator) -> list[np.ndarray | tuple[int, str]]:
    """What is done after the cow; (function, name) is an action on a slot or product."""
    steps: list[np.ndarray | tuple[int, str]] = [
        row(FUNCTION=base.FN_DROP), row(PITCH=14), (base.FN_PLACE, "crafting_table"),
        row(YAW=14), (base.FN_PLACE, "furnace"),
        *((base.FN_CRAFT, name) for name in _CRAFTS), (base.FN_EQUIP, "iron_helmet"),
        (base.FN_EQUIP, "iron_pickaxe"), (base.FN_DESTROY, "wool"), row(FUNCTION=base.FN_DROP),
        (base.FN_PLACE, "torch"), row(MOVE=2, JUMP=1),
    ]  # fmt: skip
    for _ in range(12):
        steps.append(
            row(
                MOVE=int(rng.integers(3)), STRAFE=int(rng.integers(3)), JUMP=int(rng.integers(4)),
                PITCH=int(rng.integers(11, 14)), YAW=int(rng.integers(9, 16)),
                FUNCTION=int(rng.choice((base.FN_NONE, base.FN_USE, base.FN_ATTACK))),
            )
        )  # fmt: skip
    return steps


def resolve(step: np.ndarray | tuple[int, str], obs: Observation) -> np.ndarray:
    """An action of the script, or a no-op where its mask forbids it."""
    if isinstance(step, np.ndarray):
        allowed = obs.mask_function[0, step[base.FUNCTION]]
        holds = step[base.FUNCTION] != base.FN_DROP or obs.slot_name[0, 0] > 0
        return step if allowed and holds else row()
    function, name = step
    if function == base.FN_CRAFT:
        product = CRAFT_NAMES.index(name)
        if not obs.mask_craft[0, product]:
            return row()
        return row(FUNCTION=function, CRAFT_ARG=product)
    found = np.flatnonzero(obs.slot_name[0] == NAME_ID[name])
    mask = {base.FN_EQUIP: obs.mask_equip, base.FN_PLACE: obs.mask_place}.get(
        function, obs.mask_destroy)  # fmt: skip
    if not len(found) or not mask[0, found[0]]:
        return row()
    return row(FUNCTION=function, SLOT_ARG=int(found[0]))


def towards_cow(host: HostVoxel, obs: Observation) -> np.ndarray:
    """Turns to the nearest cow, walks there, uses what is in the hand."""
    cows = np.flatnonzero(host.field("mobs.kind")[0] == MOBS.index("cow"))
    if not len(cows):
        return row()
    offset = host.field("mobs.position")[0, cows] - obs.position[0]
    x, y, z = offset[np.linalg.norm(offset, axis=1).argmin()] + (0.0, 0.7 - _EYE, 0.0)
    away = float(np.hypot(x, z))
    yaw = (np.rad2deg(np.arctan2(-x, z)) - obs.yaw[0] + 180.0) % 360.0 - 180.0
    pitch = -np.rad2deg(np.arctan2(y, away)) - obs.pitch[0]
    turn = {"PITCH": _bin(pitch), "YAW": _bin(yaw)}
    if away < _NEAR:
        return row(FUNCTION=base.FN_USE, **turn)
    return row(MOVE=1, JUMP=1, **turn)


def _bin(angle: float) -> int:
    return int(np.clip(round(angle / base.CAMERA_STEP) + base.CAMERA_CENTRE, 0, 24))
