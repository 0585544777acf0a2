"""The macro API in words: one table of actions, sensors and functions, shown in prompts.

Tests parse examples of each, so that what a model is told is what the language has.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rlgpt_jax.envs.spec import Action, WorldSpec
from rlgpt_jax.macros.limits import MAX_ARGUMENTS
from rlgpt_jax.macros.sensors import SENSOR_LEVELS
from rlgpt_jax.macros.skills.skills import Described
from rlgpt_jax.macros.vm.bytecode import MAX_DEPTH, MAX_STEPS
from rlgpt_jax.macros.vocabulary import example, signature


class Entry(NamedTuple):
    """One line of the documentation."""

    signature: str
    meaning: str
    level: str = "paper"  # sensor level from which it exists


ACTIONS = (
    Entry(
        "noop(), forward(), back(), left(), right(), jump(), sneak(), sprint()",
        "move for one tick; sprint runs forward. forward(jump=True) moves and jumps, also "
        "back, left, right; forward(sprint=True) runs.",
    ),
    Entry(
        "turn(yaw=0, pitch=0)",
        "camera change in degrees, rounded to multiples of 15, at most 180. +yaw is right, "
        "+pitch is down.",
    ),
    Entry("attack()", "hit, or keep mining, what is under the crosshair."),
    Entry(
        "use()",
        "use the item in hand on what is under the crosshair (milk a cow with a bucket, "
        "shear a sheep, place a block).",
    ),
    Entry(
        'craft("item"), equip("item"), place("item"), destroy("item"), drop()',
        "take 3 ticks. craft (also smelt) needs the ingredients and, for 3x3 recipes, a "
        "crafting table near and in view, for smelting a furnace. equip and place do nothing "
        "if the item is not in the inventory. drop throws away what is in hand.",
    ),
)

FIELDS = (
    Entry("obs.x, obs.y, obs.z", "position of the feet in blocks: x east, y up, z south."),
    Entry(
        "obs.yaw, obs.pitch",
        "view direction in degrees. yaw: 0 = +z, 90 = -x, 180 = -z, -90 = +x; pitch: +90 "
        "looks down.",
    ),
    Entry("obs.life, obs.food", "0 to 20."),
    Entry("obs.oxygen", "0 to 300 ticks of air."),
    Entry("obs.time", "time of day, 0 to 24000; 6000 is noon."),
    Entry("obs.on_ground, obs.in_water", "booleans."),
    Entry("obs.held", 'name of the item in hand, "" if none.'),
    Entry(
        'obs.count("item")', "how many are in the inventory; 0 for names the game does not have."
    ),
    Entry('obs.near("crafting_table"), obs.near("furnace")', "booleans: within reach and in view."),
    Entry(
        "obs.block(dx, dy, dz)",
        "name of the block at that offset from the feet, each of -1, 0, 1, in world axes.",
    ),
    Entry(
        "obs.rays",
        "list of 120 rays (12 yaw angles from -50 to 60, 10 pitch angles from -24 to 30, in "
        'steps of 10 and 6). Each ray has .block (name, "air" if none), .entity (name or '
        '"none"), .distance (blocks, to the first of the two), .yaw and .pitch (degrees from '
        "the view direction, + right and + down: the ray points to obs.yaw + .yaw and obs.pitch + "
        ".pitch, at most 89 degrees up or down).",
        "full",
    ),
    Entry('obs.sees("name")', "is a block or mob of that name on any ray.", "full"),
    Entry(
        'obs.nearest("name")',
        "the ray with the smallest distance to it; its .distance is 999 if there is none.",
        "full",
    ),
)

FUNCTIONS = (
    "abs min max sum any all len round int float bool range enumerate zip reversed sorted map "
    "filter next list tuple set dict; random randint choice uniform shuffle (as random.random "
    "...); sqrt sin cos tan asin acos atan atan2 hypot floor ceil radians degrees sign "
    "copysign pi inf (also as math.sqrt ...)"
)

HOW = """\
- A macro is `def NAME(obs): ...`. Each `yield` hands one primitive action to the {world}, which \
advances one {step}, and evaluates to the new observation: \
`obs = yield {action}`.
- You may define helper functions in the same block. Helpers that yield are called with \
`obs = yield from helper(obs, ...)`; they return the newest observation, or a pair with it.
- An observation holds for one {step_word}. Of an older one (prev = obs) the numbers {old}."""
MINECRAFT_HOW = HOW.format(
    world="game",
    step="tick (20 ticks = 1 second)",
    action="forward()",
    step_word="tick",
    old="and the answers to fixed questions can still be read, "
    'prev.x or prev.count("log"), but not prev.rays',
)
BOUNDED_EXAMPLE = "def NAME(obs, depth: (0.0, 0.2) = 0.1, speed: (0.1, 1.0) = 0.5)"
BOUNDED = f"""
- A macro may have up to {MAX_ARGUMENTS} bounded parameters behind obs, numbers with a lower and an
upper bound: `{BOUNDED_EXAMPLE}: ...`. Without a default it is the middle. Whoever starts the macro
chooses their values, so that a policy can learn them; code that calls it gives them as in Python.
""".replace("\n", " ").strip()  # in a world with a spec

NAMES = (
    'Names: compared with == and in; "log" in r.block, .startswith("...") and f"{kind}_pickaxe" '
    "over fixed words also work"
)
NAMES_OF_SPEC = (
    'Names: compared with == and in; "in" in mode, .startswith("...") and f"{side}_arm" over fixed '
    "words also work"
)
# What is accepted and what is not.
ACCEPTED = (
    "Functions: def (nested too, with defaults, *args, **kwargs, recursion), lambda",
    "Statements: if, while, for, match, break, continue, return, assert, raise (the last two end "
    "the macro)",
    "Expressions: unpacking, :=, + - * / // % ** & | ^ ~ << >>, chained comparisons, and/or/not, "
    "in, is, x if c else y",
    "Modules: math, random",
    "Values: numbers (32 bit floats), True/False, None, names in quotes, tuples; lists, "
    "dictionaries and sets with their usual methods, comprehensions and slices; functions and "
    "actions",
    NAMES,
)
REFUSED = (
    "class",
    "with",
    "try around what can fail",
    "decorators",
    "other imports",
    "assignment to slices other than xs[:]",
    "text made of numbers (a tuple is a key)",
    "next() on a stored generator",
)
LIMITS = "\n".join(
    [
        f"- Not accepted: {'; '.join(REFUSED)}. print does nothing.",
        f"- Limits: calls {MAX_DEPTH} deep, {MAX_STEPS} elementary steps between two yields, "
        "memory for some 400 numbers in all tuples, lists, sets and dictionaries together.",
        "- Division by zero, a bad index, a missing key or a wrong kind of value ends the macro "
        "and is reported.",
    ]
)


CALLING = """\
- Call them in your macro: `obs = yield from NAME(obs, ...)`. Each gives the newest observation. \
Do not define them again."""


class Documented(NamedTuple):
    """What prompts tell of one world beside the language that all have."""

    how: str
    actions_take: str
    actions: Sequence[Entry]
    fields: Sequence[Entry]
    names: str  # the line of `ACCEPTED` on names


MINECRAFT = Documented(MINECRAFT_HOW, "tick unless said otherwise", ACTIONS, FIELDS, NAMES)


def documented(spec: WorldSpec) -> Documented:
    """What prompts tell of a world with a spec; hidden actions are left out."""
    how = HOW.format(
        world="world",
        step=f"step ({spec.step_seconds:g} s)",
        action=example(spec),
        step_word="step",
        old="can still be read, prev.NAME",
    )
    actions = [
        Entry(signature(action), meaning(action)) for action in spec.actions if not action.hidden
    ]
    fields = [Entry(f"obs.{f.name}", full_stop(f.meaning), f.level) for f in spec.fields]
    return Documented(f"{how}\n{BOUNDED}", "step", actions, fields, NAMES_OF_SPEC)


def meaning(action: Action) -> str:
    """What an action does, with the bounds of its arguments."""
    bounds = ", ".join(f"{a.name} to {a.low:g} .. {a.high:g}" for a in action.arguments)
    return full_stop(action.meaning) + (f" Clamped: {bounds}." if bounds else "")


def full_stop(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def prompt_text(
    sensors: str = "paper", functions: Sequence[Described] = (), spec: WorldSpec | None = None
) -> str:
    """Returns the documentation of the language for prompts, at a sensor level.

    Args:
      functions: trusted skills and macros of a library that may be called.
      spec: of the world; None is Minecraft.
    """
    if sensors not in SENSOR_LEVELS:
        raise ValueError(f"sensors={sensors!r} is unknown; use one of {SENSOR_LEVELS}")
    levels = SENSOR_LEVELS[: SENSOR_LEVELS.index(sensors) + 1]
    world = MINECRAFT if spec is None else documented(spec)
    fields = [entry for entry in world.fields if entry.level in levels]
    return "\n".join(
        [
            "How macros run",
            world.how,
            "",
            f"Primitive actions (each takes one {world.actions_take})",
            *(f"- {entry.signature}: {entry.meaning}" for entry in world.actions),
            "",
            "Observation fields",
            *(f"- {entry.signature}: {entry.meaning}" for entry in fields),
            "",
            "Python",
            f"- Rely only on what is documented here. Functions: {FUNCTIONS}.",
            *(f"- {world.names if part is NAMES else part}." for part in ACCEPTED),
            LIMITS,
            *(["", "Functions that exist already", CALLING] if functions else []),
            *(f"- {function.signature}: {function.doc}" for function in functions),
        ]
    )
