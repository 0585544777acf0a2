"""What the crosshair is on, read from the centre ray, and what use and attack were pressed on."""

import collections
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.names import NAMES
from rlgpt_jax.rl.networks.features import NO_MOB

# Blocks from the eye within which the crosshair acts, in Minecraft's survival mode.
MOB_REACH, BLOCK_REACH = 3.0, 4.5
PRESSES = {base.FN_USE: "use", base.FN_ATTACK: "attack"}
NOTHING, UNSEEN = "nothing", "not seen"
PICTURED = np.array([abs(yaw) <= 40.0 for _ in base.RAY_PITCHES for yaw in base.RAY_YAWS])
NO_RAY = -1  # the view turned in the same tick to where no ray was cast


class Sight(NamedTuple):
    """What one ray of each of N lanes meets first."""

    name: np.ndarray  # int32[N]  name id
    distance: np.ndarray  # float32[N]  blocks from the eye
    is_mob: np.ndarray  # bool[N]
    known: np.ndarray  # bool[N]  false where no ray points that way

    def word(self, lane: int) -> str:
        """The mob or block, `NOTHING` or `UNSEEN`."""
        if not self.known[lane]:
            return UNSEEN
        return NOTHING if self.distance[lane] >= base.RAY_RANGE else NAMES[int(self.name[lane])]

    def in_reach(self, lane: int) -> bool:
        reach = MOB_REACH if self.is_mob[lane] else BLOCK_REACH
        return bool(self.known[lane] and self.distance[lane] <= reach)

    def describe(self, lane: int) -> str:
        """For example "cow at 2.1 blocks, in reach"."""
        word = self.word(lane)
        if word == UNSEEN:
            return "not seen (the view turned in this tick)"
        if word == NOTHING:
            return f"nothing within {base.RAY_RANGE:.0f} blocks"
        reach = "in reach" if self.in_reach(lane) else "out of reach"
        return f"{word} at {self.distance[lane]:.1f} blocks, {reach}"


def met(obs: Observation, at: Any = ...) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the rays at some index of [N, 120] meet first: name id, blocks, whether it is a mob."""
    entity, near, block, far = (
        np.asarray(field)[at]
        for field in (
            obs.ray_entity, obs.ray_entity_distance, obs.ray_block, obs.ray_block_distance
        )
    )  # fmt: skip
    no_mob, none = NO_MOB
    is_mob = (entity != no_mob) & (entity != none) & (near <= far)
    return np.where(is_mob, entity, block), np.where(is_mob, near, far), is_mob


def sight(obs: Observation, ray: np.ndarray | int = base.CENTRE_RAY) -> Sight:
    """What ray int[N] of each lane meets; by default the centre ray, the crosshair.

    The ray's rules are the lidar's: it stops at water, which the crosshair passes unless an
    empty bucket is used.
    """
    lanes = np.arange(len(obs.yaw))
    ray = np.broadcast_to(ray, lanes.shape)
    return Sight(*met(obs, (lanes, np.maximum(ray, 0))), ray != NO_RAY)


def aimed(obs: Observation, action: np.ndarray) -> Sight:
    """What the crosshair is on when the function of action int32[N, 8] acts.

    A tick turns the view first. Where it does, the ray that already pointed there is read;
    there is none for 30 degrees up.
    """
    turn = (action[:, (base.PITCH, base.YAW)] - base.CAMERA_CENTRE) * base.CAMERA_STEP
    pitch = np.clip(np.asarray(obs.pitch) + turn[:, 0], -90.0, 90.0) - np.asarray(obs.pitch)
    # Angles from the view: + right and + down, as a turn of the camera.
    row, column = _find(base.RAY_PITCHES, pitch), _find(base.RAY_YAWS, turn[:, 1])
    known = (row != NO_RAY) & (column != NO_RAY)
    return sight(obs, np.where(known, row * len(base.RAY_YAWS) + column, NO_RAY))


def _find(angles: tuple[float, ...], wanted: np.ndarray) -> np.ndarray:
    """int[N]: index of the ray angle that equals the wanted one, `NO_RAY` if none does."""
    same = np.abs(np.asarray(angles) - wanted[:, None]) < 1e-3
    return np.where(same.any(1), same.argmax(1), NO_RAY)


def nearest(obs: Observation, names: np.ndarray) -> np.ndarray:
    """float32[N]: distance of the nearest of these names in the picture, inf if none.

    Read from the rays that point well into a picture; the outermost ones end beside it.
    """
    first, distance, _ = met(obs, (slice(None), PICTURED))
    return np.where(np.isin(first, names), distance, np.inf).min(axis=1).astype(np.float32)


class Presses:
    """Counts how often use and attack were pressed, by what the crosshair was on."""

    def __init__(self) -> None:
        self.counts: dict[str, collections.Counter[str]] = {
            name: collections.Counter() for name in PRESSES.values()
        }

    def add(self, obs: Observation, action: np.ndarray, counts: np.ndarray) -> None:
        """One tick; `counts` bool[N] are the lanes whose action the world takes."""
        function = action[:, base.FUNCTION]
        lanes = np.flatnonzero(counts & np.isin(function, list(PRESSES)))
        if len(lanes) == 0:
            return
        seen = aimed(obs, action)
        for lane in lanes:
            self.counts[PRESSES[int(function[lane])]][place(seen, int(lane))] += 1

    def to_json(self) -> dict[str, dict[str, int]]:
        """{"use" or "attack": {"cow in reach": times}}, the most frequent first."""
        order = lambda entry: (-entry[1], entry[0])  # noqa: E731
        return {k: dict(sorted(v.items(), key=order)) for k, v in self.counts.items() if v}


def place(seen: Sight, lane: int) -> str:
    """What the crosshair is on, as it is counted: "cow in reach", "grass out of reach"."""
    word = seen.word(lane)
    if word in (NOTHING, UNSEEN):
        return word
    return f"{word} {'in' if seen.in_reach(lane) else 'out of'} reach"


def describe(presses: Mapping[str, Mapping[str, int]], top: int = 5) -> list[str]:
    """One sentence per key, for people and for a critic that may read them."""
    sentences = []
    for key, counts in presses.items():
        total: Any = sum(counts.values())
        parts = [f"{n / total:.0%} on {where}" for where, n in list(counts.items())[:top]]
        rest = total - sum(list(counts.values())[:top])
        parts += [f"{rest / total:.0%} on other things"] * (rest > 0)
        sentences.append(f"{key} was pressed {total:,} times: {', '.join(parts)}.")
    return sentences
