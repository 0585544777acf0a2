"""A picture of one failing trial of a macro, for a trial critic with eyes.

    iterations/<i>/macros/<name>/try<t>.png   moments from the start of the macro to its end

Of the failures in the situation with the nearest target the typical one is shown.
"""

import dataclasses
from pathlib import Path

from rlgpt_jax.agents.llm.base import Image
from rlgpt_jax.agents.llm.disk import write_atomically
from rlgpt_jax.loop.pictures import frames, strip
from rlgpt_jax.loop.pictures.repeat import can_repeat
from rlgpt_jax.loop.record import read_json
from rlgpt_jax.loop.tools import Tools, World
from rlgpt_jax.rl.evaluate.keyframes import Recorder
from rlgpt_jax.rl.evaluate.moments import stretch
from rlgpt_jax.rl.evaluate.trial_report import TrialReport


def make_recorder(tools: Tools, world: World) -> Recorder | None:
    """What listens to a trial that will be drawn."""
    is_wanted = tools.critic.vision != "off" and can_repeat(world)
    return Recorder(world.goal_names) if is_wanted else None


def draw(path: Path, report: TrialReport, recorder: Recorder | None, world: World) -> str:
    """Writes the picture. Returns what it shows; "" if there is nothing to show."""
    ended = {e.lane: e for e in recorder.ended} if recorder is not None else {}
    failed = tuple(e for e in report.episodes if not e.success and e.number in ended)
    if not failed:
        return ""
    shown = dataclasses.replace(report, episodes=failed).typical()[0]
    episode = ended[shown.number]
    how = shown.trap or ("death or time" if shown.died else shown.end.replace("_", " "))
    moments = stretch(episode, shown.ticks_before, how)
    views = frames.draw(world, {"trial": episode}, {"trial": moments})["trial"]
    if views is None:
        return ""
    where = f"{report.name}, started with the target {shown.target}"
    words = f"{where}: {how} after {shown.ticks} ticks"
    drawn = strip.strip(f"TRIAL of {words}", [views[m.tick] for m in moments], moments)
    write_atomically(path, drawn)
    return words


def shown(
    tools: Tools, iteration: int, names: list[str], number: int
) -> tuple[tuple[Image, ...], str]:
    """The pictures of the trials of one try, and a line about each."""
    images, lines = [], []
    for name in names:
        saved = read_json(tools.folder.macro(iteration, name, f"try{number}.trial.json"))
        if saved and saved.get("picture"):
            path = tools.folder.macro(iteration, name, f"try{number}.png")
            images.append(Image(f"{name}_trial", path.read_bytes()))
            lines.append(f"{len(images)}. {name}_trial: {saved['picture']}")
    return tuple(images), "\n".join(lines)
