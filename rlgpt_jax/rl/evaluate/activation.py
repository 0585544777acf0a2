"""One start of a macro under trial: what was the case before, what it did, and how it ended."""

import collections
import dataclasses
import math
from typing import Any

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAMES
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl.evaluate.approach import STRATA
from rlgpt_jax.rl.evaluate.trial_report import TrialEpisode

MOVE_WORDS = {base.MOVE: ("", "forward", "back"), base.STRAFE: ("", "left", "right"),
              base.JUMP: ("", "jump", "sneak", "sprint")}  # fmt: skip
FUNCTION_WORDS = ("", "use", "drop", "attack", "craft", "equip", "place", "destroy")


def action_words(action: np.ndarray, spec: WorldSpec | None = None, numbers: bool = False) -> str:
    """An action int32[8] of the world in a few words, for example "forward, attack"; with a spec
    the name of one. With `numbers` also by how much: "turn right 30\N{DEGREE SIGN}, use" and
    "move(dx=0.5, dy=-1)"."""
    if spec is not None:
        does = spec.actions[int(action[0])]
        given = (f"{a.name}={x:.3g}" for a, x in zip(does.arguments, action[1:], strict=False))
        return f"{does.name}({', '.join(given)})" if numbers else does.name
    words = [names[int(action[column])] for column, names in MOVE_WORDS.items()]
    for column, less, more in (
        (base.YAW, "turn left", "turn right"),
        (base.PITCH, "look up", "look down"),
    ):
        degrees = (int(action[column]) - base.CAMERA_CENTRE) * base.CAMERA_STEP
        turn = (more if degrees > 0 else less) * bool(degrees)
        words.append(turn + f" {abs(degrees):.0f}\N{DEGREE SIGN}" * bool(turn and numbers))
    function = int(action[base.FUNCTION])
    words.append(FUNCTION_WORDS[function])
    if function == base.FN_CRAFT:
        words[-1] += f" {CRAFT_NAMES[int(action[base.CRAFT_ARG])]}"
    elif function > base.FN_CRAFT and numbers:
        words[-1] += f" slot {int(action[base.SLOT_ARG])}"
    return ", ".join(word for word in words if word) or ("nothing" if numbers else "noop")


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


def facts_of(obs: Any, seen: Any, lane: int) -> dict[str, Any]:
    """What a lane sees and holds now, as `Activation.start` keeps it.

    Args:
      obs: Observation, or Sensed of a world with a spec.
      seen: `Targets`, None with a spec.
    """
    if seen is None:
        return dict(fields=np.array(obs.fields[lane], np.float64))
    items: collections.Counter[int] = collections.Counter()
    for name, quantity in zip(obs.slot_name[lane], obs.slot_quantity[lane], strict=True):
        items[int(name)] += int(quantity)
    return dict(
        position=np.array(obs.position[lane]), distance=float(seen.distance[lane]),
        stratum=STRATA[seen.stratum[lane]], items=items, life=float(obs.life[lane]),
        pitch=float(obs.pitch[lane]),
    )  # fmt: skip


def episode_of(lane: Activation, number: int, spec: WorldSpec | None) -> TrialEpisode:
    """The record of a lane whose macro was started and has ended."""
    start, end = lane.start, lane.end
    assert start is not None and end is not None
    known: dict[str, Any] = dict(
        number=number, case=lane.is_case, ticks_before=lane.tick, ticks=lane.ticks,
        actions=dict(lane.actions.most_common()),
        **{name: end[name] for name in ("end", "trap", "success", "died")},
    )  # fmt: skip
    if spec is not None:
        names = [field.name for field in spec.fields]
        both = {name: (float(a), float(b)) for name, a, b in
                zip(names, start["fields"], end["fields"], strict=True)}  # fmt: skip
        return TrialEpisode(
            **known,
            facts={name: both[name] for name in spec.facts},
            progress=sum(w * (both[name][1] - both[name][0]) for name, w in spec.progress),
        )
    changes = {i: end["items"][i] - start["items"][i] for i in end["items"] | start["items"] if i}
    far = [d if math.isfinite(d) else None for d in (start["distance"], end["distance"])]
    return TrialEpisode(
        **known, target=start["stratum"], materials=start["materials"],
        gained={NAMES[i]: change for i, change in sorted(changes.items()) if change},
        distances=(far[0], far[1]), target_after=end["stratum"], walked=lane.walked,
        displacement=float(np.hypot(*(end["position"] - start["position"])[[0, 2]])),
        life_lost=start["life"] - end["life"], pitch=end["pitch"],
    )  # fmt: skip
