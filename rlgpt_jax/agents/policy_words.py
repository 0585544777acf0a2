"""What the policy sees and remembers, in words for prompts."""

from rlgpt_jax.agents.setting import Setting
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
    """What prompts tell of the policy in Minecraft besides its memory."""
    given = setting.given
    turns = turn(given, setting.design != "reward")
    return dict(sees=sees(given), turn=turns, shows=shows(given))


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


def shows(given: Given) -> str:
    """The end of a sentence: "Reacting to what ... easy to learn"."""
    return "the picture shows is less" if given.image_size else "the rays show is"
