"""Every mob from the front and from the side, with what can happen to it."""

import argparse
from collections.abc import Iterator
from typing import Any

from experiments.gallery import stage
from experiments.gallery.sheet import Sheet
from rlgpt_jax.envs.names import MOBS
from rlgpt_jax.envs.voxel.render import for_people

_TURNS = {"front": 200.0, "side": 110.0, "back": 20.0}
_HIGH = {"cow": 1.4, "sheep": 1.3, "pig": 0.9, "chicken": 0.7}
_COLOURS = {0: "white", 6: "pink", 7: "gray", 8: "light gray", 12: "brown", 15: "black"}


def draw(options: argparse.Namespace) -> Iterator[Sheet | int | None]:
    """One sheet of kinds and one of their states."""
    kinds = [kind for kind in MOBS if kind not in ("none", "player")]
    states: list[tuple[str, dict[str, Any]]] = [
        (f"sheep, {name}", {"kind": "sheep", "variant": dye}) for dye, name in _COLOURS.items()
    ]
    states += [
        ("sheep, shorn", {"kind": "sheep", "sheared": 1}), ("cow, hurt", {"kind": "cow",
         "hurt_time": 5}), ("zombie, burning", {"kind": "zombie", "fire": 20}),
        ("pig, burning", {"kind": "pig", "fire": 20}), ("zombie, night", {"kind": "zombie"}),
        ("cow, night", {"kind": "cow"}),
    ]  # fmt: skip
    yield len(kinds) * len(_TURNS) + len(states)
    sheet = Sheet("mobs", "mobs", len(_TURNS))
    for kind in kinds:
        for turn, yaw in _TURNS.items():
            sheet.add(portrait({"kind": kind, "yaw": yaw}), f"{kind}, {turn}")
            yield None
    yield sheet
    sheet = Sheet("mob_states", "mobs: colours and what happens to them", 4)
    for label, row in states:
        time = stage.MIDNIGHT if "night" in label else stage.NOON
        sheet.add(portrait(row | {"yaw": 150.0}, time), label)
        yield None
    yield sheet


def portrait(row: dict[str, Any], time: int = stage.NOON) -> Any:
    """uint8[160, 200, 3]: one mob on grass."""
    high = _HIGH.get(row["kind"], 2.0)
    eye, point = (8.5, high * 0.6 + 0.8, 8.5), (8.5, high * 0.5, 9.2 + 1.4 * high)
    fields = stage.facing(eye, point)
    fields |= stage.mobs(row | {"x": 8.5, "z": 9.2 + 1.4 * high})
    state = stage.state_of(stage.with_clearance(stage.flat()), world_time=time, **fields)
    return for_people.first_person(state, 0, 160, 200, samples=2, hud=False)
