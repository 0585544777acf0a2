"""What the macro language has of one world: fields of `obs`, actions, words for advice.

The compiler asks here; what it asks nothing about is the same language in every world. In
Minecraft fields, questions, rays and actions are instructions. In a world with a `WorldSpec`
there are numbers of `obs` alone, and every action is a small function that clamps its arguments
and makes a sequence: the action's index, then its arguments.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache

from rlgpt_jax.envs.spec import Action, WorldSpec
from rlgpt_jax.macros.actions import ITEM_ACTIONS, PLAIN_NAMES
from rlgpt_jax.macros.limits import MAX_ARGUMENTS
from rlgpt_jax.macros.refusal import Refused
from rlgpt_jax.macros.sensors import SCALARS, SENSOR_LEVELS

RAY_FIELDS = ("block", "entity", "distance", "yaw", "pitch")
OBS_FIELDS = tuple(name for name in SCALARS if not name.startswith("near_"))
OBS_METHODS = ("count", "near", "block", "sees", "nearest")
ACTION_NAMES = (*PLAIN_NAMES, *ITEM_ACTIONS, "turn")
PLAIN_FIELD = 1 << 8  # of the operand of `field`: a number, also where Minecraft has a name
MAX_FIELDS = 255 - MAX_ARGUMENTS  # that the operand of `field` can name
SEEDS = ("x", "y", "z", "yaw", "time")  # numbers of Minecraft's first observation
NUM_SEEDS = len(SEEDS)


@dataclass(frozen=True)
class Vocabulary:
    """Of Minecraft, or of the world of `spec`, at one sensor level."""

    sensors: str
    spec: WorldSpec | None
    fields: dict[str, int]  # `obs.<name>` -> operand of the instruction `field`
    seeds: tuple[tuple[str, ...], ...]  # fields of the first observation, for random numbers
    # Minecraft's, as instructions.
    ray_fields: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    api_actions: tuple[str, ...] = ()
    wording: tuple[tuple[str, str], ...] = ()  # Minecraft's words of advice -> this world's

    @property
    def actions(self) -> tuple[Action, ...]:
        """The world's actions that are functions; hidden ones are for trusted skills."""
        return self.spec.actions if self.spec else ()

    @property
    def action_names(self) -> tuple[str, ...]:
        return (*self.api_actions, *(a.name for a in self.actions if not a.hidden))

    @property
    def record_fields(self) -> tuple[str, ...]:
        """Of observations and rays."""
        return (*self.fields, *self.ray_fields, *(["rays"] if self.ray_fields else []))

    @property
    def told(self) -> str:
        """What there is in a world with a spec, for advice where no name is near."""
        return f"the actions are {', '.join(self.action_names)}; {self.fields_told}"

    @property
    def fields_told(self) -> str:
        rays = "; a ray has " + ", ".join(self.ray_fields) if self.ray_fields else ""
        return "obs has " + ", ".join((*self.fields, *(["rays"] if rays else []))) + rays

    def is_trusted(self, text: str) -> bool:
        """Says whether a text is a skill of the world, which may use hidden actions."""
        skills = self.spec.skills if self.spec else ()
        return any(text.strip() == skill.strip() for _, skill in skills)

    def argument(self, i: int) -> int:
        """The operand of `field` that reads what the macro's argument i is."""
        assert self.spec is not None
        return len(self.spec.fields) + i + 1 | PLAIN_FIELD

    def reworded(self, refused: Refused) -> Refused:
        """The refusal with this world's words in its advice."""
        for word, here in self.wording:
            pattern = re.escape(word) + r"(?!\w)"  # obs.x is no part of obs.x_speed
            refused.reason = re.sub(pattern, here, refused.reason)
            refused.instead = re.sub(pattern, here, refused.instead)
        return refused


@cache
def of_world(sensors: str, spec: WorldSpec | None) -> Vocabulary:
    """The vocabulary of a world at a sensor level; None is Minecraft.

    Raises:
      ValueError: no such level, or more fields than the instruction `field` can name.
    """
    if sensors not in SENSOR_LEVELS:
        raise ValueError(f"sensors={sensors!r} is unknown; use one of {SENSOR_LEVELS}")
    if spec is None:
        return minecraft(sensors)
    if len(spec.fields) > MAX_FIELDS:
        raise ValueError(
            f"{spec.name} has {len(spec.fields)} fields, macros can read {MAX_FIELDS}; "
            "leave out what no macro needs"
        )
    levels = SENSOR_LEVELS[: SENSOR_LEVELS.index(sensors) + 1]
    fields = {f.name: i | PLAIN_FIELD for i, f in enumerate(spec.fields, 1) if f.level in levels}
    names = list(fields)
    seeds = tuple(tuple(names[i::NUM_SEEDS]) for i in range(NUM_SEEDS))
    return Vocabulary(sensors, spec, fields, seeds, wording=wording(spec, names))


def minecraft(sensors: str) -> Vocabulary:
    fields = {name: SCALARS.index(name) + 1 for name in OBS_FIELDS}
    seeds = tuple((name,) for name in SEEDS)
    return Vocabulary(sensors, None, fields, seeds, RAY_FIELDS, OBS_METHODS, ACTION_NAMES)


def wording(spec: WorldSpec, fields: list[str]) -> tuple[tuple[str, str], ...]:
    """What advice with Minecraft's words says in another world."""
    field = f"obs.{'x' if 'x' in fields else fields[0]}" if fields else "obs"
    return (
        ("takes obs and nothing else", "takes obs, and else only bounded parameters"),
        ("one argument, the observation", "the observation, and else only bounded parameters"),
        ("(obs):", "(obs): or def NAME(obs, depth: (0.0, 0.2) = 0.1):"),
        ("yield forward()", f"yield {example(spec)}"),
        ("r.distance for r in obs.rays", "x * x for x in xs"),
        ("(r for r in obs.rays if ...)", "(x for x in xs if ...)"),
        ("for r in obs.rays", "for x in xs"),
        ("a list or obs.rays", "or a list"),
        ("lambda r: r.distance", "lambda x: x[0]"),
        ('r.block == "log"', 'mode == "search"'),
        ('"log" in r.block', '"sea" in mode'),
        ("; obs.time is the time of day", ""),
        ("count ticks: every yield is one tick", "count steps: every yield is one step"),
        ("; count, block and nearest never fail", ""),
        ("that are not Minecraft's", "in quotes"),
        ("on a name of the game", "on a name"),
        ("use item names only", "use shorter names"),
        ("obs.x", field),
    )


# --- actions as text ------------------------------------------------------------------
def example(spec: WorldSpec, action: Action | None = None) -> str:
    """A call of an action, the first one by default: `drive(0.3)`."""
    action = action or next((a for a in spec.actions if not a.hidden), spec.actions[0])
    given = ((a.low + a.high) / 2 if a.default is None else a.default for a in action.arguments)
    return f"{action.name}({', '.join(f'{value:g}' for value in given)})"


def signature(action: Action) -> str:
    """How an action is called: `drive(speed, turn=0)`."""
    parts = (a.name if a.default is None else f"{a.name}={a.default:g}" for a in action.arguments)
    return f"{action.name}({', '.join(parts)})"


def definition(action: Action) -> ast.FunctionDef:
    """The function that an action is; its body is written as instructions."""
    node = ast.parse(f"def {signature(action)}:\n    pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    return node
