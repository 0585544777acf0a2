"""One start of a macro under trial: what was the case before, what it did, and how it ended."""

import collections
import dataclasses
import math
from typing import Any

import numpy as np

from rlgpt_jax.envs.base import (
    CAMERA_CENTRE,
    CRAFT_ARG,
    FUNCTION,
    JUMP,
    MOVE,
    PITCH,
    STRAFE,
    YAW,
    Observation,
)
from rlgpt_jax.envs.names import CRAFT_NAMES, NAMES
from rlgpt_jax.envs.spec import Sensed, WorldSpec
from rlgpt_jax.rl.evaluate.approach import STRATA, Targets
from rlgpt_jax.rl.evaluate.trial_report import TrialEpisode

MOVE_WORDS = {MOVE: ("", "forward", "back"), STRAFE: ("", "left", "right"),
              JUMP: ("", "jump", "sneak", "sprint")}  # fmt: skip
FUNCTION_WORDS = ("", "use", "drop", "attack", "craft", "equip", "place", "destroy")


def describe_action(action: np.ndarray, spec: WorldSpec | None = None) -> str:
    """An action int32[8] of the world in a few words, for example "forward, attack"; with a spec
    the name of one."""
    if spec is not None:
        return spec.actions[int(action[0])].name
    yaw, pitch = action[YAW] - CAMERA_CENTRE, action[PITCH] - CAMERA_CENTRE
    words = [
        *(names[action[column]] for column, names in MOVE_WORDS.items()),
        "" if yaw == 0 else "turn right" if yaw > 0 else "turn left",
        "" if pitch == 0 else "look down" if pitch > 0 else "look up",
        FUNCTION_WORDS[action[FUNCTION]],
    ]
    if FUNCTION_WORDS[action[FUNCTION]] == "craft":
        words[-1] += f" {CRAFT_NAMES[action[CRAFT_ARG]]}"
    return ", ".join(w for w in words if w) or "noop"


@dataclasses.dataclass
class Activation:
    """What is known of one lane's episode and of the macro that was started in it."""

    is_first: bool = True  # episode since the reset
    is_case: bool = False
    tick: int = 0  # of the episode
    played: int = 0  # ticks of play
    ended_before: list[bool] = dataclasses.field(default_factory=list)  # success of each
    start: dict[str, Any] | None = None  # what `facts_of` tells
    end: dict[str, Any] | None = None  # the same, and how it ended
    ticks: int = 0
    walked: float = 0.0
    actions: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)


def fields_of(obs: Sensed, lane: int) -> dict[str, Any]:
    """What `facts_of` is in a world with a spec."""
    return dict(fields=np.array(obs.fields[lane], np.float64))


def field_episode(lane: Activation, number: int, spec: WorldSpec) -> TrialEpisode:
    """What `episode_of` is in a world with a spec."""
    start, end = lane.start, lane.end
    assert start is not None and end is not None
    names = [field.name for field in spec.fields]
    both = {name: (float(a), float(b)) for name, a, b in
            zip(names, start["fields"], end["fields"], strict=True)}  # fmt: skip
    return TrialEpisode(
        number=number, target="", materials=False, ticks_before=lane.tick, ticks=lane.ticks,
        end=end["end"], trap=end["trap"], success=end["success"], died=end["died"],
        actions=dict(lane.actions.most_common()), gained={}, distances=(None, None),
        target_after="", walked=0.0, displacement=0.0, life_lost=0.0, pitch=0.0,
        case=lane.is_case, facts={name: both[name] for name in spec.facts},
        progress=sum(w * (both[name][1] - both[name][0]) for name, w in spec.progress),
    )  # fmt: skip


def facts_of(obs: Observation, seen: Targets, lane: int) -> dict[str, Any]:
    """What a lane sees and holds now, as `Activation.start` keeps it."""
    items: collections.Counter[int] = collections.Counter()
    for name, quantity in zip(obs.slot_name[lane], obs.slot_quantity[lane], strict=True):
        items[int(name)] += int(quantity)
    return dict(
        position=np.array(obs.position[lane]), distance=float(seen.distance[lane]),
        stratum=STRATA[seen.stratum[lane]], items=items, life=float(obs.life[lane]),
        pitch=float(obs.pitch[lane]),
    )  # fmt: skip


def episode_of(lane: Activation, number: int) -> TrialEpisode:
    """The record of a lane whose macro was started and has ended."""
    start, end = lane.start, lane.end
    assert start is not None and end is not None
    changes = {i: end["items"][i] - start["items"][i] for i in end["items"] | start["items"] if i}
    far = [d if math.isfinite(d) else None for d in (start["distance"], end["distance"])]
    return TrialEpisode(
        number=number, target=start["stratum"], materials=start["materials"],
        case=lane.is_case, ticks_before=lane.tick, ticks=lane.ticks, end=end["end"],
        trap=end["trap"], success=end["success"], died=end["died"],
        actions=dict(lane.actions.most_common()),
        gained={NAMES[i]: change for i, change in sorted(changes.items()) if change},
        distances=(far[0], far[1]), target_after=end["stratum"], walked=lane.walked,
        displacement=float(np.hypot(*(end["position"] - start["position"])[[0, 2]])),
        life_lost=start["life"] - end["life"], pitch=end["pitch"],
    )  # fmt: skip
