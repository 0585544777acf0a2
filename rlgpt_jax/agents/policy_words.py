"""What the policy sees and remembers, in words for prompts."""

from rlgpt_jax.agents.rl_words import given_reward
from rlgpt_jax.agents.setting import Setting
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl.interface import PICTURE, TURNS, Given

# In the order of the words; what is not here is not worth a word.
_PARTS = {
    "compass": "compass (yaw and pitch)",
    "gps": "gps (position relative to the start)",
    "voxels": "the names of the 3x3x3 blocks around its feet",
    "rays": (
        "120 rays (12 yaw angles from 50 degrees left to 60 right and 10 pitch angles from 24 "
        "degrees up to 30 down from the view direction; each with the block and the mob it meets "
        "and their distances, up to 32 blocks)"
    ),
    PICTURE: "the picture of what is before it",
    "inventory": "inventory",
    "status": "life",
    "previous": "its previous action",
}


def of_policy(setting: Setting) -> dict[str, str]:
    """What prompts tell of the policy besides its memory."""
    given, spec = setting.given, setting.spec
    if spec:
        acts, at_first = _acts(spec)
        names = ", ".join(field.name for field in spec.fields)
        return dict(
            paid=f"It is rewarded: {given_reward(given.reward)}.", acts=acts, at_first=at_first,
            sees=f"{names}, and which macro it started last, if any",
        )  # fmt: skip
    # The end of a sentence: "Reacting to what ... easy to learn".
    shows = "the picture shows is less" if given.image_size else "the rays show is"
    return dict(sees=sees(given), turn=turn(given, setting.design != "reward"), shows=shows)


def _acts(spec: WorldSpec) -> tuple[str, str]:
    """Its own actions in a world with a spec, and how likely its choices are before it has
    learned, see `rl.primitives.Primitives.weight`."""
    action = spec.continuous
    if action is None:
        names = ", ".join(a.name for a in spec.choices)
        return f"one of {names}.", "every action and each macro about equally likely"
    ranges = ", ".join(f"{a.name} ({a.low:g} to {a.high:g})" for a in action.arguments)
    macros = 2 * len(action.arguments)
    return (
        f"{action.name} with any {ranges}: {action.meaning}",
        f"its own action, with any values, about as likely as {macros} macros together",
    )


def unread(spec: WorldSpec, sensors: str) -> str:
    """What the policy sees and macros that have these sensors cannot read."""
    fields = [f for f in spec.fields if f.level != "paper" and sensors != "full"]
    if not fields:
        return ""
    return f"The policy also sees {', '.join(f'{f.name} ({f.meaning})' for f in fields)}."


def sees(given: Given) -> str:
    """The parts of the observation, in one line."""
    words = [text for part, text in _PARTS.items() if part in given.observation]
    if given.image_size:
        at = words.index(_PARTS[PICTURE])
        words[at] += " ({} x {} pixels, in colour)".format(*given.image_size)
    return ", ".join(words)


def memory(given: Given) -> str:
    """What it knows of earlier ticks of the episode."""
    words = [] if given.image_size else ["No picture"]
    if given.frame_stack > 1:
        words.append(f"it sees the pictures of the last {given.frame_stack} ticks together")
    if given.target_memory:
        words.append("it remembers where its rays last met a target of its reward")
    if given.frame_stack == 1 and not given.target_memory:
        words.append("no memory")
    text = ", ".join(words)
    return text[:1].upper() + text[1:]


def turn(given: Given, may_choose: bool) -> str:
    """By how much it turns; `may_choose` says whether a set-up may change that."""
    others = " or ".join(str(degrees) for degrees in TURNS if degrees != given.turn)
    words = f", or by {others} where the set-up of its training says so" if may_choose else ""
    return f"{given.turn} degrees{words}"
